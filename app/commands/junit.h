#pragma once

#include <string>
#include <vector>

namespace ropescope {

/// One thing that was compared, for a JUnit report.
struct JunitCase {
  enum class Result { passed, failed, skipped, error };
  std::string name;
  Result result = Result::passed;
  std::string message;  ///< on one line: what is wrong; of one that passed nothing
  std::string text;     ///< all of it
};

/// <testsuites> with one <testsuite> and a <testcase> for each, as continuous integration reads it. What XML cannot
/// hold is replaced (xml_escaped).
std::string junit_xml(const std::string& suite, const std::vector<JunitCase>& cases);

}  // namespace ropescope
