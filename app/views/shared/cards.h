// Cards shared by all views: readouts by name, values as text, comparison with a pinned rope, and cards on the trained
// length. All views build their cards with it. Read Readout in app/figure/figure.h first.
#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/experiment/experiment.h"
#include "app/experiment/rope_spec.h"
#include "app/figure/figure.h"
#include "app/resources/text.h"
#include "app/store/store.h"
#include "core/check/compare_specs/compare_specs.h"

namespace ropescope {

// --- Counts --------------------------------------------------------------------------------------------------------

/// Wraps an integer for a text: formatted for display, and usable to choose between singular and plural.
template <class Number>
TextValue counted(Number number) {
  return {readable_integer(static_cast<double>(number)), static_cast<double>(number)};
}

// --- Whole numbers -------------------------------------------------------------------------------------------------

/// Constraints on a list of integers.
struct WholeNumbers {
  std::string_view field;  ///< key of the text's field: "atlas.columns"
  std::int64_t most = 0;   ///< the largest allowed integer
  std::size_t count = 0;   ///< the maximum number of integers
};
/// Parses non-negative integers such as "0,1" or "0:7"; "" is an empty list. Throws InputError that names the field.
std::vector<std::int64_t> parse_integers(const std::string& text, const WholeNumbers& expected);

// --- Readouts ------------------------------------------------------------------------------------------------------

struct View;

/// Returns the readout of this name among those on screen, or null.
const Readout* find_readout(const ViewResult& shown, std::string_view name);

/// Returns the numbers of a readout as in render's JSON; empty if its value is a word. `name` may be followed by a dot
/// and a name within the readout, or by ".other" for the 64 of "18 of 64". Returns nullopt if it is not on screen.
std::optional<std::vector<ShownNumber>> numbers_of(const ViewResult& shown, const std::string& name);

/// Returns the view in the first part of a readout's name; null if there is none.
const View* find_view_of_readout(std::string_view name);
/// Returns the view that shows a readout: the view in the first part of its name, else the experiment's (the layout if
/// that is the sweep).
const View& view_of_readout(const std::string& name, const Experiment& experiment);

/// A readout that a picture of a view shows.
struct ListedReadout {
  std::string name, label;
  std::string setting;  ///< --set argument that shows it: "decay.show=phasors", or two with " --set " between; empty:
                        ///< it is already shown
};
/// Lists all readouts of a view for this experiment: first in its current picture, with each of its choices and
/// switches set in turn and with a second rope pinned, then in its other pictures, with the choices available only
/// there. Readouts that need a user file are listed if the experiment names one. The store must be synchronous.
std::vector<ListedReadout> list_readouts(const View& view, const Experiment& experiment, const Text& text,
                                         Store& store);

// --- Cards ---------------------------------------------------------------------------------------------------------

/// Starts a card of this name with the label and tooltip of "readout.NAME", or of "readout.TEXTS" if several views
/// share them.
Readout start_card(const std::string& name, const Text& text, const std::string& texts = {});

/// Returns such a card with its value and note.
Readout make_card(const std::string& name, ReadoutValue value, const Text& text, std::string note = {});

/// Returns the value "none", for use in place of a number.
ReadoutValue no_number();
/// Returns the text for a cause's stable name, "Wrong base"; the name itself if there is no text.
std::string cause_words(const std::string& name, const Text& text);

/// Returns a count of pairs: "18 of 64 pairs".
template <class Count, class All>
ReadoutValue count_of_pairs(Count count, All pairs) {
  return Quantity{as_whole(count), "pairs", "readout.pairs_of", as_whole(pairs)};
}
/// Returns a count: "18 of 64".
template <class Count, class All>
ReadoutValue count_of(Count count, All all) {
  return Quantity{as_whole(count), "", "readout.count_of", as_whole(all)};
}

/// Formats the value of a card. This is the only place where a value becomes text.
std::string value_text(const ReadoutValue& value, const Text& text);

/// Puts "First pin: 1 707. " before the note: a narrow card truncates the end of its note.
void compare_with_pin(Readout& readout, const ReadoutValue& pinned, const Text& text);
/// Sets the card's value for the current rope; if `pinned` is set, the note compares it with the first pinned rope's.
template <class Of, class Value>
Readout with_pin(Readout readout, const Of& now, const Of* pinned, const Value& value, const Text& text) {
  readout.value = value(now);
  if (pinned) compare_with_pin(readout, value(*pinned), text);
  return readout;
}

// --- Training ------------------------------------------------------------------------------------------------------

/// The training of a rope: its length and ladders.
struct TrainedPairs {
  double length = 0;                        ///< in positions; 0: unknown
  const Eigen::VectorXd* ladder = nullptr;  ///< see trained_frequencies; null: there is no such rope
  const Eigen::VectorXd* in_use = nullptr;  ///< ladder under the extension; its count is noted if it differs
  double extended = 0;                      ///< see extended_length()
};

/// Returns the training of a rope on screen; an empty value if `of` is null.
template <class Of>
TrainedPairs trained_pairs(const Of* of, const Eigen::VectorXd* in_use = nullptr) {
  if (!of) return {};
  return {of->shown.rope->trained_length, &of->trained, in_use, extended_length(*of->shown.rope)};
}

/// Returns the end of that card's note: the count under the extension if it differs, and the number of static pairs.
std::string beside_unfinished(const TrainedPairs& of, const Text& text);
/// Returns the beginning of that note: `key`, or `key`_extended if the extension reaches farther than training.
std::string trained_note(const TrainedPairs& of, const std::string& key, const Text& text);
/// Returns the card VIEW.unseen: the number of pairs that complete no turn in the trained length.
Readout unseen_card(const std::string& view, const TrainedPairs& current, const TrainedPairs& pinned, const Text& text);
/// Returns the card VIEW.critical: the number of channels whose pairs complete a turn in the trained length.
Readout critical_card(const std::string& view, const TrainedPairs& current, const TrainedPairs& pinned,
                      const Text& text);

}  // namespace ropescope
