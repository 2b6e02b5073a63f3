// Extension of layouts beyond their trained resolution. Read extension.h first.
//
// Contents: Fields; Factors; Ladders; Positions; Larger pictures.

#include "core/layouts/extension.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/decay/analysis.h"
#include "core/layouts/parts.h"
#include "core/registry.h"

namespace ropescope {

// --- Fields --------------------------------------------------------------------------------------------------------

namespace {

/// The directions of a token grid, with ComfyUI's names.
enum Way { kAlongT, kAlongX, kAlongY };
constexpr std::array<std::string_view, 3> kWays[] = {{"t", "t", "t"}, {"column", "x", "x"}, {"row", "y", "y"}};

std::optional<Way> way_of(std::string_view axis) {
  for (const Way way : {kAlongT, kAlongX, kAlongY}) {
    if (std::ranges::count(kWays[way], axis) != 0) return way;
  }
  return std::nullopt;
}

/// Kept by each layout of a comparison, and contained in no config.
constexpr unsigned kTraits = kNotForCounterpart;
/// Their order follows that of the layouts' own fields.
constexpr int kFirstPlace = 17;

constexpr LayoutField factor_field(std::string_view key, int order) {
  return {
      {.key = key, .minimum = 1, .maximum = 1e4, .lowest = 0, .zero = "unit.by_side", .symbol = "S", .order = order},
      {},
      {},
      kTraits};
}
constexpr LayoutField scale_field(std::string_view key, int order) {
  return {{.key = key, .maximum = 100, .initial = 1, .highest = 10, .linear = true, .symbol = "S", .order = order},
          {},
          {},
          kTraits};
}
constexpr LayoutField shift_field(std::string_view key, int order) {
  return {{.key = key,
           .minimum = -65536,
           .maximum = 65536,
           .lowest = -256,
           .highest = 256,
           .linear = true,
           .unit = "unit.positions",
           .symbol = "N",
           .order = order},
          {},
          {},
          kTraits};
}

// clang-format off
constexpr LayoutField kScaling{{.name = "scaling", .has_control = false}, &LayoutRequest::scaling, {}, kTraits};
constexpr LayoutField kFactors[] = {factor_field("layout.factor_t", kFirstPlace),
    factor_field("layout.factor_x", kFirstPlace + 1), factor_field("layout.factor_y", kFirstPlace + 2)};
constexpr LayoutField kTime{{.key = "layout.diffusion_time", .maximum = 1, .initial = 1, .linear = true, .symbol = "T",
     .order = kFirstPlace + 3}, {}, {}, kTraits | kSharedOption};
constexpr LayoutField kTrainedSide{{.key = "layout.trained_side", .minimum = 1, .maximum = 8192, .whole = true,
     .lowest = 0, .unit = "unit.tokens", .zero = "unit.own", .symbol = "N", .order = kFirstPlace + 4}, {}, {}, kTraits};
constexpr LayoutField kScales[] = {scale_field("layout.scale_t", kFirstPlace + 5),
    scale_field("layout.scale_x", kFirstPlace + 6), scale_field("layout.scale_y", kFirstPlace + 7)};
constexpr LayoutField kShifts[] = {shift_field("layout.shift_t", kFirstPlace + 8),
    shift_field("layout.shift_x", kFirstPlace + 9), shift_field("layout.shift_y", kFirstPlace + 10)};
constexpr LayoutField kExtensionFields[] = {kScaling, kFactors[0], kFactors[1], kFactors[2], kTime, kTrainedSide,
    kScales[0], kScales[1], kScales[2], kShifts[0], kShifts[1], kShifts[2]};
// clang-format on

double number(const LayoutRequest& request, const LayoutField& field) {
  return value_of(request, field).value_or(field.initial);
}

// --- Factors -------------------------------------------------------------------------------------------------------

bool stands_in_grid(const TokenBlock& block) {
  return block.is_image() || block.is_reference();
}

/// Returns the tokens along an axis: those of its counter, or the range of ids that are listed per token.
double side_of(const TokenBlock& block, const AxisIds& ids) {
  if (ids.along != Along::token) return static_cast<double>(block.count(ids.along));
  if (ids.listed.empty()) return static_cast<double>(block.count());
  const auto [low, high] = std::ranges::minmax(ids.listed);
  return high - low + 1;
}

double trained_side(const Layout& layout, const LayoutRequest& request, Way way) {
  const TrainedSides& own = layout.trained;
  if (way == kAlongT) return own.frames;
  const double asked = number(request, kTrainedSide);
  return asked > 0 ? asked : way == kAlongX ? own.columns : own.rows;
}

// --- Ladders -------------------------------------------------------------------------------------------------------

/// Returns the pairs that an axis rotates.
std::vector<Eigen::Index> pairs_of(const TokenLayout& layout, std::size_t axis) {
  std::vector<Eigen::Index> pairs;
  const auto row = static_cast<Eigen::Index>(axis);
  for (Eigen::Index pair = 0; pair < layout.pair_count(); ++pair) {
    if (layout.frequencies(row, pair) != 0) pairs.push_back(pair);
  }
  return pairs;
}

/// Returns whether the frequencies of an axis are those of a ladder, indexed by pair or consecutively.
bool is_ladder(const TokenLayout& layout, std::size_t axis, const std::vector<Eigen::Index>& pairs, int dim,
               bool by_pair) {
  if (dim < 2 || !(layout.axes[axis].base > 1)) return false;
  const Eigen::VectorXd ladder = plain_frequencies(dim, layout.axes[axis].base);
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const auto rung = by_pair ? pairs[i] : static_cast<Eigen::Index>(i);
    if (rung >= ladder.size() || std::abs(layout.frequencies(static_cast<Eigen::Index>(axis), pairs[i]) /
                                              ladder[std::min(rung, ladder.size() - 1)] -
                                          1) > 1e-14) {
      return false;
    }
  }
  return true;
}

void extend_ladder(const LayoutRequest& request, std::size_t axis, const AxisExtension& by, TokenLayout& arranged) {
  const std::vector<Eigen::Index> pairs = pairs_of(arranged, axis);
  if (pairs.empty()) return;
  const auto row = static_cast<Eigen::Index>(axis);
  const std::optional<ExtendedAxis> extended = extended_axis(request, arranged, axis, by);
  if (!extended && request.scaling != "linear") {
    reject(arranged.name, "layouts.no_ladder_to_extend",
           {{"method", request.scaling}, {"axis", arranged.axes[axis].name}});
  }
  if (!extended) {
    arranged.frequencies.row(row) /= by.factor;
    return;
  }
  const ScaledLadder ladder = scaled_ladder(extended->spec, 0);
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    arranged.frequencies(row, pairs[i]) =
        ladder.frequencies[extended->shared ? pairs[i] : static_cast<Eigen::Index>(i)];
  }
  arranged.axes[axis].amplitude = ladder.amplitude;
}

