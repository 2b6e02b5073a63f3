// The search for single causes and for pairs of causes. Read search.h first.
//
// Contents: Matches; Pairs of causes; Search.

#include "core/check/search/search.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <set>
#include <tuple>
#include <vector>

#include "core/check/causes/cause.h"
#include "core/check/compare/rows.h"
#include "core/check/evidence/evidence.h"
#include "core/check/evidence/fit.h"
#include "core/check/evidence/positions.h"
#include "core/check/evidence/ropes.h"
#include "core/check/evidence/rows.h"
#include "core/check/tuning.h"
#include "core/message.h"

namespace ropescope {

/// A cause that explains the remaining difference, with its first proposal that does.
struct Match {
  const Cause* cause;
  Proposal proposal;
  bool as_rounded = true;  ///< within half a unit; matches only within a whole unit rank after it
};

/// Causes that explain all inputs, and causes that explain those that disagree.
struct Matches {
  std::vector<Match> all, wrong;
  std::vector<Match>& best() { return all.empty() ? wrong : all; }
};

/// A partial explanation that needs a second cause.
struct Partial {
  const Cause* cause;
  Proposal proposal;
  double share = 0;  ///< fraction of the numbers that it explains
  int place = 0;     ///< rank among the proposals of its cause, likely ones first
};

/// The inputs that an explanation must reproduce.
struct Wanted {
  unsigned all = 0, wrong = 0;
};

/// Selects the causes to try.
using CauseFilter = std::function<bool(const Cause&)>;

/// Tries causes on models and records which were tried, within the budget of the evidence.
class Search {
 public:
  /// `detected`: the reference with the detected formats.
  Search(const CheckReference& reference, const CheckModel& detected, const Evidence& evidence, Wanted wanted,
         const CheckOptions& options)
      : reference_(reference),
        evidence_(evidence),
        wanted_(wanted),
        options_(options),
        cache_(evidence),
        detected_(detected) {}

  /// Returns every selected cause that explains the remaining difference. `alone`: no other cause is applied.
  Matches matches(const CheckModel& model, const CauseFilter& asked, bool alone = false);
  /// Returns every proposal of every cause, likely ones first. `fitting`: ladders only if the tables show them.
  std::vector<Partial> partials(const CheckModel& model, bool fitting);
  /// Returns a shift of ids that makes most numbers right, though not all; nullopt if no cause proposes one.
  std::optional<Match> mostly_right(const CheckModel& model, const CauseFilter& asked);

  Situation about(const CheckModel& model) { return {reference_, model, evidence_, cache_}; }
  bool explains(const CheckModel& model, bool all) const;
  /// Returns whether a model explains more than the same model without its first cause.
  bool needs_first(const CheckModel& without_first, const CheckModel& model) const;

  bool stopped() const { return options_.stop.stop_requested() || evidence_.is_spent(); }
  bool spent() const { return evidence_.is_spent(); }
  /// Returns whether the budget for pairs is spent; the rest is reserved for a collision, which is searched last.
  bool pairs_spent() const;
  void report(double part) const;
  /// Returns whether a cause was searched alone.
  bool tried(const Cause& cause) const { return tried_.count(&cause) != 0; }
  std::int64_t most_effort() const;

  /// Progress of the search for pairs: candidates for the first cause, and how many of them were tried.
  std::size_t first_ones = 0, first_ones_tried = 0;

 private:
  using Improves = std::function<bool(const CheckModel&, unsigned inputs)>;
  void keep_first(const Cause& cause, const std::vector<Proposal>& proposals, unsigned inputs, const Improves& improves,
                  std::vector<Match>& found) const;

