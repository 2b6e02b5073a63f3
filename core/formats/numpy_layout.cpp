#include "core/formats/numpy_layout.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/formats/numpy_words.h"
#include "core/number_text.h"
#include "core/rotary/frequencies.h"

namespace ropescope {

namespace {

// ---- ids ------------------------------------------------------------------------------------------------------------

/// Ids whose rule their numbers alone do not tell: of an axis that follows this counter in these parts.
struct OwnRule {
  const char* layout;
  const char* part;  ///< the part's name begins so; "" is every part
  Along along;
  const char* axis;  ///< "" is every axis
  bool listed;       ///< only where the ids are listed
  const char* rule;
};
constexpr OwnRule kOwnRules[] = {
    {"qwen-image", "text", Along::token, "", false, "max({image_rows} // 2, {image_columns} // 2) + i"},
    {"qwen-image", "", Along::row, "", false, "row - ({rows} - {rows} // 2)"},
    {"qwen-image", "", Along::column, "", false, "column - ({columns} - {columns} // 2)"},
    {"lumina-2", "image", Along::none, "t", false, "{text}"},
    {"ernie-image", "image", Along::none, "t", false, "{text}"},
    {"z-image", "image", Along::none, "t", false, "({text} + 31) // 32 * 32 + 1"},
    {"cogview4", "image", Along::row, "", true, "row * {positions_0} // {rows}"},
    {"cogview4", "image", Along::column, "", true, "column * {positions_1} // {columns}"},
    {"dinov3", "image", Along::row, "", true, "(2 * row + 1 - {rows}) / {rows}"},
    {"dinov3", "image", Along::column, "", true, "(2 * column + 1 - {columns}) / {columns}"},
    {"ltx-video", "image", Along::frame, "", true, "t * (8 / {frame_rate}) / 20"},
    {"ltx-video", "image", Along::row, "", true, "row * 32 / 2048"},
    {"ltx-video", "image", Along::column, "", true, "column * 32 / 2048"},
    {"lucidrains-axial", "image", Along::row, "", true, "numpy.linspace(-1, 1, {rows})[row]"},
    {"lucidrains-axial", "image", Along::column, "", true, "numpy.linspace(-1, 1, {columns})[column]"},
    // In float32, as released: another rounding could cut to the whole number below.
    {"qwen2-vl", "image", Along::frame, "", true,
     "{first} + numpy.floor(t.astype(\"f4\") * numpy.float32(2 / {seen_rate}) * numpy.float32({tokens_per_second}))"},
};

const char* counter_name(Along along) {
  switch (along) {
    case Along::token:
      return "i";
    case Along::frame:
      return "t";
    case Along::row:
      return "row";
    case Along::column:
      return "column";
    case Along::none:
      break;
  }
  return "";
}

const TokenBlock* block_of(const TokenLayout& arranged, std::string_view part) {
  const auto found = std::find_if(arranged.blocks.begin(), arranged.blocks.end(),
                                  [part](const TokenBlock& block) { return block.part == part; });
  return found == arranged.blocks.end() ? nullptr : &*found;
}

NumpyValues id_values(const TokenLayout& arranged, const TokenBlock& block, const LayoutRequest& request,
                      bool with_names) {
  NumpyValues values;
  const auto add = [&](const char* name, auto value) {
    values.emplace_back(name, with_names ? std::string(name) : std::to_string(value));
  };
  const TokenBlock* image = block_of(arranged, "image");
  add("rows", block.rows);
  add("columns", block.columns);
  add("text", request.text);
  // One image: its sides are the only ones.
  values.emplace_back("image_rows", with_names ? "rows" : std::to_string(image ? image->rows : 1));
  values.emplace_back("image_columns", with_names ? "columns" : std::to_string(image ? image->columns : 1));
  const std::vector<int>& positions = request.position_grid;
  values.emplace_back("positions_0", std::to_string(positions.empty() ? 256 : positions[0]));
  values.emplace_back("positions_1", std::to_string(positions.empty() ? 256 : positions[1]));
  values.emplace_back("frame_rate", number_text(request.frame_rate.value_or(25)));
  values.emplace_back("seen_rate", number_text(request.frame_rate.value_or(2)));
  values.emplace_back("tokens_per_second", number_text(request.tokens_per_second.value_or(1)));
  return values;
}

/// "row", "row + 512", "row - 29"; a number where nothing counts. Listed ids without a rule are listed.
std::string plain_rule(const AxisIds& ids) {
  if (ids.along == Along::none) return number_text(ids.at(0));
  const std::string counter = counter_name(ids.along);
  if (!ids.listed.empty()) {
    std::string list;
    for (const double id : ids.listed) list += (list.empty() ? "" : ", ") + number_text(id);
    return "numpy.array([" + list + "])[" + counter + "]";
  }
  if (ids.first == 0) return counter;
  return counter + (ids.first < 0 ? " - " : " + ") + number_text(std::abs(ids.first));
}

bool is_of(const OwnRule& rule, const TokenLayout& arranged, const TokenBlock& block, std::size_t axis) {
  const AxisIds& ids = block.ids[axis];
  const std::string_view named = rule.axis;
  return rule.layout == arranged.name && block.part.starts_with(rule.part) && rule.along == ids.along &&
         (named.empty() || named == arranged.axes[axis].name) && (!rule.listed || !ids.listed.empty());
}

std::string rule_of(const TokenLayout& arranged, const TokenBlock& block, std::size_t axis,
                    const LayoutRequest& request, bool with_names) {
  const AxisIds& ids = block.ids[axis];
  const auto own = std::find_if(std::begin(kOwnRules), std::end(kOwnRules),
                                [&](const OwnRule& rule) { return is_of(rule, arranged, block, axis); });
  // The text of Qwen-Image starts by the largest of all images.
  const bool of_one_image = own != std::end(kOwnRules) && own->along == Along::token;
  if (own == std::end(kOwnRules) || (of_one_image && !request.references.empty())) return plain_rule(ids);
  NumpyValues values = id_values(arranged, block, request, with_names);
  values.emplace_back("first", number_text(ids.listed.empty() ? ids.first : ids.listed.front()));
  return filled(own->rule, values);
}

std::string tuple_of(const std::vector<std::string>& parts) {
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "(" : ", ") + part;
  return text + (parts.size() == 1 ? ",)" : ")");
}

std::string ids_text(const TokenLayout& arranged, const LayoutRequest& request) {
  std::string text = R"(def part(frames, rows, columns, rule):  # ids of frames x rows x columns tokens, columns fastest
    t, row, column = numpy.indices((frames, rows, columns)).reshape(3, -1)
    return numpy.stack([x + numpy.zeros(t.size) for x in rule(numpy.arange(t.size), t, row, column)], 1)
ids = numpy.concatenate([
)";
  const std::vector<IdRule> rules = id_rules(arranged, request, false);
  for (std::size_t i = 0; i < rules.size(); ++i) {
    const TokenBlock& block = arranged.blocks[i];
    text += "    part(" + std::to_string(block.frames) + ", " + std::to_string(block.rows) + ", " +
            std::to_string(block.columns) + ", lambda i, t, row, column: " + tuple_of(rules[i].ids) + "),  # " +
            block.part + "\n";
  }
  return text + "])\n";
}

// ---- frequencies ----------------------------------------------------------------------------------------------------

constexpr const char* kLadder = R"(def ladder(d, base):
    return base ** (-numpy.arange(0, d, 2) / d)
)";
constexpr const char* kDealt = R"(owner = {owner}  # the axis that turns each pair
frequency = ladder({channels}, {base}) * (owner == numpy.arange(3)[:, None])
)";
constexpr const char* kNumpyLayoutByTurns =
    "numpy.array([i % 3 if i < 3 * [{s0}, {s1}, {s2}][i % 3] else 0 for i in range({pairs})])";
