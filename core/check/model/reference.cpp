#include <algorithm>
#include <cmath>

#include "core/check/model/ladders.h"
#include "core/error.h"
#include "core/scaling/scaling.h"

namespace ropescope {

CheckReference reference_from_layout(const Layout& layout, const LayoutRequest& request) {
  CheckReference reference;
  reference.tokens = arrange(layout, request);
  reference.layout = &layout;
  reference.request = request;
  return reference;
}

namespace {

/// As long as the positions say, where that is beyond the trained length and the method looks at it.
std::optional<double> length_of(const RotarySpec& spec, const std::optional<std::vector<double>>& positions) {
  if (!positions || positions->empty() || !find_scaling_method(spec.extension.method).depends_on_length) return {};
  const double length = *std::max_element(positions->begin(), positions->end()) + 1;
  return std::isfinite(length) && length > spec.trained_length.value_or(length) ? std::optional(length) : std::nullopt;
}

}  // namespace

CheckReference reference_from_rope(const RotarySpec& spec, std::optional<double> length,
                                   std::optional<std::vector<double>> positions) {
  validate(spec);
  if (!length) length = length_of(spec, positions);
  check_extension(spec, length);
  CheckReference reference;
  const RopeLadders ladders = rope_ladders(spec, length);
  reference.rope = spec;
  reference.length = length;
  reference.amplitude = ladders.amplitude;
  reference.positions = std::move(positions);
  TokenLayout& tokens = reference.tokens;
  tokens.frequencies = ladders.frequencies;
  tokens.pairing = spec.pairing;
  TokenBlock block;
  block.part = "text";
  block.columns = 0;
  AxisIds ids{Along::token, 0, {}};
  if (reference.positions) {
    ids.listed = *reference.positions;
    block.columns = static_cast<std::int64_t>(ids.listed.size());
    if (ids.listed.empty()) throw InputError("check.no_positions", {});
    for (const double position : ids.listed) {
      if (!std::isfinite(position)) throw InputError("check.odd_position", {});
    }
    bool counts = true;
    for (std::size_t i = 1; i < ids.listed.size(); ++i) {
      counts = counts && ids.listed[i] == ids.listed[0] + static_cast<double>(i);
    }
    if (counts) ids = {Along::token, ids.listed[0], {}};
  }
  for (const RotaryAxis& axis : spec.axes) {
    tokens.axes.push_back({axis.name, axis.rotary_dim, axis.base});
    block.ids.push_back(ids);
  }
  tokens.blocks.push_back(std::move(block));
  return reference;
}

CheckReference reference_from_tables(const StoredTensor& cosine, const StoredTensor& sine) {
  CheckReference reference;
  reference.cosine = cosine;
  reference.sine = sine;
  return reference;
}

}  // namespace ropescope
