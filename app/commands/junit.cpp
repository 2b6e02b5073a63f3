#include "app/commands/junit.h"

#include <algorithm>

#include "app/resources/xml.h"

namespace ropescope {

namespace {

std::string attribute(const char* name, const std::string& value) {
  return std::string(" ") + name + "=\"" + xml_escaped(value) + "\"";
}

std::string junit_counted(const char* name, const std::vector<JunitCase>& cases, JunitCase::Result result) {
  const auto count = std::count_if(cases.begin(), cases.end(), [&](const auto& one) { return one.result == result; });
  return attribute(name, std::to_string(count));
}

const char* element_of(JunitCase::Result result) {
  switch (result) {
    case JunitCase::Result::failed:
      return "failure";
    case JunitCase::Result::skipped:
      return "skipped";
    case JunitCase::Result::error:
      return "error";
    case JunitCase::Result::passed:
      break;
  }
  return "system-out";
}

std::string case_xml(const std::string& suite, const JunitCase& one) {
  std::string xml = "    <testcase" + attribute("classname", suite) + attribute("name", one.name);
  if (one.result == JunitCase::Result::passed && one.text.empty()) return xml + "/>\n";
  const std::string element = element_of(one.result);
  xml += ">\n      <" + element;
  if (one.result != JunitCase::Result::passed) xml += attribute("message", one.message);
  return xml + ">" + xml_escaped(one.text) + "</" + element + ">\n    </testcase>\n";
}

}  // namespace

std::string junit_xml(const std::string& suite, const std::vector<JunitCase>& cases) {
  std::string xml = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n  <testsuite";
  xml += attribute("name", suite) + attribute("tests", std::to_string(cases.size())) +
         junit_counted("failures", cases, JunitCase::Result::failed) +
         junit_counted("errors", cases, JunitCase::Result::error) +
         junit_counted("skipped", cases, JunitCase::Result::skipped) + ">\n";
  for (const JunitCase& one : cases) xml += case_xml(suite, one);
  return xml + "  </testsuite>\n</testsuites>\n";
}

}  // namespace ropescope
