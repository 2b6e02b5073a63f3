// Other ropes fitted to what was measured, and the ratio of each pair's frequency to its plain one. Read situation.h
// first; causes among frequencies, and the report of what nothing explains, use it.
#pragma once

#include "core/check/evidence/situation.h"

namespace ropescope {

// --- Ropes ---------------------------------------------------------------------------------------------------------

/// Appends the frequencies of another spec: with the amplitude that it has itself, and with the amplitude of the model
/// where that is another. Nothing where the frequencies and the amplitude are those of the model, or the spec cannot be
/// computed. `describe` fills in parameters and sentences.
void add_ropes(const Situation& situation, const RotarySpec& spec, std::optional<double> length,
               std::vector<Proposal>& proposals, const std::function<void(Proposal&)>& describe);

/// Frequencies of a spec; a 1×1 NaN where it cannot be computed.
Eigen::MatrixXd frequencies_or_nan(const RotarySpec& spec, std::optional<double> length);

/// Whether the first axis has one geometric ladder from 1, as an extension may make it again (NTK): a base like any
/// other.
bool is_geometric(const CheckModel& model);

/// A copy with one number of the extension, or the trained length under the name "trained_length", changed.
RotarySpec with_number(const RotarySpec& spec, const std::string& name, double value);

std::shared_ptr<FitMemory> new_fit_memory();

/// Fits one number of an extension and appends what fits.
void add_fitted(const Situation& situation, const RotarySpec& spec, const std::string& name,
                const std::vector<double>& starts, std::vector<Proposal>& proposals,
                const std::function<void(Proposal&, double)>& describe);

// --- Ratios --------------------------------------------------------------------------------------------------------

/// What the frequency of each pair is, in parts of its plain one without extension.
struct PairRatios {
  Eigen::VectorXd ratio, error;  ///< [pairs]; the error is infinite where nothing shows
};
/// None where a pair is turned by several axes, or nothing shows any frequency.
std::optional<PairRatios> pair_ratios(const Situation& situation);

/// "pairs 0 to 19 turn as without extension; pairs 20 to 45 go from 0.98 to 0.27 of the plain ones; …".
Words ratio_runs(const PairRatios& ratios);

/// What pairs turn by as a sentence for a report that has no cause; empty where the frequencies are those of the model,
/// or where no frequencies give what was read.
Words ratios_read(const Situation& situation);

}  // namespace ropescope
