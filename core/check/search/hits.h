#pragma once

#include <functional>
#include <optional>
#include <set>
#include <vector>

#include "core/check/causes/cause.h"
#include "core/check/compare/remainders.h"

namespace ropescope {

/// A cause that explains what is left, by its first proposal that does.
struct Hit {
  const Cause* cause;
  Proposal proposal;
  bool as_rounded = true;  ///< by half a unit: what only a whole unit allows comes after it
};

/// What explains all inputs, and what explains those that disagree.
struct Hits {
  std::vector<Hit> all, wrong;
  std::vector<Hit>& best() { return all.empty() ? wrong : all; }
};

/// One of many half explanations, waiting for its other half.
struct Half {
  const Cause* cause;
  Proposal proposal;
  double share = 0;  ///< of the numbers that it explains
  int place = 0;     ///< among those of its cause, likely ones first
};

/// Which inputs an explanation is for.
struct Wanted {
  unsigned all = 0, wrong = 0;
};

/// Which causes are asked for.
using Asked = std::function<bool(const Cause&)>;

/// Tries causes on models and remembers what was tried, within the effort of the evidence.
class Search {
 public:
  /// `told`: the reference, its numbers in the formats that they tell.
  Search(const CheckReference& reference, const CheckModel& told, const Evidence& evidence, Wanted wanted,
         const CheckOptions& options)
      : reference_(reference), evidence_(evidence), wanted_(wanted), options_(options), cache_(evidence), told_(told) {}

  /// Every cause of those asked for that explains what is left. `alone`: no other cause is at work.
  Hits hits(const CheckModel& model, const Asked& asked, bool alone = false);
  /// Every proposal of every cause, likely ones first. `fitting`: ladders only where the tables show them.
  std::vector<Half> halves(const CheckModel& model, bool fitting);
  /// Shifts of ids beside the model that make most numbers right, though not all; none where no cause gives such.
  std::optional<Hit> nearly(const CheckModel& model, const Asked& asked);

  Situation about(const CheckModel& model) { return {reference_, model, evidence_, cache_}; }
  bool gives(const CheckModel& model, bool all) const;
  /// Whether a model explains more than the one without its first cause does.
  bool needs_first(const CheckModel& without_first, const CheckModel& model) const;

  bool stopped() const { return options_.stop.stop_requested() || evidence_.is_spent(); }
  bool spent() const { return evidence_.is_spent(); }
  /// What is left is kept for a collision beside another cause, which is looked for last.
  bool pairs_spent() const;
  void report(double part) const;
  /// Whether a cause was searched alone.
  bool tried(const Cause& cause) const { return tried_.count(&cause) != 0; }
  std::int64_t most_effort() const;

  /// How far the pairs were searched: of so many candidates for the first cause.
  std::size_t first_ones = 0, first_ones_tried = 0;

 private:
  using Mends = std::function<bool(const CheckModel&, unsigned inputs)>;
  void keep_first(const Cause& cause, const std::vector<Proposal>& proposals, unsigned inputs, const Mends& mends_it,
                  std::vector<Hit>& found) const;

  const CheckReference& reference_;
  const Evidence& evidence_;
  const Wanted wanted_;
  const CheckOptions& options_;
  ObservedCache cache_;
  const CheckModel told_;
  std::optional<Remainders> reference_left_;  ///< what it leaves
  std::set<const Cause*> tried_;
};

}  // namespace ropescope
