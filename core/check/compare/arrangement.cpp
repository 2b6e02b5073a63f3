// Origin of heads and channels from the lengths of pairs. Read arrangement.h first.

#include "core/check/compare/arrangement.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/check/tuning.h"

namespace ropescope {

namespace {

/// Returns the source of channel `at` in a permuted head of `width` channels.
std::int64_t source_in(ChannelOrder order, std::int64_t at, std::int64_t width) {
  const std::int64_t half = width / 2;
  const auto converted = [half](std::int64_t channel) { return channel / 2 + channel % 2 * half; };
  switch (order) {
    case ChannelOrder::own:
      break;
    case ChannelOrder::converted:
      return converted(at);
    case ChannelOrder::reversed:
      return at < half ? 2 * at : 2 * (at - half) + 1;
    case ChannelOrder::twice:
      return converted(converted(at));
  }
  return at;
}

/// Returns the two channels of pair i among the 2·pairs rotated ones.
std::pair<std::int64_t, std::int64_t> channels_of(Pairing pairing, std::int64_t pair, std::int64_t pairs) {
  return pairing == Pairing::interleaved ? std::pair(2 * pair, 2 * pair + 1) : std::pair(pair, pair + pairs);
}

/// Pair lengths in a sample of rows of `before` and `after`.
class Lengths {
 public:
  Lengths(const HeadVectors& vectors, const CheckModel& model)
      : channels_(vectors.channels),
        width_(vectors.heads * channels_),
        still_(model.still),
        pairs_(static_cast<std::int64_t>(model.tokens.pair_count())) {
    rows_ = std::min(tuned::kRowsOfLengths, vectors.rows);
    for (const auto& [tensor, kept] : {std::pair(&vectors.before, &before_), std::pair(&vectors.after, &after_)}) {
      kept->resize(static_cast<std::size_t>(rows_ * width_));
      for (std::int64_t i = 0; i < rows_; ++i) {
        const std::int64_t row = (2 * i + 1) * vectors.rows / (2 * rows_);
        read_rows(*tensor, row, 1, kept->data() + i * width_);
      }
    }
    for (std::int64_t row = 0; row < rows_; ++row) {
      const double before = length_of_row(before_, row), after = length_of_row(after_, row);
      factor_.push_back(before > 0 ? after / before : 1);
    }
  }

  std::int64_t pairs() const { return pairs_; }

  /// Returns whether nearly all pairs of `head` in `after` are as long as those of `place` in `before`. Zero pairs are
  /// ignored.
  bool fit(std::int64_t head, const HeadPlace& place) const {
    return nearly_all([&](std::int64_t row, std::int64_t pair) {
      const auto [a, b] = channels_of(place.turned, pair, pairs_);
      const std::int64_t from = row * width_ + place.head * channels_ + still_;
      const std::int64_t to = row * width_ + head * channels_ + still_;
      const std::int64_t of_a = source_in(place.order, a, 2 * pairs_), of_b = source_in(place.order, b, 2 * pairs_);
      return compare_lengths(factor(row) * length(before_, from + of_a, from + of_b), length(after_, to + a, to + b));
    });
  }

  /// Returns whether all heads fit if one permutation of their channels assumed `by` heads.
  bool fit_blocks(std::int64_t by, Pairing turned) const {
    const std::int64_t block = width_ / by;
    const auto source = [block](std::int64_t channel) {
      return channel / block * block + source_in(ChannelOrder::converted, channel % block, block);
    };
    for (std::int64_t head = 0; head * channels_ < width_; ++head) {
      const bool fits = nearly_all([&](std::int64_t row, std::int64_t pair) {
        const auto [a, b] = channels_of(turned, pair, pairs_);
        const std::int64_t in_row = head * channels_, from = row * width_;
        return compare_lengths(factor(row) * length(before_, from + source(in_row + a), from + source(in_row + b)),
                               length(after_, from + in_row + a, from + in_row + b));
      });
      if (!fits) return false;
    }
    return true;
  }