/// Moves ids as ComfyUI does: the distances from a fixed first token are multiplied by the scale; then all ids are
/// shifted.
AxisIds move_ids(const AxisIds& ids, std::int64_t count, const AxisChange& by) {
  AxisIds result = ids;
  if (ids.along == Along::none || by.scale == 1) {
    result.first += by.shift;
    for (double& id : result.listed) id += by.shift;
    return result;
  }
  const double still = still_id(ids);
  result.listed.clear();
  for (std::int64_t i = 0; i < count; ++i) result.listed.push_back(still + (ids.at(i) - still) * by.scale + by.shift);
  return result;
}

void move_positions(const LayoutRequest& request, TokenLayout& arranged) {
  for (std::size_t axis = 0; axis < arranged.axes.size(); ++axis) {
    const AxisChange by = find_axis_change(request, arranged.axes[axis].name);
    if (by.is_still()) continue;
    for (TokenBlock& block : arranged.blocks) {
      AxisIds& ids = block.ids[axis];
      if (stands_in_grid(block)) ids = move_ids(ids, block.count(ids.along), by);
    }
  }
}

// --- Larger pictures -----------------------------------------------------------------------------------------------

/// Returns the step between adjacent tokens along an axis in the largest grid: the step of the ids, scaled as the
/// layout scales them.
double step_of(const TokenLayout& layout, std::size_t axis) {
  for (const TokenBlock& block : layout.blocks) {
    const AxisIds& ids = block.ids[axis];
    const bool runs = stands_in_grid(block) && ids.along != Along::none && ids.along != Along::token;
    if (runs && block.count(ids.along) > 1) return std::abs((ids.at(1) - ids.at(0)) * layout.axes[axis].id_scale);
  }
  return 0;
}

