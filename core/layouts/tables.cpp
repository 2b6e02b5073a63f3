// Tables of phasors per block and axis, split into coarse and fine for long runs of ids. Read tables.h first.

#include "core/layouts/tables.h"

#include <algorithm>
#include <cmath>
#include <type_traits>
#include <utility>

#include "core/layouts/layout.h"
#include "core/machine.h"

namespace ropescope {

namespace {

/// Maximum number of values that each have their own row.
constexpr std::int64_t kLongestTable = 2048;
constexpr std::int64_t kFineRun = 256;

using PhasorRows = AxisPhasors::Rows;

/// Computes cos and sin of frequency·position for every position (a row) and pair (a column).
void fill_phasors(const Eigen::VectorXd& positions, const Eigen::VectorXd& frequencies, PhasorRows& cosine,
                  PhasorRows& sine) {
  cosine.resize(positions.size(), frequencies.size());
  sine.resize(positions.size(), frequencies.size());
  for (Eigen::Index v = 0; v < positions.size(); ++v) {
    for (Eigen::Index p = 0; p < frequencies.size(); ++p) {
      const double angle = frequencies[p] * positions[v];
      cosine(v, p) = std::cos(angle);
      sine(v, p) = std::sin(angle);
    }
  }
}

std::vector<AxisPhasors::Run> neighbour_runs(const std::vector<Eigen::Index>& pairs) {
  std::vector<AxisPhasors::Run> runs;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    if (!runs.empty() && pairs[i] == runs.back().pair + runs.back().count) {
      ++runs.back().count;
    } else {
      runs.push_back({static_cast<Eigen::Index>(i), 1, pairs[i]});
    }
  }
  return runs;
}

Eigen::VectorXd turning_frequencies(const TokenLayout& layout, const AxisPhasors& phasors) {
  Eigen::VectorXd frequencies(static_cast<Eigen::Index>(phasors.pairs.size()));
  for (std::size_t i = 0; i < phasors.pairs.size(); ++i) {
    frequencies[static_cast<Eigen::Index>(i)] = layout.frequencies(phasors.axis, phasors.pairs[i]);
  }
  return frequencies;
}

/// Splits listed integer ids, 1024·a + b and the like, into two short tables. Returns false if their range is too
/// large.
bool split_listed(const LayoutAxis& axis, const std::vector<double>& listed, const Eigen::VectorXd& frequencies,
                  AxisPhasors& phasors) {
  constexpr double kFarthest = 4294967296.0;
  const auto [low, high] = std::minmax_element(listed.begin(), listed.end());
  const double smallest = *low;
  if (!(*high - smallest < kFarthest)) return false;
  if (!std::all_of(listed.begin(), listed.end(), [](double id) { return id == std::floor(id); })) return false;
  const auto span = static_cast<std::int64_t>(*high - smallest) + 1;
  // The fine table is read repeatedly, the coarse one rarely, so the fine one should fit into a fast cache.
  constexpr std::int64_t kCoarseRows = 4096;
  std::int64_t fine = kFineRun;
  while (span / fine > std::max(kCoarseRows, fine)) fine *= 2;
  phasors.fine_count = fine;
  phasors.parts.reserve(listed.size());
  // A power of two: a million divisions would take as long as everything else.
  const int shift = std::countr_zero(static_cast<std::uint64_t>(fine));
  for (const double id : listed) {
    const auto at = static_cast<std::int64_t>(id - smallest);
    phasors.parts.emplace_back(static_cast<std::int32_t>(at >> shift), static_cast<std::int32_t>(at & (fine - 1)));
  }
  Eigen::VectorXd steps(fine), starts((span + fine - 1) / fine);
  for (std::int64_t v = 0; v < fine; ++v) steps[v] = axis.id_scale * static_cast<double>(v);
  for (Eigen::Index k = 0; k < starts.size(); ++k) {
    starts[k] = axis.id_scale * (smallest + static_cast<double>(k * fine)) + axis.id_offset;
  }
  fill_phasors(steps, frequencies, phasors.cosine, phasors.sine);
  fill_phasors(starts, frequencies, phasors.coarse_cosine, phasors.coarse_sine);
  return true;
}

void fill_values(const TokenLayout& layout, const TokenBlock& block, AxisPhasors& phasors) {
  const LayoutAxis& axis = layout.axes[static_cast<std::size_t>(phasors.axis)];
  const AxisIds& ids = block.ids[static_cast<std::size_t>(phasors.axis)];
  const Eigen::VectorXd frequencies = turning_frequencies(layout, phasors);
  phasors.along = ids.along;
  phasors.value_count = block.count(ids.along);
  const bool many_listed = phasors.value_count > kLongestTable && !ids.listed.empty();
  if (many_listed && split_listed(axis, ids.listed, frequencies, phasors)) return;
  if (phasors.value_count <= kLongestTable || !ids.listed.empty()) {
    Eigen::VectorXd positions(phasors.value_count);
    for (std::int64_t v = 0; v < phasors.value_count; ++v) positions[v] = axis.id_scale * ids.at(v) + axis.id_offset;
    fill_phasors(positions, frequencies, phasors.cosine, phasors.sine);
    return;
  }
  std::int64_t fine = kFineRun;
  while (fine * fine < phasors.value_count) fine *= 2;
  phasors.fine_count = fine;
  Eigen::VectorXd steps(fine), starts((phasors.value_count + fine - 1) / fine);
  for (std::int64_t v = 0; v < fine; ++v) steps[v] = axis.id_scale * static_cast<double>(v);
  for (Eigen::Index k = 0; k < starts.size(); ++k) starts[k] = axis.id_scale * ids.at(k * fine) + axis.id_offset;
  fill_phasors(steps, frequencies, phasors.cosine, phasors.sine);
  fill_phasors(starts, frequencies, phasors.coarse_cosine, phasors.coarse_sine);
}

/// Fills the values including the amplitude of the axis; of two tables that are multiplied, one includes it.
void fill_axis(const TokenLayout& layout, const TokenBlock& block, AxisPhasors& phasors) {
  fill_values(layout, block, phasors);
  const double amplitude = layout.axes[static_cast<std::size_t>(phasors.axis)].amplitude;
  if (amplitude == 1) return;
  const bool split = phasors.fine_count != 0;
  (split ? phasors.coarse_cosine : phasors.cosine) *= amplitude;
  (split ? phasors.coarse_sine : phasors.sine) *= amplitude;
}

std::vector<AxisPhasors> block_phasors(const TokenLayout& layout, const TokenBlock& block) {
  std::vector<AxisPhasors> axes;
  Eigen::VectorXd taken = Eigen::VectorXd::Zero(layout.pair_count());
  for (Eigen::Index axis = 0; axis < layout.frequencies.rows(); ++axis) {
    AxisPhasors phasors;
    phasors.axis = axis;
    for (Eigen::Index pair = 0; pair < layout.pair_count(); ++pair) {
      if (layout.frequencies(axis, pair) == 0) continue;
      phasors.pairs.push_back(pair);
      phasors.shared = phasors.shared || taken[pair] != 0;
      taken[pair] = 1;
    }
    if (phasors.pairs.empty()) continue;
    phasors.runs = neighbour_runs(phasors.pairs);
    fill_axis(layout, block, phasors);
    axes.push_back(std::move(phasors));
  }
  return axes;
}

/// Pointers to the real and imaginary parts of two rows of phasors.
struct Factors {
  const double *a, *b, *c, *d;
};

/// Computes (a + ib)(c + id) for each of `width` phasors. The results never overlap the tables.
ROPESCOPE_INLINE void multiply_phasors(const Factors& of, Eigen::Index width, double* __restrict real,
                                       double* __restrict imaginary) {
  for (Eigen::Index i = 0; i < width; ++i) {
    real[i] = of.a[i] * of.c[i] - of.b[i] * of.d[i];
    imaginary[i] = of.b[i] * of.c[i] + of.a[i] * of.d[i];
  }
}
ROPESCOPE_AVX2 void multiply_avx2(const Factors& of, Eigen::Index width, double* real, double* imaginary) {
  multiply_phasors(of, width, real, imaginary);
}
void multiply_portable(const Factors& of, Eigen::Index width, double* real, double* imaginary) {
  multiply_phasors(of, width, real, imaginary);
}

/// A row under construction.
struct Row {
  Eigen::VectorXd cosine, sine;  ///< all pairs
  std::vector<double> part_cosine, part_sine;
};

void put_axis(const AxisPhasors& axis, std::int64_t value, Row& row) {
  axis.at(value, row.part_cosine.data(), row.part_sine.data());
  for (const AxisPhasors::Run& run : axis.runs) {
    const double* c = row.part_cosine.data() + run.first;
    const double* s = row.part_sine.data() + run.first;
    double* to_c = row.cosine.data() + run.pair;
    double* to_s = row.sine.data() + run.pair;
    if (!axis.shared) {
      std::copy_n(c, run.count, to_c);
      std::copy_n(s, run.count, to_s);
      continue;
    }
    for (Eigen::Index i = 0; i < run.count; ++i) {
      const double cosine = to_c[i] * c[i] - to_s[i] * s[i];
      to_s[i] = to_s[i] * c[i] + to_c[i] * s[i];
      to_c[i] = cosine;
    }
  }
}

}  // namespace

