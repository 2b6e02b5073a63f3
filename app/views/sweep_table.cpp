// Tables of the cards of several ropes.

#include <algorithm>
#include <utility>
#include <vector>

#include "app/experiment/experiment.h"
#include "app/experiment/sweeps.h"
#include "app/resources/places.h"
#include "app/views/shared/cards.h"
#include "app/views/shared/facets.h"
#include "app/views/shared/messages.h"
#include "app/views/shared/ropes.h"
#include "app/views/sweep.h"
#include "app/views/view.h"
#include "core/message.h"

namespace ropescope {

namespace {

/// Splits names at commas, without surrounding blanks.
std::vector<std::string> names_in(const std::string& list) {
  std::vector<std::string> names;
  for (const std::string& part : split(list, ',')) {
    const std::size_t begin = part.find_first_not_of(' ');
    if (begin != std::string::npos) names.push_back(part.substr(begin, part.find_last_not_of(' ') + 1 - begin));
  }
  return names;
}

void require_few(const char* field, std::size_t count, std::size_t most) {
  if (count <= most) return;
  throw InputError("sweep.table_size", {{"field", field}, {"count", count}, {"most", most}});
}

/// A rope of the table: its name, and its cards as a grid of one point.
struct TableRope {
  std::string name;
  SweepGrid grid;
};

std::vector<TableRope> ropes_of_table(const Experiment& experiment, const std::vector<std::string>& cards,
                                      const Text& text) {
  std::vector<std::string> names = names_in(experiment.sweep.ropes);
  if (names.empty()) {
    names.emplace_back(kCurrentKey);
    for (std::size_t i = 0; i < experiment.pins.size(); ++i) names.push_back(pin_key(i));
  }
  require_few("sweep.ropes", names.size(), kMaxTableRopes);
  std::vector<TableRope> ropes;
  for (const std::string& name : names) {
    Experiment of = experiment;
    std::string label;
    try {
      label = load_rope(of, name, text);
    } catch (const InputError& error) {
      throw InputError::within("sweep.ropes", error);
    }
    // Fields that do not affect the numbers are not part of the cache key.
    of.sweep = {};
    of.own = {};
    of.pins.clear();
    of.notes.clear();
    of.hidden.clear();
    of.facet = {};
    of.pointer.reset();
    reset_ranges(of);
    ropes.push_back({std::move(label), {std::move(of), cards, {}}});
  }
  return ropes;
}

struct RopeTableRequest {
  SweepGrid grid;
  std::string language;
  bool operator==(const RopeTableRequest&) const = default;
};
struct AnsweredRope {
  SweptPoint point;
  std::size_t bytes() const { return sizeof(SweptPoint) + 64 * (point.cells.size() + point.texts.size()); }
};
AnsweredRope answered_rope(const RopeTableRequest& asked, const Work& work) {
  const Text text = Text::load(find_places().assets, asked.language);
  const ThousandsMark mark(text["language.thousands"]);
  Store store(Store::Mode::synchronous, work.threads, work.stop);
  return {swept_point(asked.grid, 0, text, store)};
}

std::string text_of_cell(const SweptPoint& point, std::size_t card, const Text& text) {
  if (!point.texts[card].empty()) return point.texts[card];
  const std::string numbers = joined(point.cells[card], " · ", [](const ShownNumber& one) { return readable(one); });
  return !numbers.empty() ? numbers : point.fault.empty() ? value_text(no_number(), text) : "–";
}

/// Returns the card that tells how to add ropes to a table of one.
Readout only_rope(const Text& text) {
  Readout readout = make_card("sweep.ropes", Quantity{as_whole(1)}, text);
  readout.note = text["readout.sweep.ropes.note"];
  readout.note_is_hint = true;
  return readout;
}

}  // namespace

std::string label_of_readout(const std::string& name, const Text& text) {
  const std::string own = "readout." + name + ".label",
                    shared = "readout." + name.substr(name.find('.') + 1) + ".label";
  return text.has(own) ? text[own] : text.has(shared) ? text[shared] : name;
}

std::string label_of_field(std::string_view key, const Text& text) {
  if (key == kVariedModel) return text["view.sweep.model"];
  const std::string label = "field." + words_key(key) + ".label";
  return text.has(label) ? text[label] : std::string(key);
}

ViewResult make_rope_table(const Experiment& experiment, const Text& text, Store& store) {
  const std::vector<std::string> cards = names_in(experiment.sweep.cards);
  Figure figure = empty_figure("table", "rope", "card");
  figure.bare = true;
  if (cards.empty()) return hint_result(std::move(figure), text["view.sweep.empty_table"]);
  require_few("sweep.cards", cards.size(), kMaxTableCards);
  const std::vector<TableRope> ropes = ropes_of_table(experiment, cards, text);
  figure.grid.push_back({{text["view.sweep.rope"]}});
  figure.grid_names = {"rope"};
  for (const std::string& card : cards) {
    figure.grid.front().push_back({label_of_readout(card, text)});
    figure.grid_names.push_back(card);
  }
  figure.least_lines = static_cast<double>(ropes.size()) + 3;
  ViewResult result;
  std::vector<bool> known(cards.size());
  std::size_t finished = 0;
  std::string fault;
  for (std::size_t row = 0; row < ropes.size(); ++row) {
    const auto answer =
        store.request<answered_rope>({"rope" + std::to_string(row), 1e9}, {ropes[row].grid, text.language()});
    std::vector<GridCell>& cells = figure.grid.emplace_back(1, GridCell{ropes[row].name});
    for (std::size_t card = 0; card < cards.size(); ++card) {
      const bool there = answer.current && answer.result;
      if (!there) {
        cells.push_back({"…"});
        continue;
      }
      const SweptPoint& point = answer.result->point;
      cells.push_back({text_of_cell(point, card, text), point.cells[card]});
      known[card] = known[card] || !point.texts[card].empty() || !point.cells[card].empty();
    }
    if (!answer.current || !answer.result) continue;
    ++finished;
    if (fault.empty()) fault = answer.result->point.fault;
  }
  figure.stale = result.stale = finished < ropes.size();
  result.panels.push_back({std::move(figure), 1});
  const TextValue count = counted(ropes.size());
  if (result.stale) {
    result.progress = static_cast<double>(finished) / static_cast<double>(ropes.size());
    result.status = text.format("view.sweep.progress", {{"finished", counted(finished)}, {"points", count}});
    return result;
  }
  const auto unknown = std::find(known.begin(), known.end(), false);
  if (unknown != known.end() && !fault.empty()) throw InputError(fault);
  if (unknown != known.end()) {
    const auto card = static_cast<std::size_t>(unknown - known.begin());
    throw InputError("sweep.no_card", {{"name", cards[card]}});
  }
  result.status = text.format("view.sweep.table_status", {{"ropes", count}, {"cards", counted(cards.size())}});
  if (ropes.size() == 1) result.readouts.push_back(only_rope(text));
  if (!fault.empty()) result.status += " · " + fault;
  return result;
}

}  // namespace ropescope
