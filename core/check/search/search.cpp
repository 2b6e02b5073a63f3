// What search.h declares; read it first.
//
// Contents: Matches; Two at once; Search.

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
#include "core/words.h"

namespace ropescope {

/// A cause that explains what is left, by its first proposal that does.
struct Match {
  const Cause* cause;
  Proposal proposal;
  bool as_rounded = true;  ///< by half a unit: what only a whole unit allows comes after it
};

/// What explains all inputs, and what explains those that disagree.
struct Matches {
  std::vector<Match> all, wrong;
  std::vector<Match>& best() { return all.empty() ? wrong : all; }
};

/// One of many partial explanations, waiting for a second cause.
struct Partial {
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
  /// `detected`: the reference, its numbers in the formats that they tell.
  Search(const CheckReference& reference, const CheckModel& detected, const Evidence& evidence, Wanted wanted,
         const CheckOptions& options)
      : reference_(reference),
        evidence_(evidence),
        wanted_(wanted),
        options_(options),
        cache_(evidence),
        detected_(detected) {}

  /// Every cause of those asked for that explains what is left. `alone`: no other cause is at work.
  Matches matches(const CheckModel& model, const Asked& asked, bool alone = false);
  /// Every proposal of every cause, likely ones first. `fitting`: ladders only where the tables show them.
  std::vector<Partial> partials(const CheckModel& model, bool fitting);
  /// Shifts of ids beside the model that make most numbers right, though not all; none where no cause gives such.
  std::optional<Match> mostly_right(const CheckModel& model, const Asked& asked);

  Situation about(const CheckModel& model) { return {reference_, model, evidence_, cache_}; }
  bool explains(const CheckModel& model, bool all) const;
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
  using Improves = std::function<bool(const CheckModel&, unsigned inputs)>;
  void keep_first(const Cause& cause, const std::vector<Proposal>& proposals, unsigned inputs, const Improves& improves,
                  std::vector<Match>& found) const;

