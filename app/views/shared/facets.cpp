#include "app/views/shared/facets.h"

#include <algorithm>
#include <utility>

#include "app/figure/number_text.h"
#include "app/resources/files.h"
#include "app/resources/models.h"
#include "app/views/shared/facet_effect.h"
#include "app/views/shared/facet_panels.h"
#include "app/views/shared/model_sides.h"
#include "app/views/shared/ropes.h"
#include "core/error.h"

namespace ropescope {

namespace {

constexpr const char* kAcross = "facet.across";
constexpr const char* kDown = "facet.down";

void take_value(Experiment& experiment, const Facet& facet, std::size_t index, const char* option) {
  if (facet.values.empty()) return;
  const std::string& value = facet.values[index];
  if (facet.key != kFacetModel) return assign(experiment, facet.key + "=" + value, option);
  try {
    take_preset(experiment, value);
  } catch (const InputError& error) {
    throw InputError::within(option, error);
  }
}

/// Row by row.
std::vector<Experiment> cells_of_facets(const Experiment& experiment, const FacetPair& pair) {
  std::vector<Experiment> cells;
  for (std::size_t row = 0; row < pair.rows(); ++row) {
    for (std::size_t column = 0; column < pair.columns(); ++column) {
      Experiment cell = experiment;
      cell.facet = {};
      take_value(cell, pair.across, column, kAcross);
      take_value(cell, pair.down, row, kDown);
      clamp(cell);
      cells.push_back(std::move(cell));
    }
  }
  return cells;
}

/// A field's symbol, or its name where it has none, and what it holds, for people.
class Caption : public Fields {
 public:
  Caption(std::string_view key, const Text& text) : key_(key), text_(text) {}
  std::string caption;

  void number(const NumberField& field, double& value) override {
    if (field.key != key_) return;
    if (value == 0 && !field.zero.empty()) {
      say(text_.format(field.zero, {{"base", readable_number(field.zero_value)}}));
    } else {
      say(field.whole ? readable_integer(value) : readable_number(value, 7));
    }
  }
  void choice(const ChoiceField& field, std::string& value) override {
    if (field.key != key_) return;
    const std::string label = label_key(field, value);
    // A word says by itself what it is a choice of.
    caption = text_.has(label) ? text_[label] : value;
  }
  void toggle(const ToggleField& field, bool& value) override {
    if (field.key == key_) say(text_[value ? "view.facets.on" : "view.facets.off"]);
  }
  void text(const TextField& field, std::string& value) override {
    if (field.key == key_) say(value);
  }
  void range(const RangeField& field, std::optional<Range>& value) override {
    if (field.key == key_ && value) say(readable_number(value->low) + " … " + readable_number(value->high));
  }
  void names(const NamesField& field, std::vector<std::string>& value) override {
    if (field.key != key_) return;
    std::string list;
    for (const std::string& name : value) list += (list.empty() ? "" : ", ") + name;
    say(list);
  }

 private:
  void say(const std::string& value) {
    const std::string field = "field." + std::string(key_);
    std::string knob(key_);
    for (const std::string& name : {field + ".label", field + ".symbol"}) {
      if (text_.has(name)) knob = text_[name];
    }
    caption = text_.format("view.facets.caption", {{"knob", knob}, {"value", value}});
  }
  std::string_view key_;
  const Text& text_;
};

std::string caption_of(Experiment cell, const FacetPair& pair, const Text& text) {
  std::string all;
  for (const Facet* facet : {&pair.across, &pair.down}) {
    if (facet->values.empty()) continue;
    Caption caption(facet->key, text);
    describe(caption, cell);
    if (facet->key == kFacetModel) caption.caption = rope_name(cell.rope, text);
    all += (all.empty() ? "" : " · ") + caption.caption;
  }
  return all;
}

std::string name_of_facets(const FacetPair& pair, std::size_t index) {
  std::string name;
  const auto add = [&name](const Facet& facet, std::size_t value) {
    if (!facet.values.empty()) name += (name.empty() ? "" : "; ") + facet.key + "=" + facet.values[value];
  };
  add(pair.across, index % pair.columns());
  add(pair.down, index / pair.columns());
  return name;
}

void replace_all(std::string& text, const std::string& from, const std::string& to) {
  for (std::size_t at = 0; !from.empty() && (at = text.find(from, at)) != std::string::npos; at += to.size()) {
    text.replace(at, from.size(), to);
  }
}

/// What names the current rope names it in every cell, where the cells have several.
void name_in_common(ViewResult& result, const View& view, const Experiment& given, const Text& text) {
  const Experiment cell = at_shown_length(view, given);
  const std::string own = rope_label(cell.rope, text, labels_need_dimension(cell));
  const std::string& common = text["view.facets.own"];
  for (Panel& panel : result.panels) {
    replace_all(panel.figure.x.label, own, common);
    replace_all(panel.figure.y.label, own, common);
    for (Line& line : panel.figure.lines) {
      if (line.key.starts_with("current")) replace_all(line.label, own, common);
    }
  }
}

/// In the scope of a cell, so that a store does not take one for the newer request of another.
class StoreScope {
 public:
  StoreScope(Store& store, std::size_t cell) : store_(store) { store.enter_scope("cell" + std::to_string(cell) + "."); }
  ~StoreScope() { store_.enter_scope({}); }
  StoreScope(const StoreScope&) = delete;
  StoreScope& operator=(const StoreScope&) = delete;

