// NumPy code for frequencies, ids of each layout, tables and rotation. Read equivalents.h first.
//
// Contents: Ropes; Layouts.

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

#include "core/formats/programs/equivalents.h"
#include "core/layouts/extension.h"
#include "core/message.h"
#include "core/rotary/spec.h"
#include "core/scaling/scaling.h"

namespace ropescope {

// --- Ropes ---------------------------------------------------------------------------------------------------------

namespace {

// Python in raw strings, with {name} as placeholders for numbers. Each is the body of ladder(d, base) and defines
// `frequency`; code of a single method is in its definition (ScalingMethod::numpy).

constexpr const char* kPlain = R"(    frequency = base ** (-numpy.arange(0, d, 2) / d)
)";
constexpr const char* kByIndex = R"(    plain = base ** (-numpy.arange(0, d, 2) / d)
    low, high = (d * numpy.log({length} / (2 * numpy.pi * turns)) / (2 * numpy.log(base)) for turns in ({fast}, {slow}))
    low, high = max({low}, 0), min({high}, d - 1)
    kept = 1 - numpy.clip((numpy.arange(d // 2) - low) / ((high - low) or 0.001), 0, 1)
    frequency = plain / {factor} * (1 - kept) + plain * kept
)";
constexpr const char* kRampByTurns = R"(    plain = base ** (-numpy.arange(0, d, 2) / d)
    turns, slow, fast = {length} * plain / (2 * numpy.pi), {slow}, {fast}
    kept = numpy.clip((turns - slow) / (fast - slow), 0, 1) if fast > slow else 1.0 * (turns >= fast)
    frequency = plain / {factor} * (1 - kept) + plain * kept
)";
constexpr const char* kShaped = R"(def rotate(q):  # [tokens, channels] or [tokens, heads, channels]
    c, s = (x.reshape(len(q), *[1] * (q.ndim - 2), -1) for x in (cos, sin))
    n = c.shape[-1]
)";
constexpr const char* kNeighbours = R"(    a, b = q[..., 0:2 * n:2], q[..., 1:2 * n:2]
    turned = numpy.stack([a * c - b * s, a * s + b * c], -1).reshape(*q.shape[:-1], 2 * n)
)";
constexpr const char* kHalves = R"(    a, b = q[..., :n], q[..., n:2 * n]
    turned = numpy.concatenate([a * c - b * s, a * s + b * c], -1)
)";
constexpr const char* kMismatch =
    R"(    a, b, c, s = q[..., :n], q[..., n:2 * n], numpy.repeat(c, 2, -1), numpy.repeat(s, 2, -1)
    turned = q[..., :2 * n] * c + numpy.concatenate([-b, a], -1) * s
)";
constexpr const char* kHalvesByAxis = R"(    parts, first = [], 0
    for m in {pairs}:  # pairs of each axis, half split within its channels
        a, b = q[..., 2 * first:2 * first + m], q[..., 2 * first + m:2 * (first + m)]
        x, y = c[..., first:first + m], s[..., first:first + m]
        parts, first = parts + [a * x - b * y, a * y + b * x], first + m
    turned = numpy.concatenate(parts, -1)
)";
constexpr const char* kMismatchByAxis = R"(    parts, first = [], 0
    for m in {pairs}:  # pairs of each axis: the table repeats by halves, adjacent channels are rotated
        a, x, y = q[..., 2 * first:2 * (first + m)], c[..., first:first + m], s[..., first:first + m]
        b = numpy.stack([-a[..., 1::2], a[..., 0::2]], -1).reshape(a.shape)
        parts, first = parts + [a * numpy.tile(x, 2) + b * numpy.tile(y, 2)], first + m
    turned = numpy.concatenate(parts, -1)
)";
constexpr const char* kRest = R"(    return numpy.concatenate([turned, q[..., 2 * n:]], -1))";

using Values = std::vector<std::pair<std::string, std::string>>;