constexpr const char* kPixtral = R"(whole, n = ladder({channels}, {base}), {quarter}
frequency = numpy.zeros((2, 2 * n))
frequency[0, :n], frequency[1, n:] = whole[0::2], whole[1::2]
)";
constexpr const char* kNumpyLayoutPixel = R"(rungs = numpy.pi * numpy.linspace(1, {max_frequency} / 2, {pairs})
frequency = numpy.kron(numpy.eye(2), rungs)
)";
constexpr const char* kNumpyLayoutLtx = R"(n, still = {rungs}, {left}  # rungs of the ladder, pairs that never turn
rungs = {base} ** (numpy.arange(n) / max(n - 1, 1)) * numpy.pi / 2
frequency = numpy.hstack([numpy.zeros((3, still)), numpy.kron(rungs, numpy.eye(3))])
)";
constexpr const char* kMixed = R"(size = ladder({channels}, {base})
frequency = numpy.hstack([  # a random angle for each head
    numpy.kron([[numpy.cos(a), -numpy.sin(a)], [numpy.sin(a), numpy.cos(a)]], size) for a in ({angles},)])
)";

std::vector<int> sections_of_numpy_layout(const TokenLayout& arranged) {
  std::vector<int> sections;
  for (const LayoutAxis& axis : arranged.axes) sections.push_back(axis.rotary_dim / 2);
  return sections;
}

