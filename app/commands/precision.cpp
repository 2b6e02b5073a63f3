#include <algorithm>
#include <cmath>
#include <memory>
#include <span>
#include <utility>

#include "app/commands/commands.h"
#include "app/commands/rope_options.h"
#include "app/experiment/experiment.h"
#include "app/experiment/ladder.h"
#include "app/figure/number_text.h"
#include "app/resources/nearest.h"
#include "app/resources/text.h"
#include "core/precision/precision.h"

namespace ropescope {

namespace {

constexpr std::size_t kPrecisionMostPositions = 16'777'217;
/// Positions whose text is held at a time.
constexpr std::size_t kPrecisionPiece = std::size_t{1} << 14;

struct PrecisionValues {
  RopeOptions rope;
  std::optional<std::string> policy, positions, output;
};

/// Positions at which the format overflows.
struct Overflows {
  std::size_t count = 0;
  double first = 0;
};

std::string rows_of_precision(std::span<const double> positions, const PrecisionPolicy& policy,
                              const Eigen::VectorXd& frequencies, Overflows& overflows) {
  std::string rows;
  for (const double position : positions) {
    const PrecisionError error = precision_error(policy, frequencies, position);
    if (!(std::isfinite(error.max_abs) && std::isfinite(error.rms)) && overflows.count++ == 0) {
      overflows.first = position;
    }
    rows += shortest_number(position) + "," + std::string(policy.name) + "," + shortest_number(error.max_abs) + "," +
            shortest_number(error.rms) + "\n";
  }
  return rows;
}

void notice_overflows(const Overflows& overflows, std::size_t positions, const PrecisionPolicy& policy) {
  if (overflows.count == 0) return;
  put_notice(std::string(policy.name) + " overflows at " + std::to_string(overflows.count) + " of " +
             std::to_string(positions) + " positions, first at " + shortest_number(overflows.first) +
             ": their errors are nan");
}

void run_precision(const PrecisionValues& values) {
  const PrecisionPolicy& policy = find_precision_policy(*values.policy);
  const std::vector<double> positions = parse_list(*values.positions, "--positions", kPrecisionMostPositions);
  Rope rope = resolve_rope(values.rope);
  ask_length(rope, *std::max_element(positions.begin(), positions.end()) + 1);
  const Eigen::VectorXd frequencies = ladder_of(values.rope, rope).frequencies;
  std::span<const double> left = positions;
  std::string piece;
  bool begun = false;
  Overflows overflows;
  put_result(values.output, [&]() -> std::string_view {
    if (!std::exchange(begun, true)) return "position,policy,max_abs_error,rms_error\n";
    const std::size_t count = std::min(left.size(), kPrecisionPiece);
    piece = rows_of_precision(left.first(count), policy, frequencies, overflows);
    left = left.subspan(count);
    return piece;
  });
  notice_overflows(overflows, positions.size(), policy);
  notice_axis(values.rope, rope);
  notice_length(values.rope, rope);
}

std::string policy_list() {
  std::string text = "Policies:\n";
  Words::List words;
  for (const PrecisionPolicy& policy : all_precision_policies()) {
    words.emplace_back("precision_policy." + std::string(policy.name));
  }
  const std::vector<std::string> said = said_in_english(words);
  for (std::size_t i = 0; i < said.size(); ++i) {
    std::string name(all_precision_policies()[i].name);
    name.resize(std::max<std::size_t>(name.size(), 22), ' ');
    text += "  " + name + " " + said[i] + "\n";
  }
  return text +
         "max_abs_error is the largest |cos - cos in float64| over the pairs, rms_error the root of the mean over\n"
         "the pairs of (cos error)^2 + (sin error)^2: how far off the points (cos, sin) are; for rotations both are of "
         "the\n"
         "rotated vector (1, 1)/sqrt(2).\n"
         "Where a format overflows they are nan.\n";
}

}  // namespace

Action declare_precision(Arguments& arguments) {
  const auto values = std::make_shared<PrecisionValues>();
  add_rope_options(arguments, values->rope);
  add_axis_option(arguments, values->rope);
  arguments.option("--policy", "NAME", values->policy, "How numbers are rounded; the list is below",
                   Arguments::Need::required);
  arguments.option("--positions", "LIST", values->positions, "Numbers and inclusive ranges a:b or a:b:step, by commas",
                   Arguments::Need::required);
  arguments.option("-o,--output", "F", values->output, "File to write (default: standard output)");
  arguments.footer(policy_list);
  return [values] { run_precision(*values); };
}

}  // namespace ropescope
