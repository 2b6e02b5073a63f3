// Causes in the assignment of pairs to axes: in sections of one ladder, each axis with a ladder over its own
// channels, axis after axis or alternating. Read cause.h first; channels.cpp covers how channels form pairs.
//
// Contents: Orders in words; Sections; Dimensions of axes.

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "core/check/causes/cause.h"
#include "core/check/tuning.h"

namespace ropescope {

// --- Orders in words -----------------------------------------------------------------------------------------------

namespace {

/// Returns the axis of each rotating pair, in the order of pairs.
std::vector<std::size_t> owners_in_place(const Eigen::MatrixXd& frequencies) {
  std::vector<std::size_t> owners;
  for (Eigen::Index pair = 0; pair < frequencies.cols(); ++pair) {
    Eigen::Index axis = 0;
    if (frequencies.col(pair).cwiseAbs().maxCoeff(&axis) > 0) owners.push_back(static_cast<std::size_t>(axis));
  }
  return owners;
}

/// Returns the axis of each rotating pair, from the fastest to the slowest.
std::vector<std::size_t> sort_owners_by_speed(const Eigen::MatrixXd& frequencies) {
  std::vector<Eigen::Index> pairs(static_cast<std::size_t>(frequencies.cols()));
  std::iota(pairs.begin(), pairs.end(), Eigen::Index{0});
  const Eigen::RowVectorXd speed = frequencies.cwiseAbs().colwise().sum();
  std::stable_sort(pairs.begin(), pairs.end(), [&](Eigen::Index a, Eigen::Index b) { return speed[a] > speed[b]; });
  Eigen::MatrixXd sorted(frequencies.rows(), frequencies.cols());
  for (std::size_t i = 0; i < pairs.size(); ++i) sorted.col(static_cast<Eigen::Index>(i)) = frequencies.col(pairs[i]);
  return owners_in_place(sorted);
}

/// Returns whether each axis has one contiguous run of pairs.
bool are_blocks(const std::vector<std::size_t>& owners) {
  std::vector<std::size_t> seen;
  for (const std::size_t owner : owners) {
    if (!seen.empty() && seen.back() == owner) continue;
    if (std::find(seen.begin(), seen.end(), owner) != seen.end()) return false;
    seen.push_back(owner);
  }
  return true;
}

/// Returns "row, column, t", or the rule if runs recur: "(t, row, column) x 20, t x 4". `counted`: adds the length of
/// each run in any case.
std::string order_of(const std::vector<LayoutAxis>& axes, const std::vector<std::size_t>& owners, bool counted) {
  const bool once = are_blocks(owners);
  std::string order;
  const auto add = [&](const std::string& words) { order += (order.empty() ? "" : ", ") + words; };
  const std::size_t longest = once ? 1 : axes.size() + 1;
  for (std::size_t at = 0; at < owners.size();) {
    // The cycle that covers most of what follows; of equal ones, the shortest.
    std::size_t turn = 1, most = 0;
    for (std::size_t length = 1; length <= longest && at + length <= owners.size(); ++length) {
      std::size_t covered = length;
      while (covered < owners.size() - at && owners[at + covered] == owners[at + covered - length]) ++covered;
      covered -= covered % length;
      if (covered > most && (length == 1 || covered > length)) most = covered, turn = length;
    }
    std::string names;
    for (std::size_t i = 0; i < turn; ++i) names += (i == 0 ? "" : ", ") + axes[owners[at + i]].name;
    if (turn > 1) names = "(" + names + ")";
    if (most > turn && (counted || !once)) names += " x " + std::to_string(most / turn);
    add(names);
    at += most;
  }
  return order;
}

// --- Sections ------------------------------------------------------------------------------------------------------

/// Returns which of t, row and column rotates each pair, interleaved or in contiguous sections (theory: M-RoPE).
std::vector<Eigen::Index> assign_pairs_to_sections(const std::vector<int>& sections, Eigen::Index pairs,
                                                   bool by_turns) {
  std::vector<Eigen::Index> owners;
  for (Eigen::Index pair = 0; pair < pairs; ++pair) {
    if (by_turns) {
      const auto turn = pair % 3;
      owners.push_back(turn != 0 && pair < 3 * sections[static_cast<std::size_t>(turn)] ? turn : 0);
    } else {
      owners.push_back(pair < sections[0] ? 0 : pair < sections[0] + sections[1] ? 1 : 2);
    }
  }
  return owners;
}

/// Appends contiguous and interleaved sections of one ladder, for a layout whose config lists sections.
void propose_sections_of_config(const Situation& situation, std::vector<Proposal>& proposals) {
  const Layout& layout = *situation.reference.layout;
  if (!takes(layout, "sections") || situation.model.tokens.axes.size() != 3) return;
  std::vector<int> sections = situation.reference.request.sections;
  if (sections.empty()) {
    for (const AxisDefault& axis : layout.axes) sections.push_back(axis.rotary_dim / 2);
  }
  const Eigen::MatrixXd& old = situation.model.tokens.frequencies;
  for (const bool by_turns : {false, true}) {
    Proposal found = situation.proposal();
    Eigen::MatrixXd& frequencies = found.model.tokens.frequencies;
    frequencies.setZero();
    const std::vector<Eigen::Index> owners = assign_pairs_to_sections(sections, old.cols(), by_turns);
    for (Eigen::Index pair = 0; pair < old.cols(); ++pair) {
      frequencies(owners[static_cast<std::size_t>(pair)], pair) = old.col(pair).sum();
    }
    if (frequencies == old) continue;
    found.parameters = {{"kind", by_turns ? Message("check.value.section.interleaved") : named_value("contiguous")}};
    found.evidence =
        Message(by_turns ? "check.section-layout.evidence_by_turns" : "check.section-layout.evidence_contiguous");
    const Message::Named order("order", order_of_shared_ladder(situation.reference.tokens));
    found.advice =
        Message(by_turns ? "check.section-layout.advice_contiguous" : "check.section-layout.advice_by_turns", {order});
    proposals.push_back(std::move(found));
  }
}

/// Appends frequencies at other places, or of one ladder assigned to other axes, and reports which of the two it is.
void add_assigned(const Situation& situation, Eigen::MatrixXd frequencies, std::vector<Proposal>& proposals) {
  const TokenLayout& due = situation.reference.tokens;
  if (frequencies.isApprox(situation.model.tokens.frequencies, 1e-12)) return;
  const bool shared = cut_of(due) == LadderCut::shared;
  const auto found_places = owners_in_place(frequencies), expected_places = owners_in_place(due.frequencies);
  const auto found_order = sort_owners_by_speed(frequencies), due_order = sort_owners_by_speed(due.frequencies);
  Proposal& found = situation.add_to(proposals);
  const auto add = [&](const char* evidence, const char* advice, const auto& owners, const auto& expected_owners,
                       bool counted) {
    const Message::Named channels("channels", 2 * due.pair_count()),
        order("due", order_of(due.axes, expected_owners, counted));
    Message shown(evidence, {channels, {"found", order_of(due.axes, owners, counted)}, order});
    Message asked(advice, {channels, order});
    const bool first = found.evidence.empty();
    found.evidence = first ? std::move(shown) : sentences(std::move(found.evidence), std::move(shown));
    found.advice = first ? std::move(asked) : sentences(std::move(found.advice), std::move(asked));
  };
  const bool reassigned = shared && found_order != due_order;
  if (reassigned) {
    add("check.section-layout.evidence_assigned", "check.section-layout.advice_assigned", found_order, due_order, true);
  }
  if (found_places != expected_places) {
    add("check.section-layout.evidence_places", "check.section-layout.advice_places", found_places, expected_places,
        true);
  }
  if (found.evidence.empty()) return proposals.pop_back();
  const bool contiguous = are_blocks(reassigned ? found_order : found_places);
  found.parameters = {{"kind", contiguous ? named_value("contiguous") : Message("check.value.section.interleaved")}};
  found.model.tokens.frequencies = std::move(frequencies);
}

/// Returns the frequencies of each axis, from the fastest to the slowest.
std::vector<std::vector<double>> ladders_by_axis(const Eigen::MatrixXd& frequencies) {
  std::vector<std::vector<double>> ladders(static_cast<std::size_t>(frequencies.rows()));
  for (std::size_t axis = 0; axis < ladders.size(); ++axis) {
    for (const double frequency : frequencies.row(static_cast<Eigen::Index>(axis))) {
      if (frequency != 0) ladders[axis].push_back(frequency);
    }
    std::sort(ladders[axis].begin(), ladders[axis].end(), [](double a, double b) { return std::abs(a) > std::abs(b); });
  }
  return ladders;
}

/// Returns the ladders of the axes at the pairs of these owners; pairs without an owner are static.
Eigen::MatrixXd placed(const std::vector<std::vector<double>>& ladders, const std::vector<std::size_t>& owners,
                       Eigen::Index pairs) {
  Eigen::MatrixXd frequencies = Eigen::MatrixXd::Zero(static_cast<Eigen::Index>(ladders.size()), pairs);
  std::vector<std::size_t> next(ladders.size(), 0);
  for (std::size_t pair = 0; pair < owners.size(); ++pair) {
    const std::size_t axis = owners[pair];
    frequencies(static_cast<Eigen::Index>(axis), static_cast<Eigen::Index>(pair)) = ladders[axis][next[axis]++];
  }
  return frequencies;
}

/// Returns owners of as many pairs as the axes have: axis after axis, or alternating; empty if they cannot alternate.
std::vector<std::size_t> usual_owners(const std::vector<std::vector<double>>& ladders, bool alternating,
                                      bool backwards) {
  std::vector<std::size_t> axes, owners;
  for (std::size_t axis = 0; axis < ladders.size(); ++axis) {
    if (!ladders[axis].empty()) axes.push_back(axis);
  }
  if (backwards) std::reverse(axes.begin(), axes.end());
  if (axes.size() < 2) return owners;
  const std::size_t pairs = ladders[axes.front()].size();
  const bool alike = std::ranges::all_of(axes, [&](std::size_t axis) { return ladders[axis].size() == pairs; });
  if (alternating && !alike) return owners;
  for (std::size_t turn = 0; alternating && turn < pairs; ++turn) owners.insert(owners.end(), axes.begin(), axes.end());
  for (const std::size_t axis : axes) {
    if (!alternating) owners.insert(owners.end(), ladders[axis].size(), axis);
  }
  return owners;
}

/// Appends the same pairs at other places, if these or those of the reference alternate; and one ladder whose
/// frequencies are assigned to the axes in another order.
void propose_section_layout(const Situation& situation, std::vector<Proposal>& proposals) {
  const CheckModel& model = situation.model;
  if (situation.reference.layout == nullptr || model.rope || model.tokens.axes.size() < 2) return;
  propose_sections_of_config(situation, proposals);
  const Eigen::MatrixXd& own = model.tokens.frequencies;
  if (!situation.evidence.has_rotation() || is_mixed(own) || model.given_tables) return;
  const auto ladders = ladders_by_axis(own);
  const bool in_blocks = are_blocks(owners_in_place(own));
  for (const bool backwards : {false, true}) {
    for (const bool alternating : {true, false}) {
      const auto places = usual_owners(ladders, alternating, backwards);
      // Blocks in another order are the cause "axis-dimensions".
      if (places.empty() || (in_blocks && !alternating)) continue;
      add_assigned(situation, placed(ladders, places, own.cols()), proposals);
    }
  }
  if (cut_of(situation.reference.tokens) != LadderCut::shared) return;
  std::vector<double> whole;
  for (const auto& ladder : ladders) whole.insert(whole.end(), ladder.begin(), ladder.end());
  std::sort(whole.begin(), whole.end(), std::greater<>());
  for (const bool alternating : {false, true}) {
    const auto assigned = usual_owners(ladders, alternating, false);
    if (assigned.empty()) continue;
    std::vector<std::vector<double>> others(ladders.size());
    for (std::size_t i = 0; i < assigned.size(); ++i) others[assigned[i]].push_back(whole[i]);
    for (const bool alternate : {false, true}) {
      const auto places = usual_owners(ladders, alternate, false);
      if (!places.empty()) add_assigned(situation, placed(others, places, own.cols()), proposals);
    }
  }
}

// --- Dimensions of axes --------------------------------------------------------------------------------------------

/// A run of pairs that one axis rotates.
struct Share {
  std::size_t axis = 0;
  int pairs = 0;
};

/// Returns the cost, 0 … 1, of a deviation in units of its error; outliers do not decide alone.
double cost_of(double deviation) {
  const double square = deviation * deviation / 16;
  return std::isfinite(square) ? square / (1 + square) : 1;
}

/// Ladders allowed for an axis in addition to the model's own.
enum class Freedom { none, base, base_and_start };

/// Costs of assigning pairs q … q + n − 1 to an axis: its ladder fits, and no other axis rotates them.
class AssignmentCosts {
 public:
  AssignmentCosts(const Measured& measured, std::vector<double> bases, Freedom freedom)
      : measured_(measured), bases_(std::move(bases)), freedom_(freedom), pairs_(measured.frequency.cols()) {
    for (Eigen::Index axis = 0; axis < measured.frequency.rows(); ++axis) {
      seen_.push_back((measured.sigma.row(axis).array() < 1e30).any());
    }
    // Per axis, prefix sums of the cost that it does not rotate the pairs.
    still_.assign(bases_.size(), std::vector<double>(static_cast<std::size_t>(pairs_) + 1, 0));
    for (std::size_t axis = 0; axis < bases_.size(); ++axis) {
      for (Eigen::Index pair = 0; pair < pairs_; ++pair) {
        const auto p = static_cast<std::size_t>(pair);
        still_[axis][p + 1] = still_[axis][p] + deviation(axis, pair, 0);
      }
    }
  }