/// Returns the similarity of the pairs of one axis alone, for a distance in radians per unit of frequency.
double similarity_of(const Eigen::VectorXd& frequencies, double distance) {
  return (frequencies.array() * distance).cos().mean();
}

Eigen::VectorXd frequencies_of(const TokenLayout& layout, std::size_t axis, const std::vector<Eigen::Index>& pairs) {
  Eigen::VectorXd frequencies(static_cast<Eigen::Index>(pairs.size()));
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    frequencies[static_cast<Eigen::Index>(i)] = std::abs(layout.frequencies(static_cast<Eigen::Index>(axis), pairs[i]));
  }
  return frequencies;
}

void find_repeat(const Eigen::VectorXd& frequencies, double step, AxisBeyond& beyond) {
  const double from = beyond.extension.trained;
  for (double tokens = std::max(from, 1.0); from > 0 && tokens < beyond.extension.side; ++tokens) {
    const double similarity = similarity_of(frequencies, tokens * step);
    if (beyond.repeat == 0 || similarity > beyond.repeated) beyond.repeat = tokens, beyond.repeated = similarity;
  }
}

}  // namespace

std::span<const LayoutField> extension_fields() {
  return kExtensionFields;
}

bool takes_extension(const Layout& layout) {
  const bool has_image = find_named_entry(layout.settings, "image") != nullptr;
  const auto runs = [](const AxisDefault& axis) { return way_of(axis.name).has_value(); };
  return has_image && (layout.axes.empty() || std::ranges::any_of(layout.axes, runs));
}

bool extends_axes(const ScalingMethod& method) {
  if (!extends(method.name)) return true;
  const auto is_known = [](const ScalingField& field) { return !field.required || field.is_extension_factor; };
  return find_parameter(method, "factor") && method.lists.empty() && !method.depends_on_length &&
         !method.exponents_over_head && std::ranges::all_of(method.parameters, is_known);
}

bool is_of_images(const ScalingMethod& method) {
  constexpr std::string_view kOfImages[] = {"diffusers-ntk", "pixel"};
  return find_parameter(method, kTime.name) || std::ranges::count(kOfImages, method.name) > 0;
}

bool is_of_method(const LayoutField& field, std::string_view method) {
  const ScalingMethod* known = find_named_entry(all_scaling_methods(), method);
  if (field.name == kTime.name) return known && find_parameter(*known, kTime.name);
  const bool of_any = field.name == kTrainedSide.name || field.name.starts_with("factor_");
  return !of_any || extends(method);
}

std::vector<AxisExtension> axis_extensions(const Layout& layout, const LayoutRequest& request,
                                           const TokenLayout& arranged) {
  std::vector<AxisExtension> all;
  const ScalingMethod& method = find_scaling_method(request.scaling);
  for (std::size_t axis = 0; axis < arranged.axes.size(); ++axis) {
    AxisExtension& one = all.emplace_back();
    const std::optional<Way> way = way_of(arranged.axes[axis].name);
    if (!way) continue;
    for (const TokenBlock& block : arranged.blocks) {
      if (stands_in_grid(block)) one.side = std::max(one.side, side_of(block, block.ids[axis]));
    }
    one.trained = trained_side(layout, request, *way);
    if (!extends(request.scaling)) continue;
    const double given = number(request, kFactors[*way]);
    if (given >= 1) {
      one.factor = given;
    } else if (one.trained > 0) {
      one.factor = std::max(1.0, one.side / one.trained);
    }
    const bool needs_side = one.trained == 0 && (given < 1 || method.needs_trained_length);
    if (needs_side && *way != kAlongT && one.side > 1) {
      reject(layout, "layouts.no_trained_side", {{"method", request.scaling}, {"axis", arranged.axes[axis].name}});
    }
  }
  return all;
}

