#include "app/views/shared/facet_effect.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace ropescope {

namespace {

/// The knobs that have a control.
class Offered : public Fields {
 public:
  std::set<std::string, std::less<>> keys;
  void number(const NumberField& field, double&) override { add(field); }
  void choice(const ChoiceField& field, std::string&) override { add(field); }
  void toggle(const ToggleField& field, bool&) override { add(field); }
  void text(const TextField& field, std::string&) override { add(field); }
  void names(const NamesField& field, std::vector<std::string>&) override { add(field); }
  void range(const RangeField&, std::optional<Range>&) override {}

 private:
  template <class Field>
  void add(const Field& field) {
    if (field.control) keys.emplace(field.key);
  }
};

Offered offered_by(const View& view, Experiment experiment) {
  Offered offered;
  view.describe(offered, experiment);
  if (view.compares_ropes) offered.keys.insert({"hidden", "curves.shown_as", "curves.relative_to"});
  return offered;
}

/// Two numbers that are drawn alike.
template <class Number>
bool is_same_number(Number a, Number b) {
  return a == b || (std::isnan(a) && std::isnan(b));
}

template <class Values>
bool are_same_numbers(const Values& a, const Values& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), is_same_number<typename Values::value_type>);
}

bool are_alike(const Line& a, const Line& b) {
  const Series &one = *a.series, &other = *b.series;
  return a.key == b.key && one.first_x == other.first_x && one.step == other.step && one.xs == other.xs &&
         are_same_numbers(one.ys, other.ys);
}

bool are_alike(const Map& a, const Map& b) {
  return a.key == b.key && a.x == b.x && a.y == b.y && are_same_numbers(a.cells->values, b.cells->values);
}

bool are_alike(const Points& a, const Points& b) {
  return a.key == b.key && are_same_numbers(a.xs, b.xs) && are_same_numbers(a.ys, b.ys);
}

bool are_alike(const Panel& a, const Panel& b);
bool are_alike(const Readout& a, const Readout& b);

template <class Mark>
bool all_alike(const std::vector<Mark>& a, const std::vector<Mark>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const Mark& x, const Mark& y) { return are_alike(x, y); });
}

bool are_alike(const Panel& a, const Panel& b) {
  return a.figure.name == b.figure.name && all_alike(a.figure.lines, b.figure.lines) &&
         all_alike(a.figure.maps, b.figure.maps) && all_alike(a.figure.points, b.figure.points);
}

bool are_alike(const Readout& a, const Readout& b) {
  return a.name == b.name && a.text == b.text && a.note == b.note;
}

bool are_alike(const ViewResult& a, const ViewResult& b) {
  return all_alike(a.panels, b.panels) && all_alike(a.readouts, b.readouts);
}

/// Whether each cell is like the first one of its row, or of its column.
bool changes_nothing(const std::vector<FacetCell>& drawn, const FacetPair& pair, bool down) {
  for (std::size_t i = 0; i < drawn.size(); ++i) {
    const std::size_t column = i % pair.columns();
    const ViewResult& first = drawn[down ? column : i - column].result;
    if (drawn[i].result.stale || !drawn[i].result.fault.empty() || !are_alike(drawn[i].result, first)) return false;
  }
  return true;
}

std::string last_part(const std::string& key) {
  return key.substr(key.find('.') + 1);
}

}  // namespace

std::optional<IdleFacet> find_idle_facet(const View& view, const std::vector<Experiment>& cells,
                                         const std::vector<FacetCell>& drawn, const FacetPair& pair, const Text& text) {
  for (const bool down : {false, true}) {
    const Facet& facet = down ? pair.down : pair.across;
    if (facet.values.size() < 2) continue;
    const bool offered = std::any_of(cells.begin(), cells.end(), [&](const Experiment& cell) {
      return offered_by(view, cell).keys.contains(facet.key);
    });
    if (offered || !changes_nothing(drawn, pair, down)) continue;
    const Offered here = offered_by(view, cells.front());
    const auto other = std::find_if(here.keys.begin(), here.keys.end(), [&facet](const std::string& key) {
      return facet.key != kFacetModel && last_part(key) == last_part(facet.key);
    });
    if (other == here.keys.end()) return IdleFacet{down, text.format("view.facets.idle", {{"key", facet.key}})};
    return IdleFacet{down, text.format("view.facets.counterpart", {{"key", facet.key}, {"other", *other}})};
  }
  return std::nullopt;
}

}  // namespace ropescope