  double of(std::size_t axis, Eigen::Index first, Eigen::Index count) const {
    double cost = 0;
    for (std::size_t other = 0; other < bases_.size(); ++other) {
      if (other == axis) continue;
      cost += still_[other][static_cast<std::size_t>(first + count)] - still_[other][static_cast<std::size_t>(first)];
    }
    if (!seen_[axis]) return cost;
    const auto [start, slope] = ladder_of(axis, first, count);
    const double step = std::exp(-slope);
    double frequency = start;
    for (Eigen::Index i = 0; i < count; ++i, frequency *= step) cost += deviation(axis, first + i, frequency);
    return cost;
  }
  Eigen::Index pairs() const { return pairs_; }
  std::size_t axes() const { return bases_.size(); }

 private:
  double deviation(std::size_t axis, Eigen::Index pair, double frequency) const {
    if (!seen_[axis]) return 0;
    const auto a = static_cast<Eigen::Index>(axis);
    const double sigma = measured_.sigma(a, pair), period = measured_.period(a, pair);
    if (!(sigma < 1e30)) return 0;
    double by = frequency - measured_.frequency(a, pair);
    if (std::isfinite(period)) by = wrapped(by, period);
    return cost_of(by / (sigma + 1e-6 * frequency));
  }
  /// Returns the first frequency and −d ln θ / d pair: through θ = 1 at the first pair, or free, from well-known
  /// frequencies.
  std::pair<double, double> ladder_of(std::size_t axis, Eigen::Index first, Eigen::Index count) const {
    const auto a = static_cast<Eigen::Index>(axis);
    const std::pair own{1.0, std::log(bases_[axis]) / static_cast<double>(count)};
    if (freedom_ == Freedom::none) return own;
    LineFit fit;
    for (Eigen::Index i = 0; i < count; ++i) {
      const double frequency = measured_.frequency(a, first + i), sigma = measured_.sigma(a, first + i);
      if (!(frequency > 5 * sigma)) continue;
      fit.add(static_cast<double>(i), std::log(frequency), frequency * frequency / (sigma * sigma));
    }
    if (freedom_ == Freedom::base) {
      const double slope = -fit.slope_through_origin();
      return {1.0, slope != 0 ? std::max(slope, 1e-6) : own.second};
    }
    if (!fit.determined()) return own;
    return {std::exp(fit.start()), std::max(-fit.slope(), 1e-6)};
  }

