// Numbers of cards over fields and over ropes: sweep(), table() and readouts(), as `ropescope sweep` and `ropescope
// table`. The Python side (ropescope/reports.py) makes data frames of the columns. Read figures.h and
// app/views/shared/facets.h first.
//
// Contents: Columns; Sweeps; Tables; Declaration.

#include <pybind11/stl.h>

#include <algorithm>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "app/experiment/sweeps.h"
#include "app/python/docs.h"
#include "app/python/figures.h"
#include "app/python/ropes.h"
#include "app/resources/text.h"
#include "app/store/store.h"
#include "app/views/shared/cards.h"
#include "app/views/shared/facets.h"
#include "app/views/sweep.h"
#include "app/views/view.h"
#include "core/message.h"

namespace ropescope::python {

namespace {

// --- Columns -------------------------------------------------------------------------------------------------------

/// Returns the numbers of a readout at every point: float64, NaN where there is none, or tuples if a point has several.
py::object column_of(const std::vector<SweptPoint>& points, std::size_t readout) {
  const bool single = std::all_of(points.begin(), points.end(),
                                  [&](const SweptPoint& point) { return point.cells[readout].size() <= 1; });
  if (single) {
    std::vector<double> numbers;
    for (const SweptPoint& point : points) {
      const auto& cell = point.cells[readout];
      numbers.push_back(cell.empty() ? std::numeric_limits<double>::quiet_NaN() : cell.front().value);
    }
    const auto count = std::ssize(numbers);
    return array_of(std::move(numbers), {count});
  }
  py::list tuples;
  for (const SweptPoint& point : points) {
    py::list numbers;
    for (const ShownNumber& number : point.cells[readout]) numbers.append(number.value);
    tuples.append(py::tuple(numbers));
  }
  return tuples;
}

py::object swept_column(const SweepGrid& grid, std::size_t field, std::size_t points) {
  const Variation& swept = grid.over[field];
  if (swept.kind == Variation::Kind::number) {
    std::vector<double> values;
    for (std::size_t point = 0; point < points; ++point) values.push_back(grid.values(point)[field]);
    return array_of(std::move(values), {static_cast<std::int64_t>(points)});
  }
  py::list words;
  for (std::size_t point = 0; point < points; ++point) {
    const std::string word = swept.text(grid.values(point)[field]);
    if (swept.kind == Variation::Kind::toggle) {
      words.append(parse_toggle(word).value());
    } else {
      words.append(word);
    }
  }
  return words;
}

/// Warns of points that could not be computed. Throws InputError if that is true of all of them.
void report_failures(const std::vector<SweptPoint>& points) {
  const auto failed = [](const SweptPoint& point) { return !point.fault.empty(); };
  const auto count = std::count_if(points.begin(), points.end(), failed);
  if (count == 0) return;
  const std::string& first = std::find_if(points.begin(), points.end(), failed)->fault;
  if (count == std::ssize(points)) throw InputError(first);
  const std::string text =
      std::to_string(count) + " of " + std::to_string(points.size()) + " points could not be computed: " + first;
  if (PyErr_WarnEx(PyExc_UserWarning, text.c_str(), 2) != 0) throw py::error_already_set();
}

/// Returns a list of strings from a string or a list of strings.
std::vector<std::string> strings_of(const py::object& given, const std::string& name) {
  if (py::isinstance<py::str>(given)) return {given.cast<std::string>()};
  return require<std::vector<std::string>>(given, name, "str or a list of str");
}

// --- Sweeps --------------------------------------------------------------------------------------------------------

/// Returns over={"rope.base": [1e4, 5e5]} or ["rope.base=1e3..1e7:50:log"] in the form of --over.
std::vector<std::string> swept_fields(const py::object& over) {
  if (!py::isinstance<py::dict>(over)) return strings_of(over, "over");
  std::vector<std::string> fields;
  for (const auto& [key, values] : over.cast<py::dict>()) {
    const py::object list = py::hasattr(values, "tolist") ? py::object(values.attr("tolist")())
                                                          : py::reinterpret_borrow<py::object>(values);
    fields.push_back(std::string(py::str(key)) + "=" + set_text(list));
  }
  return fields;
}

SweepGrid read_grid(const std::vector<std::string>& readouts, const py::object& over, const py::object& ropes,
                    const std::vector<std::string>& assignments, const std::optional<std::string>& view) {
  if (readouts.empty()) throw InputError("readouts is empty; rs.readouts() lists them");
  SweepGrid grid;
  for (const std::string& readout : readouts) {
    if (std::count(readouts.begin(), readouts.end(), readout) > 1) {
      throw InputError("readouts contains " + readout + " twice");
    }
    grid.readouts.push_back(current_key(readout));
  }
  if (view) {
    grid.experiment.view = find_view(*view).id;
  } else if (const View* own = find_view_of_readout(readouts.front())) {
    grid.experiment.view = own->id;
  }
  add_ropes(ropes, grid.experiment);
  grid.sets = assignments;
  grid.experiment = with_keywords_of("sweep", [&](const char* function) {
    return apply_settings_to(std::move(grid.experiment), assignments, function);
  });
  for (const std::string& text : swept_fields(over)) {
    vary(grid, text, "over");
    if (grid.over.back().kind == Variation::Kind::model && !ropes.is_none()) {
      throw InputError("over contains model, but ropes is given; expected only one of them");
    }
  }
  if (grid.over.empty()) throw InputError("over is empty; expected fields and their values");
  if (grid.points() > kMaxSweepPoints) {
    throw InputError("over gives more than " + std::to_string(kMaxSweepPoints) + " points");
  }
  return grid;
}

py::dict sweep(const py::object& readouts, const py::object& over, const py::object& ropes,
               const std::optional<std::string>& view, const py::object& set, int threads, const py::kwargs& fields) {
  require_threads(threads);
  const std::vector<std::string> names = strings_of(readouts, "readouts");
  const SweepGrid grid = read_grid(names, over, ropes, assignments_of(set, fields), view);
  const std::vector<SweptPoint> points = unlocked([&](const std::stop_token& stop) {
    const Text& text = shared_text();
    Store store(Store::Mode::synchronous, threads, stop);
    check_readouts(grid, text, store);
    std::vector<SweptPoint> swept;
    sweep_points(grid, {0, grid.points()}, text, {threads, stop},
                 [&swept](std::size_t, const SweptPoint& point) { swept.push_back(point); });
    return swept;
  });
  report_failures(points);
  py::dict columns;
  for (std::size_t i = 0; i < grid.over.size(); ++i) {
    columns[grid.over[i].key.c_str()] = swept_column(grid, i, points.size());
  }
  for (std::size_t i = 0; i < names.size(); ++i) columns[names[i].c_str()] = column_of(points, i);
  return columns;
}

// --- Tables --------------------------------------------------------------------------------------------------------

/// A rope of the table: its name, and its cards as a grid of one point.
struct NamedGrid {
  std::string name;
  SweepGrid grid;
};

std::vector<NamedGrid> read_table(const py::object& ropes, const std::vector<std::string>& cards,
                                  const std::vector<std::string>& assignments) {
  const std::vector<NamedRope> named = named_ropes(ropes);
  if (named.empty() || named.size() > kMaxTableRopes) {
    throw InputError("ropes has " + std::to_string(named.size()) + " entries; expected 1 to " +
                     std::to_string(kMaxTableRopes));
  }
  std::vector<NamedGrid> rows;
  for (const auto& [name, given] : named) {
    NamedGrid row{{}, {{}, cards, {}, assignments}};
    add_ropes(given, row.grid.experiment);
    row.grid.experiment = with_keywords_of("table", [&](const char* function) {
      return apply_settings_to(std::move(row.grid.experiment), assignments, function);
    });
    const PythonRope rope = rope_of(given, {}, "ropes");
    row.name = name.value_or(rope.label.empty() ? repr_of(py::cast(rope)) : rope.label);
    rows.push_back(std::move(row));
  }
  return rows;
}

py::dict table(const py::object& ropes, const py::object& cards, const py::object& set, int threads,
               const py::kwargs& fields) {
  require_threads(threads);
  const std::vector<std::string> names = cards.is_none() ? split(SweepFields{}.cards, ',') : strings_of(cards, "cards");
  if (names.empty() || names.size() > kMaxTableCards) {
    throw InputError("cards has " + std::to_string(names.size()) + " names; expected 1 to " +
                     std::to_string(kMaxTableCards));
  }
  const std::vector<NamedGrid> rows = read_table(ropes, names, assignments_of(set, fields));
  const std::vector<SweptPoint> points = unlocked([&](const std::stop_token& stop) {
    const Text& text = shared_text();
    Store store(Store::Mode::synchronous, threads, stop);
    std::vector<SweptPoint> found;
    for (const NamedGrid& row : rows) {
      if (!stop.stop_requested()) found.push_back(swept_point(row.grid, 0, text, store));
    }
    return found;
  });
  report_failures(points);
  py::dict columns;
  py::list labels;
  for (const NamedGrid& row : rows) labels.append(row.name);
  columns["rope"] = labels;
  for (std::size_t card = 0; card < names.size(); ++card) {
    const bool known = std::any_of(points.begin(), points.end(), [&](const SweptPoint& point) {
      return !point.cells[card].empty() || !point.texts[card].empty();
    });
    if (!known) throw InputError("no card is called \"" + names[card] + "\"; rs.readouts() lists them");
    columns[names[card].c_str()] = column_of(points, card);
  }
  return columns;
}

py::dict readouts(const std::optional<std::string>& view) {
  const View* only = view ? &find_view(*view) : nullptr;
  const auto listed = unlocked([&](const std::stop_token& stop) {
    const Text& text = shared_text();
    Store store(Store::Mode::synchronous, 0, stop);
    std::vector<ListedReadout> all;
    for (const View* each : swept_views()) {
      if (only && each != only) continue;
      for (ListedReadout& readout : list_readouts(*each, Experiment{}, text, store)) all.push_back(std::move(readout));
    }
    return all;
  });
  py::dict names;
  for (const ListedReadout& readout : listed) names[readout.name.c_str()] = readout.label;
  return names;
}

}  // namespace

// --- Declaration ---------------------------------------------------------------------------------------------------

void declare_sweeps(py::module_& module) {
  using py::arg;
  const auto none = py::none();
  module.def("sweep", &sweep, arg("readouts"), arg("over"), arg("ropes") = none, py::kw_only(), arg("view") = none,
             arg("set") = none, arg("threads") = 0, docs::kSweep);
  module.def("table", &table, arg("ropes"), arg("cards") = none, py::kw_only(), arg("set") = none, arg("threads") = 0,
             docs::kTable);
  module.def("readouts", &readouts, arg("view") = none, docs::kReadouts);
}

}  // namespace ropescope::python