/// Returns all numbers of the extension by name, and the length.
Values values_of(const RotarySpec& spec) {
  Values values;
  for (const auto& [name, value] : fill_defaults(spec.extension).numbers) values.emplace_back(name, number_text(value));
  values.emplace_back("length", number_text(spec.trained_length.value_or(0)));
  return values;
}

/// Replaces each {name} in Python code by its value.
std::string filled(std::string text, const Values& values) {
  for (const auto& [name, value] : values) {
    const std::string place = "{" + name + "}";
    for (std::size_t at = text.find(place); at != std::string::npos; at = text.find(place, at + value.size())) {
      text.replace(at, place.size(), value);
    }
  }
  return text;
}

/// Formats the ramp between its two ends, which are in turns; if `by_index`, they are converted to pair indices.
std::string ramp_text(const ScalingMethod& method, const Extension& extension, bool by_index, Values values) {
  values.emplace_back("fast", number_text(*number_in(extension, method.ramp.fast)));
  values.emplace_back("slow", number_text(*number_in(extension, method.ramp.slow)));
  if (!by_index) return filled(kRampByTurns, values);
  const bool truncates = number_in(extension, "truncate").value_or(1) != 0;
  values.emplace_back("low", truncates ? "numpy.floor(low)" : "low");
  values.emplace_back("high", truncates ? "numpy.ceil(high)" : "high");
  return filled(kByIndex, values);
}

/// Formats the list for a length: the first up to the trained length, the second beyond it.
std::string list_at(const ScalingMethod& method, const RotarySpec& spec, double length) {
  if (method.lists.empty()) return {};
  const std::string_view name = method.lists[length > *spec.trained_length ? 1 : 0].name;
  return joined(spec.extension.lists.at(std::string(name)), ", ", number_text);
}

/// Formats the body of ladder(d, base) with the extension of the spec.
std::string body_of(const RotarySpec& spec, const std::optional<double>& at) {
  const ScalingMethod& method = find_scaling_method(spec.extension.method);
  const double trained = spec.trained_length.value_or(0), length = at.value_or(trained);
  // Without lists, a method that depends on the length is plain up to the trained one.
  if (method.depends_on_length && method.lists.empty() && length <= trained) return kPlain;
  Values values = values_of(spec);
  if (method.ramp.along != ScalingRamp::Along::nothing) {
    if (!find_parameter(method, "factor")) values.emplace_back("factor", number_text(length / trained));
    const bool by_paper = number_in(spec.extension, "paper_ramp").value_or(0) != 0;
    const bool by_index = method.ramp.along == ScalingRamp::Along::index && !by_paper;
    return ramp_text(method, spec.extension, by_index, std::move(values));
  }
  values.emplace_back("l", number_text(length));
  values.emplace_back("list", list_at(method, spec, length));
  return method.numpy.empty() ? kPlain : filled(std::string(method.numpy), values);
}

/// Formats the ladder call of an axis, with its factor or live fraction.
std::string call_of(const RotaryAxis& axis) {
  std::string call = "ladder(" + std::to_string(axis.rotary_dim) + ", " + number_text(axis.base) + ")";
  if (axis.ladder == Ladder::plain) return call;
  if (axis.live_fraction != 1) {
    const std::string pairs = std::to_string(axis.rotary_dim / 2);
    call += " * (numpy.arange(" + pairs + ") < int(" + number_text(axis.live_fraction) + " * " + pairs + "))";
  }
  return axis.factor == 1 ? call : call + " / " + number_text(axis.factor);
}

Equivalent express_in_numpy(const EquivalentOf& of) {
  Equivalent equivalent;
  equivalent.text = R"(import numpy
)";
  for (const Profile& profile : of.profiles) {
    if (of.profiles.size() > 1) equivalent.text += "\n# " + profile.name + "\n";
    equivalent.text += numpy_ladder(profile.spec, of.length);
    if (&profile != &of.profiles.back()) equivalent.text += "\n";
  }
  return equivalent;
}

