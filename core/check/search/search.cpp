#include "core/check/search/search.h"

#include <algorithm>

#include "core/check/search/hits.h"
#include "core/check/search/positions.h"
#include "core/check/search/ratios.h"
#include "core/check/search/together.h"

namespace ropescope {

namespace {

std::vector<std::string> others(const std::vector<Hit>& hits) {
  std::vector<std::string> names;
  for (std::size_t i = 1; i < hits.size(); ++i) {
    const bool seen = hits[i].cause->name == hits[0].cause->name ||
                      std::find(names.begin(), names.end(), hits[i].cause->name) != names.end();
    if (!seen) names.emplace_back(hits[i].cause->name);
  }
  return names;
}

Explanation single(Search& search, const CheckModel& model) {
  Explanation explanation;
  constexpr bool kAlone = true;
  Hits hits = search.hits(
      model, [](const Cause&) { return true; }, kAlone);
  std::vector<Hit>& found = hits.best();
  if (found.empty()) return explanation;
  if (found[0].cause == &kPositionOffset) {
    Explanation two = centring_and_text(search.about(model));
    if (!two.causes.empty() && search.gives(two.model, !hits.all.empty())) return two;
  }
  explanation.model = found[0].proposal.model;
  const CheckModel alone = found[0].proposal.model;
  explanation.causes.push_back({found[0].cause, std::move(found[0].proposal), others(found), alone, model});
  return explanation;
}

/// One cause alone, where it gives all inputs.
Explanation only(Search& search, const CheckModel& model, const Cause& asked) {
  Explanation explanation;
  Hits hits = search.hits(
      model, [&](const Cause& cause) { return &cause == &asked; }, true);
  if (hits.all.empty()) return explanation;
  explanation.model = hits.all[0].proposal.model;
  const CheckModel alone = hits.all[0].proposal.model;
  explanation.causes.push_back({&asked, std::move(hits.all[0].proposal), {}, alone, model});
  return explanation;
}

/// The model with a cause alone that was found beside another: as it proposed itself there, else what it changed.
CheckModel alone(const std::vector<Half>& halves, const Half& half, const Hit& hit, const CheckModel& model) {
  CheckModel only = model;
  const CheckModel& found = hit.proposal.model;
  if (hit.cause->group == CauseGroup::values) {
    if (hit.proposal.again) return hit.proposal.again(model);
    take_values(*hit.cause, found, only);
    return only;
  }
  for (const Half& own : halves) {
    if (own.cause == hit.cause && own.proposal.parameters == hit.proposal.parameters) return own.proposal.model;
  }
  if (hit.proposal.again) return hit.proposal.again(model);
  if (go_together_in_ids(*half.cause, *hit.cause)) {
    move_alike(half.proposal.model, found, only);
  } else if (hit.cause->group == CauseGroup::ids) {
    only.tokens.blocks = found.tokens.blocks;
    only.order = found.order;
    only.strides = found.strides;
    only.id_factor = found.id_factor;
    only.rows = found.rows;
    only.row_count = found.row_count;
  } else if (hit.cause->group == CauseGroup::frequencies) {
    only.tokens.frequencies = found.tokens.frequencies;
    only.tokens.axes = found.tokens.axes;
    only.rope = found.rope;
    only.length = found.length;
    only.slack = found.slack;
  }
  return only;
}

/// A collision beside another cause: only where no other two explain it, as ids of its own for every row fit much.
Explanation beside_collision(Search& search, const CheckModel& model) {
  Explanation explanation;
  constexpr double kMostlyRight = 0.4;
  constexpr int kMost = 24;
  int tried = 0;
  std::vector<Half> halves = search.halves(model, false);
  std::stable_sort(halves.begin(), halves.end(), [](const Half& a, const Half& b) { return a.share > b.share; });
  for (const Half& half : halves) {
    if (half.cause->group == CauseGroup::ids || half.share < kMostlyRight) continue;
    if (++tried > kMost || search.stopped()) break;
    Hits hits = search.hits(half.proposal.model, [](const Cause& cause) { return &cause == &kCollision; });
    std::vector<Hit>& found = hits.best();
    if (found.empty()) continue;
    CheckModel only = model;
    only.own_ids = found[0].proposal.model.own_ids;
    explanation.model = found[0].proposal.model;
    explanation.causes.push_back({half.cause, half.proposal, {}, half.proposal.model, only});
    explanation.causes.push_back({&kCollision, std::move(found[0].proposal), {}, only, half.proposal.model});
    if (!hits.all.empty()) break;
  }
  return explanation;
}

/// The explanation by a half and the causes that were found beside it.
Explanation joined(Search& search, const CheckModel& model, const std::vector<Half>& halves, const Half& half,
                   std::vector<Hit>& second, Together together) {
  Explanation explanation;
  // With the second cause at rest, the first one may have ties of its own that come before it.
  const CauseGroup first = half.cause->group, other = second[0].cause->group;
  std::vector<Hit> seconds;
  for (Hit& hit : second) {
    if (hit.cause->group == other) seconds.push_back(std::move(hit));
  }
  const CheckModel only_second = alone(halves, half, seconds[0], model);
  FoundCause b{seconds[0].cause, seconds[0].proposal, others(seconds), only_second, half.proposal.model};
  explanation.model = seconds[0].proposal.model;
  FoundCause a{half.cause, half.proposal, {}, half.proposal.model, only_second};
  Hits hits = search.hits(only_second, [&](const Cause& cause) {
    const bool same_group = cause.group == first && together(cause, *b.cause);
    return same_group || go_together_in_ids(cause, *b.cause);
  });
  if (std::vector<Hit>& firsts = hits.best(); !firsts.empty()) {
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
std::optional<Half> fitted_again(Search& search, const CheckModel& model, const std::vector<Half>& halves,
                                 const Half& half, Together together) {
  if (half.cause->group != CauseGroup::frequencies || half.proposal.doubt == Doubt::none) return std::nullopt;
  const auto moved =
      search.nearly(half.proposal.model, [&](const Cause& cause) { return together(*half.cause, cause); });
  if (!moved) return std::nullopt;
  const CheckModel only_moved = alone(halves, half, *moved, model);
  Hits hits = search.hits(only_moved, [&](const Cause& cause) { return &cause == half.cause; });
  if (hits.all.empty()) return std::nullopt;
  Half again{half.cause, std::move(hits.all[0].proposal), half.share};
  again.proposal.model = alone(halves, {moved->cause, moved->proposal, 0}, {half.cause, again.proposal}, model);
  return again;
}

Explanation pair(Search& search, const CheckModel& model, const std::vector<Half>& halves, Together together) {
  Explanation in_part;
  for (std::size_t i = 0; i < halves.size() && !search.stopped() && !search.pairs_spent(); ++i) {
    const Half& half = halves[i];
    const auto asked = [&](const Cause& cause) { return together(*half.cause, cause); };
    const bool some =
        std::any_of(all_causes().begin(), all_causes().end(), [&](const Cause* one) { return asked(*one); });
    if (!some) continue;
    search.report(static_cast<double>(i) / static_cast<double>(halves.size()));
    Hits second = search.hits(half.proposal.model, asked);
    search.first_ones_tried = std::max(search.first_ones_tried, i + 1);
    if (!second.all.empty()) {
      Explanation two = joined(search, model, halves, half, second.all, together);
      if (search.needs_first(two.causes[0].without, two.model)) return two;
    } else if (const auto again = fitted_again(search, model, halves, half, together)) {
      Hits beside = search.hits(again->proposal.model, asked);
      if (!beside.all.empty()) return joined(search, model, halves, *again, beside.all, together);
    }
    // What explains the wrong inputs alone counts where nothing explains all.
    if (!second.wrong.empty() && in_part.causes.empty()) {
      Explanation two = joined(search, model, halves, half, second.wrong, together);
      if (search.needs_first(two.causes[0].without, two.model)) in_part = std::move(two);
    }
  }
  return in_part;
}

/// Two causes of different groups, else two of ids.
Explanation any_pair(Search& search, const CheckModel& model) {
  const std::vector<Half> halves = search.halves(model, true);
  search.first_ones = halves.size();
  Explanation found = pair(search, model, halves, go_together);
  if (found.causes.empty()) found = pair(search, model, halves, go_together_in_ids);
  return found;
}

/// Whether an explanation gives all rows, those too that were not looked at.
bool holds(const Explanation& explanation, const Evidence& evidence) {
  const CheckModel& model = explanation.model;
  if (explanation.causes.empty()) return false;
  return model.row_count != evidence.tensors->rows || !has_shape(model, evidence, inputs_of(evidence)) ||
         compare_all(model, *evidence.tensors, evidence.options).agrees();
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
    all = all && search.tried(*cause);
    if (!search.tried(*cause) || cause->name == last) continue;
    tried.push_back(as_it_is(cause->name));
    last = cause->name;
  }
  if (tried.empty()) return Words("check.unknown.left_off", {effort});
  if (!all) return Words("check.unknown.left_off_alone", {effort, {"causes", std::move(tried)}});
  return Words("check.unknown.left_off_pairs",
               {effort, {"tried", search.first_ones_tried}, {"all", search.first_ones}});
}

/// Takes the formats that were told out of what each cause changed, and names them as a cause of their own where
/// nothing but them explains what is left.
void name_formats(const CheckReference& reference, const CheckModel& model, const Evidence& evidence, unsigned wrong,
                  Explanation& explanation) {
  const CheckModel told = with_told_formats(model, evidence);
  const bool some = told.table_format != model.table_format || told.vector_format != model.vector_format;
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
  kTableFormat.propose(Situation(reference, without, evidence, cache), proposals);
  explanation.causes.push_back({&kTableFormat, std::move(proposals[0]), {}, told, without});
}

/// What the numbers show row by row, or pair by pair, where no cause gives them.
Words read_words(const CheckReference& reference, const CheckModel& model, const Evidence& evidence) {
  if (model.given_tables) return {};
  Evidence own = evidence;
  own.effort = std::make_shared<Effort>(kMostEffort);
  own.measured = new_memory();
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
  const CheckModel told = with_told_formats(model, evidence);
  Explanation found;
  const bool by_format = wrong == 0;
  if (by_format) {
    found.model = told;
  } else {
    Search search(reference, told, evidence, wanted, options);
    // Another number of rows is nothing but "length": it is looked at before anything is fitted.
    const bool other_rows = evidence.tensors->rows != 0 && evidence.tensors->rows != model.row_count;
    if (other_rows) found = only(search, told, kLength);
    // The cheapest of all: nothing is fitted, and nothing else mends both tables at once.
    if (found.causes.empty()) found = only(search, told, kCosSinExchanged);
    if (found.causes.empty()) found = single(search, told);
    // The same with angles by ggml's recurrence, which may err by more: a way of computing beside a cause.
    CheckModel recurrent = told;
    recurrent.recurrence = true;
    Search by_recurrence(reference, recurrent, evidence, wanted, options);
    const bool may_recur = evidence.has_rotation() && !told.recurrence && could_recur(told);
    const bool exact = !is_fitted(found) && holds(found, evidence);
    if (may_recur && !exact && !search.stopped()) {
      Explanation again = single(by_recurrence, recurrent);
      // Of a number that was fitted to powers of a rounded scale the round one near it is the likelier.
      const bool better = holds(again, evidence) && (!is_fitted(again) || !holds(found, evidence));
      if (found.causes.empty() || better) found = std::move(again);
    }
    if (found.causes.empty() && !search.stopped()) found = any_pair(search, told);
    if (may_recur && !holds(found, evidence) && !search.stopped()) {
      Explanation again = any_pair(by_recurrence, recurrent);
      // A number fitted beside it would fit too much.
      if (holds(again, evidence) && !is_fitted(again)) found = std::move(again);
    }
    if (found.causes.empty() && !search.stopped()) found = beside_collision(search, told);
    const auto left_off = [](const Search& one) { return one.first_ones_tried < one.first_ones; };
    if (found.causes.empty() && (search.spent() || left_off(search) || left_off(by_recurrence)))
      found.searched = searched_words(left_off(by_recurrence) && !left_off(search) ? by_recurrence : search);
    if (found.causes.empty()) found.read = read_words(reference, told, evidence);
  }
  if (by_format || !found.causes.empty()) name_formats(reference, model, evidence, wanted.wrong, found);
  return found;
}

}  // namespace ropescope
