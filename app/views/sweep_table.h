// The picture "table" of the view Sweep: numbers of cards of several ropes, a row for each. Read sweep.h before.
#pragma once

#include <cstddef>
#include <string>

#include "app/experiment/experiment.h"
#include "app/figure/figure.h"
#include "app/resources/text.h"
#include "app/store/store.h"

namespace ropescope {

inline constexpr std::size_t kMostTableRopes = 64, kMostTableCards = 16;

/// The label of a card; of several views' cards that share a label, that ("readout.unseen"); else its name.
std::string label_of_readout(const std::string& name, const Text& text);

/// The table of the ropes and cards that SweepFields names. Throws InputError: a rope that is none, too many of either,
/// a card that no rope has, nothing that could be computed.
ViewResult table_of_ropes(const Experiment& experiment, const Text& text, Store& store);

}  // namespace ropescope
