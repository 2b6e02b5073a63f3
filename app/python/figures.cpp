// Figures in Python: experiments from arguments as in `ropescope render`, drawn by the same views and painters.

#include <pybind11/stl.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "app/experiment/figure_file.h"
#include "app/experiment/page_fields.h"
#include "app/experiment/rope_spec.h"
#include "app/figure/cells.h"
#include "app/figure/pages/page.h"
#include "app/figure/table.h"
#include "app/python/binding.h"
#include "app/python/docs.h"
#include "app/python/figures.h"
#include "app/python/ropes.h"
#include "app/resources/files.h"
#include "app/resources/places.h"
#include "app/resources/text.h"
#include "app/store/store.h"
#include "app/views/shared/facets.h"
#include "app/views/sweep.h"
#include "app/views/view.h"
#include "core/formats/json.h"
#include "core/message.h"

namespace ropescope::python {

/// An experiment and its page. Its result is cached because it never changes.
struct PythonFigure {
  Experiment experiment;
  PageFields page;
  std::string language = kEnglish;
  std::optional<std::string> panel;
  int threads = 0;
};

}  // namespace ropescope::python

namespace pybind11::detail {
template <>
struct type_caster<ropescope::python::PythonFigure>
    : ropescope::python::InitialisedCaster<ropescope::python::PythonFigure> {};
}  // namespace pybind11::detail