std::string dealt_text(const TokenLayout& arranged, bool by_turns) {
  const std::vector<int> sections = sections_of_numpy_layout(arranged);
  NumpyValues values = {{"pairs", std::to_string(arranged.pair_count())},
                        {"channels", std::to_string(2 * arranged.pair_count())},
                        {"base", number_text(arranged.axes[0].base)}};
  for (std::size_t i = 0; i < 3; ++i) values.emplace_back("s" + std::to_string(i), std::to_string(sections[i]));
  values.emplace_back("owner",
                      filled(by_turns ? kNumpyLayoutByTurns : "numpy.repeat([0, 1, 2], [{s0}, {s1}, {s2}])", values));
  return kLadder + filled(kDealt, values);
}

std::string ltx_text(const TokenLayout& arranged) {
  const Eigen::Index pairs = arranged.pair_count();
  return filled(kNumpyLayoutLtx, {{"rungs", std::to_string(pairs / 3)},
                                  {"left", std::to_string(pairs % 3)},
                                  {"base", number_text(arranged.axes[0].base)}});
}

std::string pixel_text(const TokenLayout& arranged, const LayoutRequest& request) {
  return filled(kNumpyLayoutPixel, {{"max_frequency", number_text(request.max_frequency.value_or(10))},
                                    {"pairs", std::to_string(arranged.pair_count() / 2)}});
}

std::string pixtral_text(const TokenLayout& arranged) {
  return kLadder + filled(kPixtral, {{"channels", std::to_string(2 * arranged.pair_count())},
                                     {"base", number_text(arranged.axes[0].base)},
                                     {"quarter", std::to_string(arranged.pair_count() / 2)}});
}

std::string learned_text(const Eigen::MatrixXd& frequencies) {
  std::string rows;
  for (Eigen::Index axis = 0; axis < frequencies.rows(); ++axis) {
    rows += axis == 0 ? "[" : ",\n    [";
    for (Eigen::Index pair = 0; pair < frequencies.cols(); ++pair) {
      rows += (pair == 0 ? "" : ", ") + number_text(frequencies(axis, pair));
    }
    rows += "]";
  }
  return "frequency = numpy.array([  # learned\n    " + rows + "])\n";
}

std::string mixed_text(const TokenLayout& arranged, const LayoutRequest& request) {
  if (request.mixed_frequencies.size() != 0) return learned_text(arranged.frequencies);
  const Eigen::Index of_head = arranged.pair_count() / request.heads;
  std::string angles;
  for (int head = 0; head < request.heads; ++head) {
    const auto first = arranged.frequencies.col(head * of_head);
    angles += (angles.empty() ? "" : ", ") + number_text(std::atan2(first[1], first[0]));
  }
  return kLadder + filled(kMixed, {{"channels", std::to_string(of_head)},
                                   {"base", number_text(arranged.axes[0].base)},
                                   {"angles", angles}});
}

