// What cards of views share: readouts by name, values as words, comparison with a pinned rope, and cards of the trained
// length. Read Readout in app/figure/figure.h before; every view makes its cards with this.
#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/experiment/experiment.h"
#include "app/figure/figure.h"
#include "app/resources/text.h"
#include "app/store/store.h"

namespace ropescope {

// --- Counts --------------------------------------------------------------------------------------------------------

/// A whole number in a text: as people read it, and as what chooses between singular and plural.
template <class Number>
TextValue counted(Number number) {
  return {readable_integer(static_cast<double>(number)), static_cast<double>(number)};
}

// --- Whole numbers -------------------------------------------------------------------------------------------------

/// What a list of whole numbers may hold.
struct WholeNumbers {
  std::string_view field;  ///< whose text it is: "atlas.columns"
  std::int64_t most = 0;   ///< the largest number
  std::size_t count = 0;   ///< how many there may be
};
/// Reads whole numbers from 0 on, "0,1" or "0:7"; an empty text has none. Throws InputError that names the field.
std::vector<std::int64_t> whole_numbers_of(const std::string& text, const WholeNumbers& expected);

// --- Readouts ------------------------------------------------------------------------------------------------------

struct View;

/// The readout of this name among those shown, or null.
const Readout* find_readout(const ViewResult& shown, std::string_view name);

/// The numbers of a readout as render's JSON lists them, none where it says a word. `name` may go on with a dot and one
/// of the names within it, or with ".other" for the 64 of "18 of 64". Null: no such readout is shown.
std::optional<std::vector<ShownNumber>> numbers_of(const ViewResult& shown, const std::string& name);

/// The view that shows a readout: that of the name's first part, else the experiment's (the layout in place of the
/// sweep).
const View& view_of_readout(const std::string& name, const Experiment& experiment);

/// A readout that some picture of a view shows.
struct ListedReadout {
  std::string name, label;
  std::string setting;  ///< --set argument that shows it: "decay.show=phasors", or two with " --set " between; empty:
                        ///< it is there as the experiment is
};
/// All that a view shows of this experiment, in its own picture first, with every one of its choices and switches alone
/// and with another rope pinned, and then in the others, with the choices that they alone offer. What needs somebody's
/// file is there where the experiment names one. The store must be synchronous.
std::vector<ListedReadout> list_readouts(const View& view, const Experiment& experiment, const Text& text,
                                         Store& store);

// --- Cards ---------------------------------------------------------------------------------------------------------

/// A card of this name with the label and tooltip of "readout.NAME", or of "readout.TEXTS" where several views share
/// them.
Readout start_card(const std::string& name, const Text& text, const std::string& texts = {});

/// A value that says "none" in place of a number.
ReadoutValue no_number();
/// The words for the stable name of a cause, "Wrong base"; the name itself where there are no words.
std::string cause_words(const std::string& name, const Text& text);

/// A count of pairs: "18 of 64 pairs".
template <class Count, class All>
ReadoutValue count_of_pairs(Count count, All pairs) {
  return Quantity{as_whole(count), "pairs", "readout.pairs_of", as_whole(pairs)};
}
/// A count: "18 of 64".
template <class Count, class All>
ReadoutValue count_of(Count count, All all) {
  return Quantity{as_whole(count), "", "readout.count_of", as_whole(all)};
}

/// What a card shows of its value: the only place where it becomes words.
std::string value_text(const ReadoutValue& value, const Text& text);

/// Puts "First pin: 1 707. " before the note: where a card is narrow, the end of a note is what gets lost.
void compare_with_pin(Readout& readout, const ReadoutValue& pinned, const Text& text);
/// The card with what `value` says of the current rope; its note compares that with the first pinned one, if any.
template <class Of, class Value>
Readout with_pin(Readout readout, const Of& now, const Of* pinned, const Value& value, const Text& text) {
  readout.value = value(now);
  if (pinned) compare_with_pin(readout, value(*pinned), text);
  return readout;
}

// --- Training ------------------------------------------------------------------------------------------------------

/// What a rope was trained on.
struct TrainedPairs {
  double length = 0;                        ///< 0: unknown
  const Eigen::VectorXd* ladder = nullptr;  ///< see trained_frequencies; none: there is no such rope
  const Eigen::VectorXd* in_use = nullptr;  ///< under the extension; its count is said where it is another
};

/// What a rope on screen was trained on; null gives an empty one.
template <class Of>
TrainedPairs trained_pairs(const Of* of, const Eigen::VectorXd* in_use = nullptr) {
  return of ? TrainedPairs{of->shown.rope->trained_length, &of->trained, in_use} : TrainedPairs{};
}

/// What stands behind a count of such pairs: how many stand still, and what the ladder in use would count.
std::string beside_unfinished(const TrainedPairs& of, const Text& text);
/// The card VIEW.unseen: how many pairs finish no turn in the trained length.
Readout unseen_card(const std::string& view, const TrainedPairs& current, const TrainedPairs& pinned, const Text& text);
/// The card VIEW.critical: how many channels the pairs have that finish one.
Readout critical_card(const std::string& view, const TrainedPairs& current, const TrainedPairs& pinned,
                      const Text& text);

}  // namespace ropescope
