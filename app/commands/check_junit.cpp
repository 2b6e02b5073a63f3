#include "app/commands/check_junit.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "app/commands/check_report.h"
#include "app/commands/junit.h"

namespace ropescope {

namespace {

using Result = JunitCase::Result;

constexpr const char* kCheck = "ropescope.check";
constexpr const char* kCompare = "ropescope.compare";

Result result_of(const CheckedInput& input, Verdict verdict) {
  if (verdict == Verdict::no_evidence) return Result::error;
  if (!input.evidence) return Result::skipped;
  // What is harmless differs, and is no failure.
  return input.agrees || verdict == Verdict::agrees ? Result::passed : Result::failed;
}

/// Names of the kinds of layers of both sides, and "layout", in the order in which they are compared.
std::vector<std::string> compared_things(const CompareReport& report) {
  std::vector<std::string> names;
  const auto add = [&names](const std::string& name) {
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  };
  for (const Described* side : {&report.a, &report.b}) {
    for (const Profile& profile : side->side.profiles) add(profile.name);
  }
  if (report.a.side.layout && report.b.side.layout) add("layout");
  for (const ModelDifference& difference : report.comparison.differences) add(difference.profile);
  return names;
}

}  // namespace

std::string check_junit(const CheckReport& report, const CheckReference& reference, const Text& text) {
  std::string causes;
  for (const CheckCause& cause : report.causes) causes += "\n" + cause_text(cause, reference, text);
  std::string notes;
  for (const Words& note : report.notes) notes += "\nnote: " + text.say(note) + "\n";
  std::vector<JunitCase> cases;
  for (const CheckedInput& input : report.inputs) {
    JunitCase one{input.which, result_of(input, report.verdict), {}, {}};
    if (one.result != Result::passed) {
      one.message = one.result == Result::failed ? verdict_line(report, text, true) : "no evidence";
      one.text = input_text(input, text) + (one.result == Result::failed ? causes + notes : "");
    } else if (!input.agrees || report.recurrence) {
      one.text = (report.recurrence ? verdict_line(report, text) + "\n" : "") + causes;
    } else if (!report.profile.empty()) {
      one.text = "profile: " + report.profile + "\n" + notes;
    }
    cases.push_back(std::move(one));
  }
  return junit_xml(kCheck, cases);
}

std::string compare_junit(const CompareReport& report, const Text& text) {
  std::vector<JunitCase> cases;
  for (const std::string& name : compared_things(report)) {
    JunitCase one{name, Result::passed, {}, {}};
    for (const ModelDifference& difference : report.comparison.differences) {
      if (difference.profile != name) continue;
      one.result = Result::failed;
      one.message += (one.message.empty() ? "" : " and ") + difference.cause;
      one.text += difference_text(difference, text);
    }
    cases.push_back(std::move(one));
  }
  return junit_xml(kCompare, cases);
}

std::string unusable_junit(const std::string& command, const std::string& message) {
  return junit_xml("ropescope." + command, {{command, Result::error, message, {}}});
}

}  // namespace ropescope
