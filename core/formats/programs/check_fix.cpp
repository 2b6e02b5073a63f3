// Texts of a fix (config.json, llama.cpp options, ids, NumPy) by what a cause needs. Read check_fix.h first.

#include "core/formats/programs/check_fix.h"

#include <algorithm>
#include <cmath>

#include "core/check/causes/cause.h"
#include "core/check/model/model.h"
#include "core/formats/nlohmann.h"
#include "core/formats/programs/equivalents.h"
#include "core/message.h"

namespace ropescope {

namespace {

using nlohmann::ordered_json;

/// Returns which texts fix a cause; NumPy only for a name outside all_causes(): "unknown".
unsigned fix_kinds(const std::string& name) {
  const auto found =
      std::find_if(all_causes().begin(), all_causes().end(), [&](const Cause* cause) { return cause->name == name; });
  if (found == all_causes().end()) return kNumpyOnly;
  const Cause& cause = **found;
  if (cause.fix_kinds != kByGroup) return cause.fix_kinds;
  return cause.group == CauseGroup::ids ? kByIds : cause.group == CauseGroup::frequencies ? kByLadder : kNumpyOnly;
}

// ---- config.json ----------------------------------------------------------------------------------------------------

/// Converts a number to JSON, without a fractional part if it is an integer.
ordered_json number_json(double value) {
  return value == static_cast<double>(static_cast<std::int64_t>(value)) && std::abs(value) < 1e15
             ? ordered_json(static_cast<std::int64_t>(value))
             : ordered_json(value);
}

/// Formats a list of numbers on one line.
std::string list_text(const ordered_json& list) {
  return "[" + joined(list, ", ", [](const ordered_json& entry) { return entry.dump(); }) + "]";
}

/// Formats the lines between the braces, with two spaces per level.
std::string lines_of(const ordered_json& object, const std::string& indent = "") {
  std::string text;
  for (const auto& [key, value] : object.items()) {
    text += (text.empty() ? "" : ",\n") + indent + ordered_json(key).dump() + ": ";
    if (value.is_object()) {
      text += "{\n";
      text += lines_of(value, indent + "  ");
      text += "\n" + indent + "}";
    } else {
      text += value.is_array() ? list_text(value) : value.dump();
    }
  }
  return text;
}

/// Returns the axis that rotates a pair.
Eigen::Index owner_of(const TokenLayout& tokens, Eigen::Index pair) {
  Eigen::Index axis = 0;
  tokens.frequencies.col(pair).cwiseAbs().maxCoeff(&axis);
  return axis;
}

/// Formats sections and base. `of_layout`: the layout of the sections is wrong, not only their sizes.
std::string sections_lines(const TokenLayout& tokens, const LayoutRequest& request, unsigned lines, bool of_layout) {
  ordered_json rope = ordered_json::object();
  if (lines & kByBase) rope["rope_theta"] = number_json(tokens.axes.front().base);
  if (lines & kByAxes) {
    std::vector<int> sections = request.sections;
    if (sections.empty()) {
      for (const LayoutAxis& axis : tokens.axes) sections.push_back(axis.rotary_dim / 2);
    }
    // ERNIE's files list rows and columns first.
    const bool alternating = owner_of(tokens, 0) == 1;
    if (alternating) std::rotate(sections.begin(), sections.begin() + 1, sections.end());
    const bool four = sections.size() == 4, interleaved = !four && owner_of(tokens, 1) == 1 && owner_of(tokens, 2) == 2;
    rope[four ? "xdrope_section" : "mrope_section"] = sections;
    if (interleaved || (of_layout && !alternating && !four)) rope["mrope_interleaved"] = interleaved;
  }
  return lines_of({{"rope_parameters", rope}});
}

std::string layout_lines(const CheckReference& reference, unsigned lines, bool of_sections) {
  const TokenLayout& tokens = reference.tokens;
  const ConfigOfLayout& config = reference.layout->config;
  if (config.holds == ConfigHolds::sections) return sections_lines(tokens, reference.request, lines, of_sections);
  ordered_json object = ordered_json::object();
  if ((lines & kByAxes) && !config.channels.empty()) {
    std::vector<int> dims;
    for (const LayoutAxis& axis : tokens.axes) dims.push_back(axis.rotary_dim);
    ordered_json& channels = object[std::string(config.channels)];
    if (config.holds == ConfigHolds::axes) {
      channels = dims;
    } else {
      channels = 2 * tokens.pair_count();
    }
  }
  if ((lines & kByBase) && !config.base.empty()) {
    object[std::string(config.base)] = number_json(tokens.axes.front().base);
  }
  return lines_of(object);
}

/// Formats "head_dim", "max_position_embeddings" and "rope_parameters" as transformers reads them.
std::string rope_lines(const CheckReference& reference) {
  Profile profile;
  profile.name = kTextProfile;
  profile.spec = *reference.rope;
  const Equivalent equivalent = find_other_words("transformers").of({{&profile, 1}, reference.length});
  return equivalent.text.empty() ? "" : lines_of(ordered_json::parse(equivalent.text));
}

/// Returns options of llama.cpp; empty if part of the reference has no option, such as factors for each pair, which are
/// a tensor in the file.
std::string rope_options(const CheckReference& reference) {
  Profile profile;
  profile.name = kTextProfile;
  profile.spec = *reference.rope;
  const Equivalent equivalent = find_other_words("llama.cpp").of({{&profile, 1}, reference.length});
  const bool whole = std::all_of(equivalent.unsaid.begin(), equivalent.unsaid.end(), [](const Message& sentence) {
    constexpr std::string_view kBesideOptions[] = {"equivalent.of_file", "equivalent.one_length"};
    return std::ranges::count(kBesideOptions, sentence.key) > 0;
  });
  return whole ? equivalent.text : std::string();
}

// ---- NumPy ----------------------------------------------------------------------------------------------------------

/// Returns the number of tokens: of the given positions, of the rows on which the causes were verified, or an example.
std::int64_t tokens_of(const CheckCause& cause, const CheckReference& reference) {
  constexpr std::int64_t kExample = 4096;
  if (reference.positions) return static_cast<std::int64_t>(reference.positions->size());
  return cause.applied && cause.applied->row_count > 0 ? cause.applied->row_count : kExample;
}

/// Formats integers as ranges, and repeated ones as such: "0:50, 0:30, [1] * 4"; empty if there are too many ranges.
std::string ranges_text(const std::vector<double>& positions) {
  constexpr std::size_t kMaxRanges = 64;
  std::vector<std::string> ranges;
  for (std::size_t begin = 0, end = 0; begin < positions.size(); begin = end) {
    const double first = positions[begin], step = begin + 1 < positions.size() ? positions[begin + 1] - first : 0;
    end = begin + 1;
    while ((step == 0 || step == 1) && end < positions.size() && positions[end] - positions[end - 1] == step) ++end;
    ranges.push_back(end == begin + 1 ? number_text(first)
                     : step == 0      ? "[" + number_text(first) + "] * " + std::to_string(end - begin)
                                      : number_text(first) + ":" + number_text(positions[end - 1] + 1));
    if (ranges.size() > kMaxRanges || first != std::nearbyint(first)) return "";
  }
  return joined(ranges);
}

/// The positions in a program, if they are too many and too irregular to be listed.
constexpr std::string_view kGivenPositions = "numpy.asarray(positions)";

/// Formats positions: a range if evenly spaced, a short list, ranges, or a name for the given ones.
std::string positions_text(const std::vector<double>& positions) {
  constexpr std::size_t kMaxListed = 16;
  const double first = positions.front(), step = positions.size() > 1 ? positions[1] - first : 1;
  bool is_even = true;
  for (std::size_t i = 0; i < positions.size(); ++i) {
    is_even = is_even && positions[i] == first + step * static_cast<double>(i);
  }
  const std::string count = std::to_string(positions.size());
  if (is_even) {
    const std::string times = step == 1 ? "" : number_text(step) + " * ";
    return (first == 0 ? "" : number_text(first) + " + ") + times + "numpy.arange(" + count + ")";
  }
  if (positions.size() <= kMaxListed) return "numpy.array([" + joined(positions, ", ", number_text) + "])";
  const std::string ranges = ranges_text(positions);
  if (!ranges.empty()) return "numpy.r_[" + ranges + "]";
  return std::string(kGivenPositions) + "  # the " + count + " positions that you gave";
}

std::string rope_numpy(const CheckCause& cause, const CheckReference& reference) {
  const std::string positions = reference.positions
                                    ? positions_text(*reference.positions)
                                    : "numpy.arange(" + std::to_string(tokens_of(cause, reference)) + ")";
  return "import numpy\n\n" + numpy_ladder(*reference.rope, reference.length) + "\nposition = " + positions +
         "\nangle = numpy.outer(position, frequency)\n"
         "cos, sin = amplitude * numpy.cos(angle), amplitude * numpy.sin(angle)";
}

/// Returns the line that selects the tensors' rows if they cover only part of the sequence.
std::string part_text(const CheckCause& cause, const CheckReference& reference) {
  if (!cause.applied || cause.applied->row_count == reference.tokens.row_count()) return "";
  std::string rows;
  for (const auto& [first, count] : cause.applied->rows) {
    rows += (rows.empty() ? "" : ", ") + std::to_string(first) + ":" + std::to_string(first + count);
  }
  return rows.empty() ? "" : "\nids, cos, sin = (x[numpy.r_[" + rows + "]] for x in (ids, cos, sin))";
}

std::string position_formula(const CheckReference& reference) {
  if (!reference.positions) return "position[i] = i";
  const std::string text = positions_text(*reference.positions);
  return text.starts_with(kGivenPositions) ? "position[i] = positions[i]" : "position = " + text;
}

/// The rule of llama.cpp's converter (convert_hf_to_gguf.py).
constexpr const char* kPermute = R"(
def permute(w, heads):  # wq with its heads, wk with the key heads; interleaves the two halves, as in a GGUF
    return w.reshape(heads, 2, -1, *w.shape[1:]).swapaxes(1, 2).reshape(w.shape))";

/// Returns the program's lines from one that begins with `first` to one that begins with `last`, or to the end.
std::string lines_between(const std::string& program, std::string_view first, std::string_view last) {
  std::string part;
  bool within = false;
  for (std::size_t begin = 0; begin < program.size();) {
    const std::size_t end = std::min(program.find('\n', begin), program.size());
    const std::string_view line = std::string_view(program).substr(begin, end - begin);
    within = within || line.starts_with(first);
    if (within) part += (part.empty() ? "" : "\n") + std::string(line);
    if (within && !last.empty() && line.starts_with(last)) break;
    begin = end + 1;
  }
  return part;
}

/// Returns the lines of the program that fix a cause; the whole program if there are none.
std::string list_fix_lines(unsigned mended, const std::string& program, bool has_layout) {
  std::string lines;
  const auto add = [&](const std::string& part) { lines += (lines.empty() || part.empty() ? "" : "\n") + part; };
  if (mended & kByIds) {
    add(has_layout ? lines_between(program, "ids = numpy", "])") : lines_between(program, "position =", "position ="));
  }
  if (mended & kByLadder) {
    std::string ladder = lines_between(program, "def ladder", has_layout ? "ladders =" : "frequency =");
    add(ladder.empty() ? lines_between(program, "frequency =", "angle =") : ladder);
  }
  if (mended & kByRotation) add(lines_between(program, "def rotate", "    return"));
  if (mended & kByPermutation) add(lines_between(program, "def permute", "    return"));
  return lines.empty() ? program : lines;
}

}  // namespace

