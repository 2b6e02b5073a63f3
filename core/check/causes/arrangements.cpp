// Causes in vectors that are arranged differently from the model: the order of heads, then permuted channels. They are
// inferred from the lengths of pairs (compare/arrangement.h). Read cause.h first.

#include <algorithm>
#include <functional>
#include <map>
#include <string>
#include <utility>

#include "core/check/causes/cause.h"
#include "core/check/compare/arrangement.h"
#include "core/check/phrases.h"
#include "core/check/tuning.h"

namespace ropescope {

namespace {

using HeadRuns = std::vector<std::pair<std::int64_t, std::int64_t>>;

/// A rule for another order of heads: head h of `after` is head of(h) of `before`.
struct HeadRule {
  const char* kind;
  std::function<std::int64_t(std::int64_t)> of;
  Message evidence;
};

/// Returns the rules that programs follow by mistake for `count` heads of `before`, each repeated `repeats` times.
std::vector<HeadRule> rules_of_heads(std::int64_t count, std::int64_t repeats) {
  std::vector<HeadRule> rules;
  if (repeats > 1) {
    rules.push_back({"tiled", [=](std::int64_t head) { return head % count; },
                     Message("check.head-order.evidence_tiled", {{"count", count}, {"times", repeats}})});
    return rules;
  }
  rules.push_back(
      {"reversed", [=](std::int64_t head) { return count - 1 - head; }, Message("check.head-order.evidence_reversed")});
  for (std::int64_t by = 1; by < count; ++by) {
    rules.push_back({"shifted", [=](std::int64_t head) { return (head + by) % count; },
                     Message("check.head-order.evidence_shifted", {{"by", by}, {"count", count}})});
  }
  for (std::int64_t groups = 2; groups < count; ++groups) {
    if (count % groups != 0) continue;
    const std::int64_t each = count / groups;
    rules.push_back({"grouped", [=](std::int64_t head) { return head % groups * each + head / groups; },
                     Message("check.head-order.evidence_grouped", {{"groups", groups}, {"each", each}})});
  }
  return rules;
}

/// Lists the heads that are not in place: "3 contains 0, 0 contains 3, …".
Message list_displaced_heads(const std::vector<std::int64_t>& held) {
  Message::List words;
  for (std::size_t head = 0; head < held.size(); ++head) {
    if (held[head] == static_cast<std::int64_t>(head)) continue;
    if (words.size() == tuned::kSaidItems) {
      words.push_back(verbatim("…"));
      break;
    }
    words.push_back(Message("check.head-order.held", {{"head", head}, {"held", held[head]}}));
  }
  return list_of(std::move(words));
}

std::optional<CheckCause> tell_head_order(const Sighting& seen) {
  if (!seen.arrangement) return std::nullopt;
  const Arrangement& arrangement = *seen.arrangement;
  const HeadVectors& vectors = *seen.vectors;
  const std::int64_t count = vectors.heads / vectors.repeats;
  std::vector<std::int64_t> held;
  bool in_place = true;
  for (std::size_t head = 0; head < arrangement.heads.size(); ++head) {
    held.push_back(arrangement.heads[head].head / vectors.repeats);
    in_place = in_place && held.back() == static_cast<std::int64_t>(head) / vectors.repeats;
  }
  if (in_place) return std::nullopt;
  CheckCause cause;
  cause.input = "after";
  const auto follows = [&](const HeadRule& rule) {
    for (std::size_t head = 0; head < held.size(); ++head) {
      if (held[head] != rule.of(static_cast<std::int64_t>(head))) return false;
    }
    return true;
  };
  const std::vector<HeadRule> rules = rules_of_heads(count, vectors.repeats);
  const auto rule = std::find_if(rules.begin(), rules.end(), follows);
  const bool known = rule != rules.end();
  cause.parameters.push_back({"kind", named_value(known ? rule->kind : "exchanged")});
  std::vector<double> list(held.begin(), held.end());
  cause.parameters.push_back({"heads", std::move(list)});
  cause.evidence =
      known ? rule->evidence : Message("check.head-order.evidence_list", {{"heads", list_displaced_heads(held)}});
  cause.advice = vectors.repeats > 1 ? Message("check.head-order.advice_tiled", {{"times", vectors.repeats}})
                                     : Message("check.head-order.advice");
  return cause;
}

/// Describes how the channels of a head were permuted and rotated.
Message way_words(const HeadPlace& place) {
  const bool neighbours = place.turned == Pairing::interleaved;
  switch (place.order) {
    case ChannelOrder::own:
      break;
    case ChannelOrder::converted:
      return Message(neighbours ? "check.weight-permutation.way.converted" : "check.weight-permutation.way.not_undone");
    case ChannelOrder::reversed:
      return Message(neighbours ? "check.weight-permutation.way.reversed" : "check.weight-permutation.way.undone");
    case ChannelOrder::twice:
      return Message(neighbours ? "check.weight-permutation.way.twice" : "check.weight-permutation.way.twice_halves");
  }
  return Message(neighbours ? "check.weight-permutation.way.neighbours" : "check.weight-permutation.way.halves");
}

Message list_heads_rotated_like(const Arrangement& arrangement, const HeadPlace& like) {
  HeadRuns runs;
  for (std::size_t i = 0; i < arrangement.heads.size(); ++i) {
    if (!arrangement.heads[i].is_rotated_like(like)) continue;
    const auto head = static_cast<std::int64_t>(i);
    if (runs.empty() || runs.back().second != head) runs.emplace_back(head, head);
    ++runs.back().second;
  }
  return list_of_runs(runs);
}

/// Describes heads that are rotated in several ways, and lists the heads of the rarest way.
void describe_some(const Arrangement& arrangement, CheckCause& cause) {
  std::vector<std::pair<HeadPlace, std::size_t>> ways;
  for (const HeadPlace& place : arrangement.heads) {
    const auto known =
        std::find_if(ways.begin(), ways.end(), [&](const auto& way) { return way.first.is_rotated_like(place); });
    if (known == ways.end()) {
      ways.emplace_back(place, 1);
    } else {
      ++known->second;
    }
  }
  const auto fewest =
      std::min_element(ways.begin(), ways.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  std::vector<double> odd;
  for (std::size_t head = 0; head < arrangement.heads.size(); ++head) {
    if (arrangement.heads[head].is_rotated_like(fewest->first)) odd.push_back(static_cast<double>(head));
  }
  cause.parameters = {{"kind", named_value("some")}, {"heads", std::move(odd)}};
  Message::List said;
  for (const auto& [way, count] : ways) {
    said.push_back(Message("check.weight-permutation.of_heads",
                           {{"heads", list_heads_rotated_like(arrangement, way)}, {"way", way_words(way)}}));
  }
  cause.evidence = Message("check.weight-permutation.evidence_some", {{"ways", std::move(said)}});
}

std::optional<CheckCause> tell_weight_permutation(const Sighting& seen) {
  if (!seen.arrangement) return std::nullopt;
  const Arrangement& arrangement = *seen.arrangement;
  const HeadVectors& vectors = *seen.vectors;
  const HeadPlace& first = arrangement.heads.front();
  const bool all_alike = std::all_of(arrangement.heads.begin(), arrangement.heads.end(),
                                     [&](const HeadPlace& place) { return place.is_rotated_like(first); });
  if (all_alike && first.order == ChannelOrder::own && first.turned == seen.model->companions) return std::nullopt;
  CheckCause cause;
  cause.input = "after";
  cause.advice = Message("check.weight-permutation.advice");
  if (arrangement.by != 0) {
    cause.parameters = {{"kind", named_value("heads")}, {"heads", static_cast<double>(arrangement.by)}};
    cause.evidence = Message("check.weight-permutation.evidence_heads",
                             {{"by", arrangement.by},
                              {"block", vectors.heads * vectors.channels / arrangement.by},
                              {"heads", vectors.heads / vectors.repeats},
                              {"channels", vectors.channels}});
  } else if (!all_alike) {
    describe_some(arrangement, cause);
  } else {
    const bool converted = first.order == ChannelOrder::converted && first.turned == Pairing::interleaved;
    const char* kind = converted                                ? "converted"
                       : first.order == ChannelOrder::converted ? "kept"
                       : first.order == ChannelOrder::reversed  ? "reversed"
                       : first.order == ChannelOrder::twice     ? "twice"
                                                                : "none";
    cause.parameters = {{"kind", named_value(kind)}};
    cause.evidence = Message("check.weight-permutation.evidence", {{"way", way_words(first)}});
    // If q and k are both converted, the scores are those of the model.
    cause.harmless = converted && !seen.reference.strict;
    if (converted) cause.advice = Message("check.weight-permutation.advice_converted");
  }
  return cause;
}

}  // namespace

/// Heads of q or k in another order after than before: tiled where grouped queries need each repeated, reversed, or
/// with groups and members swapped.
extern constinit const Cause kHeadOrder{
    .name = "head-order", .group = CauseGroup::channels, .seen_in = "", .fix_kinds = kNoFix, .tell = tell_head_order};

/// The rows of wq and wk permuted by the converter's rule although they should not be, or by another rule. With n_head
/// //= n_head_kv, as in the first versions for grouped queries, wk is permuted as if it had other heads.
extern constinit const Cause kWeightPermutation{.name = "weight-permutation",
                                                .group = CauseGroup::channels,
                                                .seen_in = "ggml-org/llama.cpp",
                                                .fix_kinds = kByPermutation,
                                                .tell = tell_weight_permutation};

}  // namespace ropescope