  const Measured& measured_;
  std::vector<double> bases_;
  Freedom freedom_;
  Eigen::Index pairs_;
  std::vector<bool> seen_;
  std::vector<std::vector<double>> still_;
};

/// Returns the cheapest assignment of all pairs to the axes, each axis used at most once, in any order.
std::vector<Share> cheapest(const AssignmentCosts& costs) {
  const auto pairs = static_cast<std::size_t>(costs.pairs());
  const std::size_t axes = costs.axes(), sets = std::size_t{1} << axes;
  struct State {
    double cost = std::numeric_limits<double>::infinity();
    std::size_t before = 0, axis = 0, from = 0;
  };
  std::vector<std::vector<State>> best(pairs + 1, std::vector<State>(sets));
  best[0][0].cost = 0;
  for (std::size_t from = 0; from < pairs; ++from) {
    for (std::size_t axis = 0; axis < axes; ++axis) {
      for (std::size_t to = from + 1; to <= pairs; ++to) {
        double cost = -1;
        for (std::size_t used = 0; used < sets; ++used) {
          if ((used >> axis & 1) != 0 || !(best[from][used].cost < 1e30)) continue;
          if (cost < 0) cost = costs.of(axis, static_cast<Eigen::Index>(from), static_cast<Eigen::Index>(to - from));
          State& state = best[to][used | std::size_t{1} << axis];
          if (best[from][used].cost + cost < state.cost) state = {best[from][used].cost + cost, used, axis, from};
        }
      }
    }
  }
  std::size_t used = 0;
  for (std::size_t set = 0; set < sets; ++set) {
    if (best[pairs][set].cost < best[pairs][used].cost || used == 0) used = set;
  }
  std::vector<Share> shares;
  for (std::size_t at = pairs; at > 0;) {
    const State& state = best[at][used];
    shares.insert(shares.begin(), Share{state.axis, static_cast<int>(at - state.from)});
    at = state.from, used = state.before;
  }
  return shares;
}

Eigen::MatrixXd assign_pairs(const CheckModel& model, const std::vector<Share>& shares) {
  Eigen::MatrixXd frequencies = Eigen::MatrixXd::Zero(model.tokens.frequencies.rows(), model.tokens.pair_count());
  Eigen::Index first = 0;
  for (const Share& share : shares) {
    if (share.pairs < 1) continue;
    frequencies.row(static_cast<Eigen::Index>(share.axis)).segment(first, share.pairs) =
        plain_frequencies(2 * share.pairs, model.tokens.axes[share.axis].base).transpose();
    first += share.pairs;
  }
  return frequencies;
}

/// Appends an assignment. `doubt`: of an order that is not the model's.
void add_assignment(const Situation& situation, const std::vector<Share>& shares, Eigen::MatrixXd frequencies,
                    std::vector<Proposal>& proposals, Doubt doubt = Doubt::fitted) {
  const CheckModel& model = situation.model;
  if (frequencies.isApprox(model.tokens.frequencies, 1e-9)) return;
  Proposal& found = situation.add_to(proposals);
  found.model.tokens.frequencies = std::move(frequencies);
  std::vector<double> dimensions(model.tokens.axes.size(), 0);
  bool in_order = true;
  for (std::size_t i = 0; i < shares.size(); ++i) {
    dimensions[shares[i].axis] += 2.0 * shares[i].pairs;
    found.model.blocks_of_pairs.emplace_back(shares[i].axis, 2 * shares[i].pairs);
    in_order = in_order && (i == 0 || shares[i].axis > shares[i - 1].axis);
  }
  std::vector<std::size_t> owners;
  for (const Share& share : shares) owners.insert(owners.end(), static_cast<std::size_t>(share.pairs), share.axis);
  const std::string order = order_of(model.tokens.axes, owners, false);
  std::vector<double> of_reference;
  for (const LayoutAxis& axis : model.tokens.axes) of_reference.push_back(axis.rotary_dim);
  found.parameters = {{"dimensions", dimensions}};
  if (!in_order) found.parameters.push_back({"order", verbatim(order)});
  found.doubt = in_order ? Doubt::none : doubt;
  const Message::Named there("found", list_text(dimensions)), due("due", list_text(of_reference)),
      of_order("order", order),
      due_order("due_order",
                order_of(model.tokens.axes, owners_in_place(situation.reference.tokens.frequencies), false));
  const bool same = dimensions == of_reference;
  found.evidence = in_order ? Message("check.axis-dimensions.evidence", {there, due})
                   : same   ? Message("check.axis-dimensions.evidence_places", {of_order, due_order})
                            : Message("check.axis-dimensions.evidence_order", {there, due, of_order, due_order});
  found.advice = same ? Message("check.axis-dimensions.advice_places", {due_order})
                      : Message("check.axis-dimensions.advice", {due, due_order});
}

bool has_plain_blocks(const CheckModel& model) {
  Eigen::Index first = 0;
  for (std::size_t axis = 0; axis < model.tokens.axes.size(); ++axis) {
    const LayoutAxis& of = model.tokens.axes[axis];
    if (!(of.base > 1)) return false;
    if (of.rotary_dim == 0) continue;
    const Eigen::VectorXd own =
        model.tokens.frequencies.row(static_cast<Eigen::Index>(axis)).segment(first, of.rotary_dim / 2).transpose();
    const Eigen::VectorXd ladder = plain_frequencies(of.rotary_dim, 2);
    // Any base: a geometric ladder from 1.
    if (std::abs(own[0] - 1) > 1e-9 || ladder.size() != own.size()) return false;
    first += of.rotary_dim / 2;
    if (first > model.tokens.pair_count()) return false;
  }
  return first == model.tokens.pair_count();
}

/// Appends the axes with their own widths, concatenated in another order.
void add_orders(const Situation& situation, std::vector<Proposal>& proposals) {
  std::vector<std::size_t> order;
  for (std::size_t axis = 0; axis < situation.model.tokens.axes.size(); ++axis) order.push_back(axis);
  while (std::next_permutation(order.begin(), order.end())) {
    std::vector<Share> shares;
    for (const std::size_t axis : order) {
      const int pairs = situation.model.tokens.axes[axis].rotary_dim / 2;
      if (pairs > 0) shares.push_back({axis, pairs});
    }
    add_assignment(situation, shares, assign_pairs(situation.model, shares), proposals);
  }
}

/// Appends assignments that models have: the same widths in another order, and the usual ones.
void add_usual(const Situation& situation, std::vector<Proposal>& proposals) {
  const CheckModel& model = situation.model;
  const auto pairs = static_cast<int>(model.tokens.pair_count());
  const auto axes = static_cast<int>(model.tokens.axes.size());
  const auto try_pairs = [&](const std::vector<int>& of_axes) {
    std::vector<Share> shares;
    for (std::size_t axis = 0; axis < of_axes.size(); ++axis) {
      if (of_axes[axis] > 0) shares.push_back({axis, of_axes[axis]});
    }
    add_assignment(situation, shares, assign_pairs(model, shares), proposals);
  };
  add_orders(situation, proposals);
  std::vector<int> own;
  for (const LayoutAxis& axis : model.tokens.axes) own.push_back(axis.rotary_dim / 2);
  std::vector<int> order(own);
  std::sort(order.begin(), order.end());
  do {
    try_pairs(order);
  } while (std::next_permutation(order.begin(), order.end()));
  std::vector<int> equal(static_cast<std::size_t>(axes), pairs / axes);
  equal[0] += pairs % axes;
  try_pairs(equal);
  if (axes != 3) return;
  const int wan = pairs / 3;
  for (const std::vector<int>& dims : {std::vector<int>{pairs - 2 * wan, wan, wan},
                                       {8, (pairs - 8) / 2, (pairs - 8) / 2},
                                       {pairs / 4, pairs * 3 / 8, pairs * 3 / 8},
                                       {pairs / 2, pairs / 4, pairs / 4}}) {
    const bool fits = std::accumulate(dims.begin(), dims.end(), 0) == pairs &&
                      std::all_of(dims.begin(), dims.end(), [](int dim) { return dim > 0; });
    if (fits) try_pairs(dims);
  }
}

/// Appends one ladder over the head, with each pair assigned to the axis that the evidence shows.
void propose_sections(const Situation& situation, const Measured& measured, std::vector<Proposal>& proposals) {
  const Eigen::MatrixXd& old = situation.model.tokens.frequencies;
  const Eigen::Index axes = old.rows();
  std::vector<Share> shares;
  Eigen::MatrixXd frequencies = Eigen::MatrixXd::Zero(axes, old.cols());
  for (Eigen::Index pair = 0; pair < old.cols(); ++pair) {
    const double frequency = old.col(pair).sum();
    Eigen::Index owner = shares.empty() ? 0 : static_cast<Eigen::Index>(shares.back().axis);
    double least = std::numeric_limits<double>::infinity();
    for (Eigen::Index nth = -1; nth < axes; ++nth) {
      // The axis of the previous pair comes first.
      const Eigen::Index axis = nth < 0 ? owner : nth;
      double cost = 0;
      for (Eigen::Index other = 0; other < axes; ++other) {
        const double sigma = measured.sigma(other, pair);
        if (sigma < 1e30) cost += cost_of((measured.frequency(other, pair) - (other == axis ? frequency : 0)) / sigma);
      }
      if (cost < least - 0.3) least = cost, owner = axis;
    }
    frequencies(owner, pair) = frequency;
    if (shares.empty() || shares.back().axis != static_cast<std::size_t>(owner)) {
      shares.push_back({static_cast<std::size_t>(owner), 0});
    }
    ++shares.back().pairs;
  }
  add_assignment(situation, shares, std::move(frequencies), proposals);
}

/// Returns the axis that rotates a pair. Precondition: only one does.
std::size_t owner_of(const Eigen::MatrixXd& frequencies, Eigen::Index pair) {
  Eigen::Index axis = 0;
  frequencies.col(pair).cwiseAbs().maxCoeff(&axis);
  return static_cast<std::size_t>(axis);
}

/// Appends the sections of one ladder assigned to the axes in another order. One of HunYuan-VL's four axes counts the
/// tokens that two others count, so the measurement does not show the axis of a pair.
void propose_exchanged_sections(const Situation& situation, std::vector<Proposal>& proposals) {
  const Eigen::MatrixXd& own = situation.model.tokens.frequencies;
  if (own.rows() <= tuned::kAxesReadOff) return;
  std::vector<std::size_t> order(static_cast<std::size_t>(own.rows()));
  std::iota(order.begin(), order.end(), std::size_t{0});
  while (std::next_permutation(order.begin(), order.end())) {
    Eigen::MatrixXd frequencies = Eigen::MatrixXd::Zero(own.rows(), own.cols());
    std::vector<Share> shares;
    for (Eigen::Index pair = 0; pair < own.cols(); ++pair) {
      const std::size_t owner = owner_of(own, pair), axis = order[owner];
      frequencies(static_cast<Eigen::Index>(axis), pair) = own(static_cast<Eigen::Index>(owner), pair);
      if (shares.empty() || shares.back().axis != axis) shares.push_back({axis, 0});
      ++shares.back().pairs;
    }
    add_assignment(situation, shares, std::move(frequencies), proposals, Doubt::none);
  }
}

/// Appends the same pairs, axis after axis, in another order of the axes.
void propose_blocks(const Situation& situation, std::vector<Proposal>& proposals) {
  const Eigen::MatrixXd& own = situation.model.tokens.frequencies;
  if (!are_blocks(owners_in_place(own))) return;
  const auto ladders = ladders_by_axis(own);
  for (const bool backwards : {false, true}) {
    const auto places = usual_owners(ladders, false, backwards);
    std::vector<Share> shares;
    for (const std::size_t axis : places) {
      if (shares.empty() || shares.back().axis != axis) shares.push_back({axis, 0});
      ++shares.back().pairs;
    }
    if (!places.empty()) add_assignment(situation, shares, placed(ladders, places, own.cols()), proposals, Doubt::none);
  }
}

void propose_axis_dimensions(const Situation& situation, std::vector<Proposal>& proposals) {
  const CheckModel& model = situation.model;
  const std::size_t axes = model.tokens.axes.size();
  if (axes < 2 || axes > tuned::kMaxPermutedAxes || model.rope || model.tokens.pair_count() > tuned::kMaxDealtPairs)
    return;
  if (!situation.evidence.has_rotation()) return;
  const bool plain = has_plain_blocks(model);
  if (is_mixed(model.tokens.frequencies)) return;
  const Measured measured = measure(situation.evidence, situation.observed(), model, true);
  // Blocks of plain ladders in every order are among the usual ones.
  if (!plain) {
    propose_blocks(situation, proposals);
    // One ladder, assigned to the axes.
    const Eigen::RowVectorXd rungs = model.tokens.frequencies.colwise().sum();
    if (std::is_sorted(rungs.begin(), rungs.end(), std::greater<>())) {
      propose_sections(situation, measured, proposals);
      propose_exchanged_sections(situation, proposals);
    }
    return;
  }
  std::vector<double> bases;
  for (const LayoutAxis& axis : model.tokens.axes) bases.push_back(axis.base);
  for (const Freedom freedom : {Freedom::none, Freedom::base, Freedom::base_and_start}) {
    if (measured.is_spent()) return;
    // Every run of pairs is compared with the ladder of every axis.
    measured.spend(static_cast<Eigen::Index>(axes) * model.tokens.pair_count() * model.tokens.pair_count() *
                   model.tokens.pair_count() / 24);
    const std::vector<Share> shares = cheapest(AssignmentCosts(measured, bases, freedom));
    add_assignment(situation, shares, assign_pairs(model, shares), proposals);
  }
  add_usual(situation, proposals);
}

}  // namespace

std::string order_of_shared_ladder(const TokenLayout& tokens) {
  return order_of(tokens.axes, sort_owners_by_speed(tokens.frequencies), true);
}

/// M-RoPE's sections contiguous instead of interleaved, or the reverse; pairs of axes in blocks instead of alternating;
/// one ladder cut in another way.
constinit const Cause kSectionLayout{.name = "section-layout",
                                     .group = CauseGroup::channels,
                                     .seen_in = "alibaba/MNN#4133",
                                     .fix_kinds = kByAxes,
                                     .propose = propose_section_layout};

/// Pairs assigned to axes in other numbers or another order.
constinit const Cause kAxisDimensions{.name = "axis-dimensions",
                                      .group = CauseGroup::channels,
                                      .seen_in = "huggingface/diffusers#12538",
                                      .fix_kinds = kByAxes,
                                      .propose = propose_axis_dimensions};

}  // namespace ropescope
