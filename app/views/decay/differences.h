#pragma once

#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "app/experiment/experiment.h"
#include "app/figure/figure.h"
#include "app/resources/file_stamp.h"
#include "app/resources/text.h"
#include "core/formats/compare_models.h"

namespace ropescope {

// The picture "differences": what `compare` says of the first pinned rope (A) and the present one (B).

/// What differs, or why that cannot be said.
struct RopeComparison {
  Words fault;  ///< nothing else counts where this is said
  ModelComparison found;
  std::size_t bytes() const { return sizeof(*this) + 4096 * (found.differences.size() + found.notes.size()); }
};

struct ComparisonInput {
  using Result = RopeComparison;
  ComparisonInput(const RopeKnobs& a, const RopeKnobs& b);
  RopeKnobs a, b;            ///< without their names
  FileStamp a_file, b_file;  ///< what they came from, as it is now
  bool operator==(const ComparisonInput&) const = default;
  double cost() const { return 1e8; }
  std::shared_ptr<const RopeComparison> compute(int threads, const std::stop_token& stop) const;
};

struct DifferencesShown {
  std::string a, b;                             ///< what the two ropes are called; empty: nothing is pinned
  std::shared_ptr<const RopeComparison> found;  ///< null: being computed
  bool current = false;
  const Text& text;
};

/// A row for each difference: its cause, the sentence, its largest change of A²K and where that exceeds 0.05; below
/// them what changes no score.
Figure differences_figure(const DifferencesShown& shown);
/// Lines of text in that figure.
double difference_lines(const DifferencesShown& shown);
/// The verdict, the largest change, where scores change first, what changes none; none where nothing is compared.
std::vector<Readout> differences_readouts(const DifferencesShown& shown);

}  // namespace ropescope
