#pragma once

#include <vector>

#include "app/experiment/experiment.h"
#include "app/figure/figure.h"
#include "app/resources/text.h"
#include "app/store/store.h"
#include "app/views/limits/cards.h"

namespace ropescope {

/// How much of what a picture needs is there.
struct LimitsProgress {
  int parts = 0, finished = 0;
};

/// Largest context over base, one line per dimension on screen.
Figure largest_context_figure(const Experiment& experiment, const std::vector<LimitsOf>& ropes, const Text& text,
                              Store& store, LimitsProgress& progress);
/// Turns of each pair in the context.
Figure turns_figure(const Experiment& experiment, const std::vector<LimitsOf>& ropes, const Text& text);
/// Variance of cos and sin of each pair over the context.
Figure variance_figure(const Experiment& experiment, const std::vector<LimitsOf>& ropes, const Text& text);
/// Similarity up to the context: of all pairs, and of those that finish a turn in it.
Figure dropped_figure(const Experiment& experiment, const std::vector<LimitsOf>& ropes, const Text& text, Store& store);

}  // namespace ropescope