Fix fix_of(const CheckCause& cause, const CheckReference& reference) {
  Fix fix;
  // A wrong number of pairs is a matter of the ladder, not of ids.
  const bool of_pairs = std::any_of(cause.parameters.begin(), cause.parameters.end(),
                                    [](const CheckParameter& parameter) { return parameter.name == "pairs"; });
  const unsigned mended = fix_kinds(cause.name), needs = of_pairs ? kByLadder : mended;
  const bool has_layout = reference.layout != nullptr;
  if (needs == kNoFix || reference.cosine || (!has_layout && !reference.rope)) return fix;
  if ((needs & kByLadder) && reference.is_gguf && !has_layout) {
    if (!(mended & kByMetadata)) fix.options = rope_options(reference);
  } else if (needs & kByLadder) {
    fix.config = has_layout ? layout_lines(reference, needs, cause.name == kSectionLayout.name) : rope_lines(reference);
  }
  if (needs & kByIds) {
    fix.ids = has_layout ? id_formula(reference.tokens, reference.request) : position_formula(reference);
  }
  fix.numpy = has_layout ? numpy_layout(reference.tokens, reference.request) + part_text(cause, reference)
                         : rope_numpy(cause, reference);
  if (needs & kByRotation || cause.input == "after") {
    fix.numpy += "\n" + numpy_rotation(reference.tokens);
  }
  if (needs & kByPermutation) fix.numpy += kPermute;
  fix.lines = list_fix_lines(needs, fix.numpy, has_layout);
  return fix;
}

}  // namespace ropescope
