#include "app/experiment/axis_list.h"

#include <algorithm>
#include <cmath>

#include "app/experiment/experiment.h"
#include "app/experiment/split.h"
#include "app/figure/number_text.h"
#include "core/error.h"
#include "core/formats/json_reader.h"

namespace ropescope {

namespace {

constexpr std::size_t kMostAxes = 8;

/// What is wrong with one entry; empty if nothing.
Words read_entry(const std::string& text, AxisEntry& axis) {
  const std::vector<std::string> parts = split(text, ':');
  if (parts.size() < 2 || parts.size() > 4 || parts[0].empty()) {
    return {"axes.no_entry", {{"text", text}}};
  }
  axis.name = parts[0];
  const std::optional<double> dimension = parse_number(parts[1]);
  if (!dimension || *dimension < 2 || *dimension > kLargestDimension || std::fmod(*dimension, 2) != 0) {
    return {"axes.dimension", {{"axis", axis.name}}};
  }
  axis.rotary_dim = static_cast<int>(*dimension);
  if (parts.size() >= 3) {
    axis.base = parse_number(parts[2]);
    if (!axis.base || *axis.base <= 1) return {"axes.base", {{"axis", axis.name}}};
  }
  if (parts.size() == 4) {
    const std::optional<double> factor = parse_number(parts[3]);
    if (!factor || !(*factor > 0)) return {"axes.factor", {{"axis", axis.name}}};
    axis.factor = *factor;
  }
  return {};
}

}  // namespace

Words read_axis_list(const std::string& text, std::vector<AxisEntry>& axes) {
  axes.clear();
  if (text.empty()) return {};
  std::vector<AxisEntry> found;
  for (const std::string& part : split(text, ',')) {
    AxisEntry axis;
    if (Words problem = read_entry(part, axis); !problem.empty()) return problem;
    const bool twice =
        std::any_of(found.begin(), found.end(), [&](const AxisEntry& other) { return other.name == axis.name; });
    if (twice) return {"axes.twice", {{"axis", axis.name}}};
    found.push_back(axis);
    if (found.size() > kMostAxes) return {"axes.too_many", {{"most", kMostAxes}}};
  }
  axes = std::move(found);
  return {};
}

std::string write_axis_list(const std::vector<AxisEntry>& axes) {
  std::string text;
  for (const AxisEntry& axis : axes) {
    if (!text.empty()) text += ",";
    text += axis.name + ":" + std::to_string(axis.rotary_dim);
    if (axis.base) text += ":" + shortest_number(*axis.base);
    if (axis.base && axis.factor != 1) text += ":" + shortest_number(axis.factor);
  }
  return text;
}

std::vector<CustomAxis> read_custom_axes(const std::string& text, const std::string& source) {
  std::vector<AxisEntry> entries;
  Words problem = read_axis_list(text, entries);
  std::vector<CustomAxis> axes;
  for (const AxisEntry& entry : entries) {
    if (entry.factor != 1) problem = {"axes.no_factor", {{"axis", entry.name}}};
    axes.push_back({entry.name, entry.rotary_dim, entry.base});
  }
  if (!problem.empty()) {
    throw InputError("axes.list", {{"field", source}, {"text", in_quotes(text)}, {"problem", problem}});
  }
  return axes;
}

}  // namespace ropescope
