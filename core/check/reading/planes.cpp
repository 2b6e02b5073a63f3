// Decoding of table planes, then of vectors and ids. Read planes.h first.
//
// Contents: Planes; Vectors.

#include "core/check/reading/planes.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "core/check/tuning.h"
#include "core/check/types.h"
#include "core/message.h"

namespace ropescope {

// --- Planes --------------------------------------------------------------------------------------------------------

namespace {

/// Number of rows used to detect repeated columns.
constexpr std::int64_t kRepeatRows = 512;

void drop_axis(StoredTensor& tensor, std::size_t axis) {
  tensor.shape.erase(tensor.shape.begin() + static_cast<std::ptrdiff_t>(axis));
  tensor.strides.erase(tensor.strides.begin() + static_cast<std::ptrdiff_t>(axis));
}

bool is_width(const ExpectedShape& expected, std::int64_t width) {
  const auto fits = [width](std::int64_t pairs) { return width == pairs || width == 2 * pairs; };
  return fits(expected.pairs) || std::any_of(expected.other_pairs.begin(), expected.other_pairs.end(), fits);
}

/// Returns rows spread over a tensor, including the first ones.
std::vector<std::int64_t> rows_for_repeats(std::int64_t rows) {
  std::vector<std::int64_t> looked;
  const std::int64_t count = std::min(rows, kRepeatRows);
  for (std::int64_t i = 0; i < count; ++i) {
    looked.push_back(count == rows || i < count / 2 ? i : i * (rows - 1) / std::max<std::int64_t>(count - 1, 1));
  }
  return looked;
}

struct Repetition {
  bool adjacent = true, by_halves = true;
};

/// Detects repeated columns. `sign`: ratio of the first copy to the second, 1 or −1.
Repetition detect_repetition(const StoredTensor& table, double sign = 1) {
  const std::int64_t width = table.shape[1];
  Repetition found{width % 2 == 0, width % 2 == 0};
  std::vector<double> row(static_cast<std::size_t>(width));
  for (const std::int64_t r : rows_for_repeats(table.shape[0])) {
    read_rows(table, r, 1, row.data());
    for (std::int64_t i = 0; i < width / 2 && (found.adjacent || found.by_halves); ++i) {
      const auto at = [&](std::int64_t c) { return row[static_cast<std::size_t>(c)]; };
      // NaN and infinity are reported later, with their place.
      const auto same = [&](std::int64_t a, std::int64_t b) {
        return at(a) == sign * at(b) || !std::isfinite(at(a)) || !std::isfinite(at(b));
      };
      found.adjacent = found.adjacent && same(2 * i, 2 * i + 1);
      found.by_halves = found.by_halves && same(i, i + width / 2);
    }
  }
  return found;
}

/// Returns the first item along an axis, of a batch or of heads. Throws InputError unless all items are equal.
StoredTensor only_item(const StoredTensor& tensor, std::size_t axis) {
  const StoredTensor first = select_slice(tensor, axis, 0);
  if (tensor.strides[axis] == 0) return first;  // one item, broadcast
  const std::int64_t rows = first.shape.empty() ? 0 : first.shape[0];
  const std::int64_t width = rows == 0 ? 0 : first.count() / rows * (is_complex(first.storage) ? 2 : 1);
  std::vector<double> here(static_cast<std::size_t>(width)), there(here);
  for (std::int64_t item = 1; item < tensor.shape[axis]; ++item) {
    const StoredTensor other = select_slice(tensor, axis, item);
    for (std::int64_t row = 0; row < rows; ++row) {
      read_rows(first, row, 1, here.data());
      read_rows(other, row, 1, there.data());
      if (here == there) continue;
      throw InputError(tensor.name, "check.items_differ",
                       {{"shape", shape_text(tensor.shape)}, {"item", item}, {"axis", axis}});
    }
  }
  return first;
}

/// Returns [tokens, width] of tables [axes, …, tokens, width] with all pairs for the ids of every axis (transformers'
/// M-RoPE before its sections are merged), each pair from the axis that rotates it. nullopt for any other table.
std::optional<StoredTensor> of_owners(const StoredTensor& tensor, const ExpectedShape& expected) {
  StoredTensor axes = tensor;
  for (std::size_t axis = 1; axis + 2 < axes.shape.size();) {
    axes.shape[axis] == 1 ? drop_axis(axes, axis) : void(++axis);
  }
  const auto pairs = static_cast<std::int64_t>(expected.owners.size());
  if (pairs == 0 || axes.shape.size() != 3 || is_declared_only(tensor)) return std::nullopt;
  const std::int64_t count = 1 + *std::max_element(expected.owners.begin(), expected.owners.end());
  const std::int64_t rows = axes.shape[1], width = axes.shape[2];
  if (axes.shape[0] != count || rows < 1 || (width != pairs && width != 2 * pairs)) return std::nullopt;
  const StoredTensor first = select_slice(axes, 0, 0);
  const bool adjacent = width == 2 * pairs && detect_repetition(first).adjacent && !detect_repetition(first).by_halves;
  const std::size_t each = storage_bytes(axes.storage);
  auto bytes = std::make_shared<std::vector<std::byte>>(static_cast<std::size_t>(rows * width) * each);
  for (std::int64_t column = 0; column < width; ++column) {
    const std::int64_t pair = adjacent ? column / 2 : column % pairs;
    const StoredTensor of = select_slice(axes, 0, expected.owners[static_cast<std::size_t>(pair)]);
    for (std::int64_t row = 0; row < rows; ++row) {
      const auto from = static_cast<std::size_t>(row * of.strides[0] + column * of.strides[1]) * each;
      std::copy_n(of.bytes.begin() + static_cast<std::ptrdiff_t>(from), each,
                  bytes->begin() + static_cast<std::ptrdiff_t>(static_cast<std::size_t>(row * width + column) * each));
    }
  }
  StoredTensor chosen = axes;
  chosen.shape = {rows, width};
  chosen.strides = row_major_strides(chosen.shape);
  chosen.bytes = *bytes;
  chosen.owner = std::move(bytes);
  return chosen;
}

/// Returns [1, width] of a table [items, …, 1, width] with equal items, if one token is expected: a batch of one
/// decoding step. nullopt if the items differ, as several tokens would.
std::optional<StoredTensor> only_token(const StoredTensor& tensor, const ExpectedShape& expected) {
  const std::size_t rank = tensor.shape.size();
  if (rank < 3 || tensor.shape[rank - 2] != 1 || expected.tokens != 1) return std::nullopt;
  StoredTensor rest = tensor;
  try {
    while (rest.shape.size() > 2) rest = only_item(rest, 0);
  } catch (const InputError&) {
    return std::nullopt;
  }
  return rest;
}

/// Returns [tokens, width] of a table with a batch or with heads.
StoredTensor flat_table(const StoredTensor& tensor, const ExpectedShape& expected) {
  if (auto chosen = of_owners(tensor, expected)) return *chosen;
  if (auto token = only_token(tensor, expected)) return *token;
  StoredTensor flat = tensor;
  // Axes of length 1 are removed, except among the last two: a single row is kept.
  for (std::size_t axis = 0; axis + 1 < flat.shape.size() && flat.shape.size() > 2;) {
    if (flat.shape[axis] == 1) {
      drop_axis(flat, axis);
    } else {
      ++axis;
    }
  }
  while (flat.shape.size() > 2) {
    const bool tokens_first = expected.tokens && flat.shape[0] == *expected.tokens && flat.shape[1] != *expected.tokens;
    try {
      flat = only_item(flat, tokens_first ? 1 : 0);
    } catch (const InputError&) {
      if (tokens_first || expected.tokens || flat.shape.size() != 3) throw;
      flat = only_item(flat, 1);  // heads after tokens of unknown number
    }
  }
  if (flat.shape.size() == 1 && is_width(expected, flat.shape[0])) {
    flat.shape.insert(flat.shape.begin(), 1);
    flat.strides.insert(flat.strides.begin(), flat.strides[0] * flat.shape[1]);
  }
  if (flat.shape.size() != 2 || flat.shape[0] < 1 || flat.shape[1] < 1) {
    throw InputError(tensor.name, "check.table_shape",
                     {{"shape", shape_text(tensor.shape)}, {"pairs", expected.pairs}, {"twice", 2 * expected.pairs}});
  }
  return flat;
}

Message::List plane_in_words(std::int64_t rows, std::int64_t pairs, Repeats repeats) {
  Message::List words{Message("check.read.table", {{"rows", rows}, {"pairs", pairs}})};
  if (repeats == Repeats::adjacent) words.emplace_back("check.read.adjacent");
  if (repeats == Repeats::by_halves) words.emplace_back("check.read.by_halves");
  return words;
}

void add_copies(TablePlanes& tables, const std::string& which, Holds holds, const StoredTensor& flat) {
  const std::int64_t n = tables.pairs;
  const Holds first = holds == Holds::sine && tables.signs_baked ? Holds::minus_sine : holds;
  switch (tables.repeats) {
    case Repeats::once:
      tables.planes.push_back({which, holds, flat});
      break;
    case Repeats::adjacent:
      tables.planes.push_back({which, first, columns_of(flat, 0, 2, n)});
      tables.planes.push_back({which, holds, columns_of(flat, 1, 2, n)});
      break;
    case Repeats::by_halves:
      tables.planes.push_back({which, first, columns_of(flat, 0, 1, n)});
      tables.planes.push_back({which, holds, columns_of(flat, n, 1, n)});
      break;
  }
}

/// Returns whether √(cos² + sin²) is nearly constant, as for tables of any width.
bool are_cosine_and_sine(const StoredTensor& cosine, const StoredTensor& sine) {
  const auto width = static_cast<std::size_t>(cosine.shape[1]);
  std::vector<double> c(width), s(width);
  double least = std::numeric_limits<double>::infinity(), most = 0;
  for (const std::int64_t r : rows_for_repeats(cosine.shape[0])) {
    read_rows(cosine, r, 1, c.data());
    read_rows(sine, r, 1, s.data());
    for (std::size_t i = 0; i < width; ++i) {
      const double radius = std::hypot(c[i], s[i]);
      least = std::min(least, radius), most = std::max(most, radius);
    }
  }
  return least > 0 && most - least <= tuned::kSameRadius * most;
}

/// Returns whether most columns equal neither the adjacent column nor the one half the width away: one column per pair.
bool are_all_single(const StoredTensor& table) {
  const std::int64_t width = table.shape[1];
  std::vector<bool> own(static_cast<std::size_t>(width / 2), false);
  std::vector<double> row(static_cast<std::size_t>(width));
  for (const std::int64_t r : rows_for_repeats(table.shape[0])) {
    read_rows(table, r, 1, row.data());
    for (std::size_t i = 0; i < own.size(); ++i)
      own[i] = own[i] || (row[2 * i] != row[2 * i + 1] && row[i] != row[i + own.size()]);
  }
  return 2 * std::count(own.begin(), own.end(), true) > static_cast<std::ptrdiff_t>(own.size());
}

/// Determines whether the columns of a pair of tables are single or repeated, and how.
void detect_repeats(TablePlanes& tables, const StoredTensor& cosine, const StoredTensor& sine,
                    const ExpectedShape& expected) {
  const std::int64_t width = cosine.shape[1];
  const Repetition of_cosine = detect_repetition(cosine);
  Repetition of_sine = detect_repetition(sine);
  const auto repeat = [&] {
    return std::pair(of_cosine.adjacent && of_sine.adjacent, of_cosine.by_halves && of_sine.by_halves);
  };
  if (repeat() == std::pair(false, false)) {
    of_sine = detect_repetition(sine, -1);
    tables.signs_baked = true;
  }
  const auto [adjacent, halves] = repeat();
  // As wide as the reference has pairs, but with repeated columns: half as many pairs (a fraction applied twice).
  const bool half_as_many =
      std::find(expected.other_pairs.begin(), expected.other_pairs.end(), width / 2) != expected.other_pairs.end();
  const bool other_width = width != expected.pairs || (half_as_many && adjacent != halves);
  const bool twice = other_width && width % 2 == 0 && (adjacent || halves);
  tables.signs_baked = tables.signs_baked && twice;
  if (!twice) {
    // Columns after the expected pairs are checked later.
    const std::int64_t due = std::min(width, expected.pairs);
    const bool any =
        expected.any_pairs && (are_cosine_and_sine(cosine, sine) ||
                               are_cosine_and_sine(columns_of(cosine, 0, 1, due), columns_of(sine, 0, 1, due)));
    if (!is_width(expected, width) && !any) {
      throw InputError(cosine.name, "check.table_width",
                       {{"width", width}, {"pairs", expected.pairs}, {"twice", 2 * expected.pairs}});
    }
    const bool twice_as_many = expected.any_pairs && width == 2 * expected.pairs && are_all_single(cosine) &&
                               are_all_single(sine) && are_cosine_and_sine(cosine, sine);
    if (width == 2 * expected.pairs && !twice_as_many &&
        std::find(expected.other_pairs.begin(), expected.other_pairs.end(), width) == expected.other_pairs.end()) {
      const bool sound = of_cosine.adjacent || of_cosine.by_halves;
      throw InputError((sound ? sine : cosine).name, "check.table_columns",
                       {{"width", width}, {"pairs", expected.pairs}});
    }
    tables.pairs = width;
    return;
  }
  tables.pairs = width / 2;
  tables.repeats_known = adjacent != halves;
  const bool as_expected_adjacent = expected.pairing == Pairing::interleaved;
  tables.repeats = (tables.repeats_known ? adjacent : as_expected_adjacent) ? Repeats::adjacent : Repeats::by_halves;
}

/// Returns the error for two tensors that should have the same shape.
InputError other_shape(const StoredTensor& tensor, const StoredTensor& other) {
  return InputError(tensor.name, "check.other_shape",
                    {{"shape", shape_text(tensor.shape)}, {"due", shape_text(other.shape)}, {"other", other.name}});
}

void read_two_tables(const CheckInputs& inputs, const ExpectedShape& expected, TablePlanes& tables) {
  const StoredTensor& cosine = *inputs.cosine;
  const StoredTensor& sine = *inputs.sine;
  for (const StoredTensor* one : {&cosine, &sine}) {
    if (is_complex(one->storage)) throw InputError(one->name, "check.complex_tables", {});
  }
  const StoredTensor flat_cosine = flat_table(cosine, expected), flat_sine = flat_table(sine, expected);
  if (flat_cosine.shape != flat_sine.shape) {
    throw other_shape(sine, cosine);
  }
  detect_repeats(tables, flat_cosine, flat_sine, expected);
  tables.rows = flat_cosine.shape[0];
  add_copies(tables, "cos", Holds::cosine, flat_cosine);
  add_copies(tables, "sin", Holds::sine, flat_sine);
  const Message::List words = plane_in_words(tables.rows, tables.pairs, tables.repeats);
  tables.understood = {{"cos", words}, {"sin", words}};
  if (tables.signs_baked) tables.understood[1].second.emplace_back("check.read.first_negative");
}

/// Returns the real and imaginary parts as a view with one more axis, of length 2.
StoredTensor complex_parts(const StoredTensor& tensor) {
  StoredTensor parts = tensor;
  parts.storage = tensor.storage == Storage::complex128 ? Storage::float64 : Storage::float32;
  for (std::int64_t& stride : parts.strides) stride *= 2;
  parts.shape.push_back(2);
  parts.strides.push_back(1);
  return parts;
}

void read_complex(const StoredTensor& table, const ExpectedShape& expected, TablePlanes& tables) {
  const StoredTensor flat = flat_table(table, expected);
  const StoredTensor parts = complex_parts(flat);
  const StoredTensor real = select_slice(parts, 2, 0), imaginary = select_slice(parts, 2, 1);
  detect_repeats(tables, real, imaginary, expected);
  tables.rows = flat.shape[0];
  add_copies(tables, "table", Holds::cosine, real);
  add_copies(tables, "table", Holds::sine, imaginary);
  tables.understood = {{"table", plane_in_words(tables.rows, tables.pairs, tables.repeats)}};
  tables.understood[0].second.emplace_back("check.read.complex");
}

/// Returns cosines or sines of the angles in a table, in its format but at least float32. A file can contain very many
/// angles, so nothing is computed before it is read.
StoredTensor of_angles(const StoredTensor& table, bool sine) {
  StoredTensor made = table;
  made.of_angles = OfAngles{table.storage, sine};
  made.storage = table.storage == Storage::float64 ? Storage::float64 : Storage::float32;
  made.printed.reset();
  return made;
}

/// Returns whether a number is larger than any amplitude, and so neither a cosine nor a sine.
bool exceed_amplitudes(const StoredTensor& table) {
  std::vector<double> row(static_cast<std::size_t>(table.shape[1]));
  for (std::int64_t r = 0; r < table.shape[0]; ++r) {
    read_rows(table, r, 1, row.data());
    if (std::ranges::any_of(row, [](double number) { return std::abs(number) > tuned::kMaxTableNumber; })) return true;
  }
  return false;
}

/// Returns whether numbers in [tokens, width] are angles, id · frequency: they are too large for anything else, or the
/// first rows increase by equal steps.
bool are_angles(const StoredTensor& table) {
  const std::int64_t width = table.shape[1], rows = table.shape[0];
  if (exceed_amplitudes(table)) return true;
  if (rows < 3) return false;
  std::vector<double> numbers(static_cast<std::size_t>(3 * width));
  read_rows(table, 0, 3, numbers.data());
  for (std::int64_t i = 0; i < width; ++i) {
    const auto at = [&](std::int64_t row) { return numbers[static_cast<std::size_t>(row * width + i)]; };
    const double step = at(1) - at(0);
    if (std::abs(at(2) - at(1) - step) > tuned::kSameStep * std::abs(step) + 1e-12) return false;
  }
  return true;
}

/// Returns whether the columns of [tokens, 4·pairs] are the concatenated matrices of the pairs: c, ∓s, ±s, c.
bool are_flat_matrices(const StoredTensor& table) {
  const std::int64_t width = table.shape[1];
  if (width % 4 != 0 || is_declared_only(table)) return false;
  std::vector<double> row(static_cast<std::size_t>(width));
  for (const std::int64_t r : rows_for_repeats(table.shape[0])) {
    read_rows(table, r, 1, row.data());
    for (std::size_t i = 0; i < row.size(); i += 4) {
      if (row[i] != row[i + 3] || row[i + 1] != -row[i + 2]) return false;
    }
  }
  return are_cosine_and_sine(columns_of(table, 0, 4, width / 4), columns_of(table, 2, 4, width / 4));
}

void read_flat_matrices(const StoredTensor& table, TablePlanes& tables) {
  tables.rows = table.shape[0], tables.pairs = table.shape[1] / 4;
  constexpr Holds kMatrix[] = {Holds::cosine, Holds::minus_sine, Holds::sine, Holds::cosine};
  for (std::int64_t i = 0; i < 4; ++i) {
    tables.planes.push_back({"table", kMatrix[i], columns_of(table, i, 4, tables.pairs)});
  }
  tables.understood = {{"table", plane_in_words(tables.rows, tables.pairs, Repeats::once)}};
  tables.understood[0].second.emplace_back("check.read.matrices");
}

/// Returns whether the first of two planes is closer to 1 in its slowest column, as cosines are.
bool is_nearer_to_one(const StoredTensor& one, const StoredTensor& other) {
  const std::int64_t last = one.shape[1] - 1;
  double sum = 0;
  for (const std::int64_t r : rows_for_repeats(one.shape[0])) {
    double a = 0, b = 0;
    read_rows(columns_of(one, last, 1, 1), r, 1, &a);
    read_rows(columns_of(other, last, 1, 1), r, 1, &b);
    sum += std::abs(a) - std::abs(b);
  }
  return sum >= 0;
}

/// Reads one table [tokens, width] that contains everything: cos and sin concatenated (vLLM's cos_sin_cache),
/// interleaved or as matrices, or the angles; or one [2, tokens, width] or [tokens, 2, width] of both. The numbers
/// decide which. Returns false if it is none of these.
bool read_packed(const StoredTensor& table, const ExpectedShape& expected, TablePlanes& tables) {
  StoredTensor flat = table;
  while (flat.shape.size() > 2) {
    const auto single = std::find(flat.shape.begin(), flat.shape.end() - 1, 1);
    if (single == flat.shape.end() - 1) break;
    drop_axis(flat, static_cast<std::size_t>(single - flat.shape.begin()));
  }
  const auto add = [&](const StoredTensor& cosine, const StoredTensor& sine, const char* how) {
    detect_repeats(tables, cosine, sine, expected);
    tables.rows = cosine.shape[0];
    add_copies(tables, "table", Holds::cosine, cosine);
    add_copies(tables, "table", Holds::sine, sine);
    tables.understood = {{"table", plane_in_words(tables.rows, tables.pairs, tables.repeats)}};
    tables.understood[0].second.emplace_back(how);
    return true;
  };
  const auto fits = [&](std::int64_t pairs) { return is_width(expected, pairs) || expected.any_pairs; };
  // Planes if only the shape is known: the expected pairs, whether columns are stored once or twice.
  const auto declare = [&](const StoredTensor& cosine, const StoredTensor& sine) {
    const std::int64_t columns = cosine.shape[1];
    tables.rows = cosine.shape[0], tables.pairs = is_width(expected, columns) ? expected.pairs : columns;
    const std::int64_t count = std::min(columns, tables.pairs);
    tables.planes = {{"table", Holds::cosine, columns_of(cosine, 0, 1, count)},
                     {"table", Holds::sine, columns_of(sine, 0, 1, count)}};
    return true;
  };
  for (std::size_t axis = 0; axis < 2 && flat.shape.size() == 3; ++axis) {
    if (flat.shape[axis] != 2 || flat.shape[1 - axis] < 1 || !fits(flat.shape[2])) continue;
    const StoredTensor cosine = select_slice(flat, axis, 0), sine = select_slice(flat, axis, 1);
    if (is_declared_only(table)) return declare(cosine, sine);
    if (are_cosine_and_sine(cosine, sine)) return add(cosine, sine, "check.read.stacked");
  }
  // A batch, or heads, that all have the same table.
  if (flat.shape.size() > 2 && (fits(flat.shape.back()) || fits(flat.shape.back() / 2))) {
    flat = flat_table(flat, expected);
  }
  if (flat.shape.size() != 2 || flat.shape[0] < 1) return false;
  const std::int64_t width = flat.shape[1];
  if (fits(width / 4) && are_flat_matrices(flat)) {
    read_flat_matrices(flat, tables);
    return true;
  }
  if (width % 2 == 0 && fits(width / 2)) {
    const std::int64_t half = width / 2;
    const StoredTensor left = columns_of(flat, 0, 1, half), right = columns_of(flat, half, 1, half);
    const StoredTensor even = columns_of(flat, 0, 2, half), odd = columns_of(flat, 1, 2, half);
    if (is_declared_only(table)) return declare(left, right);
    if (are_cosine_and_sine(left, right)) {
      const bool sines_first = expected.sines_first && !is_nearer_to_one(left, right);
      return sines_first ? add(right, left, "check.read.sines_first") : add(left, right, "check.read.one_after_other");
    }
    if (are_cosine_and_sine(even, odd)) return add(even, odd, "check.read.by_turns");
  }
  if (!fits(width)) return false;
  if (is_declared_only(table)) return declare(flat, flat);
  if (!are_angles(flat)) return false;
  return add(of_angles(flat, false), of_angles(flat, true), "check.read.angles");
}

/// Reads [tokens, pairs, 2, 2] or [tokens, pairs, 2], after any axes of length 1 or a batch.
void read_real_table(const StoredTensor& table, const ExpectedShape& expected, TablePlanes& tables) {
  const std::size_t rank = table.shape.size();
  const auto from_end = [&](std::size_t i) { return rank >= i ? table.shape[rank - i] : 0; };
  const bool matrices = from_end(1) == 2 && from_end(2) == 2 && rank >= 3 && is_width(expected, from_end(3));
  const bool pairs_of_two = from_end(1) == 2 && rank >= 2 && is_width(expected, from_end(2));
  if (!matrices && !pairs_of_two && read_packed(table, expected, tables)) return;
  if (!matrices && !pairs_of_two) {
    throw InputError(table.name, "check.real_table_shape",
                     {{"shape", shape_text(table.shape)}, {"pairs", expected.pairs}});
  }
  const auto part = [&](std::int64_t row, std::int64_t column) {
    StoredTensor one = select_slice(table, rank - 1, column);
    if (matrices) one = select_slice(one, rank - 2, row);
    return flat_table(one, expected);
  };
  const auto add = [&](Holds holds, std::int64_t row, std::int64_t column) {
    tables.planes.push_back({"table", holds, part(row, column)});
  };
  if (matrices) {
    add(Holds::cosine, 0, 0);
    add(Holds::minus_sine, 0, 1);
    add(Holds::sine, 1, 0);
    add(Holds::cosine, 1, 1);
  } else {
    add(Holds::cosine, 0, 0);
    add(Holds::sine, 0, 1);
  }
  tables.rows = tables.planes[0].numbers.shape[0];
  tables.pairs = tables.planes[0].numbers.shape[1];
  tables.understood = {{"table", plane_in_words(tables.rows, tables.pairs, Repeats::once)}};
  tables.understood[0].second.emplace_back(matrices ? "check.read.matrices" : "check.read.cos_and_sin");
}

/// Removes leading axes of length 1 and a batch of equal items until `rank` axes are left; nullopt if there are fewer.
/// Throws InputError if the items differ.
std::optional<StoredTensor> remove_batch_axes(const StoredTensor& tensor, std::size_t rank) {
  StoredTensor rest = tensor;
  while (rest.shape.size() > rank) {
    if (rest.shape[0] < 1) return std::nullopt;
    rest = only_item(rest, 0);
  }
  if (rest.shape.size() < rank) return std::nullopt;
  return rest;
}

// --- Vectors -------------------------------------------------------------------------------------------------------

StoredTensor with_axis(const StoredTensor& tensor, std::size_t at) {
  StoredTensor more = tensor;
  more.shape.insert(more.shape.begin() + static_cast<std::ptrdiff_t>(at), 1);
  more.strides.insert(more.strides.begin() + static_cast<std::ptrdiff_t>(at), 0);
  return more;
}

StoredTensor swapped_axes(const StoredTensor& tensor, std::size_t a, std::size_t b) {
  StoredTensor swapped = tensor;
  std::swap(swapped.shape[a], swapped.shape[b]);
  std::swap(swapped.strides[a], swapped.strides[b]);
  return swapped;
}

/// Returns whether the first axis of a 3-D tensor counts heads.
bool heads_come_first(const StoredTensor& tensor, bool had_batch, HeadOrder order, std::optional<std::int64_t> tokens) {
  if (order != HeadOrder::automatic) return order == HeadOrder::heads_first;
  const bool single = tensor.shape[0] == 1 || tensor.shape[1] == 1;
  if (!tokens && !had_batch && !single) {
    throw InputError(tensor.name, "check.no_token_axis", {{"shape", shape_text(tensor.shape)}});
  }
  if (!tokens) return had_batch;
  const bool first = tensor.shape[0] == *tokens, second = tensor.shape[1] == *tokens;
  if (first && second && !single && !had_batch) {
    throw InputError(tensor.name, "check.heads_as_tokens", {{"shape", shape_text(tensor.shape)}});
  }
  if (first != second) return second;
  return had_batch;
}

StoredTensor tokens_heads_channels(const StoredTensor& tensor, const CheckInputs& inputs,
                                   const ExpectedShape& expected) {
  StoredTensor q = tensor;
  const bool had_batch = q.shape.size() >= 4;
  if (const auto rest = remove_batch_axes(q, 3); had_batch && rest) q = *rest;
  if (q.shape.size() == 2) q = with_axis(q, 1);
  if (q.shape.size() != 3 || std::find(q.shape.begin(), q.shape.end(), 0) != q.shape.end()) {
    throw InputError(tensor.name, "check.vectors_shape", {{"shape", shape_text(tensor.shape)}});
  }
  if (tensor.shape.size() != 2 && heads_come_first(q, had_batch, inputs.head_order, expected.tokens)) {
    q = swapped_axes(q, 0, 1);
  }
  return q;
}

/// Returns whether lines first … first + count − 1 along the first axis all satisfy is(i, line).
template <class Is>
bool all_in_lines(const StoredTensor& ids, std::int64_t first, std::int64_t count, const Is& is) {
  std::vector<double> line(static_cast<std::size_t>(ids.count() / ids.shape[0]));
  for (std::int64_t i = first; i < first + count; ++i) {
    read_rows(ids, i, 1, line.data());
    if (!is(i, line)) return false;
  }
  return true;
}

/// Returns only the lines of the axes from ids [axes + 1, …, tokens] with an additional line: text positions before the
/// three of M-RoPE (transformers), or zeros after them (ggml); or with two axes given twice (ggml's vision towers).
StoredTensor keep_axis_lines(StoredTensor ids, std::size_t axes) {
  const auto width = static_cast<std::int64_t>(axes);
  if (ids.shape.size() < 2 || ids.shape.back() == width) return ids;
  const std::int64_t lines = ids.shape[0];
  std::int64_t first = 0;
  if (axes == 3 && lines == width + 1) {
    const auto is_zero = [](std::int64_t, const std::vector<double>& line) {
      return std::ranges::all_of(line, [](double id) { return id == 0; });
    };
    const bool zeros_last =
        !is_declared_only(ids) && all_in_lines(ids, width, 1, is_zero) && !all_in_lines(ids, 0, width, is_zero);
    first = zeros_last ? 0 : 1;
  } else if (axes == 2 && lines == 2 * width) {
    std::vector<double> other(static_cast<std::size_t>(ids.count() / lines));
    const auto is_copy = [&](std::int64_t line, const std::vector<double>& numbers) {
      read_rows(ids, line + width, 1, other.data());
      return numbers == other;
    };
    if (!is_declared_only(ids) && !all_in_lines(ids, 0, width, is_copy)) return ids;
  } else {
    return ids;
  }
  ids.bytes = ids.bytes.subspan(static_cast<std::size_t>(first * ids.strides[0]) * storage_bytes(ids.storage));
  ids.shape[0] = width;
  return ids;
}

}  // namespace

TablePlanes first_pairs(const TablePlanes& tables, Eigen::Index pairs) {
  TablePlanes fewer = tables;
  fewer.pairs = pairs;
  for (TablePlane& plane : fewer.planes) plane.numbers = columns_of(plane.numbers, 0, 1, pairs);
  return fewer;
}

std::optional<MovingPair> first_moving(const TablePlanes& tables, Eigen::Index from) {
  std::optional<MovingPair> found;
  std::vector<double> row(static_cast<std::size_t>(tables.pairs - from));
  for (const TablePlane& plane : tables.planes) {
    const double still = plane.holds == Holds::cosine ? 1 : 0;
    const StoredTensor behind = columns_of(plane.numbers, from, 1, tables.pairs - from);
    for (std::int64_t r = 0; r < (found ? found->row : tables.rows); ++r) {
      read_rows(behind, r, 1, row.data());
      const auto moving = std::find_if(row.begin(), row.end(), [&](double number) { return number != still; });
      if (moving == row.end()) continue;
      found = MovingPair{r, from + (moving - row.begin()), plane.holds, *moving};
      break;
    }
  }
  return found;
}

std::string shape_text(const std::vector<std::int64_t>& shape) {
  return "[" + joined(shape, ", ", [](std::int64_t length) { return std::to_string(length); }) + "]";
}

StoredTensor select_slice(const StoredTensor& tensor, std::size_t axis, std::int64_t index) {
  StoredTensor slice = tensor;
  const auto bytes = static_cast<std::int64_t>(element_bytes(tensor));
  slice.bytes = tensor.bytes.subspan(static_cast<std::size_t>(index * tensor.strides[axis] * bytes));
  drop_axis(slice, axis);
  return slice;
}

StoredTensor columns_of(const StoredTensor& tensor, std::int64_t first, std::int64_t step, std::int64_t count) {
  StoredTensor columns = tensor;
  const auto bytes = static_cast<std::int64_t>(element_bytes(tensor));
  columns.bytes = tensor.bytes.subspan(static_cast<std::size_t>(first * tensor.strides.back() * bytes));
  columns.strides.back() *= step;
  columns.shape.back() = count;
  return columns;
}

Repeats repeats_of(const StoredTensor& list) {
  StoredTensor row = list;
  row.shape.insert(row.shape.begin(), 1);
  row.strides.insert(row.strides.begin(), 0);
  const Repetition found = detect_repetition(row);
  if (found.adjacent == found.by_halves) return Repeats::once;
  return found.adjacent ? Repeats::adjacent : Repeats::by_halves;
}

std::optional<CheckInputs> transpose_tables(const CheckInputs& inputs, const ExpectedShape& expected) {
  CheckInputs turned = inputs;
  const auto turn = [&](std::optional<StoredTensor>& tensor, std::size_t after) {
    if (!tensor) return true;
    const std::size_t rank = tensor->shape.size();
    if (rank < after + 2) return false;
    const std::size_t first = rank - after - 2, second = first + 1;
    const std::int64_t pairs = tensor->shape[first], tokens = tensor->shape[second];
    if (!is_width(expected, pairs) || tokens < 2 || (expected.tokens && tokens != *expected.tokens)) return false;
    std::swap(tensor->shape[first], tensor->shape[second]);
    std::swap(tensor->strides[first], tensor->strides[second]);
    return true;
  };
  std::size_t after = 0;
  if (inputs.table && !is_complex(inputs.table->storage)) {
    const std::vector<std::int64_t>& shape = inputs.table->shape;
    const std::size_t rank = shape.size();
    if (rank < 3 || shape[rank - 1] != 2) return std::nullopt;
    after = rank > 3 && shape[rank - 2] == 2 ? 2 : 1;
  }
  const bool all = turn(turned.cosine, after) && turn(turned.sine, after) && turn(turned.table, after);
  return all && (inputs.cosine || inputs.table) ? std::optional(turned) : std::nullopt;
}

TablePlanes read_planes(const CheckInputs& inputs, const ExpectedShape& expected) {
  TablePlanes tables;
  if (inputs.cosine.has_value() != inputs.sine.has_value()) {
    throw InputError((inputs.cosine ? inputs.cosine : inputs.sine)->name, "check.cos_or_sin_alone", {});
  }
  if (inputs.cosine && inputs.table) {
    throw InputError(inputs.table->name, "check.table_besides", {});
  }
  if (inputs.cosine) read_two_tables(inputs, expected, tables);
  if (inputs.table) {
    if (is_complex(inputs.table->storage)) {
      read_complex(*inputs.table, expected, tables);
    } else {
      read_real_table(*inputs.table, expected, tables);
    }
  }
  return tables;
}

StoredTensor select_channels(const StoredTensor& vectors, std::int64_t heads, const std::vector<std::int64_t>& from) {
  const std::int64_t rows = vectors.shape[0], channels = vectors.shape[2];
  StoredTensor made = vectors;
  made.shape = {rows, heads, channels};
  if (is_declared_only(vectors)) return declared_only(made);
  made.strides = row_major_strides(made.shape);
  const std::size_t size = storage_bytes(vectors.storage);
  std::vector<std::int64_t> places;  // source of each number of a row, in elements
  for (const std::int64_t at : from) {
    places.push_back(at / channels * vectors.strides[1] + at % channels * vectors.strides[2]);
  }
  const auto bytes = std::make_shared<std::vector<std::byte>>(static_cast<std::size_t>(made.count()) * size);
  std::byte* to = bytes->data();
  for (std::int64_t row = 0; row < rows; ++row) {
    for (const std::int64_t place : places) {
      std::memcpy(to, vectors.bytes.data() + static_cast<std::size_t>(row * vectors.strides[0] + place) * size, size);
      to += size;
    }
  }
  made.bytes = *bytes;
  made.owner = bytes;
  return made;
}

std::optional<HeadVectors> read_heads(const CheckInputs& inputs, const ExpectedShape& expected) {
  if (inputs.before.has_value() != inputs.after.has_value()) {
    throw InputError((inputs.before ? inputs.before : inputs.after)->name, "check.vectors_alone", {});
  }
  if (!inputs.before) return std::nullopt;
  for (const auto* one : {&*inputs.before, &*inputs.after}) {
    if (is_complex(one->storage)) throw InputError(one->name, "check.complex_vectors", {});
  }
  HeadVectors heads;
  heads.before = tokens_heads_channels(*inputs.before, inputs, expected);
  heads.after = tokens_heads_channels(*inputs.after, inputs, expected);
  heads.rows = heads.before.shape[0];
  heads.heads = heads.after.shape[1];
  heads.channels = heads.before.shape[2];
  heads.repeats = heads.heads / heads.before.shape[1];
  const bool fit = heads.after.shape[0] == heads.rows && heads.after.shape[2] == heads.channels &&
                   heads.repeats * heads.before.shape[1] == heads.heads;
  const bool same = inputs.before->shape == inputs.after->shape;
  if (!fit || (!same && heads.repeats == 1)) throw other_shape(*inputs.after, *inputs.before);
  if (heads.channels < 2 * expected.pairs) {
    throw InputError(inputs.before->name, "check.channels",
                     {{"channels", heads.channels}, {"least", 2 * expected.pairs}});
  }
  if (heads.repeats > 1) {
    std::vector<std::int64_t> from;
    for (std::int64_t head = 0; head < heads.heads; ++head) {
      for (std::int64_t channel = 0; channel < heads.channels; ++channel) {
        from.push_back(head / heads.repeats * heads.channels + channel);
      }
    }
    heads.before = select_channels(heads.before, heads.heads, from);
  }
  heads.understood =
      Message("check.read.vectors", {{"rows", heads.rows}, {"heads", heads.heads}, {"channels", heads.channels}});
  return heads;
}

std::optional<StoredTensor> read_ids(const CheckInputs& inputs, std::size_t axes, std::optional<std::int64_t> tokens) {
  if (!inputs.ids) return std::nullopt;
  const StoredTensor& given = *inputs.ids;
  if (is_complex(given.storage)) throw InputError(given.name, "check.complex_ids", {});
  const auto width = static_cast<std::int64_t>(axes);
  StoredTensor ids = given;
  // ggml stores all positions in one line, axis after axis.
  for (const std::int64_t lines : {width, width + 1, 2 * width}) {
    if (axes < 2 || !tokens || ids.shape != std::vector<std::int64_t>{lines * *tokens}) continue;
    ids.shape = {lines, *tokens};
    ids.strides = {*tokens * ids.strides[0], ids.strides[0]};
  }
  ids = keep_axis_lines(ids, axes);
  // M-RoPE stores [axes, batch, tokens], LTX [batch, axes, tokens].
  if (axes > 1 && ids.shape.size() == 3 && ids.shape[0] == width && ids.shape[1] == 1 && ids.shape[2] != width) {
    ids = select_slice(ids, 1, 0);
  }
  while (ids.shape.size() > (axes == 1 ? 1u : 2u) && ids.shape.size() > 0 && ids.shape[0] == 1 &&
         !(tokens && *tokens == 1 && ids.shape.size() == 2)) {
    ids = select_slice(ids, 0, 0);
  }
  // [items, tokens], equal for every item of a batch.
  if (axes == 1 && ids.shape.size() == 2 && ids.shape[1] > 1) ids = only_item(with_axis(ids, 2), 0);
  if (axes == 1 && ids.shape.size() == 1) ids = with_axis(ids, 1);
  if (ids.shape.size() == 3) ids = *remove_batch_axes(ids, 2);
  const bool is_turned = ids.shape.size() == 2 && ids.shape[1] != width && ids.shape[0] == width;
  if (is_turned) ids = swapped_axes(ids, 0, 1);
  if (ids.shape.size() != 2 || ids.shape[1] != width || ids.shape[0] < 1) {
    throw InputError(given.name, axes == 1 ? "check.ids_of_one_axis" : "check.ids_shape",
                     {{"shape", shape_text(given.shape)}, {"axes", axes}});
  }
  return ids;
}

}  // namespace ropescope