 private:
  enum class LengthEvidence { nothing, alike, other };

  /// Returns the length of a row, over the rotated channels of all heads.
  double length_of_row(const std::vector<double>& of, std::int64_t row) const {
    double squares = 0;
    for (std::int64_t begin = row * width_ + still_; begin < (row + 1) * width_; begin += channels_) {
      for (std::int64_t i = begin; i < begin + 2 * pairs_; ++i) {
        squares += of[static_cast<std::size_t>(i)] * of[static_cast<std::size_t>(i)];
      }
    }
    return std::sqrt(squares);
  }
  /// Returns the ratio of the lengths of a row after and before, because amplitudes do not change the order.
  double factor(std::int64_t row) const { return factor_[static_cast<std::size_t>(row)]; }

  static double length(const std::vector<double>& of, std::int64_t a, std::int64_t b) {
    return std::hypot(of[static_cast<std::size_t>(a)], of[static_cast<std::size_t>(b)]);
  }
  static LengthEvidence compare_lengths(double before, double after) {
    const double larger = std::max(before, after);
    if (larger == 0) return LengthEvidence::nothing;
    return std::abs(before - after) <= tuned::kSameLengthOfHead * larger ? LengthEvidence::alike
                                                                         : LengthEvidence::other;
  }
  template <class Of>
  bool nearly_all(const Of& told) const {
    std::int64_t seen = 0, others = 0;
    for (std::int64_t row = 0; row < rows_; ++row) {
      for (std::int64_t pair = 0; pair < pairs_; ++pair) {
        const LengthEvidence one = told(row, pair);
        if (one == LengthEvidence::nothing) continue;
        ++seen;
        if (one == LengthEvidence::other) ++others;
      }
      if (tuned::kOneInOthers * others > seen && seen >= tuned::kEnoughLengths) return false;
    }
    return seen >= tuned::kEnoughLengths && tuned::kOneInOthers * others <= seen;
  }

