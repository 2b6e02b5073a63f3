#include "app/views/shared/training_cards.h"

#include <utility>

#include "core/decay/analysis.h"
#include "core/decay/limits.h"

namespace ropescope {

namespace {

ReadoutValue unseen_of(const TrainedPairs& of) {
  return of.length > 0 ? count_of_pairs(unfinished_pairs(*of.ladder, of.length), of.ladder->size()) : no_number();
}

ReadoutValue critical_of(const TrainedPairs& of) {
  if (of.length <= 0) return no_number();
  return Quantity{as_whole(critical_dimension(*of.ladder, of.length)), "channels"};
}

}  // namespace

std::string beside_unfinished(const TrainedPairs& of, const Text& text) {
  if (of.length <= 0) return {};
  std::string note;
  if (of.in_use) {
    const int plain = unfinished_pairs(*of.ladder, of.length), extended = unfinished_pairs(*of.in_use, of.length);
    if (plain != extended) note += " " + text.format("readout.unseen.extended", {{"count", counted(extended)}});
  }
  const auto still = (of.ladder->array() == 0).count();
  if (still > 0) note += " " + text.format("readout.unseen.still", {{"still", counted(still)}});
  return note;
}

Readout unseen_card(const std::string& view, const TrainedPairs& current, const TrainedPairs& pinned,
                    const Text& text) {
  Readout readout = start_card(view + ".unseen", text, "unseen");
  readout.note = text.format(current.length > 0 ? "readout.unseen.note" : "readout.unseen.none",
                             {{"length", counted(current.length)}}) +
                 beside_unfinished(current, text);
  return with_pin(std::move(readout), current, pinned.ladder ? &pinned : nullptr, unseen_of, text);
}

Readout critical_card(const std::string& view, const TrainedPairs& current, const TrainedPairs& pinned,
                      const Text& text) {
  Readout readout = start_card(view + ".critical", text, "critical");
  readout.note = text.format(current.length > 0 ? "readout.critical.note" : "readout.unseen.none",
                             {{"length", counted(current.length)}});
  return with_pin(std::move(readout), current, pinned.ladder ? &pinned : nullptr, critical_of, text);
}

}  // namespace ropescope
