// Cards for images beyond the trained resolution.

#include <algorithm>

#include "app/views/shared/cards.h"
#include "app/views/shared/figures.h"
#include "app/views/shared/layouts.h"
#include "app/views/shared/patches.h"
#include "core/layouts/extension.h"

namespace ropescope {

namespace {

/// The axes along the sides of the image.
struct Seen {
  const TokenLayout& layout;
  const std::vector<AxisBeyond>& axes;
  const Text& text;

  /// Returns a number for each axis, with the axis's name.
  template <class Number>
  NamedValues each(const Number& number) const {
    NamedValues values;
    for (std::size_t axis = 0; axis < axes.size(); ++axis) {
      if (axes[axis].extension.side <= 1 || axes[axis].pairs == 0) continue;
      const std::string& name = layout.axes[axis].name;
      NamedValues::One one;
      one.name = name;
      one.label = verbatim(axis_word(name, text));
      one.numbers = {number(axes[axis])};
      values.list.push_back(std::move(one));
    }
    return values;
  }
  template <class Number>
  std::string said(const Number& number) const {
    return value_text(each(number), text);
  }
};

Readout neighbours_readout(const Seen& seen) {
  Readout readout = start_card("beyond.neighbours", seen.text);
  readout.value = seen.each([](const AxisBeyond& axis) { return with_decimals(axis.neighbours, 4); });
  const auto trained = [](const AxisBeyond& axis) { return with_decimals(axis.trained_neighbours, 4); };
  readout.note = seen.text.format("readout.beyond.neighbours.note", {{"numbers", seen.said(trained)}});
  return readout;
}

Readout repeat_readout(const Seen& seen) {
  Readout readout = start_card("beyond.repeat", seen.text);
  readout.value = seen.each([](const AxisBeyond& axis) { return as_whole(axis.repeat); });
  const auto similarity = [](const AxisBeyond& axis) { return with_decimals(axis.repeated, 3); };
  const auto waves = [](const AxisBeyond& axis) { return as_whole(axis.waves); };
  readout.note =
      seen.text.format("readout.beyond.repeat.note", {{"numbers", seen.said(similarity)}, {"waves", seen.said(waves)}});
  return readout;
}

Readout unseen_readout(const Seen& seen) {
  Readout readout = start_card("beyond.unseen", seen.text);
  readout.value = seen.each([](const AxisBeyond& axis) { return as_whole(axis.unseen); });
  const auto side = [](const AxisBeyond& axis) { return as_whole(axis.extension.side); };
  const auto trained = [](const AxisBeyond& axis) { return as_whole(axis.extension.trained); };
  readout.note =
      seen.text.format("readout.beyond.unseen.note", {{"numbers", seen.said(side)}, {"trained", seen.said(trained)}});
  return readout;
}

}  // namespace

std::vector<Readout> beyond_readouts(const LayoutFields& fields, const TokenLayout& layout, const Text& text) {
  const Layout& family = find_layout(fields.name);
  if (!takes_extension(family)) return {};
  const LayoutRequest request = request_of(fields), unextended = remove_extension(request);
  const TokenLayout plain = arrange(family, unextended);
  const std::vector<AxisExtension> extensions = axis_extensions(family, request, plain);
  const std::vector<AxisBeyond> axes = beyond_training(layout, plain, extensions);
  const auto is_larger = [](const AxisBeyond& axis) {
    return axis.extension.trained > 0 && axis.extension.side > axis.extension.trained;
  };
  const auto is_moved = [](const AxisBeyond& axis) { return axis.neighbours != axis.trained_neighbours; };
  const bool larger = std::ranges::any_of(axes, is_larger);
  if (!larger && std::ranges::none_of(axes, is_moved)) return {};
  const Seen seen{layout, axes, text};
  std::vector<Readout> readouts = {neighbours_readout(seen)};
  if (!larger) return readouts;
  readouts.push_back(repeat_readout(seen));
  readouts.push_back(unseen_readout(seen));
  return readouts;
}

}  // namespace ropescope
