#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "app/experiment/experiment.h"
#include "app/figure/figure.h"
#include "app/resources/text.h"
#include "app/store/store.h"
#include "app/views/atlas/cards.h"
#include "app/views/atlas/inputs.h"
#include "app/views/shared/whole_numbers.h"

namespace ropescope {

/// What is drawn: the finished map, how the positions are called, and which rows are looked at.
struct AtlasShown {
  const AtlasKnobs& knobs;
  const Atlas& atlas;
  std::vector<std::string> words;  ///< empty: numbers
  AtlasRows rows;
  std::string extension;  ///< of the rope whose turns are drawn: "llama3 ×8"; empty: none
  const Text& text;

  bool channels() const { return atlas.source.learned() || atlas.source.part == SinusoidPart::sine_cosine; }
};

/// Dimensions, or pairs.
FigureAxis column_axis(const AtlasShown& shown);
/// ±1, or what the largest number of a learned table asks for; angles: a turn.
Range values_range(const AtlasShown& shown);
/// Appends the map, or the two that are drawn apart beside each other.
void add_maps(ViewResult& result, const AtlasShown& shown, const std::shared_ptr<const Atlas>& atlas);

/// What the knob of the columns may hold: channels of the widest table.
inline constexpr WholeNumbers kColumnNumbers{"atlas.columns", 8191, kMostAtlasColumns};
/// The columns of the knob that the table has, without those that stand twice. Throws InputError where the knob is no
/// list of whole numbers.
std::vector<std::int64_t> shown_columns(const AtlasKnobs& knobs, const Atlas& atlas);

/// The panels under the map: the row that is looked at beside another, some columns over the positions, how far each
/// pair turns, and how much each dimension tells rows apart.
Figure row_figure(const AtlasShown& shown);
Figure column_figure(const AtlasShown& shown, Store& store);
Figure turns_figure(const AtlasShown& shown);
Figure variance_figure(const AtlasShown& shown);

}  // namespace ropescope
