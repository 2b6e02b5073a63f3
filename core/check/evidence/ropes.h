// Rotary embeddings fitted to the measurements, and the ratio of each pair's frequency to its plain one. Read
// situation.h first; used by causes in frequencies and by the report of unexplained differences.
#pragma once

#include "core/check/evidence/situation.h"

namespace ropescope {

// --- Ropes ---------------------------------------------------------------------------------------------------------

/// Appends the frequencies of another spec: with its own amplitude, and with the model's if that differs. Appends
/// nothing if frequencies and amplitude are those of the model, or the spec cannot be computed. `describe` fills in
/// parameters and sentences.
void add_ropes(const Situation& situation, const RotarySpec& spec, std::optional<double> length,
               std::vector<Proposal>& proposals, const std::function<void(Proposal&)>& describe);

/// Returns the frequencies of a spec; a 1×1 NaN if they cannot be computed.
Eigen::MatrixXd frequencies_or_nan(const RotarySpec& spec, std::optional<double> length);

/// Returns whether the first axis has one geometric ladder from 1. An extension (NTK) may produce such a ladder too;
/// its base is then treated like any other.
bool is_geometric(const CheckModel& model);

/// Returns a copy with one extension number changed, or the trained length under the name "trained_length".
RotarySpec set_number_by_name(const RotarySpec& spec, const std::string& name, double value);

std::shared_ptr<FitMemory> new_fit_memory();

/// Fits one number of an extension and appends the proposals that fit.
void add_fitted(const Situation& situation, const RotarySpec& spec, const std::string& name,
                const std::vector<double>& starts, std::vector<Proposal>& proposals,
                const std::function<void(Proposal&, double)>& describe);

// --- Ratios --------------------------------------------------------------------------------------------------------

/// Ratio of each pair's frequency to its plain one without extension.
struct PairRatios {
  Eigen::VectorXd ratio, error;  ///< [pairs]; the error is infinite if nothing shows the ratio
};
/// Returns the ratios; nullopt if a pair is rotated by several axes, or nothing shows any frequency.
std::optional<PairRatios> pair_ratios(const Situation& situation);

/// "pairs 0 to 19 unscaled; pairs 20 to 45 at 0.98 to 0.27 times the plain frequencies; …".
Message ratio_runs(const PairRatios& ratios);

/// Describes the measured frequencies for a report without a cause; empty if they are those of the model, or if no
/// frequencies give the observed rotation.
Message describe_ratios(const Situation& situation);

}  // namespace ropescope