void AxisPhasors::at(std::int64_t v, double* cosines, double* sines) const {
  const auto width = static_cast<Eigen::Index>(pairs.size());
  if (fine_count == 0) {
    std::copy_n(cosine.data() + v * width, width, cosines);
    std::copy_n(sine.data() + v * width, width, sines);
    return;
  }
  const auto at = static_cast<std::size_t>(v);
  const std::int64_t coarse = parts.empty() ? v / fine_count : parts[at].first;
  const std::int64_t fine = parts.empty() ? v % fine_count : parts[at].second;
  const double* a = coarse_cosine.data() + coarse * width;
  const double* b = coarse_sine.data() + coarse * width;
  const double* c = cosine.data() + fine * width;
  const double* d = sine.data() + fine * width;
  (has_avx2() ? multiply_avx2 : multiply_portable)({a, b, c, d}, width, cosines, sines);
}

LayoutTables::LayoutTables(TokenLayout layout) : layout_(std::move(layout)) {
  for (const TokenBlock& block : layout_.blocks) phasors_.push_back(block_phasors(layout_, block));
}

template <class Cell>
void LayoutTables::table_rows(std::int64_t first, std::int64_t count, Cell* cosines, Cell* sines) const {
  require_rows(layout_, first, count);
  const Eigen::Index pairs = layout_.pair_count();
  const auto size = static_cast<std::size_t>(pairs);
  Row row;
  std::size_t current = layout_.blocks.size();
  std::vector<std::int64_t> shown;
  for (std::int64_t i = 0; i < count; ++i) {
    TokenPlace place = place_of(layout_, first + i);
    const std::vector<AxisPhasors>& axes = phasors_[place.block];
    if constexpr (std::is_same_v<Cell, double>) {
      // If one axis rotates every pair of a line of tokens, its values are the row itself.
      const TokenBlock& block = layout_.blocks[place.block];
      const bool one_axis = axes.size() == 1 && axes[0].runs.size() == 1 && axes[0].runs[0].count == pairs;
      if (one_axis && block.rows == 1 && block.frames == 1) {
        const std::int64_t end = std::min(count, i + block.columns - place.column);
        for (; i < end; ++i, ++place.column) {
          axes[0].at(value_index(block, axes[0].along, place), cosines + i * pairs, sines + i * pairs);
        }
        --i;
        continue;
      }
    }
    const bool shares = std::any_of(axes.begin(), axes.end(), [](const AxisPhasors& axis) { return axis.shared; });
    // Unchanged values of the previous row are kept, unless axes multiply into the same pairs.
    if (place.block != current || shares) {
      shown.assign(axes.size(), -1);
      row.cosine.setOnes(pairs);
      row.sine.setZero(pairs);
      row.part_cosine.resize(size);
      row.part_sine.resize(size);
    }
    current = place.block;
    for (std::size_t a = 0; a < axes.size(); ++a) {
      const std::int64_t value = value_index(layout_.blocks[place.block], axes[a].along, place);
      if (value == shown[a]) continue;
      put_axis(axes[a], value, row);
      shown[a] = value;
    }
    Eigen::Map<Eigen::Matrix<Cell, Eigen::Dynamic, 1>>(cosines + i * pairs, pairs) = row.cosine.cast<Cell>();
    Eigen::Map<Eigen::Matrix<Cell, Eigen::Dynamic, 1>>(sines + i * pairs, pairs) = row.sine.cast<Cell>();
  }
}

template void LayoutTables::table_rows<float>(std::int64_t, std::int64_t, float*, float*) const;
template void LayoutTables::table_rows<double>(std::int64_t, std::int64_t, double*, double*) const;

}  // namespace ropescope