  std::int64_t channels_, width_, still_, pairs_, rows_ = 0;
  std::vector<double> before_, after_, factor_;
};

/// Returns the possible permutations and pairings of a head, the expected one first.
std::vector<HeadPlace> ways_of(const CheckModel& model) {
  const Pairing own = model.companions;
  const Pairing other = own == Pairing::interleaved ? Pairing::half_split : Pairing::interleaved;
  std::vector<HeadPlace> ways{{0, ChannelOrder::own, own}, {0, ChannelOrder::own, other}};
  for (const ChannelOrder order : {ChannelOrder::converted, ChannelOrder::reversed, ChannelOrder::twice}) {
    ways.push_back({0, order, Pairing::interleaved});
    ways.push_back({0, order, Pairing::half_split});
  }
  return ways;
}

/// Returns the origin of a head, its own place before all others; nullopt if none fits.
std::optional<HeadPlace> place_of_head(const Lengths& lengths, const std::vector<HeadPlace>& ways, std::int64_t head,
                                       std::int64_t heads) {
  std::vector<std::int64_t> sources{head};
  for (std::int64_t other = 0; other < heads; ++other) {
    if (other != head) sources.push_back(other);
  }
  for (const std::int64_t source : sources) {
    for (HeadPlace place : ways) {
      place.head = source;
      if (lengths.fit(head, place)) return place;
    }
  }
  return std::nullopt;
}

/// Returns whether causes about the rotation describe everything: heads in place, all rotated alike, and not permuted
/// or output half split, which the model itself may do.
bool is_plain(const Arrangement& arrangement) {
  const HeadPlace& first = arrangement.heads.front();
  for (std::size_t head = 0; head < arrangement.heads.size(); ++head) {
    const HeadPlace& place = arrangement.heads[head];
    if (place.head != static_cast<std::int64_t>(head) || !place.is_rotated_like(first)) return false;
  }
  const bool out_by_halves = first.order == ChannelOrder::reversed && first.turned == Pairing::half_split;
  return first.order == ChannelOrder::own || out_by_halves;
}

/// Finds a permutation of all channels that assumed a different number of heads.
std::optional<Arrangement> find_permutation_by_others(const Lengths& lengths, const HeadVectors& vectors) {
  const std::int64_t width = vectors.heads * vectors.channels;
  if (2 * lengths.pairs() != vectors.channels) return std::nullopt;
  for (std::int64_t by = 1; by <= std::min(tuned::kMaxPermutedHeads, width / tuned::kMinPermutedBlock); ++by) {
    if (by == vectors.heads || width % (2 * by) != 0) continue;
    for (const Pairing turned : {Pairing::interleaved, Pairing::half_split}) {
      if (!lengths.fit_blocks(by, turned)) continue;
      Arrangement found;
      found.by = by;
      for (std::int64_t head = 0; head < vectors.heads; ++head) {
        found.heads.push_back({head, ChannelOrder::converted, turned});
      }
      return found;
    }
  }
  return std::nullopt;
}

/// Returns the source of the rotated channel `at` of a head: a channel of the row `before`, counted over all heads.
std::int64_t source_of(const Arrangement& arrangement, std::int64_t head, std::int64_t at, const HeadVectors& vectors,
                       const CheckModel& model) {
  const std::int64_t turning = 2 * static_cast<std::int64_t>(model.tokens.pair_count());
  if (arrangement.by != 0) {
    const std::int64_t block = vectors.heads * vectors.channels / arrangement.by, channel = head * turning + at;
    return channel / block * block + source_in(ChannelOrder::converted, channel % block, block);
  }
  const HeadPlace& place = arrangement.heads[static_cast<std::size_t>(head)];
  return place.head * vectors.channels + model.still + source_in(place.order, at, turning);
}

}  // namespace

std::optional<Arrangement> find_arrangement(const HeadVectors& vectors, const CheckModel& model) {
  const auto pairs = static_cast<std::int64_t>(model.tokens.pair_count());
  const bool shaped = model.still + 2 * pairs <= vectors.channels && vectors.heads <= tuned::kMaxPermutedHeads;
  if (!shaped || pairs < tuned::kMinPermutedPairs || vectors.rows < 1 || model.given_tables) return std::nullopt;
  const Lengths lengths(vectors, model);
  const std::vector<HeadPlace> ways = ways_of(model);
  Arrangement found;
  for (std::int64_t head = 0; head < vectors.heads; ++head) {
    const auto place = place_of_head(lengths, ways, head, vectors.heads);
    if (!place) return find_permutation_by_others(lengths, vectors);
    found.heads.push_back(*place);
  }
  if (is_plain(found)) return std::nullopt;
  return found;
}

HeadVectors restore_order(const HeadVectors& vectors, const Arrangement& arrangement, const CheckModel& model) {
  const auto pairs = static_cast<std::int64_t>(model.tokens.pair_count());
  std::vector<std::int64_t> before, after;
  for (std::int64_t head = 0; head < vectors.heads; ++head) {
    const HeadPlace& place = arrangement.heads[static_cast<std::size_t>(head)];
    const std::int64_t begin = head * vectors.channels;
    for (std::int64_t channel = 0; channel < vectors.channels; ++channel) {
      before.push_back(place.head * vectors.channels + channel);
      after.push_back(begin + channel);
    }
    for (std::int64_t pair = 0; pair < pairs; ++pair) {
      const auto [a, b] = channels_of(place.turned, pair, pairs);
      const auto [due_a, due_b] = channels_of(model.companions, pair, pairs);
      for (const auto& [from, to] : {std::pair(a, due_a), std::pair(b, due_b)}) {
        const auto at = static_cast<std::size_t>(begin + model.still + to);
        before[at] = source_of(arrangement, head, from, vectors, model);
        after[at] = begin + model.still + from;
      }
    }
  }
  HeadVectors due = vectors;
  due.before = select_channels(vectors.before, vectors.heads, before);
  due.after = select_channels(vectors.after, vectors.heads, after);
  return due;
}

}  // namespace ropescope
