#include "app/views/atlas/cards.h"

#include <cmath>

#include "app/figure/number_text.h"

namespace ropescope {

namespace {

Readout start(const std::string& key, const Text& text) {
  Readout readout;
  readout.key = key;
  readout.label = text["readout." + key + ".label"];
  readout.tooltip = text["readout." + key + ".tooltip"];
  return readout;
}

std::string percent_of(double part, int whole) {
  return readable_integer(std::round(100 * part / whole));
}

/// "108 of 1 536 pairs", "7 %: …".
Readout count_of_pairs(const std::string& key, int count, const Atlas& atlas, const Text& text) {
  Readout readout = start(key, text);
  readout.value = text.format("readout.atlas_pairs",
                              {{"count", readable_integer(count)}, {"pairs", readable_integer(atlas.pairs)}});
  readout.note =
      text.format("readout." + key + ".note", {{"percent", percent_of(count, atlas.pairs)},
                                               {"positions", readable_integer(static_cast<double>(atlas.positions))}});
  return readout;
}

Readout moving_pairs(const Atlas& atlas, const Text& text) {
  Readout readout = start("atlas_moving", text);
  readout.value = text.format("readout.moving.value", {{"effective", readable_fixed(atlas.moving, 1)},
                                                       {"pairs", readable_integer(atlas.pairs)}});
  readout.note =
      text.format("readout.atlas_moving.note", {{"moving", percent_of(atlas.moving, atlas.pairs)},
                                                {"still", percent_of(atlas.pairs - atlas.moving, atlas.pairs)}});
  return readout;
}

Readout numbers_to_train(const Atlas& atlas, const Text& text) {
  const EncodingSettings& table = atlas.source.table;
  Readout readout = start("atlas_learned", text);
  readout.value = readable_integer(static_cast<double>(table.trained_length) * table.dim);
  readout.note = text.format("readout.atlas_learned.note", {{"rows", readable_integer(table.trained_length)},
                                                            {"columns", readable_integer(table.dim)}});
  return readout;
}

Readout likeness(const Atlas& atlas, const AtlasRows& rows, const Text& text) {
  Readout readout = start("atlas_likeness", text);
  const Eigen::VectorXd kept = atlas.row(rows.kept), other = atlas.row(rows.other);
  readout.value = readable_fixed(kept.dot(other) / (kept.norm() * other.norm()), 4);
  readout.note = text.format(atlas.source.learned() ? "readout.atlas_likeness.learned" : "readout.atlas_likeness.note",
                             {{"first", rows.kept_name}, {"second", rows.other_name}});
  return readout;
}

}  // namespace

std::vector<Readout> atlas_readouts(const Atlas& atlas, const AtlasRows& rows, const Text& text) {
  std::vector<Readout> readouts;
  if (atlas.source.learned()) {
    readouts.push_back(numbers_to_train(atlas, text));
  } else {
    readouts.push_back(count_of_pairs("atlas_quarter", atlas.below_quarter, atlas, text));
    readouts.push_back(count_of_pairs("atlas_turn", atlas.below_turn, atlas, text));
    readouts.push_back(moving_pairs(atlas, text));
  }
  const bool vectors = atlas.source.learned() || atlas.source.part == SinusoidPart::sine_cosine;
  if (vectors) readouts.push_back(likeness(atlas, rows, text));
  return readouts;
}

}  // namespace ropescope
