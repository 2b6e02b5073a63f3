#pragma once

#include <functional>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <stop_token>
#include <string>

#include "app/commands/arguments.h"
#include "app/commands/rope_options.h"

namespace ropescope {

/// "Which factor, with which method, for this context?", as given.
struct FactorOptions {
  std::optional<std::string> methods, criterion, level;
};
void add_factor_options(Arguments& arguments, FactorOptions& options);

/// What was asked, read before anything is computed; null where it was not asked. Throws InputError that names the
/// option, and where the rope lacks what a method or the criterion needs.
struct FactorRequest;
std::shared_ptr<const FactorRequest> read_factors(const FactorOptions& options, const RopeOptions& rope_options,
                                                  const Rope& rope, std::optional<double> context);

/// Is told how far the search is, 0 … 1, and of what.
using TellFactors = std::function<void(double done, const std::string& step)>;
/// Adds "criterion" and "factors": of each method the smallest factor that allows the context and the smallest above
/// which none failed, null where there is none. Nothing more once stopped.
void add_factors(nlohmann::ordered_json& limits, const FactorRequest& request, int threads, const std::stop_token& stop,
                 const TellFactors& tell);

}  // namespace ropescope