  const CheckReference& reference_;
  const Evidence& evidence_;
  const Wanted wanted_;
  const CheckOptions& options_;
  ObservedCache cache_;
  const CheckModel detected_;
  std::optional<Remainders> reference_left_;  ///< what it leaves
  std::set<const Cause*> tried_;
};

// --- Matches -------------------------------------------------------------------------------------------------------

namespace {

void keep_rounded(std::vector<Match>& found) {
  const auto is_rounded = [](const Match& match) { return match.as_rounded; };
  if (std::any_of(found.begin(), found.end(), is_rounded)) std::erase_if(found, std::not_fn(is_rounded));
}

/// Whether two numbers read the same in a report.
bool prints_as(double a, double b) {
  constexpr int kDigits = 6;
  return number_for_people(a, kDigits) == number_for_people(b, kDigits);
}

/// A factor that prints as 1, a base that prints as the reference's own, is no cause: who reads it would find nothing
/// to change.
bool prints_as_own(const Cause& cause, const Proposal& proposal, const CheckModel& model) {
  const auto is_own = [&](const CheckParameter& parameter) {
    std::vector<double> numbers;
    if (const auto* one = std::get_if<double>(&parameter.value)) numbers = {*one};
    if (const auto* several = std::get_if<std::vector<double>>(&parameter.value)) numbers = *several;
    // What is said in words beside a number is which one it is of ("of"), or a difference of its own.
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

/// What a cause could be on a model.
std::vector<Proposal> proposals_of(const Cause& cause, const Situation& situation) {
  std::vector<Proposal> proposals;
  cause.propose(situation, proposals);
  std::erase_if(proposals, [&](const Proposal& one) { return prints_as_own(cause, one, situation.model); });
  return proposals;
}

}  // namespace

Matches Search::matches(const CheckModel& model, const Asked& asked, bool alone) {
  const Situation situation = about(model);
  Matches found;
  // Beside another cause, other frequencies than those that the tables show explain nothing.
  const bool frequencies_fit = !alone && situation.frequencies_fit();
  std::optional<Remainders> without;
  const Improves improves = [&](const CheckModel& proposed, unsigned inputs) {
    if (!reference_left_) reference_left_ = remainders_of(detected_, evidence_, wanted_.all);
    if (!improves_on(proposed, *reference_left_, evidence_, inputs)) return false;
    if (alone) return true;
    if (!without) without = remainders_of(model, evidence_, wanted_.all);
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
    // Ids of its own for every row explain too much to be half of anything.
    if (cause->last_resort || cause->after_pairs || cause->id_change == IdChange::shift) continue;
    std::vector<Proposal> proposals = proposals_of(*cause, situation);
    int place = 0;
    for (Proposal& proposal : proposals) {
      // Frequencies are fitted after exchanges and formats, and before shifts; a factor of positions shows in them.
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
    // Where nothing tells them apart, the likeliest of every cause before many of one.
    return std::tuple(a.proposal.doubt, -a.share, a.place) < std::tuple(b.proposal.doubt, -b.share, b.place);
  });
  return found;
}

std::optional<Match> Search::mostly_right(const CheckModel& model, const Asked& asked) {
  constexpr double kMost = 0.5;
  const Situation situation = about(model);
  for (const Cause* cause : all_causes()) {
    if (cause->id_change != IdChange::shift || !asked(*cause) || stopped()) continue;
    std::vector<Proposal> proposals = proposals_of(*cause, situation);
    for (Proposal& proposal : proposals) {
      if (share_reproduced(proposal.model, evidence_) >= kMost) return Match{cause, std::move(proposal)};
    }
  }
  return std::nullopt;
}

bool Search::explains(const CheckModel& model, bool all) const {
  return reproduces(model, evidence_, all ? wanted_.all : wanted_.wrong);
}

bool Search::needs_first(const CheckModel& without_first, const CheckModel& model) const {
  return improves_on(model, remainders_of(without_first, evidence_, wanted_.all), evidence_, wanted_.all);
}

bool Search::pairs_spent() const {
  return 4 * evidence_.effort->spent() > 3 * evidence_.effort->most();
}

void Search::report(double part) const {
  if (options_.progress) options_.progress(part, Words("check.step.search"));
}

std::int64_t Search::most_effort() const {
  return evidence_.effort->most();
}

/// The first proposal that gives the inputs and owes that to what it changes; of several one that gives them by what
/// rounding to the nearest moves them.
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

// --- Two at once ---------------------------------------------------------------------------------------------------

/// Which two causes are looked for at once.
using Together = bool (*)(const Cause&, const Cause&);

/// Two of two groups, or a format beside another cause of the values.
bool go_together(const Cause& a, const Cause& b) {
  if (a.last_resort || b.last_resort || a.after_pairs || b.after_pairs) return false;
  if (a.group != b.group) return true;
  return a.group == CauseGroup::values && a.rounds_on_the_way != b.rounds_on_the_way;
}

/// An exchange, a factor and a shift: two of them, both of ids. Only where no two of different groups explain anything.
bool go_together_in_ids(const Cause& a, const Cause& b) {
  return !a.after_pairs && !b.after_pairs && a.id_change != IdChange::none && b.id_change != IdChange::none &&
         a.id_change != b.id_change;
}

/// What a cause of the values changed, on a model without it.
void take_values(const Cause& cause, const CheckModel& found, CheckModel& only) {
  if (cause.copy_change != nullptr) return cause.copy_change(found, only);
  only.amplitude = found.amplitude;
  only.cosine_factor = found.cosine_factor;
  only.sine_factor = found.sine_factor;
  only.slack = found.slack;
}

/// Moves the ids of a model as those of another were moved, by a factor and by shifts.
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

namespace {

/// The one cause of a property. Precondition: there is one.
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

/// Two causes that give what a single one gives, which is named beside them.
Explanation in_place_of(const Cause& one, const TwoCauses& two) {
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
      return in_place_of(*found[0].cause, *two);
  }
  explanation.model = found[0].proposal.model;
  const CheckModel alone = found[0].proposal.model;
  explanation.causes.push_back({found[0].cause, std::move(found[0].proposal), others(found), alone, model});
  return explanation;
}

/// One cause alone, where it gives all inputs.
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

/// The model with a cause alone that was found beside another: as it proposed itself there, else what it changed.
CheckModel alone(const std::vector<Partial>& partials, const Partial& partial, const Match& match,
                 const CheckModel& model) {
  CheckModel only = model;
  const CheckModel& found = match.proposal.model;
  if (match.cause->group == CauseGroup::values) {
    if (match.proposal.again) return match.proposal.again(model);
    take_values(*match.cause, found, only);
    return only;
  }
  for (const Partial& own : partials) {
    if (own.cause == match.cause && own.proposal.parameters == match.proposal.parameters) return own.proposal.model;
  }
  if (match.proposal.again) return match.proposal.again(model);
  if (go_together_in_ids(*partial.cause, *match.cause)) {
    move_alike(partial.proposal.model, found, only);
  } else if (match.cause->group == CauseGroup::ids) {
    only.tokens.blocks = found.tokens.blocks;
    only.order = found.order;
    only.strides = found.strides;
    only.id_factor = found.id_factor;
    only.rows = found.rows;
    only.row_count = found.row_count;
  } else if (match.cause->group == CauseGroup::frequencies) {
    only.tokens.frequencies = found.tokens.frequencies;
    only.tokens.axes = found.tokens.axes;
    only.rope = found.rope;
    only.length = found.length;
    only.slack = found.slack;
  }
  return only;
}

/// A collision beside another cause: only where no other two explain it, as ids of its own for every row fit much.
Explanation beside_last_resort(Search& search, const CheckModel& model) {
  Explanation explanation;
  constexpr double kMostlyRight = 0.4;
  constexpr int kMost = 24;
  int tried = 0;
  std::vector<Partial> partials = search.partials(model, false);
  std::stable_sort(partials.begin(), partials.end(),
                   [](const Partial& a, const Partial& b) { return a.share > b.share; });
  for (const Partial& partial : partials) {
    if (partial.cause->group == CauseGroup::ids || partial.share < kMostlyRight) continue;
    if (++tried > kMost || search.stopped()) break;
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

/// The explanation by a half and the causes that were found beside it.
Explanation explained_by_two(Search& search, const CheckModel& model, const std::vector<Partial>& partials,
                             const Partial& partial, std::vector<Match>& second, Together together) {
  Explanation explanation;
  // With the second cause at rest, the first one may have ties of its own that come before it.
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

/// A number that was fitted while ids were wrong is not exact: once more with the ids as they seem to be. None where
/// they do not seem to be any, or nothing fits then.
std::optional<Partial> fitted_again(Search& search, const CheckModel& model, const std::vector<Partial>& partials,
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
      Explanation two = explained_by_two(search, model, partials, partial, second.all, together);
      if (search.needs_first(two.causes[0].without, two.model)) return two;
    } else if (const auto again = fitted_again(search, model, partials, partial, together)) {
      Matches beside = search.matches(again->proposal.model, asked);
      if (!beside.all.empty()) return explained_by_two(search, model, partials, *again, beside.all, together);
    }
    // What explains the wrong inputs alone counts where nothing explains all.
    if (!second.wrong.empty() && in_part.causes.empty()) {
      Explanation two = explained_by_two(search, model, partials, partial, second.wrong, together);
      if (search.needs_first(two.causes[0].without, two.model)) in_part = std::move(two);
    }
  }
  return in_part;
}

/// Two causes of different groups, else two of ids.
Explanation any_pair(Search& search, const CheckModel& model) {
  const std::vector<Partial> partials = search.partials(model, true);
  search.first_ones = partials.size();
  Explanation found = pair(search, model, partials, go_together);
  if (found.causes.empty()) found = pair(search, model, partials, go_together_in_ids);
  return found;
}

/// Whether an explanation gives all rows, those too that were not looked at.
bool holds(const Explanation& explanation, const Evidence& evidence) {
  const CheckModel& model = explanation.model;
  if (explanation.causes.empty()) return false;
  return model.row_count != evidence.tensors->rows || !has_shape(model, evidence, inputs_of(evidence)) ||
         compare_all(model, *evidence.tensors, evidence.options).agrees();
}

/// An explanation beside ggml's recurrence; empty if no recurrence gives what it leaves.
Explanation if_recurrent(Explanation explanation, const Evidence& evidence) {
  const CheckModel& model = explanation.model;
  const bool known = !explanation.causes.empty() && model.row_count == evidence.tensors->rows && could_recur(model) &&
                     has_shape(model, evidence, inputs_of(evidence));
  if (known && !recurrence_of(model, evidence)) return {};
  return explanation;
}

/// Whether some number of it stands as it was fitted.
bool is_fitted(const Explanation& explanation) {
  return std::any_of(explanation.causes.begin(), explanation.causes.end(),
                     [](const FoundCause& found) { return found.proposal.doubt == Doubt::fitted; });
}

/// What was searched before the effort ran out.
Words searched_words(const Search& search) {
  const Words::Named effort("effort", search.most_effort());
  Words::List tried;
  bool all = true;
  std::string_view last;
  for (const Cause* cause : all_causes()) {
    all = all && (search.tried(*cause) || cause->after_pairs);
    if (!search.tried(*cause) || cause->name == last) continue;
    tried.push_back(as_it_is(cause->name));
    last = cause->name;
  }
  if (tried.empty()) return Words("check.unknown.left_off", {effort});
  if (!all) return Words("check.unknown.left_off_alone", {effort, {"causes", std::move(tried)}});
  return Words("check.unknown.left_off_pairs",
               {effort, {"tried", search.first_ones_tried}, {"all", search.first_ones}});
}

/// Takes the formats that were detected out of what each cause changed, and names them as a cause of their own where
/// nothing but them explains what is left.
void name_formats(const CheckReference& reference, const CheckModel& model, const Evidence& evidence, unsigned wrong,
                  Explanation& explanation) {
  const CheckModel detected = with_detected_formats(model, evidence);
  const bool some = detected.table_format != model.table_format || detected.vector_format != model.vector_format;
  if (!some) return;
  const auto at_rest = [&](CheckModel of) {
    of.table_format = model.table_format;
    of.vector_format = model.vector_format;
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

/// What the numbers show row by row, or pair by pair, where no cause gives them.
Words read_words(const CheckReference& reference, const CheckModel& model, const Evidence& evidence) {
  if (model.given_tables) return {};
  Evidence own = evidence;
  own.effort = std::make_shared<Effort>(kMostEffort);
  own.measured = new_measured_memory();
  ObservedCache cache(own);
  const Situation about(reference, model, own, cache);
  Words read = positions_read(about);
  return read.empty() ? ratios_read(about) : read;
}

}  // namespace

Explanation explain(const CheckReference& reference, const CheckModel& model, const Evidence& evidence, unsigned wrong,
                    const CheckOptions& options) {
  const unsigned all = inputs_of(evidence);
  const Wanted wanted{all, wrong == 0 ? all : wrong};
  // Numbers kept in a wider format are judged as what they are, whatever else is at work.
  const CheckModel detected = with_detected_formats(model, evidence);
  Explanation found;
  const bool by_format = wrong == 0;
  if (by_format) {
    found.model = detected;
  } else {
    Search search(reference, detected, evidence, wanted, options);
    // Another number of rows has one cause: it is looked at before anything is fitted.
    const bool other_rows = evidence.tensors->rows != 0 && evidence.tensors->rows != model.row_count;
    if (other_rows) found = only(search, detected, cause_with(&Cause::changes_rows));
    // The cheapest of all: nothing is fitted, and nothing else mends both tables at once.
    if (found.causes.empty()) found = only(search, detected, cause_with(&Cause::tried_first));
    if (found.causes.empty()) found = single(search, detected);
    // The same with angles by ggml's recurrence, which may err by more: a way of computing beside a cause.
    CheckModel recurrent = detected;
    recurrent.recurrence = true;
    Search by_recurrence(reference, recurrent, evidence, wanted, options);
    const bool may_recur = evidence.has_rotation() && !detected.recurrence && could_recur(detected);
    const bool exact = !is_fitted(found) && holds(found, evidence);
    if (may_recur && !exact && !search.stopped()) {
      Explanation again = if_recurrent(single(by_recurrence, recurrent), evidence);
      // Of a number that was fitted to powers of a rounded scale the round one near it is the likelier.
      const bool better = holds(again, evidence) && (!is_fitted(again) || !holds(found, evidence));
      if (found.causes.empty() || better) found = std::move(again);
    }
    if (found.causes.empty() && !search.stopped()) found = any_pair(search, detected);
    if (may_recur && !holds(found, evidence) && !search.stopped()) {
      Explanation again = if_recurrent(any_pair(by_recurrence, recurrent), evidence);
      // A number fitted beside it would fit too much.
      if (holds(again, evidence) && !is_fitted(again)) found = std::move(again);
    }
    if (found.causes.empty() && !search.stopped()) found = beside_last_resort(search, detected);
    if (found.causes.empty() && !search.stopped()) found = only(search, detected, cause_with(&Cause::after_pairs));
    const auto left_off = [](const Search& one) { return one.first_ones_tried < one.first_ones; };
    if (found.causes.empty() && (search.spent() || left_off(search) || left_off(by_recurrence)))
      found.searched = searched_words(left_off(by_recurrence) && !left_off(search) ? by_recurrence : search);
    if (found.causes.empty()) found.read = read_words(reference, detected, evidence);
  }
  if (by_format || !found.causes.empty()) name_formats(reference, model, evidence, wanted.wrong, found);
  return found;
}

}  // namespace ropescope
