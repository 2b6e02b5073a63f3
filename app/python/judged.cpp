// check() and compare() of Python: tensors without copying, a reference, and the report of `ropescope check` and
// `ropescope compare`, as JSON and as text. The Python side (ropescope/__init__.py) creates objects from the JSON.

#include <pybind11/stl.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "app/experiment/experiment.h"
#include "app/python/binding.h"
#include "app/python/ropes.h"
#include "app/resources/text.h"
#include "app/views/check/report.h"
#include "core/check/check.h"
#include "core/formats/json.h"
#include "core/formats/models.h"
#include "core/message.h"

namespace ropescope::python {

namespace {

/// Returns a report as the two strings passed to Python.
py::tuple make_report_tuple(const ReportForms& forms, const std::string& verdict) {
  return py::make_tuple(verdict, json_text(forms.json), without_separators(forms.text));
}

// --- check ---------------------------------------------------------------------------------------------------------

/// Returns the reference of a rope. Its model's other profiles are tried too if the user did not choose one.
CheckReference to_check_reference(const PythonRope& rope, const py::object& positions, Message::List& notes) {
  if (!rope.changed) require_known_extension(rope.profile, rope.source);
  std::optional<std::vector<double>> places;
  if (!positions.is_none()) places = numbers_of(positions, "positions").values;
  CheckReference reference = reference_from_rope(rope.spec(), rope.length, std::move(places));
  if (!rope.model) {
    for (const std::string_view cause : causes_with_allow_option()) reference.allowed.emplace(cause);
    return reference;
  }
  notes = notes_limiting_verdict(rope.profile);
  reference.profile_was_requested = rope.asked;
  std::vector<Profile> profiles = rope.model->profiles;
  if (rope.changed) profiles = {rope.profile};
  take_model(profiles, rope.model->model_type, rope.profile, reference);
  return reference;
}

CheckReference reference_of(const py::object& against, const py::object& positions, Message::List& notes) {
  if (py::isinstance<PythonLayout>(against)) {
    if (!positions.is_none()) throw InputError("positions is given with a layout, which has its own positions");
    const auto layout = against.cast<PythonLayout>();
    return reference_from_layout(*layout.layout, layout.request);
  }
  if (py::isinstance<py::tuple>(against)) {
    const auto tables = against.cast<py::tuple>();
    if (tables.size() != 2) throw InputError("against is not a tuple of two tables; expected (cos, sin)");
    return reference_from_tables(tensor_of(tables[0], "against[0]"), tensor_of(tables[1], "against[1]"));
  }
  return to_check_reference(rope_of(against, {}, "against"), positions, notes);
}

/// Returns the tensors by name; None means not given.
CheckInputs inputs_of(const py::dict& tensors) {
  CheckInputs inputs;
  for (const CheckRoleNames& names : kCheckRoles) {
    if (is_against(names.role)) continue;
    const std::string name(names.name);
    if (tensors.contains(name) && !tensors[name.c_str()].is_none()) {
      inputs.*input_of(names.role) = tensor_of(tensors[name.c_str()], name);
    }
  }
  for (const auto& [one, other] :
       {std::pair(CheckRole::cosine, CheckRole::sine), {CheckRole::before, CheckRole::after}}) {
    const bool first = (inputs.*input_of(one)).has_value(), second = (inputs.*input_of(other)).has_value();
    if (first == second) continue;
    const std::string given(names_of(first ? one : other).name), missing(names_of(first ? other : one).name);
    throw InputError(given + " is given without " + missing);
  }
  return inputs;
}

HeadOrder head_order_of(const std::string& word) {
  for (const HeadOrder order : {HeadOrder::tokens_first, HeadOrder::heads_first}) {
    if (word == word_of(order)) return order;
  }
  throw InputError("heads is \"" + word +
                   "\"; expected thd ([tokens, heads, channels]) or htd ([heads, tokens, channels])");
}

void allow_causes(const std::vector<std::string>& causes, CheckReference& reference) {
  const std::vector<std::string_view> known = causes_with_allow_option();
  for (const std::string& cause : causes) {
    if (std::find(known.begin(), known.end(), cause) == known.end()) {
      throw InputError("command.allow", {{"found", cause}, {"causes", joined(known)}});
    }
    reference.allowed.insert(cause);
  }
}

py::tuple check_tensors(const py::dict& tensors, const py::object& against, const py::object& positions,
                        const std::string& part, const std::optional<std::string>& heads,
                        const std::optional<std::pair<std::int64_t, std::int64_t>>& rows,
                        const std::vector<std::string>& allow, bool strict, int threads) {
  require_threads(threads);
  Message::List notes;
  CheckReference reference = reference_of(against, positions, notes);
  CheckInputs inputs = inputs_of(tensors);
  inputs.part = part;
  inputs.rows = rows;
  if (heads) inputs.head_order = head_order_of(*heads);
  allow_causes(allow, reference);
  reference.strict = strict;
  // An array that NumPy repeats by a stride of 0 costs nothing, whatever its shape.
  require_shapes(reference, inputs);
  const auto [forms, verdict] = unlocked([&](const std::stop_token& stop) {
    CheckOptions options;
    options.threads = threads;
    options.stop = stop;
    CheckReport report = check(reference, inputs, options);
    report.notes.insert(report.notes.end(), notes.begin(), notes.end());
    const CheckReference about = find_reported_reference(reference, report);
    const Text& text = shared_text();
    ReportForms both = check_forms(report, about, text);
    const std::string line = verdict_line(report, text, true);
    return std::pair(std::move(both), line);
  });
  return make_report_tuple(forms, verdict);
}

// --- compare -------------------------------------------------------------------------------------------------------

Described read_description(const py::object& given, const std::string& name) {
  if (py::isinstance<PythonLayout>(given)) {
    const auto layout = given.cast<PythonLayout>();
    LayoutConfig config;
    config.layout = layout.layout->name;
    config.request = layout.request;
    return {name, {{}, std::move(config)}};
  }
  const PythonRope rope = rope_of(given, {}, name);
  const bool whole = rope.model && !rope.changed && !rope.asked;
  ModelSide side{whole ? rope.model->profiles : std::vector<Profile>{rope.profile}, {}};
  if (!rope.model) side.profiles.front().name = "text";
  for (const Profile& profile : side.profiles) {
    if (!rope.changed) require_known_extension(profile, rope.source);
  }
  return {rope.label.empty() ? name : rope.label, std::move(side)};
}

/// Returns the side that is right: "a" or "b", or neither.
CompareBaseline read_baseline(const std::optional<std::string>& side) {
  if (!side) return CompareBaseline::none;
  for (const auto& [name, baseline] : {std::pair("a", CompareBaseline::a), {"b", CompareBaseline::b}}) {
    if (*side == name) return baseline;
  }
  throw InputError(
      "field",
      {{"field", "baseline"}, {"found", in_quotes(*side)}, {"expected", one_of(std::vector<std::string>{"a", "b"})}});
}

py::tuple compare(const py::object& a, const py::object& b, const std::optional<std::string>& baseline, int threads) {
  require_threads(threads);
  CompareReport report;
  report.baseline = read_baseline(baseline);
  report.a = read_description(a, "a");
  report.b = read_description(b, "b");
  const auto [forms, verdict] = unlocked([&](const std::stop_token& stop) {
    report.comparison = compare_models(report.a.side, report.b.side, {threads, stop});
    const Text& text = shared_text();
    return std::pair(compare_forms(report, text), compare_verdict_line(report, text));
  });
  return make_report_tuple(forms, verdict);
}

}  // namespace

void declare_judgements(py::module_& module) {
  using py::arg;
  module.def("check", &check_tensors, arg("tensors"), arg("against"), py::kw_only(), arg("positions") = py::none(),
             arg("part") = "all", arg("heads") = py::none(), arg("rows") = py::none(),
             arg("allow") = std::vector<std::string>(), arg("strict") = false, arg("threads") = 0);
  module.def("compare", &compare, arg("a"), arg("b"), py::kw_only(), arg("baseline") = py::none(), arg("threads") = 0);
}

}  // namespace ropescope::python