Equivalent express_layout_in_numpy(const Layout& layout, const LayoutRequest& request) {
  return {numpy_layout(arrange(layout, request), request), {}};
}

// --- Layouts -------------------------------------------------------------------------------------------------------

// ---- ids ------------------------------------------------------------------------------------------------------------

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

Values id_values(const TokenLayout& arranged, const TokenBlock& block, const LayoutRequest& request, bool with_names) {
  Values values;
  const auto add = [&](const char* name, auto value) {
    values.emplace_back(name, with_names ? std::string(name) : std::to_string(value));
  };
  const TokenBlock* image = block_of(arranged, "image");
  add("rows", block.rows);
  add("columns", block.columns);
  add("text", request.text);
  add("frames", image ? image->frames : 1);
  // With one image, only its sides occur.
  values.emplace_back("image_rows", with_names ? "rows" : std::to_string(image ? image->rows : 1));
  values.emplace_back("image_columns", with_names ? "columns" : std::to_string(image ? image->columns : 1));
  const std::vector<int>& positions = request.position_grid;
  values.emplace_back("positions_0", std::to_string(positions.empty() ? 256 : positions[0]));
  values.emplace_back("positions_1", std::to_string(positions.empty() ? 256 : positions[1]));
  values.emplace_back("frame_rate", number_text(request.frame_rate.value_or(find_layout(arranged.name).frame_rate)));
  values.emplace_back("tokens_per_second", number_text(request.tokens_per_second.value_or(1)));
  for (const LayoutField& field : find_layout(arranged.name).settings) {
    if (!std::holds_alternative<std::monostate>(field.member)) continue;
    values.emplace_back(field.name, number_text(*value_of(request, field)));
  }
  return values;
}

/// Formats a rule: "row", "row + 512", "row - 29"; a number if no counter applies; listed ids as a list.
std::string plain_rule(const AxisIds& ids) {
  if (ids.along == Along::none) return number_text(ids.at(0));
  const std::string counter = counter_name(ids.along);
  if (!ids.listed.empty()) return "numpy.array([" + joined(ids.listed, ", ", number_text) + "])[" + counter + "]";
  if (ids.first == 0) return counter;
  return counter + (ids.first < 0 ? " - " : " + ") + number_text(std::abs(ids.first));
}

std::string rule_of(const TokenLayout& arranged, const TokenBlock& block, std::size_t axis,
                    const LayoutRequest& request, bool with_names) {
  const AxisIds& ids = block.ids[axis];
  // A static image has no frame counter.
  if (ids.along == Along::frame && block.frames == 1) return number_text(ids.at(0));
  const auto& formulas = find_layout(arranged.name).formulas;
  const auto own = std::ranges::find_if(formulas, [&](const IdFormula& one) {
    return !one.python.empty() && block.part.starts_with(one.part) && one.along == ids.along &&
           (one.axis.empty() || one.axis == arranged.axes[axis].name) && (!one.listed || !ids.listed.empty());
  });
  // Text ids of Qwen-Image start after the largest of all images.
  const bool of_one_image = own != std::end(formulas) && own->along == Along::token;
  if (own == std::end(formulas) || (of_one_image && !request.references.empty())) return plain_rule(ids);
  Values values = id_values(arranged, block, request, with_names);
  values.emplace_back("first", number_text(ids.listed.empty() ? ids.first : ids.listed.front()));
  return filled(std::string(own->python), values);
}

std::string tuple_of(const std::vector<std::string>& parts) {
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "(" : ", ") + part;
  return text + (parts.size() == 1 ? ",)" : ")");
}

/// Ids of the tokens of one part: for each axis a Python expression in i (token index within the part), t, row and
/// column. Sizes are numbers, or the names text, rows and columns.
struct IdRule {
  std::string part;  ///< as TokenBlock::part
  std::vector<std::string> ids;
};

