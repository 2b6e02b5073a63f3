#include "app/commands/limits_factors.h"

#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>
#include <vector>

#include "app/experiment/experiment.h"
#include "app/experiment/split.h"
#include "app/resources/nearest.h"
#include "core/decay/limits_factor.h"
#include "core/error.h"
#include "core/formats/json_reader.h"
#include "core/rotary/frequencies.h"
#include "core/scaling/scaling.h"

namespace ropescope {

struct FactorRequest {
  RotarySpec spec;
  std::size_t axis = 0;
  std::vector<std::string> methods;
  ContextQuestion question;
};

namespace {

/// A method whose one number is asked for: nothing else of it has to be given.
bool takes_factor(const ScalingMethod& method) {
  return method.lists.empty() && find_parameter(method, "factor");
}

std::vector<std::string> methods_that_take_one(bool trained_length = true) {
  std::vector<std::string> names;
  for (const ScalingMethod& method : all_scaling_methods()) {
    if (takes_factor(method) && (trained_length || !method.needs_trained_length)) names.emplace_back(method.name);
  }
  return names;
}

std::vector<std::string> read_methods(const std::string& option, bool trained_length) {
  if (option == "all") return methods_that_take_one(trained_length);
  std::vector<std::string> names = split(option, ',');
  for (const std::string& name : names) {
    if (!takes_factor(find_scaling_method(name))) {
      reject("--factors", name, "all, or methods with a factor: " + or_list(methods_that_take_one()));
    }
  }
  return names;
}

ContextQuestion read_question(const FactorOptions& options) {
  ContextQuestion question;
  if (options.criterion) {
    const auto criterion = criterion_of(*options.criterion);
    if (!criterion) reject("--criterion", *options.criterion, "non-negative, level, mean or seen");
    question.criterion = *criterion;
  }
  const bool by_level = question.criterion == ContextCriterion::level;
  if (options.level) {
    const std::optional<double> level = parse_number(*options.level);
    if (!level || !(std::abs(*level) <= 1)) reject("--level", *options.level, "a number from -1 to 1");
    if (!by_level) throw InputError("--level is given without --criterion level; both were expected, or neither");
    question.level = *level;
  } else if (by_level) {
    throw InputError("--criterion level is given without --level K; a number from -1 to 1 was expected");
  }
  return question;
}

/// The spec under a method with a factor; what the options or the model say of that same method stays.
RotarySpec with_factor(const FactorRequest& request, const std::string& method, double factor) {
  RotarySpec spec = request.spec;
  if (spec.extension.method != method) spec.extension = {.method = method, .numbers = {}, .lists = {}};
  for (const ScalingParameter& parameter : find_scaling_method(method).parameters) {
    // What a config would have to say is taken as it was released; what is given stays.
    if (parameter.required) spec.extension.numbers.try_emplace(std::string(parameter.name), parameter.initial);
  }
  spec.extension.numbers["factor"] = factor;
  return spec;
}

Eigen::VectorXd ladder_with(const FactorRequest& request, const std::string& method, double factor) {
  return scaled_ladder(with_factor(request, method, factor), request.axis,
                       static_cast<double>(request.question.context))
      .frequencies;
}

}  // namespace

void add_factor_options(Arguments& arguments, FactorOptions& options) {
  arguments.option("--factors", "M[,M]|all", options.methods,
                   "Also the smallest factor of these methods of context extension that allows the context, "
                   "rounded up to six digits, up to 10000");
  arguments.option(
      "--criterion", "C", options.criterion,
      "When a factor allows it: non-negative (default: the sum of cosines), level, mean (of the similarity, "
      "above 0), seen (no unseen phase)");
  arguments.option("--level", "K", options.level, "The similarity that --criterion level asks for, -1 to 1");
}

std::shared_ptr<const FactorRequest> read_factors(const FactorOptions& options, const RopeOptions& rope_options,
                                                  const Rope& rope, std::optional<double> context) {
  if (!options.methods) {
    if (options.criterion) throw InputError("--criterion is given without --factors; both were expected, or neither");
    if (options.level) throw InputError("--level is given without --factors; both were expected, or neither");
    return nullptr;
  }
  if (!context) throw InputError("--factors is given without a context; --context L was expected with it");
  FactorRequest request;
  request.spec = rope.profile.spec;
  const RotaryAxis& axis = choose_axis(rope_options, rope);
  request.axis = static_cast<std::size_t>(&axis - rope.profile.spec.axes.data());
  request.methods = read_methods(*options.methods, rope.profile.spec.trained_length.has_value());
  request.question = read_question(options);
  request.question.context = static_cast<std::int64_t>(*context);
  request.question.trained_length = rope.profile.spec.trained_length.value_or(0);
  request.question.trained = axis_frequencies(axis);
  if (request.question.criterion == ContextCriterion::seen && request.question.trained_length < 1) {
    throw InputError("--criterion seen is given without a trained length; --trained-length L was expected with it");
  }
  // What a method lacks is said before anything is computed.
  for (const std::string& method : request.methods) ladder_with(request, method, 1);
  return std::make_shared<FactorRequest>(std::move(request));
}

void add_factors(nlohmann::ordered_json& limits, const FactorRequest& request, int threads, const std::stop_token& stop,
                 const TellFactors& tell) {
  limits["criterion"] = criterion_name(request.question.criterion);
  nlohmann::ordered_json factors = nlohmann::ordered_json::object();
  const double all = static_cast<double>(request.methods.size());
  for (std::size_t i = 0; i < request.methods.size(); ++i) {
    const std::string& method = request.methods[i];
    const auto found = allowing_factors(
        [&](double factor) { return ladder_with(request, method, factor); }, request.question, threads, stop,
        [&](double done) { tell((static_cast<double>(i) + done) / all, "factor of " + method); });
    if (!found) return;
    const auto or_null = [](const std::optional<double>& value) {
      return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json(nullptr);
    };
    factors[method] = {{"smallest", or_null(found->smallest)}, {"robust", or_null(found->robust)}};
  }
  limits["factors"] = factors;
  limits["factors_searched_to"] = kLargestSearchedFactor;
}

}  // namespace ropescope
