// How far a rope reaches, and what low precision does to it: limits() and precision(), with the numbers and names of
// `ropescope limits` and `ropescope precision`. Read ropes.h first.
//
// Contents: Limits; Factors; Precision; Declaration.

#include <pybind11/stl.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "app/python/docs.h"
#include "app/python/ropes.h"
#include "app/resources/text.h"
#include "app/views/limits_report.h"
#include "core/formats/nlohmann.h"
#include "core/message.h"
#include "core/parallel.h"
#include "core/precision/precision.h"
#include "core/scaling/context_limits.h"
#include "core/scaling/scaling.h"

namespace ropescope::python {

namespace {

// --- Limits --------------------------------------------------------------------------------------------------------

template <class Number>
py::object or_none(const std::optional<Number>& number) {
  return number ? py::object(py::cast(*number)) : py::object(py::none());
}

/// Returns a JSON value as Python's; an array becomes a tuple.
py::object to_python(const nlohmann::ordered_json& value) {
  if (value.is_null()) return py::none();
  if (value.is_string()) return py::str(without_separators(value.get<std::string>()));
  if (value.is_number_integer()) return py::int_(value.get<std::int64_t>());
  if (value.is_number()) return py::float_(value.get<double>());
  if (value.is_object()) {
    py::dict items;
    for (const auto& [key, item] : value.items()) items[key.c_str()] = to_python(item);
    return items;
  }
  py::tuple items(value.size());
  for (std::size_t i = 0; i < value.size(); ++i) items[i] = to_python(value[i]);
  return items;
}

/// Returns the lengths of the rope, and the limits with the keys of `ropescope limits --json` and notes in English.
py::dict make_limits(const PythonRope& rope, const LimitsAnswer& found) {
  const bool extended = !rope.changed && rope.spec().extension.method != Extension{}.method;
  py::dict answer;
  answer["context"] = or_none(found.context);
  answer["trained_length"] = or_none(rope.spec().trained_length);
  answer["context_length"] = or_none(extended ? rope.profile.context_length : std::nullopt);
  for (const LimitsRow& row : limits_rows(found, shared_text())) {
    // The notes precede the factors.
    if (row.name == "criterion") answer["notes"] = py::none();
    answer[row.name.c_str()] = to_python(row.value);
  }
  answer["notes"] = py::list(answer["notes"]);
  return answer;
}

// --- Factors -------------------------------------------------------------------------------------------------------

/// Returns the requested methods: "all", a name or a list of names.
std::vector<std::string> methods_of(const py::object& factors, bool trained_length) {
  const bool one = py::isinstance<py::str>(factors);
  if (one && factors.cast<std::string>() == "all") return factor_methods(trained_length);
  const std::vector<std::string> names = one ? std::vector<std::string>{factors.cast<std::string>()}
                                             : require<std::vector<std::string>>(factors, "factors", "a list of str");
  for (const std::string& name : names) {
    if (takes_factor(find_scaling_method(name))) continue;
    throw InputError("factors is \"" + name +
                     "\", a method that needs more than its factor; expected \"all\" or some of " +
                     joined(factor_methods(true)));
  }
  return names;
}

/// Returns the criterion and its level.
ContextQuestion question_of(const std::optional<std::string>& criterion, const std::optional<double>& level) {
  ContextQuestion question;
  if (criterion) {
    const auto known = criterion_of(*criterion);
    if (!known) {
      throw InputError("criterion is \"" + *criterion + "\"; expected non-negative, level, mean or seen");
    }
    question.criterion = *known;
  }
  const bool by_level = question.criterion == ContextCriterion::level;
  if (by_level != level.has_value()) {
    throw InputError(by_level ? "criterion \"level\" requires level, a number from -1 to 1"
                              : "level is given; expected criterion=\"level\" with it");
  }
  question.level = level.value_or(0);
  return question;
}

py::object limits(const PythonRope& rope, const std::optional<double>& context, const std::optional<std::string>& axis,
                  const py::object& factors, const std::optional<std::string>& criterion,
                  const std::optional<double>& level, int threads) {
  require_threads(threads);
  if (context && !(*context >= 1 && *context <= static_cast<double>(kFarthestDistance))) {
    throw InputError("context is " + number_text(*context) + "; expected a number from 1 to " +
                     std::to_string(kFarthestDistance));
  }
  if (factors.is_none() && (criterion || level)) {
    throw InputError(std::string(criterion ? "criterion" : "level") + " is given without factors");
  }
  LimitsRequest question{rope.spec(), rope.axis(axis), {}, context};
  if (!question.context) question.context = rope.spec().trained_length;
  question.length = rope.length_for(context.value_or(0));
  if (!factors.is_none() && !question.context) throw InputError("factors requires context");
  LimitsAnswer found{.profile = rope.profile,
                     .axis = rope.spec().axes[question.axis],
                     .length = question.length,
                     .context = question.context,
                     .extended = {}};
  found.found = unlocked([&](const std::stop_token& stop) { return context_limits(question, {threads, stop}); });
  if (!factors.is_none()) {
    const ContextQuestion by = question_of(criterion, level);
    const FactorRequest request = factor_request(
        rope.spec(), question.axis, methods_of(factors, rope.spec().trained_length.has_value()), by, *question.context);
    found.criterion = by.criterion;
    found.factors = unlocked([&](const std::stop_token& stop) { return find_factors(request, {threads, stop}); });
  }
  const py::dict answer = make_limits(rope, found);
  return py::module_::import("ropescope.reports").attr("Limits")(answer);
}

// --- Precision -----------------------------------------------------------------------------------------------------

py::dict precision(const PythonRope& rope, const std::string& policy_name, const py::handle& positions,
                   const std::optional<std::string>& axis, int threads) {
  require_threads(threads);
  const PrecisionPolicy& policy = find_precision_policy(policy_name);
  Numbers places = numbers_of(positions, "positions");
  double farthest = 0;
  for (const double place : places.values) {
    if (!std::isfinite(place)) throw InputError("positions contains a number that is not finite");
    farthest = std::max(farthest, place);
  }
  const Eigen::VectorXd frequencies =
      scaled_ladder(rope.spec(), rope.axis(axis), rope.length_for(farthest + 1)).frequencies;
  std::vector<double> largest(places.values.size()), rms(largest.size()), score(largest.size());
  unlocked([&](const std::stop_token& stop) {
    constexpr std::int64_t kAtOnce = 256;
    parallel_for_blocks(std::ssize(largest), kAtOnce, {threads, stop}, [&](std::int64_t begin, std::int64_t count) {
      for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(begin + count); ++i) {
        const PrecisionError error = precision_error(policy, frequencies, places.values[i]);
        largest[i] = error.max_abs, rms[i] = error.rms, score[i] = error.score;
      }
    });
    return true;
  });
  py::dict answer;
  answer["position"] = result_of(places.values, places.shape);
  answer["max_abs_error"] = result_of(std::move(largest), places.shape);
  answer["rms_error"] = result_of(std::move(rms), places.shape);
  answer["score_error"] = result_of(std::move(score), places.shape);
  return answer;
}

}  // namespace

// --- Declaration ---------------------------------------------------------------------------------------------------

void declare_rope_limits(py::class_<PythonRope>& rope) {
  using py::arg;
  rope.def("limits", &limits, arg("context") = py::none(), py::kw_only(), arg("axis") = py::none(),
           arg("factors") = py::none(), arg("criterion") = py::none(), arg("level") = py::none(), arg("threads") = 0,
           docs::kLimits)
      .def("precision", &precision, arg("policy"), arg("positions"), py::kw_only(), arg("axis") = py::none(),
           arg("threads") = 0, docs::kPrecision);
}

}  // namespace ropescope::python