/// Scales a rule about its fixed id and shifts it.
std::string transform_rule(std::string rule, const AxisIds& ids, const AxisChange& by) {
  if (ids.along != Along::none && by.scale != 1) {
    const double still = still_id(ids);
    const std::string from = still == 0 ? "(" + rule + ")" : "(" + rule + " - " + number_text(still) + ")";
    rule = (still == 0 ? "" : number_text(still) + " + ") + number_text(by.scale) + " * " + from;
  }
  if (by.shift != 0) rule += (by.shift < 0 ? " - " : " + ") + number_text(std::abs(by.shift));
  return rule;
}

/// Returns one rule per block, in order. Axes without a rule of their own follow a counter from their first id on.
std::vector<IdRule> id_rules(const TokenLayout& arranged, const LayoutRequest& request, bool with_names) {
  std::vector<IdRule> rules;
  // Scaled or shifted positions use the rule of the unchanged positions, followed by scale and shift.
  const LayoutRequest still = remove_position_fields(request);
  const bool moved = still.numbers != request.numbers;
  const TokenLayout unmoved = moved ? arrange(find_layout(arranged.name), still) : TokenLayout();
  for (const TokenBlock& block : moved ? unmoved.blocks : arranged.blocks) {
    IdRule rule{block.part, {}};
    const bool in_grid = block.is_image() || block.is_reference();
    for (std::size_t axis = 0; axis < block.ids.size(); ++axis) {
      const std::string text = rule_of(arranged, block, axis, request, with_names);
      const AxisChange by = in_grid ? find_axis_change(request, arranged.axes[axis].name) : AxisChange();
      rule.ids.push_back(transform_rule(text, block.ids[axis], by));
    }
    rules.push_back(std::move(rule));
  }
  return rules;
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
std::string learned_text(const Eigen::MatrixXd& frequencies) {
  std::string rows;
  for (Eigen::Index axis = 0; axis < frequencies.rows(); ++axis) {
    rows += (axis == 0 ? "[" : ",\n    [") + joined(frequencies.row(axis), ", ", number_text) + "]";
  }
  return "frequency = numpy.array([  # learned\n    " + rows + "])\n";
}

/// Formats the angle of each head with frequencies along and across one direction.
std::string to_head_angles(const TokenLayout& arranged, const LayoutRequest& request) {
  const Eigen::Index of_head = arranged.pair_count() / request.heads;
  std::string angles;
  for (int head = 0; head < request.heads; ++head) {
    const auto first = arranged.frequencies.col(head * of_head);
    angles += (angles.empty() ? "" : ", ") + number_text(std::atan2(first[1], first[0]));
  }
  return angles;
}

/// Formats the layout's own ladder code with its numbers.
std::string own_ladder_text(std::string_view lines, const TokenLayout& arranged, const LayoutRequest& request) {
  const auto text = [](Eigen::Index number) { return std::to_string(number); };
  const Eigen::Index pairs = arranged.pair_count();
  Values values = {{"base", number_text(arranged.axes[0].base)},
                   {"pairs", text(pairs)},
                   {"channels", text(2 * pairs)},
                   {"half", text(pairs / 2)},
                   {"head", text(pairs / request.heads)},
                   {"first", text(request.head * pairs)},
                   {"rungs", text(pairs / 3)},
                   {"left", text(pairs % 3)},
                   {"max_frequency", number_text(request.max_frequency.value_or(10))},
                   {"angles", to_head_angles(arranged, request)}};
  for (std::size_t axis = 0; axis < arranged.axes.size(); ++axis) {
    values.emplace_back("s" + std::to_string(axis), text(arranged.axes[axis].rotary_dim / 2));
  }
  const bool calls = lines.find("ladder(") != std::string_view::npos;
  return (calls ? kLadder : "") + filled(std::string(lines), values);
}

/// Formats a separate ladder for each axis, as consecutive blocks of pairs.
std::string blocks_text(const TokenLayout& arranged) {
  const auto call = [](const LayoutAxis& axis) {
    return "ladder(" + std::to_string(axis.rotary_dim) + ", " + number_text(axis.base) + ")";
  };
  return kLadder + std::string("ladders = [") + joined(arranged.axes, ", ", call) + "]\n";
}

/// Formats id_scale · ids + id_offset; the offset is the same on all axes.
std::string scaled_ids(const TokenLayout& arranged) {
  const LayoutAxis& axis = arranged.axes.front();
  std::vector<std::string> scales;
  for (const LayoutAxis& each : arranged.axes) scales.push_back(number_text(each.id_scale));
  if (std::ranges::count(scales, scales.front()) != std::ssize(scales)) return "(" + tuple_of(scales) + " * ids)";
  if (axis.id_scale == 1 && axis.id_offset == 0) return "ids";
  const bool is_turn = axis.id_scale == 2 * std::numbers::pi;
  std::string text = "(" + (is_turn ? "2 * numpy.pi" : number_text(axis.id_scale)) + " * ids";
  if (axis.id_offset != 0) text += (axis.id_offset < 0 ? " - " : " + ") + number_text(std::abs(axis.id_offset));
  return text + ")";
}

/// Code of an extension: a function extended_AXIS for each axis whose own ladder is extended, and all factors.
struct ExtensionText {
  std::string functions;
  std::vector<double> factors;
  std::vector<std::optional<ExtendedAxis>> axes;  ///< nullopt: unchanged, or only divided by its factor
};

ExtensionText extension_text(const TokenLayout& plain, const LayoutRequest& request) {
  ExtensionText text;
  text.axes.resize(plain.axes.size());
  for (const AxisExtension& by : axis_extensions(find_layout(plain.name), request, plain)) {
    const std::size_t axis = text.factors.size();
    text.factors.push_back(by.factor);
    if (by.factor == 1) continue;
    auto extended = extended_axis(request, plain, axis, by);
    if (!extended) continue;
    text.functions += "def extended_" + std::to_string(axis) + "(d, base):\n" + body_of(extended->spec, {}) +
                      "    return frequency\n";
    text.axes[axis] = std::move(extended);
  }
  return text;
}

/// Formats lines that extend `frequency` [axes, pairs] or the list `ladders`.
std::string extended_lines(const ExtensionText& text, bool listed) {
  std::string lines = text.functions;
  for (std::size_t axis = 0; axis < text.factors.size(); ++axis) {
    if (text.factors[axis] == 1) continue;
    const std::string number = std::to_string(axis);
    const std::string place = (listed ? "ladders[" : "frequency[") + number + "]";
    if (!text.axes[axis]) {
      lines += place + " /= " + number_text(text.factors[axis]) + "\n";
      continue;
    }
    const RotaryAxis& of = text.axes[axis]->spec.axes[0];
    const std::string call =
        "extended_" + number + "(" + std::to_string(of.rotary_dim) + ", " + number_text(of.base) + ")";
    const std::string turning = place + "[" + place + " != 0]";
    const bool shared = text.axes[axis]->shared;
    lines += listed   ? place + " = " + call + "\n"
             : shared ? place + " = numpy.where(" + place + " != 0, " + call + ", 0)\n"
                      : turning + " = " + call + "\n";
  }
  return lines;
}

/// Formats lines that define `angle`.
std::string angles_text(const TokenLayout& arranged, const LayoutRequest& request) {
  const std::string product = "angle = " + scaled_ids(arranged) + " @ frequency\n";
  if (extends(request.scaling)) {
    const LayoutRequest unextended = remove_extension(request);
    const TokenLayout plain = arrange(find_layout(arranged.name), unextended);
    const std::string angles = angles_text(plain, unextended);
    const std::size_t at = angles.rfind("angle = ");
    const bool listed = angles.find("ladders = [") != std::string::npos;
    return angles.substr(0, at) + extended_lines(extension_text(plain, request), listed) + angles.substr(at);
  }
  if (request.mixed_frequencies.size() != 0) return learned_text(arranged.frequencies) + product;
  const std::string_view own = find_layout(arranged.name).ladder;
  const bool has_base = arranged.axes[0].base != 0, wants_base = own.find("{base}") != std::string_view::npos;
  if (!own.empty() && has_base == wants_base) return own_ladder_text(own, arranged, request) + product;
  return blocks_text(arranged) + "angle = numpy.hstack([numpy.outer(x, f) for x, f in zip(" + scaled_ids(arranged) +
         ".T, ladders)])\n";
}

/// Formats lines that define `cos` and `sin`, including the amplitude of each axis.
std::string tables_text(const TokenLayout& arranged) {
  const auto is_one = [](const LayoutAxis& axis) { return axis.amplitude == 1; };
  if (std::ranges::all_of(arranged.axes, is_one)) return "cos, sin = numpy.cos(angle), numpy.sin(angle)";
  std::vector<double> amplitudes(static_cast<std::size_t>(arranged.pair_count()), 1);
  for (std::size_t pair = 0; pair < amplitudes.size(); ++pair) {
    for (std::size_t axis = 0; axis < arranged.axes.size(); ++axis) {
      const auto row = static_cast<Eigen::Index>(axis), column = static_cast<Eigen::Index>(pair);
      if (arranged.frequencies(row, column) != 0) amplitudes[pair] *= arranged.axes[axis].amplitude;
    }
  }
  std::vector<double> values;
  std::vector<int> counts;
  for (const double amplitude : amplitudes) {
    if (values.empty() || values.back() != amplitude) values.push_back(amplitude), counts.push_back(0);
    ++counts.back();
  }
  const auto count_text = [](int count) { return std::to_string(count); };
  return "amplitude = numpy.repeat([" + joined(values, ", ", number_text) + "], [" + joined(counts, ", ", count_text) +
         "])\ncos, sin = amplitude * numpy.cos(angle), amplitude * numpy.sin(angle)";
}

}  // namespace

