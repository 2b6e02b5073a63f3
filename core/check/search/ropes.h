#pragma once

#include "core/check/causes/cause.h"

namespace ropescope {

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

/// Fits one number of an extension and appends what fits.
void add_fitted(const Situation& situation, const RotarySpec& spec, const std::string& name,
                const std::vector<double>& starts, std::vector<Proposal>& proposals,
                const std::function<void(Proposal&, double)>& describe);

}  // namespace ropescope
