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

struct LimitsKeywords {
  std::optional<double> context;
  std::optional<std::string> axis;
  py::object factors = py::none();
  std::optional<std::string> criterion;
  std::optional<double> level;
  int threads = 0;
};

/// Returns a JSON value as Python's; an array becomes a tuple.
py::object to_python(const nlohmann::ordered_json& value) {
  if (value.is_null()) return py::none();
  if (value.is_number_integer()) return py::int_(value.get<std::int64_t>());
  if (value.is_number()) return py::float_(value.get<double>());
  py::tuple items(value.size());
  for (std::size_t i = 0; i < value.size(); ++i) items[i] = to_python(value[i]);
  return items;
}

/// Adds the limits with the keys of `ropescope limits --json`, the lengths of the rope, and the notes in English.
void put_limits(const PythonRope& rope, const LimitsRequest& question, const ContextLimits& found, py::dict& answer) {
  const bool extended = !rope.changed && rope.spec().extension.method != "none";
  answer["context"] = or_none(question.context);
  answer["trained_length"] = or_none(rope.spec().trained_length);
  answer["context_length"] = or_none(extended ? rope.profile.context_length : std::nullopt);
  nlohmann::ordered_json keys;
  add_limits(found, keys);
  for (const auto& [key, value] : keys.items()) answer[key.c_str()] = to_python(value);
  py::list notes;
  for (const std::string& note :
       limits_notes(found, rope.profile, rope.spec().axes[question.axis], question.context, shared_text())) {
    notes.append(without_separators(note));
  }
  answer["notes"] = notes;
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

ContextQuestion question_of(const PythonRope& rope, std::size_t axis, const LimitsKeywords& asked, double context) {
  ContextQuestion question;
  if (asked.criterion) {
    const auto criterion = criterion_of(*asked.criterion);
    if (!criterion) {
      throw InputError("criterion is \"" + *asked.criterion + "\"; expected non-negative, level, mean or seen");
    }
    question.criterion = *criterion;
  }
  const bool by_level = question.criterion == ContextCriterion::level;
  if (by_level != asked.level.has_value()) {
    throw InputError(by_level ? "criterion \"level\" requires level, a number from -1 to 1"
                              : "level is given; expected criterion=\"level\" with it");
  }
  question.level = asked.level.value_or(0);
  question.context = static_cast<std::int64_t>(context);
  question.trained_length = rope.spec().trained_length.value_or(0);
  question.trained = axis_frequencies(rope.spec().axes[axis]);
  return question;
}

py::dict search_factors(const PythonRope& rope, std::size_t axis, const LimitsKeywords& asked, double context) {
  const std::vector<std::string> methods = methods_of(asked.factors, rope.spec().trained_length.has_value());
  const ContextQuestion question = question_of(rope, axis, asked, context);
  const auto ladder = [&](const std::string& method, double factor) {
    return scaled_ladder(apply_factor(rope.spec(), method, factor), axis, context).frequencies;
  };
  // Missing parameters of a method are reported before anything is computed.
  for (const std::string& method : methods) ladder(method, 1);
  py::dict factors;
  for (const std::string& method : methods) {
    const auto found = unlocked([&](const std::stop_token& stop) {
      return allowing_factors([&](double factor) { return ladder(method, factor); }, question, {asked.threads, stop});
    });
    py::dict one;
    one["smallest"] = or_none(found ? found->smallest : std::nullopt);
    one["robust"] = or_none(found ? found->robust : std::nullopt);
    factors[method.c_str()] = one;
  }
  return factors;
}

py::object limits(const PythonRope& rope, const LimitsKeywords& asked) {
  require_threads(asked.threads);
  if (asked.context && !(*asked.context >= 1 && *asked.context <= static_cast<double>(kFarthestDistance))) {
    throw InputError("context is " + number_text(*asked.context) + "; expected a number from 1 to " +
                     std::to_string(kFarthestDistance));
  }
  if (asked.factors.is_none() && (asked.criterion || asked.level)) {
    throw InputError(std::string(asked.criterion ? "criterion" : "level") + " is given without factors");
  }
  LimitsRequest question{rope.spec(), rope.axis(asked.axis), {}, asked.context};
  if (!question.context) question.context = rope.spec().trained_length;
  question.length = rope.length_for(asked.context.value_or(0));
  if (!asked.factors.is_none() && !question.context) throw InputError("factors requires context");
  const ContextLimits found = unlocked([&](const std::stop_token& stop) {
    return context_limits(question, {asked.threads, stop});
  });
  py::dict answer;
  put_limits(rope, question, found, answer);
  if (!asked.factors.is_none()) {
    answer["criterion"] = std::string(criterion_name(question_of(rope, question.axis, asked, 1).criterion));
    answer["factors"] = search_factors(rope, question.axis, asked, *question.context);
    answer["factors_searched_to"] = kLargestSearchedFactor;
  }
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
  answer["position"] = array_of(places.values, places.shape);
  answer["max_abs_error"] = array_of(std::move(largest), places.shape);
  answer["rms_error"] = array_of(std::move(rms), places.shape);
  answer["score_error"] = array_of(std::move(score), places.shape);
  return answer;
}

}  // namespace

// --- Declaration ---------------------------------------------------------------------------------------------------

void declare_rope_limits(py::class_<PythonRope>& rope) {
  using py::arg;
  rope.def(
          "limits",
          [](const PythonRope& self, std::optional<double> context, const std::optional<std::string>& axis,
             const py::object& factors, const std::optional<std::string>& criterion, std::optional<double> level,
             int threads) {
            return limits(self, {context, axis, factors, criterion, level, threads});
          },
          arg("context") = py::none(), py::kw_only(), arg("axis") = py::none(), arg("factors") = py::none(),
          arg("criterion") = py::none(), arg("level") = py::none(), arg("threads") = 0, docs::kLimits)
      .def("precision", &precision, arg("policy"), arg("positions"), py::kw_only(), arg("axis") = py::none(),
           arg("threads") = 0, docs::kPrecision);
}

}  // namespace ropescope::python