std::string numpy_ladder(const RotarySpec& spec, const std::optional<double>& length) {
  const HeadLadder head = head_ladder(spec, length);
  const std::string amplitude = "\namplitude = " + number_text(head.amplitude);
  const auto is_given = [](const RotaryAxis& axis) { return axis.ladder == Ladder::given; };
  if (std::any_of(spec.axes.begin(), spec.axes.end(), is_given)) {
    return "frequency = numpy.array([" + joined(head.frequencies, ", ", number_text) + "])" + amplitude;
  }
  std::string text = R"(def ladder(d, base):
)" + body_of(spec, length) +
                     R"(    return frequency
)";
  std::string calls = joined(spec.axes, ", ", call_of);
  if (spec.axes.size() > 1) calls = "numpy.concatenate([" + calls + "])";
  return text + "frequency = " + calls + amplitude;
}

std::string numpy_rotation(const TokenLayout& tokens) {
  std::string turned = tokens.table_mismatch                    ? kMismatch
                       : tokens.pairing == Pairing::interleaved ? kNeighbours
                                                                : kHalves;
  if (tokens.halves_by_axis) {
    const auto pairs = [](const LayoutAxis& axis) { return std::to_string(axis.rotary_dim / 2); };
    turned = filled(tokens.table_mismatch ? kMismatchByAxis : kHalvesByAxis,
                    {{"pairs", "(" + joined(tokens.axes, ", ", pairs) + ")"}});
  }
  return kShaped + turned + kRest;
}

/// ladder(d, base) with the method's formula, then `frequency` and `amplitude`; one block per profile.
extern constinit const OtherWords kNumpyWords{
    .name = "numpy", .source = "numpy.org", .of = express_in_numpy, .of_layout = express_layout_in_numpy};

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
  return "import numpy\n\n" + ids_text(arranged, request) + angles_text(arranged, request) + tables_text(arranged);
}

}  // namespace ropescope