namespace ropescope::python {

namespace {

// --- The experiment ------------------------------------------------------------------------------------------------

RopeFields rope_fields(const PythonRope& rope) {
  RopeFields fields = to_rope_fields(rope.profile, rope.label);
  if (!rope.changed) {
    fields.config = rope.config;
    fields.model = rope.preset;
  }
  fields.scaling.length = rope.length.value_or(0);
  return fields;
}

void require_drawable(const Experiment& experiment) {
  check_curves(experiment);
  read_rope(experiment.rope);
  const View& view = find_view(experiment.view);
  if (view.check) view.check(experiment);
  check_facets(experiment);
}

/// Returns the size of a page as text, from (width, height) in pixels or "85x60mm". Throws TypeError for anything else.
std::string size_text(const py::object& size) {
  if (py::isinstance<py::str>(size)) return py::str(size);
  try {
    const auto [width, height] = size.cast<std::pair<int, int>>();
    return std::to_string(width) + "x" + std::to_string(height);
  } catch (const py::cast_error&) {
    throw py::type_error("size must be (width, height) in pixels or a str such as \"85x60mm\", not " +
                         elide_middle(repr_of(size)));
  }
}

/// Splits the figure by facet="rope.base=1e4,5e5", or a dict of one or two fields and their values.
void put_facet(const py::object& facet, Experiment& experiment) {
  if (facet.is_none()) return;
  std::vector<std::string> given;
  if (py::isinstance<py::str>(facet)) {
    given.push_back(facet.cast<std::string>());
  } else {
    for (const auto& [key, values] : require<py::dict>(facet, "facet", "str or dict")) {
      given.push_back(std::string(py::str(key)) + "=" + set_text(values));
    }
  }
  if (given.empty() || given.size() > 2) throw InputError("facet must name one or two fields");
  experiment.facet.across = facet_as_given(given[0], experiment, "facet");
  experiment.facet.down = given.size() == 2 ? facet_as_given(given[1], experiment, "facet") : std::string();
}

// --- Drawing -------------------------------------------------------------------------------------------------------

/// Returns the view's figures; formulas are drawn for pictures, plain for tables.
ViewResult drawn(const PythonFigure& figure, Text::FormulaForm form, const std::stop_token& stop) {
  const Text& text = shared_text(figure.language, form);
  Store store(Store::Mode::synchronous, figure.threads, stop);
  ViewResult result = draw_view(find_view(figure.experiment.view), figure.experiment, text, store);
  for (const std::string& why : {result.fault, result.undone}) {
    if (!why.empty()) throw InputError(why);
  }
  check_swept_readout(figure.experiment, result, text, store);
  if (!figure.panel) return result;
  const std::vector<Panel> cells = panels_of_cells(result.panels, *figure.panel);
  if (!cells.empty()) {
    result.panels = cells;
    return result;
  }
  std::vector<std::string> names;
  for (const Panel& panel : result.panels) {
    if (panel.figure.name == *figure.panel) {
      result.panels = {Panel(panel)};
      return result;
    }
    names.push_back(panel.figure.name);
  }
  throw InputError("panel is \"" + *figure.panel + "\"; expected one of " + joined(names));
}

std::string picture(const PythonFigure& figure, PageFormat format) {
  return unlocked([&](const std::stop_token& stop) {
    const ViewResult result = drawn(figure, Text::FormulaForm::drawn, stop);
    if (stop.stop_requested()) return std::string();
    PageStyle style = style_of(figure.page);
    style.carries = figure_text(figure.experiment);
    return paint_page(result, format, parse_page_size(figure.page.size), style);
  });
}

std::string table(const PythonFigure& figure, bool json) {
  return unlocked([&](const std::stop_token& stop) {
    ViewResult result = drawn(figure, Text::FormulaForm::plain, stop);
    if (json) return table_json(result);
    if (!figure.panel) {
      const std::string& first = result.panels.front().figure.name;
      const std::vector<Panel> cells = panels_of_cells(result.panels, figure_of_cell(first));
      result.panels = cells.empty() ? std::vector<Panel>{Panel(result.panels.front())} : cells;
    }
    return cells_csv(result);
  });
}

/// The content of files, by the ending of their name.
constexpr std::pair<std::string_view, std::string (*)(const PythonFigure&)> kEndings[] = {
    {".svg", [](const PythonFigure& figure) { return picture(figure, PageFormat::svg); }},
    {".pdf", [](const PythonFigure& figure) { return picture(figure, PageFormat::pdf); }},
    {".png", [](const PythonFigure& figure) { return picture(figure, PageFormat::png); }},
    {".csv", [](const PythonFigure& figure) { return table(figure, false); }},
    {".json", [](const PythonFigure& figure) { return table(figure, true); }}};

void save(const PythonFigure& figure, const py::object& path) {
  const std::string name = py::str(py::module_::import("os").attr("fspath")(path));
  const std::string ending = std::filesystem::path(name).extension().string();
  const auto found = std::find_if(std::begin(kEndings), std::end(kEndings),
                                  [&ending](const auto& one) { return one.first == ending; });
  if (found == std::end(kEndings)) {
    throw InputError("the file name is \"" + name + "\"; expected one that ends in .svg, .pdf, .png, .csv or .json");
  }
  write_file(name, found->second(figure));
}

/// Returns the picture that a notebook stores: an SVG, without the XML declaration that HTML does not have, or a PNG if
/// the SVG is large.
py::dict notebook_picture(const PythonFigure& figure, const py::object& /*include*/, const py::object& /*exclude*/) {
  constexpr std::size_t kMaxStored = std::size_t{1} << 20;
  std::string svg = picture(figure, PageFormat::svg);
  py::dict bundle;
  if (svg.size() > kMaxStored) {
    bundle["image/png"] = py::bytes(picture(figure, PageFormat::png));
    return bundle;
  }
  if (svg.starts_with("<?xml")) svg.erase(0, svg.find("?>") + 2);
  svg.erase(0, std::min(svg.find('<'), svg.size()));
  bundle["image/svg+xml"] = py::str(svg);
  return bundle;
}

/// Returns what a field accepts, as Python's values.
py::dict field_data(const Field& field) {
  py::dict data;
  data["type"] = "str";
  data["default"] = text_of(field);
  for (const char* name : {"unit", "range", "choices"}) data[name] = py::none();
  if (field.kind == Field::Kind::number) {
    data["type"] = field.whole ? "int" : "float";
    const auto value = field.as<double>();
    data["default"] =
        field.whole ? py::object(py::int_(static_cast<std::int64_t>(value))) : py::object(py::float_(value));
    data["range"] = py::make_tuple(field.lowest, field.highest);
    if (!field.unit.empty()) data["unit"] = shared_text()[field.unit];
  } else if (field.kind == Field::Kind::toggle) {
    data["type"] = "bool";
    data["default"] = field.as<bool>();
  } else if (field.kind == Field::Kind::names) {
    data["type"] = "list of str";
  }
  if (!field.options.empty()) data["choices"] = py::tuple(py::cast(field.options));
  data["expected"] = to_english(expectation(field));
  return data;
}

/// Returns the fields of a view that --help lists, by their full keys.
py::dict view_fields(const std::string& view) {
  const Experiment made;
  py::dict fields;
  for (const Field& field : fields_of(find_view(view), made)) {
    if (field.has_value() && words_key(field.key) == field.key)
      fields[std::string(field.key).c_str()] = field_data(field);
  }
  return fields;
}

py::object plot_figure(const py::object& figure, const py::object& ax) {
  return py::module_::import("ropescope.plots").attr("plot_figure")(figure, ax);
}

}  // namespace

std::string set_text(const py::handle& value, int depth) {
  constexpr int kMaxDepth = 50;
  if (depth > kMaxDepth) throw InputError("json.too_deep", {{"most", kMaxDepth}});
  if (py::isinstance<py::bool_>(value)) return value.cast<bool>() ? "true" : "false";
  if (py::isinstance<py::tuple>(value) || py::isinstance<py::list>(value)) {
    std::vector<std::string> parts;
    for (const py::handle each : value) parts.push_back(set_text(each, depth + 1));
    return joined(parts, ",");
  }
  if (py::isinstance<py::float_>(value)) return number_text(value.cast<double>());
  return py::str(value);
}

std::vector<std::string> assignments_of(const py::object& set, const py::dict& fields) {
  std::vector<std::string> assignments;
  const py::dict given = set.is_none() ? py::dict() : require<py::dict>(set, "set", "dict");
  for (const py::dict& some : {given, fields}) {
    for (const auto& [key, value] : some) assignments.push_back(std::string(py::str(key)) + "=" + set_text(value));
  }
  return assignments;
}

void refuse_keyword(const std::string& function, const UnknownField& unknown) {
  std::vector<std::string> names = unknown.near;
  const py::object bound = py::module_::import("ropescope._figures").attr(function.c_str());
  const py::object signature = py::module_::import("inspect").attr("signature")(bound);
  const py::list parameters(signature.attr("parameters"));
  for (const py::handle name : parameters) {
    std::string parameter = py::str(name);
    if (parameter != "kwargs" && std::find(names.begin(), names.end(), parameter) == names.end())
      names.push_back(std::move(parameter));
  }
  const std::vector<std::string> near = nearest_words(unknown.given, names);
  throw InputError(function + "() has no argument or field " + in_quotes(unknown.given) + "; " +
                   (near.empty() ? "rs.fields(view) lists them" : "did you mean " + to_english(one_of(near)) + "?"));
}

std::vector<NamedRope> named_ropes(const py::object& ropes) {
  std::vector<NamedRope> named;
  if (py::isinstance<py::dict>(ropes)) {
    for (const auto& [name, rope] : ropes.cast<py::dict>()) {
      named.emplace_back(std::string(py::str(name)), py::reinterpret_borrow<py::object>(rope));
    }
  } else if (py::isinstance<py::list>(ropes) || py::isinstance<py::tuple>(ropes)) {
    for (const py::handle rope : ropes) named.emplace_back(std::nullopt, py::reinterpret_borrow<py::object>(rope));
  } else {
    named.emplace_back(std::nullopt, ropes);
  }
  return named;
}

void add_ropes(const py::object& ropes, Experiment& experiment) {
  if (ropes.is_none()) return;
  const std::vector<NamedRope> named = named_ropes(ropes);
  if (named.size() > kMaximumPins + 1) {
    throw InputError(std::to_string(named.size()) + " ropes are given; expected at most " +
                     std::to_string(kMaximumPins + 1));
  }
  int slot = 0;
  for (const auto& [name, rope] : named) {
    RopeFields fields = rope_fields(rope_of(rope, {}, "ropes"));
    if (slot++ > 0) {
      experiment.pins.push_back({std::move(fields), slot - 1, name.value_or("")});
      continue;
    }
    experiment.rope = fields;
    if (!fields.config.empty() || !fields.model.empty()) follow_opening(experiment);
    experiment.curves.name = name.value_or("");
  }
}

namespace {

void declare_figure_class(py::module_& module) {
  using py::arg;
  py::class_<PythonFigure> figure_class = declare_class<PythonFigure>(module, "Figure", docs::kFigure);
  refuse_pickling(figure_class);
  figure_class
      .def_property_readonly(
          "view", [](const PythonFigure& figure) { return figure.experiment.view; }, docs::kView)
      .def_property_readonly(
          "experiment", [](const PythonFigure& figure) { return experiment_to_json(figure.experiment); },
          docs::kExperimentText)
      .def_property_readonly(
          "link", [](const PythonFigure& figure) { return link_of(set_arguments(strip_folders(figure.experiment))); },
          docs::kLink)
      .def(
          "svg", [](const PythonFigure& figure) { return py::str(picture(figure, PageFormat::svg)); }, docs::kSvg)
      .def(
          "pdf", [](const PythonFigure& figure) { return py::bytes(picture(figure, PageFormat::pdf)); }, docs::kPdf)
      .def(
          "png", [](const PythonFigure& figure) { return py::bytes(picture(figure, PageFormat::png)); }, docs::kPng)
      .def(
          "csv", [](const PythonFigure& figure) { return py::str(table(figure, false)); }, docs::kCsv)
      .def(
          "json", [](const PythonFigure& figure) { return py::str(table(figure, true)); }, docs::kJson)
      .def("save", &save, arg("path"), docs::kSave)
      .def("_repr_mimebundle_", &notebook_picture, arg("include") = py::none(), arg("exclude") = py::none(),
           "The picture for a notebook, as a dict by MIME type.")
      .def("plot", &plot_figure, arg("ax") = py::none(), docs::kPlotFigure)
      .def("_panels",
           [](const PythonFigure& figure) {
             const ViewResult result =
                 unlocked([&](const std::stop_token& stop) { return drawn(figure, Text::FormulaForm::plain, stop); });
             return panels_for_plots(result.panels, style_of(figure.page).theme);
           })
      .def("__repr__", [](const PythonFigure& figure) { return "<ropescope.Figure " + figure.experiment.view + ">"; });
}

/// Declares a function that makes a figure: `make` sets the experiment by the first argument, keywords set the rest.
template <class Make>
void declare_figure_maker(py::module_& module, const char* name, const char* doc, const Make& make,
                          const py::arg& first) {
  using py::arg;
  module.def(
      name,
      [make, name](const py::object& what, const py::object& ropes, const py::object& size, const std::string& theme,
                   double dpi, double text_size, bool outlines, const std::string& legend, const std::string& font,
                   const std::string& language, const std::optional<std::string>& panel, const py::object& facet,
                   const py::object& set, int threads, const py::kwargs& fields) {
        PythonFigure figure;
        make(what, figure.experiment);
        figure.page.size = size_text(size);
        parse_page_size(figure.page.size);
        bind_keywords(typed_fields_of(figure.page), "save",
                      {{"theme", theme},
                       {"dpi", number_text(dpi)},
                       {"text_size", number_text(text_size)},
                       {"legend", legend},
                       {"font", font}});
        figure.page.words = outlines ? PageWords::outlines : PageWords::text;
        figure.language = parse_language(language, find_places().assets);
        figure.panel = panel;
        figure.threads = require_threads(threads);
        Experiment& experiment = figure.experiment;
        add_ropes(ropes, experiment);
        const std::vector<std::string> assignments = assignments_of(set, fields);
        with_keywords_of(name, [&](const char* function) {
          for (const std::string& each : assignments) assign(experiment, each, function);
        });
        put_facet(facet, experiment);
        clamp(experiment);
        require_drawable(experiment);
        return figure;
      },
      first, arg("ropes") = py::none(), py::kw_only(), arg("size") = "1200x800", arg("theme") = "light",
      arg("dpi") = 300.0, arg("text_size") = 100.0, arg("outlines") = true, arg("legend") = "above",
      arg("font") = "sans", arg("language") = "en", arg("panel") = py::none(), arg("facet") = py::none(),
      arg("set") = py::none(), arg("threads") = 0, doc);
}

}  // namespace

void declare_figures(py::module_& module) {
  declare_figure_class(module);
  module.def("fields", &view_fields, py::arg("view"), docs::kFields);
  declare_figure_maker(
      module, "figure", docs::kMakeFigure,
      [](const py::object& view, Experiment& experiment) {
        experiment.view = find_view(require<std::string>(view, "view", "str")).id;
      },
      py::arg("view"));
  declare_figure_maker(
      module, "experiment", docs::kExperiment,
      [](const py::object& path, Experiment& experiment) {
        experiment = load_experiment(py::str(py::module_::import("os").attr("fspath")(path)));
      },
      py::arg("path"));
}

}  // namespace ropescope::python
