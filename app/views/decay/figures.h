#pragma once

#include <string>
#include <vector>

#include "app/experiment/experiment.h"
#include "app/figure/figure.h"
#include "app/resources/text.h"
#include "app/store/store.h"
#include "app/views/decay/cards.h"

namespace ropescope {

/// A rope on screen or hidden, with its curves. The first one is the current one.
struct DecayShown {
  std::string key, label;
  int slot = 0;
  DecayCurvesOf of;
};

/// More marked wavelengths than this make a plot unreadable.
inline constexpr std::size_t kMostMarkedPairs = 64;

/// Whether there is a panel above the bound.
bool shows_curves(const DecayKnobs& knobs);
/// Similarity, trend and envelope over the distance.
Figure similarity_figure(const Experiment& experiment, const std::vector<DecayShown>& curves, const Text& text,
                         Store& store);
Figure bound_figure(const Experiment& experiment, const std::vector<DecayShown>& curves, const Text& text);
/// Axes without curves.
Figure empty_decay_figure(const Experiment& experiment, const Text& text);

}  // namespace ropescope