/// A ladder of its own for each axis, one block of pairs after the other.
std::string blocks_text(const TokenLayout& arranged) {
  std::string calls;
  for (const LayoutAxis& axis : arranged.axes) {
    const std::string channels = std::to_string(axis.rotary_dim);
    calls += (calls.empty() ? "" : ", ") + ("ladder(" + channels + ", " + number_text(axis.base) + ")");
  }
  return kLadder + std::string("ladders = [") + calls + "]\n";
}

/// id_scale · ids + id_offset, the same on all axes.
std::string scaled_ids(const TokenLayout& arranged) {
  const LayoutAxis& axis = arranged.axes.front();
  if (axis.id_scale == 1 && axis.id_offset == 0) return "ids";
  const bool is_turn = axis.id_scale == 2 * std::numbers::pi;
  std::string text = "(" + (is_turn ? "2 * numpy.pi" : number_text(axis.id_scale)) + " * ids";
  if (axis.id_offset != 0) text += (axis.id_offset < 0 ? " - " : " + ") + number_text(std::abs(axis.id_offset));
  return text + ")";
}

/// Lines that leave `angle`.
std::string angles_text(const TokenLayout& arranged, const LayoutRequest& request) {
  const std::string& name = arranged.name;
  const std::string product = "angle = " + scaled_ids(arranged) + " @ frequency\n";
  if (name == "qwen2-vl" || name == "qwen3-vl") return dealt_text(arranged, name == "qwen3-vl") + product;
  if (name == "pixtral") return pixtral_text(arranged) + product;
  if (name == "ltx-video") return ltx_text(arranged) + product;
  if (name == "vit-mixed") return mixed_text(arranged, request) + product;
  if (name == "lucidrains-axial" && arranged.axes[0].base == 0) return pixel_text(arranged, request) + product;
  return blocks_text(arranged) + "angle = numpy.hstack([numpy.outer(x, f) for x, f in zip(" + scaled_ids(arranged) +
         ".T, ladders)])\n";
}

}  // namespace

std::vector<IdRule> id_rules(const TokenLayout& arranged, const LayoutRequest& request, bool with_names) {
  std::vector<IdRule> rules;
  for (const TokenBlock& block : arranged.blocks) {
    IdRule rule{block.part, {}};
    for (std::size_t axis = 0; axis < block.ids.size(); ++axis) {
      rule.ids.push_back(rule_of(arranged, block, axis, request, with_names));
    }
    rules.push_back(std::move(rule));
  }
  return rules;
}

std::string id_formula(const TokenLayout& arranged, const LayoutRequest& request) {
  std::vector<std::string> names;
  for (const LayoutAxis& axis : arranged.axes) names.push_back(axis.name);
  std::string text;
  const std::vector<IdRule> rules = id_rules(arranged, request, true);
  for (std::size_t i = 0; i < rules.size(); ++i) {
    const TokenBlock& block = arranged.blocks[i];
    const bool is_line = std::all_of(block.ids.begin(), block.ids.end(), [](const AxisIds& ids) {
      return ids.along == Along::none || ids.along == Along::token;
    });
    const char* counters = is_line ? "i" : block.frames > 1 ? "t, row, column" : "row, column";
    text += (text.empty() ? "" : "\n") + rules[i].part + "[" + counters + "]: " + tuple_of(names) + " = " +
            tuple_of(rules[i].ids);
  }
  return text;
}

std::string numpy_layout(const TokenLayout& arranged, const LayoutRequest& request) {
  return "import numpy\n\n" + ids_text(arranged, request) + angles_text(arranged, request) +
         "cos, sin = numpy.cos(angle), numpy.sin(angle)";
}

}  // namespace ropescope