 private:
  Store& store_;
};

/// Their cards, progress and faults; the panels come later.
void add_cell(ViewResult& all, const FacetCell& cell, bool first, const Text& text) {
  const ViewResult& result = cell.result;
  all.stale |= result.stale;
  if (result.progress) all.progress = std::min(all.progress.value_or(1), *result.progress);
  if (all.fault.empty() && !result.fault.empty()) all.fault = cell.caption + ": " + result.fault;
  if (all.undone.empty()) all.undone = result.undone;
  for (Readout readout : result.readouts) {
    readout.cell = cell.name;
    readout.note = readout.note.empty()
                       ? cell.caption
                       : text.format("readout.of_cell", {{"cell", cell.caption}, {"note", readout.note}});
    readout.aside |= !first;
    all.readouts.push_back(std::move(readout));
  }
}

/// The group of knobs that a short key may mean as well.
std::string_view looked_at_facets(const View& view, const Experiment& experiment) {
  return view.shows_layout && view.shows_layout(experiment) ? "layout" : "";
}

/// In one direction as many as stand side by side, then rows of them.
std::size_t columns_of(const FacetPair& pair) {
  const bool two = !pair.across.values.empty() && !pair.down.values.empty();
  return two ? pair.columns() : even_columns(pair.columns() * pair.rows(), kMostCellsInARow);
}

/// Without the facets that mean nothing here, and why.
ViewResult draw_without(const View& view, Experiment experiment, const std::optional<IdleFacet>& idle, const Text& text,
                        Store& store, DrawOnce draw) {
  if (!idle) {
    experiment.facet = {};
  } else {
    (idle->down ? experiment.facet.down : experiment.facet.across).clear();
  }
  ViewResult result =
      has_facets(experiment) ? draw_facets(view, experiment, text, store, draw) : draw(view, experiment, text, store);
  result.undone = result.status = idle ? idle->why : text["view.facets.none"];
  return result;
}

}  // namespace

ViewResult draw_facets(const View& view, const Experiment& experiment, const Text& text, Store& store, DrawOnce draw) {
  const FacetPair pair = facets_of(experiment, looked_at_facets(view, experiment));
  FacetGrid grid{columns_of(pair), {}};
  bool any = false;
  const std::vector<Experiment> cells = cells_of_facets(experiment, pair);
  for (std::size_t i = 0; i < cells.size(); ++i) {
    Experiment cell = cells[i];
    // Views know their figures without the cells.
    if (cell.pointer) cell.pointer->figure = figure_of_cell(cell.pointer->figure);
    const StoreScope scope(store, i);
    grid.cells.push_back({name_of_facets(pair, i), caption_of(cell, pair, text), draw(view, cell, text, store)});
    const ViewResult& drawn = grid.cells.back().result;
    any = any || drawn.stale || !drawn.fault.empty() || has_curves_or_maps(drawn);
  }
  if (!any) return draw_without(view, experiment, {}, text, store, draw);
  if (const auto idle = find_idle_facet(view, cells, grid.cells, pair, text)) {
    return draw_without(view, experiment, idle, text, store, draw);
  }
  for (std::size_t i = 0; change_rope(pair) && i < cells.size(); ++i) {
    name_in_common(grid.cells[i].result, view, cells[i], text);
  }
  ViewResult all = grid.cells.front().result;
  all.readouts.clear();
  all.progress.reset();
  all.stale = false;
  all.fault.clear();
  for (std::size_t i = 0; i < grid.cells.size(); ++i) add_cell(all, grid.cells[i], i == 0, text);
  if (all.stale) all.status = text["view.computing"];
  all.panels = join_panels(std::move(grid), experiment);
  return all;
}

void check_facets(const Experiment& experiment) {
  if (!has_facets(experiment)) return;
  cells_of_facets(experiment, facets_of(experiment, looked_at_facets(find_view(experiment.view), experiment)));
}

Facet read_facet_of_view(const std::string& text, const Experiment& experiment, const char* option) {
  return read_facet(text, experiment, option, looked_at_facets(find_view(experiment.view), experiment));
}

std::vector<Panel> panels_of_cells(const std::vector<Panel>& panels, const std::string& figure) {
  std::vector<Panel> kept;
  bool begins = true;
  for (const Panel& panel : panels) {
    begins = begins || !panel.beside;
    if (figure_of_cell(panel.figure.name) != figure) continue;
    kept.push_back(panel);
    kept.back().beside = !begins;
    begins = false;
  }
  return kept;
}

}  // namespace ropescope