std::optional<ExtendedAxis> extended_axis(const LayoutRequest& request, const TokenLayout& plain, std::size_t axis,
                                          const AxisExtension& by) {
  const std::vector<Eigen::Index> pairs = pairs_of(plain, axis);
  if (pairs.empty()) return std::nullopt;
  const int own = static_cast<int>(2 * pairs.size()), all = static_cast<int>(2 * plain.pair_count());
  ExtendedAxis extended;
  if (!is_ladder(plain, axis, pairs, own, false)) {
    if (!is_ladder(plain, axis, pairs, all, true)) return std::nullopt;
    extended.shared = true;
  }
  const int dim = extended.shared ? all : own;
  RotarySpec& spec = extended.spec;
  spec.head_dim = dim;
  spec.axes = {RotaryAxis{plain.axes[axis].name, dim, plain.axes[axis].base}};
  if (by.trained > 0) spec.trained_length = by.trained;
  spec.extension.method = request.scaling;
  if (!extends(request.scaling)) return extended;
  spec.extension.numbers["factor"] = by.factor;
  if (is_of_method(kTime, request.scaling)) {
    spec.extension.numbers[std::string(kTime.name)] = number(request, kTime);
  }
  return extended;
}

// --- Positions -----------------------------------------------------------------------------------------------------

AxisChange find_axis_change(const LayoutRequest& request, std::string_view axis) {
  const std::optional<Way> way = way_of(axis);
  if (!way) return {};
  return {number(request, kScales[*way]), number(request, kShifts[*way])};
}

double still_id(const AxisIds& ids) {
  double least = ids.at(0);
  for (const double id : ids.listed) least = std::min(least, id);
  return least < 0 ? 0 : ids.at(0);
}

void extend(const Layout& layout, const LayoutRequest& request, TokenLayout& arranged) {
  const ScalingMethod& method = find_scaling_method(request.scaling);
  if (!extends_axes(method)) reject(layout, "layouts.not_of_axes", {{"method", method.name}});
  for (const LayoutField& field : kExtensionFields) {
    if (is_given(request, field) && !is_of_method(field, method.name)) {
      reject(layout, "layouts.not_of_method", {{"setting", verbatim(field.name)}, {"method", method.name}});
    }
  }
  if (extends(method.name)) {
    const std::vector<AxisExtension> extensions = axis_extensions(layout, request, arranged);
    for (std::size_t axis = 0; axis < extensions.size(); ++axis) {
      if (extensions[axis].factor != 1) extend_ladder(request, axis, extensions[axis], arranged);
    }
  }
  move_positions(request, arranged);
}

LayoutRequest remove_position_fields(LayoutRequest request) {
  for (const Way way : {kAlongT, kAlongX, kAlongY}) {
    request.numbers.erase(std::string(kScales[way].name));
    request.numbers.erase(std::string(kShifts[way].name));
  }
  return request;
}

LayoutRequest remove_extension(LayoutRequest request) {
  request = remove_position_fields(std::move(request));
  for (const LayoutField& field : kExtensionFields) request.numbers.erase(std::string(field.name));
  request.scaling = kNoMethod;
  return request;
}

std::vector<AxisBeyond> beyond_training(const TokenLayout& arranged, const TokenLayout& plain,
                                        const std::vector<AxisExtension>& extensions) {
  std::vector<AxisBeyond> all;
  for (std::size_t axis = 0; axis < extensions.size(); ++axis) {
    AxisBeyond& beyond = all.emplace_back();
    beyond.extension = extensions[axis];
    const std::vector<Eigen::Index> pairs = pairs_of(plain, axis);
    const double step = step_of(arranged, axis), trained_step = step_of(plain, axis);
    beyond.pairs = static_cast<int>(pairs.size());
    if (pairs.empty() || trained_step == 0) continue;
    const Eigen::VectorXd now = frequencies_of(arranged, axis, pairs), then = frequencies_of(plain, axis, pairs);
    const double side = extensions[axis].side, trained = extensions[axis].trained;
    for (Eigen::Index pair = 0; pair < now.size(); ++pair) {
      const double per_token = now[pair] * step, before = then[pair] * trained_step;
      const double wave = wavelength(per_token);
      if (wave < side) beyond.longest = std::max(beyond.longest, wave);
      if (trained == 0) continue;
      constexpr double kRounding = 1e-12;
      const bool farther = per_token * side > before * trained * (1 + kRounding);
      beyond.unseen += is_unfinished(before, trained) && farther ? 1 : 0;
      beyond.waves += wave < side && wavelength(before) >= trained ? 1 : 0;
    }
    beyond.neighbours = similarity_of(now, step);
    beyond.trained_neighbours = similarity_of(then, trained_step);
    find_repeat(now, step, beyond);
  }
  return all;
}

}  // namespace ropescope
