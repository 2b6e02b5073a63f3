#include "app/views/atlas/cards.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "app/figure/number_text.h"
#include "app/views/shared/cards.h"

namespace ropescope {

namespace {

/// Columns whose values fit on a card.
constexpr Eigen::Index kMostOnCard = 4;

std::string percent_of(double part, int whole) {
  return readable_integer(std::round(100 * part / whole));
}

/// "108 of 1 536 pairs", "7 %: …".
Readout atlas_slow_pairs(const std::string& key, int count, const Atlas& atlas, const Text& text) {
  Readout readout = start_card("atlas." + key, text);
  readout.value = count_of_pairs(count, atlas.pairs);
  readout.note = text.format("readout.atlas." + key + ".note",
                             {{"percent", percent_of(count, atlas.pairs)}, {"positions", counted(atlas.positions)}});
  return readout;
}

Readout moving_pairs(const Atlas& atlas, const Text& text) {
  Readout readout = start_card("atlas.moving", text);
  readout.value = Quantity{with_decimals(atlas.moving, 1), "pairs", "readout.count_of", as_whole(atlas.pairs)};
  readout.note =
      text.format("readout.atlas.moving.note", {{"moving", percent_of(atlas.moving, atlas.pairs)},
                                                {"still", percent_of(atlas.pairs - atlas.moving, atlas.pairs)}});
  return readout;
}

Readout numbers_to_train(const Atlas& atlas, const Text& text) {
  const EncodingSettings& table = atlas.source.table;
  Readout readout = start_card("atlas.learned", text);
  readout.value = Quantity{as_whole(static_cast<double>(table.trained_length) * table.dim), "numbers"};
  readout.note = text.format("readout.atlas.learned.note",
                             {{"rows", counted(table.trained_length)}, {"columns", counted(table.dim)}});
  return readout;
}

Readout likeness(const Atlas& atlas, const AtlasRows& rows, const Text& text) {
  Readout readout = start_card("atlas.likeness", text);
  const Eigen::VectorXd kept = atlas.row(rows.kept), other = atlas.row(rows.other);
  readout.value = Quantity{with_decimals(kept.dot(other) / (kept.norm() * other.norm()), 4)};
  readout.note = text.format(atlas.source.learned() ? "readout.atlas.likeness.learned" : "readout.atlas.likeness.note",
                             {{"first", rows.kept_name}, {"second", rows.other_name}});
  return readout;
}

/// "singing (2)": for lessons; the map frames it.
Readout kept_row(const AtlasRows& rows, const Text& text) {
  Readout readout = start_card("atlas.kept", text);
  readout.value = as_it_is(rows.kept_name);
  readout.aside = true;
  return readout;
}

/// "0.909, −0.416, 0.020, 1.000": as many as can be read.
Readout row_values(const Atlas& atlas, const AtlasRows& rows, const Text& text) {
  constexpr Eigen::Index kMostSaid = 8;
  Readout readout = start_card("atlas.row_values", text);
  const Eigen::VectorXd row = atlas.row(rows.kept);
  std::string values;
  for (Eigen::Index column = 0; column < std::min(row.size(), kMostSaid); ++column) {
    values += (column == 0 ? "" : ", ") + readable_fixed(row[column], 3);
  }
  if (row.size() > kMostSaid) values += ", …";
  readout.value = as_it_is(values);
  readout.note = text.format("readout.atlas.row_values.note", {{"row", rows.kept_name}});
  readout.aside = row.size() > kMostOnCard;
  readout.width_share = 2.2;
  return readout;
}

/// 2π/θ of the slowest pair: for lessons.
Readout slowest_wave(const Atlas& atlas, const Text& text) {
  Readout readout = start_card("atlas.slowest", text);
  readout.value =
      std::isfinite(atlas.slowest) ? ReadoutValue(Quantity{with_digits(atlas.slowest, 4), "positions"}) : no_number();
  readout.aside = true;
  return readout;
}

Readout return_of_row(const Atlas& atlas, const Text& text) {
  Readout readout = start_card("atlas.return", text);
  readout.value = no_number();
  readout.aside = !atlas.most_alike.has_value();
  if (!atlas.most_alike) return readout;
  readout.value = Quantity{with_decimals(*atlas.most_alike, 4)};
  readout.note = text.format("readout.atlas.return.note", {{"position", counted(atlas.most_alike_at)},
                                                           {"slowest", readable_number(atlas.slowest, 4)}});
  return readout;
}

}  // namespace

std::vector<Readout> atlas_readouts(const Atlas& atlas, const AtlasRows& rows, const Text& text) {
  std::vector<Readout> readouts;
  if (atlas.source.learned()) {
    readouts.push_back(numbers_to_train(atlas, text));
  } else {
    readouts.push_back(atlas_slow_pairs("quarter", atlas.below_quarter, atlas, text));
    readouts.push_back(atlas_slow_pairs("turn", atlas.below_turn, atlas, text));
    readouts.push_back(moving_pairs(atlas, text));
    // So few pairs are no question of room; their numbers take it.
    readouts.back().aside = atlas.source.part == SinusoidPart::sine_cosine && atlas.columns <= kMostOnCard;
  }
  const bool vectors = atlas.source.learned() || atlas.source.part == SinusoidPart::sine_cosine;
  if (vectors) readouts.push_back(likeness(atlas, rows, text));
  if (vectors) readouts.push_back(row_values(atlas, rows, text));
  if (vectors && !atlas.source.learned()) readouts.push_back(return_of_row(atlas, text));
  if (!atlas.source.learned()) readouts.push_back(slowest_wave(atlas, text));
  readouts.push_back(kept_row(rows, text));
  return readouts;
}

}  // namespace ropescope
