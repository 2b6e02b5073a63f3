#include "app/views/atlas/cards.h"

#include <cmath>

#include "app/figure/number_text.h"
#include "app/views/shared/cards.h"

namespace ropescope {

namespace {

std::string percent_of(double part, int whole) {
  return readable_integer(std::round(100 * part / whole));
}

/// "108 of 1 536 pairs", "7 %: …".
Readout slow_pairs(const std::string& key, int count, const Atlas& atlas, const Text& text) {
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

}  // namespace

std::vector<Readout> atlas_readouts(const Atlas& atlas, const AtlasRows& rows, const Text& text) {
  std::vector<Readout> readouts;
  if (atlas.source.learned()) {
    readouts.push_back(numbers_to_train(atlas, text));
  } else {
    readouts.push_back(slow_pairs("quarter", atlas.below_quarter, atlas, text));
    readouts.push_back(slow_pairs("turn", atlas.below_turn, atlas, text));
    readouts.push_back(moving_pairs(atlas, text));
  }
  const bool vectors = atlas.source.learned() || atlas.source.part == SinusoidPart::sine_cosine;
  if (vectors) readouts.push_back(likeness(atlas, rows, text));
  return readouts;
}

}  // namespace ropescope