  const CheckReference& reference_;
  const Evidence& evidence_;
  const Wanted wanted_;
  const CheckOptions& options_;
  ObservedCache cache_;
  const CheckModel detected_;
  std::optional<Remainders> reference_left_;  ///< what the reference leaves unexplained
  std::set<const Cause*> tried_;
};

// --- Matches -------------------------------------------------------------------------------------------------------

namespace {

void keep_rounded(std::vector<Match>& found) {
  const auto is_rounded = [](const Match& match) { return match.as_rounded; };
  if (std::any_of(found.begin(), found.end(), is_rounded)) std::erase_if(found, std::not_fn(is_rounded));
}

/// Returns whether two numbers are printed alike in a report.
bool prints_as(double a, double b) {
  constexpr int kDigits = 6;
  return number_for_people(a, kDigits) == number_for_people(b, kDigits);
}

/// Returns whether a proposal prints like the reference, as a factor of 1 or an equal base does. Such a proposal is not
/// a cause, because there is nothing to change.
bool prints_as_own(const Cause& cause, const Proposal& proposal, const CheckModel& model) {
  const auto is_own = [&](const CheckParameter& parameter) {
    std::vector<double> numbers;
    if (const auto* one = std::get_if<double>(&parameter.value)) numbers = {*one};
    if (const auto* several = std::get_if<std::vector<double>>(&parameter.value)) numbers = *several;
    // A parameter in words either names what a number belongs to ("of"), or is a difference itself.
    if (numbers.empty()) return parameter.name == "of";
    for (std::size_t axis = 0; axis < numbers.size(); ++axis) {
      if (cause.own_number == nullptr) return false;
      const auto own = cause.own_number(model, parameter.name, std::min(axis, model.tokens.axes.size() - 1));
      if (!own || !prints_as(numbers[axis], *own)) return false;
    }
    return true;
  };
  return !proposal.parameters.empty() && std::all_of(proposal.parameters.begin(), proposal.parameters.end(), is_own);
}

/// Returns the proposals of a cause for a model.
std::vector<Proposal> proposals_of(const Cause& cause, const Situation& situation) {
  std::vector<Proposal> proposals;
  cause.propose(situation, proposals);
  std::erase_if(proposals, [&](const Proposal& one) { return prints_as_own(cause, one, situation.model); });
  return proposals;
}

// --- Pairs of causes -----------------------------------------------------------------------------------------------

/// Selects two causes to search for together.
using Together = bool (*)(const Cause&, const Cause&);

/// Accepts two causes of different groups, or a format with another cause of the values.
bool go_together(const Cause& a, const Cause& b) {
  if (a.last_resort || b.last_resort || a.after_pairs || b.after_pairs) return false;
  if (a.group != b.group) return true;
  return a.group == CauseGroup::values && a.rounds_on_the_way != b.rounds_on_the_way;
}

/// Accepts two different ones of: a swap, a factor and a shift of ids. Used only if no pair of different groups fits.
bool go_together_in_ids(const Cause& a, const Cause& b) {
  return !a.after_pairs && !b.after_pairs && a.id_change != IdChange::none && b.id_change != IdChange::none &&
         a.id_change != b.id_change;
}

/// Copies the parts that a cause of a group changed between two models, to a model without it.
void copy_change(CauseGroup group, const CheckModel& before, const CheckModel& after, CheckModel& model) {
  const auto magnitudes = [](const CheckModel& of) {
    return std::tuple(of.amplitude, of.cosine_factor, of.sine_factor);
  };
  switch (group) {
    case CauseGroup::ids:
      model.tokens.blocks = after.tokens.blocks;
      model.part<TokenNumbering>() = after;
      break;
    case CauseGroup::frequencies:
      model.tokens.frequencies = after.tokens.frequencies;
      model.tokens.axes = after.tokens.axes;
      model.part<LadderSource>() = after;
      model.slack = after.slack;
      break;
    case CauseGroup::values:
      // A rounding step may act together with another cause in the values: each in its own part.
      if (before.part<RoundedFormats>() != after.part<RoundedFormats>()) model.part<RoundedFormats>() = after;
      if (before.part<TableSigns>() != after.part<TableSigns>()) model.part<TableSigns>() = after;
      if (magnitudes(before) != magnitudes(after)) model.amplitude = after.amplitude, model.slack = after.slack;
      break;
    case CauseGroup::channels:
      break;
  }
}

/// Changes the ids of a model as those of another were changed, by a factor and by shifts.
void move_alike(const CheckModel& before, const CheckModel& after, CheckModel& model) {
  if (before.id_factor != 0) model.id_factor *= after.id_factor / before.id_factor;
  const std::vector<TokenBlock>&from = before.tokens.blocks, &to = after.tokens.blocks;
  BlockShifts shifts(std::min({from.size(), to.size(), model.tokens.blocks.size()}));
  for (std::size_t block = 0; block < shifts.size(); ++block) {
    for (std::size_t axis = 0; axis < from[block].ids.size(); ++axis) {
      shifts[block].push_back(after.id_factor * (to[block].ids[axis].at(0) - from[block].ids[axis].at(0)));
    }
  }
  shift_blocks(model, shifts);
}

// --- Search --------------------------------------------------------------------------------------------------------

/// Returns the only cause with a property. Precondition: there is one.
const Cause& cause_with(bool Cause::*property) {
  return **std::find_if(all_causes().begin(), all_causes().end(), [=](const Cause* one) { return one->*property; });
}

std::vector<std::string> others(const std::vector<Match>& matches) {
  std::vector<std::string> names;
  for (std::size_t i = 1; i < matches.size(); ++i) {
    const bool seen = matches[i].cause->name == matches[0].cause->name ||
                      std::find(names.begin(), names.end(), matches[i].cause->name) != names.end();
    if (!seen) names.emplace_back(matches[i].cause->name);
  }
  return names;
}

/// Returns two causes that are equivalent to a single one, which is listed as a tie.
Explanation explain_tied_pair(const Cause& one, const TwoCauses& two) {
  Explanation explanation;
  explanation.model = two.first.proposal.model;
  const std::string tied(one.name);
  explanation.causes.push_back({two.first.cause, two.first.proposal, {tied}, two.first.alone, two.second.alone});
  explanation.causes.push_back({two.second.cause, two.second.proposal, {tied}, two.second.alone, two.first.alone});
  return explanation;
}

Explanation single(Search& search, const CheckModel& model) {
  Explanation explanation;
  constexpr bool kAlone = true;
  Matches matches = search.matches(
      model, [](const Cause& cause) { return !cause.after_pairs; }, kAlone);
  std::vector<Match>& found = matches.best();
  if (found.empty()) return explanation;
  if (found[0].cause->as_two != nullptr) {
    const auto two = found[0].cause->as_two(search.about(model));
    if (two && search.explains(two->first.proposal.model, !matches.all.empty()))
      return explain_tied_pair(*found[0].cause, *two);
  }
  explanation.model = found[0].proposal.model;
  const CheckModel alone = found[0].proposal.model;
  explanation.causes.push_back({found[0].cause, std::move(found[0].proposal), others(found), alone, model});
  return explanation;
}

/// Searches for one cause alone that reproduces all inputs.
Explanation only(Search& search, const CheckModel& model, const Cause& asked) {
  Explanation explanation;
  Matches matches = search.matches(
      model, [&](const Cause& cause) { return &cause == &asked; }, true);
  if (matches.all.empty()) return explanation;
  explanation.model = matches.all[0].proposal.model;
  const CheckModel alone = matches.all[0].proposal.model;
  explanation.causes.push_back({&asked, std::move(matches.all[0].proposal), {}, alone, model});
  return explanation;
}

/// Returns the model with only the second cause of a pair: its own proposal for the model, else what it changed.
CheckModel alone(const std::vector<Partial>& partials, const Partial& partial, const Match& match,
                 const CheckModel& model) {
  const CauseGroup group = match.cause->group;
  for (const Partial& own : partials) {
    if (group == CauseGroup::values) break;
    if (own.cause == match.cause && own.proposal.parameters == match.proposal.parameters) return own.proposal.model;
  }
  if (match.proposal.change) return with_change(model, match.proposal.change);
  CheckModel only = model;
  const CheckModel &before = partial.proposal.model, &after = match.proposal.model;
  if (go_together_in_ids(*partial.cause, *match.cause)) {
    move_alike(before, after, only);
  } else {
    copy_change(group, before, after, only);
  }
  return only;
}

/// Searches for a cause of last resort together with another cause, only if no other pair of causes fits.
Explanation beside_last_resort(Search& search, const CheckModel& model) {
  Explanation explanation;
  int tried = 0;
  std::vector<Partial> partials = search.partials(model, false);
  std::stable_sort(partials.begin(), partials.end(),
                   [](const Partial& a, const Partial& b) { return a.share > b.share; });
  for (const Partial& partial : partials) {
    if (partial.cause->group == CauseGroup::ids || partial.share < tuned::kMostlyRight) continue;
    if (++tried > tuned::kMaxBesideCollision || search.stopped()) break;
    Matches matches = search.matches(partial.proposal.model, [](const Cause& cause) { return cause.last_resort; });
    std::vector<Match>& found = matches.best();
    if (found.empty()) continue;
    CheckModel only = model;
    only.own_ids = found[0].proposal.model.own_ids;
    explanation.model = found[0].proposal.model;
    explanation.causes.push_back({partial.cause, partial.proposal, {}, partial.proposal.model, only});
    explanation.causes.push_back({found[0].cause, std::move(found[0].proposal), {}, only, partial.proposal.model});
    if (!matches.all.empty()) break;
  }
  return explanation;
}

/// Returns the explanation by a first cause and the second causes that were found with it.
Explanation explain_by_two(Search& search, const CheckModel& model, const std::vector<Partial>& partials,
                           const Partial& partial, std::vector<Match>& second, Together together) {
  Explanation explanation;
  // With the second cause fixed, other first causes may tie with this one and precede it.
  const CauseGroup first = partial.cause->group, other = second[0].cause->group;
  std::vector<Match> seconds;
  for (Match& match : second) {
    if (match.cause->group == other) seconds.push_back(std::move(match));
  }
  const CheckModel only_second = alone(partials, partial, seconds[0], model);
  FoundCause b{seconds[0].cause, seconds[0].proposal, others(seconds), only_second, partial.proposal.model};
  explanation.model = seconds[0].proposal.model;
  FoundCause a{partial.cause, partial.proposal, {}, partial.proposal.model, only_second};
  Matches matches = search.matches(only_second, [&](const Cause& cause) {
    const bool same_group = cause.group == first && together(cause, *b.cause);
    return same_group || go_together_in_ids(cause, *b.cause);
  });
  if (std::vector<Match>& firsts = matches.best(); !firsts.empty()) {
    explanation.model = firsts[0].proposal.model;
    a.also = others(firsts);
    a.cause = firsts[0].cause;
    a.proposal = std::move(firsts[0].proposal);
  }
  explanation.causes.push_back(std::move(a));
  explanation.causes.push_back(std::move(b));
  return explanation;
}

/// Refits a number that was fitted while ids were wrong, now with the ids that seem right. nullopt if no ids seem
/// right, or nothing fits with them.
std::optional<Partial> fit_again(Search& search, const CheckModel& model, const std::vector<Partial>& partials,
                                 const Partial& partial, Together together) {
  if (partial.cause->group != CauseGroup::frequencies || partial.proposal.doubt == Doubt::none) return std::nullopt;
  const auto moved =
      search.mostly_right(partial.proposal.model, [&](const Cause& cause) { return together(*partial.cause, cause); });
  if (!moved) return std::nullopt;
  const CheckModel only_moved = alone(partials, partial, *moved, model);
  Matches matches = search.matches(only_moved, [&](const Cause& cause) { return &cause == partial.cause; });
  if (matches.all.empty()) return std::nullopt;
  Partial again{partial.cause, std::move(matches.all[0].proposal), partial.share};
  again.proposal.model = alone(partials, {moved->cause, moved->proposal, 0}, {partial.cause, again.proposal}, model);
  return again;
}

Explanation pair(Search& search, const CheckModel& model, const std::vector<Partial>& partials, Together together) {
  Explanation in_part;
  for (std::size_t i = 0; i < partials.size() && !search.stopped() && !search.pairs_spent(); ++i) {
    const Partial& partial = partials[i];
    const auto asked = [&](const Cause& cause) { return together(*partial.cause, cause); };
    const bool some =
        std::any_of(all_causes().begin(), all_causes().end(), [&](const Cause* one) { return asked(*one); });
    if (!some) continue;
    search.report(static_cast<double>(i) / static_cast<double>(partials.size()));
    Matches second = search.matches(partial.proposal.model, asked);
    search.first_ones_tried = std::max(search.first_ones_tried, i + 1);
    if (!second.all.empty()) {
      Explanation two = explain_by_two(search, model, partials, partial, second.all, together);
      if (search.needs_first(two.causes[0].without, two.model)) return two;
    } else if (const auto again = fit_again(search, model, partials, partial, together)) {
      Matches beside = search.matches(again->proposal.model, asked);
      if (!beside.all.empty()) return explain_by_two(search, model, partials, *again, beside.all, together);
    }
    // An explanation of only the wrong inputs is used if none explains all of them.
    if (!second.wrong.empty() && in_part.causes.empty()) {
      Explanation two = explain_by_two(search, model, partials, partial, second.wrong, together);
      if (search.needs_first(two.causes[0].without, two.model)) in_part = std::move(two);
    }
  }
  return in_part;
}

/// Searches for two causes of different groups, then for two of ids.
Explanation any_pair(Search& search, const CheckModel& model) {
  const std::vector<Partial> partials = search.partials(model, true);
  search.first_ones = partials.size();
  Explanation found = pair(search, model, partials, go_together);
  if (found.causes.empty()) found = pair(search, model, partials, go_together_in_ids);
  return found;
}

/// Returns whether an explanation reproduces all rows, including those not sampled.
bool holds(const Explanation& explanation, const Evidence& evidence) {
  const CheckModel& model = explanation.model;
  if (explanation.causes.empty()) return false;
  return model.row_count != evidence.tensors->rows || !has_shape(model, evidence, inputs_of(evidence)) ||
         compare_all(model, *evidence.tensors, evidence.options).agrees();
}

/// Returns an explanation combined with ggml's recurrence; empty if no recurrence reproduces the rest.
Explanation if_recurrent(Explanation explanation, const Evidence& evidence) {
  const CheckModel& model = explanation.model;
  const bool known = !explanation.causes.empty() && model.row_count == evidence.tensors->rows && could_recur(model) &&
                     has_shape(model, evidence, inputs_of(evidence));
  if (known && !find_recurrence(model, evidence)) return {};
  return explanation;
}

/// Returns whether a number of the explanation is used as it was fitted.
bool is_fitted(const Explanation& explanation) {
  return std::any_of(explanation.causes.begin(), explanation.causes.end(),
                     [](const FoundCause& found) { return found.proposal.doubt == Doubt::fitted; });
}

/// Describes what was searched before the budget was spent.
Message describe_search(const Search& search) {
  const Message::Named effort("effort", search.most_effort());
  Message::List tried;
  bool all = true;
  for (const Cause* cause : all_causes()) {
    all = all && (search.tried(*cause) || cause->after_pairs);
    const Message name = verbatim(cause->name);  // several causes share a name
    if (search.tried(*cause) && std::find(tried.begin(), tried.end(), name) == tried.end()) tried.push_back(name);
  }
  if (tried.empty()) return Message("check.unknown.left_off", {effort});
  if (!all) return Message("check.unknown.left_off_alone", {effort, {"causes", std::move(tried)}});
  return Message("check.unknown.left_off_pairs",
                 {effort, {"tried", search.first_ones_tried}, {"all", search.first_ones}});
}

/// Removes the detected formats from what each cause changed, and adds them as a separate cause if only they explain
/// the rest.
void name_formats(const CheckReference& reference, const CheckModel& model, const Evidence& evidence, unsigned wrong,
                  Explanation& explanation) {
  const CheckModel detected = set_detected_formats(model, evidence);
  if (detected.part<StoredFormats>() == model.part<StoredFormats>()) return;
  const auto at_rest = [&](CheckModel of) {
    of.part<StoredFormats>() = model;
    return of;
  };
  for (FoundCause& found : explanation.causes) found.alone = at_rest(found.alone);
  const CheckModel without = at_rest(explanation.model);
  if (!explanation.causes.empty() && reproduces(without, evidence, wrong)) {
    explanation.model = without;
    for (FoundCause& found : explanation.causes) found.without = at_rest(found.without);
    return;
  }
  ObservedCache cache(evidence);
  std::vector<Proposal> proposals;
  const Cause& storage = cause_with(&Cause::of_storage);
  storage.propose(Situation(reference, without, evidence, cache), proposals);
  explanation.causes.push_back({&storage, std::move(proposals[0]), {}, detected, without});
}

/// Describes what the numbers show by row or by pair, if no cause reproduces them.
Message read_words(const CheckReference& reference, const CheckModel& model, const Evidence& evidence) {
  if (model.given_tables) return {};
  Evidence own = evidence;
  own.effort = std::make_shared<Effort>(kMaxEffort);
  own.measured = new_measured_memory();
  ObservedCache cache(own);
  const Situation about(reference, model, own, cache);
  Message read = describe_positions(about);
  return read.empty() ? describe_ratios(about) : read;
}

}  // namespace

Matches Search::matches(const CheckModel& model, const CauseFilter& asked, bool alone) {
  const Situation situation = about(model);
  Matches found;
  // With another cause applied, frequencies that already fit the tables need no change.
  const bool frequencies_fit = !alone && situation.frequencies_fit();
  std::optional<Remainders> without;
  const Improves improves = [&](const CheckModel& proposed, unsigned inputs) {
    if (!reference_left_) reference_left_ = compute_remainders(detected_, evidence_, wanted_.all);
    if (!improves_on(proposed, *reference_left_, evidence_, inputs)) return false;
    if (alone) return true;
    if (!without) without = compute_remainders(model, evidence_, wanted_.all);
    return improves_on(proposed, *without, evidence_, inputs);
  };
  for (const Cause* cause : all_causes()) {
    if (cause->group == CauseGroup::frequencies && frequencies_fit) continue;
    if (cause->last_resort && !found.all.empty()) continue;
    if (!asked(*cause) || stopped()) continue;
    std::vector<Proposal> proposals = proposals_of(*cause, situation);
    keep_first(*cause, proposals, wanted_.all, improves, found.all);
    const bool in_part = wanted_.wrong != wanted_.all && (!cause->last_resort || found.wrong.empty());
    if (in_part) keep_first(*cause, proposals, wanted_.wrong, improves, found.wrong);
    if (alone && !evidence_.is_spent()) tried_.insert(cause);
  }
  keep_rounded(found.all), keep_rounded(found.wrong);
  return found;
}

std::vector<Partial> Search::partials(const CheckModel& model, bool fitting) {
  const Situation situation = about(model);
  std::vector<Partial> found;
  for (const Cause* cause : all_causes()) {
    if (stopped()) break;
    // Separate ids for every row explain too much to be one of two causes.
    if (cause->last_resort || cause->after_pairs || cause->id_change == IdChange::shift) continue;
    std::vector<Proposal> proposals = proposals_of(*cause, situation);
    int place = 0;
    for (Proposal& proposal : proposals) {
      // Frequencies are fitted after swaps and formats, and before shifts; they show a factor of positions.
      const bool is_ladder = cause->group == CauseGroup::frequencies;
      if (is_ladder && fitting) {
        const Situation with_it = situation.about(proposal.model);
        if (!with_it.frequencies_fit() &&
            (proposal.doubt == Doubt::fitted || !with_it.frequencies_fit_but_for_a_factor()))
          continue;
      }
      const double share = share_reproduced(proposal.model, evidence_);
      found.push_back({cause, std::move(proposal), share, place++});
    }
  }
  std::stable_sort(found.begin(), found.end(), [](const Partial& a, const Partial& b) {
    // If nothing distinguishes them, the likeliest proposal of every cause precedes several of one cause.
    return std::tuple(a.proposal.doubt, -a.share, a.place) < std::tuple(b.proposal.doubt, -b.share, b.place);
  });
  return found;
}

std::optional<Match> Search::mostly_right(const CheckModel& model, const CauseFilter& asked) {
  const Situation situation = about(model);
  for (const Cause* cause : all_causes()) {
    if (cause->id_change != IdChange::shift || !asked(*cause) || stopped()) continue;
    std::vector<Proposal> proposals = proposals_of(*cause, situation);
    for (Proposal& proposal : proposals) {
      if (share_reproduced(proposal.model, evidence_) >= tuned::kHalfRight) return Match{cause, std::move(proposal)};
    }
  }
  return std::nullopt;
}

bool Search::explains(const CheckModel& model, bool all) const {
  return reproduces(model, evidence_, all ? wanted_.all : wanted_.wrong);
}

bool Search::needs_first(const CheckModel& without_first, const CheckModel& model) const {
  return improves_on(model, compute_remainders(without_first, evidence_, wanted_.all), evidence_, wanted_.all);
}

bool Search::pairs_spent() const {
  return 4 * evidence_.effort->spent() > 3 * evidence_.effort->most();
}

void Search::report(double part) const {
  if (options_.progress) options_.progress(part, Message("check.step.search"));
}

std::int64_t Search::most_effort() const {
  return evidence_.effort->most();
}

/// Keeps the first proposal that reproduces the inputs because of what it changes; preferably one that reproduces them
/// within rounding to the nearest.
void Search::keep_first(const Cause& cause, const std::vector<Proposal>& proposals, unsigned inputs,
                        const Improves& improves, std::vector<Match>& found) const {
  const auto explains = [&](const Proposal& proposal) {
    const bool reproduced = cause.changes_rows ? reproduces_all(proposal.model, evidence_, inputs)
                                               : reproduces(proposal.model, evidence_, inputs);
    return reproduced && improves(proposal.model, inputs);
  };
  const auto as_rounded = [&](const Proposal& proposal) {
    return reproduces(proposal.model, evidence_, inputs, Strictness::rounded);
  };
  const auto first = std::find_if(proposals.begin(), proposals.end(), explains);
  if (first == proposals.end()) return;
  const auto better = std::find_if(first, proposals.end(), [&](const Proposal& proposal) {
    return as_rounded(proposal) && (&proposal == &*first || explains(proposal));
  });
  const bool exact = better != proposals.end();
  found.push_back({&cause, exact ? *better : *first, exact});
}

// --- Search --------------------------------------------------------------------------------------------------------

Explanation explain(const CheckReference& reference, const CheckModel& model, const Evidence& evidence, unsigned wrong,
                    const CheckOptions& options) {
  const unsigned all = inputs_of(evidence);
  const Wanted wanted{all, wrong == 0 ? all : wrong};
  // Numbers stored in a wider format are judged by their detected format, whatever other causes apply.
  const CheckModel detected = set_detected_formats(model, evidence);
  Explanation found;
  const bool by_format = wrong == 0;
  if (by_format) {
    found.model = detected;
  } else {
    Search search(reference, detected, evidence, wanted, options);
    // A different number of rows has a single cause, which is tried before anything is fitted.
    const bool other_rows = evidence.tensors->rows != 0 && evidence.tensors->rows != model.row_count;
    if (other_rows) found = only(search, detected, cause_with(&Cause::changes_rows));
    // The cheapest cause: nothing is fitted, and no other cause fixes both tables at once.
    if (found.causes.empty()) found = only(search, detected, cause_with(&Cause::tried_first));
    if (found.causes.empty()) found = single(search, detected);
    // Repeats the search with angles by ggml's recurrence, which may err by more: a way of computing, not a cause.
    CheckModel recurrent = detected;
    recurrent.recurrence = true;
    Search by_recurrence(reference, recurrent, evidence, wanted, options);
    const bool may_recur = evidence.has_rotation() && !detected.recurrence && could_recur(detected);
    const bool exact = !is_fitted(found) && holds(found, evidence);
    if (may_recur && !exact && !search.stopped()) {
      Explanation again = if_recurrent(single(by_recurrence, recurrent), evidence);
      // If a number was fitted to powers of a rounded scale, the round number close to it is more likely.
      const bool better = holds(again, evidence) && (!is_fitted(again) || !holds(found, evidence));
      if (found.causes.empty() || better) found = std::move(again);
    }
    if (found.causes.empty() && !search.stopped()) found = any_pair(search, detected);
    if (may_recur && !holds(found, evidence) && !search.stopped()) {
      Explanation again = if_recurrent(any_pair(by_recurrence, recurrent), evidence);
      // A number fitted in addition to the recurrence would fit too much.
      if (holds(again, evidence) && !is_fitted(again)) found = std::move(again);
    }
    if (found.causes.empty() && !search.stopped()) found = beside_last_resort(search, detected);
    if (found.causes.empty() && !search.stopped()) found = only(search, detected, cause_with(&Cause::after_pairs));
    const auto left_off = [](const Search& one) { return one.first_ones_tried < one.first_ones; };
    if (found.causes.empty() && (search.spent() || left_off(search) || left_off(by_recurrence)))
      found.searched = describe_search(left_off(by_recurrence) && !left_off(search) ? by_recurrence : search);
    if (found.causes.empty()) found.read = read_words(reference, detected, evidence);
  }
  if (by_format || !found.causes.empty()) name_formats(reference, model, evidence, wanted.wrong, found);
  return found;
}

}  // namespace ropescope
