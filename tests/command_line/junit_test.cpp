// --junit of check and compare: valid XML for every verdict, read back by Python if it is available.

#include "app/resources/formulas.h"
#include "tests/command_line/check_tables.h"
#include "tests/said.h"

namespace ropescope {
namespace {

using Junit = InWorkplace;

/// What an XML parser reads: the attributes of the suite, and of each case its name, what came of it, message and text.
/// Null where there is no Python.
json parsed(const Workplace& place, const std::string& name) {
  place.write("read.py", R"(import json, sys, xml.etree.ElementTree as tree
suites = tree.parse(sys.argv[1]).getroot()
assert suites.tag == "testsuites" and len(suites) == 1, suites
suite = suites[0]
cases = [{"name": c.get("name"), "result": [r.tag for r in c], "message": [r.get("message") for r in c],
          "text": [r.text for r in c]} for c in suite]
assert all(c.tag == "testcase" for c in suite)
json.dump({"suite": suite.attrib, "cases": cases}, open(sys.argv[2], "w"))
)");
  if (std::system("python3 -c pass >/dev/null 2>&1") != 0) return nullptr;
  const std::string command = "python3 '" + place.path("read.py").string() + "' '" + place.path(name).string() + "' '" +
                              place.path("read.json").string() + "'";
  EXPECT_EQ(std::system(command.c_str()), 0) << place.read(name);
  return json::parse(place.read("read.json"));
}

#define ASSERT_OR_SKIP(parsed) \
  if ((parsed).is_null()) GTEST_SKIP() << "no python3 is there"

Words check_of(const Workplace& place) {
  return plain_check(tables_of(place)) + Words{"--junit", "report.xml"};
}

TEST_F(Junit, ACaseForEachInputAlsoWhereTheyAgree) {
  write_tables(place, PlainTable());
  place.good(check_of(place));
  const json report = parsed(place, "report.xml");
  ASSERT_OR_SKIP(report);
  EXPECT_EQ(report["suite"]["name"], "ropescope.check");
  EXPECT_EQ(report["suite"]["tests"], "2");
  for (const char* none : {"failures", "errors", "skipped"}) EXPECT_EQ(report["suite"][none], "0");
  EXPECT_EQ(report["cases"][0]["name"], "cos");
  EXPECT_EQ(report["cases"][1]["name"], "sin");
  for (const json& one : report["cases"]) EXPECT_TRUE(one["result"].empty());
}

TEST_F(Junit, AFailureHasCauseTextAndAdvice) {
  PlainTable table;
  table.base = 500;
  write_tables(place, table);
  const Outcome outcome = place.run(check_of(place));
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_THAT(outcome.output, HasSubstr("disagrees: base\n")) << "standard output stays";
  const json report = parsed(place, "report.xml");
  ASSERT_OR_SKIP(report);
  EXPECT_EQ(report["suite"]["failures"], "2");
  const json& one = report["cases"][0];
  EXPECT_EQ(one["result"], json::array({"failure"}));
  EXPECT_EQ(one["message"][0], "disagrees: base (base 500)");
  const std::string text = one["text"][0];
  EXPECT_THAT(text, HasSubstr("largest difference"));
  EXPECT_THAT(text, Says("check.base.advice", {{"due", "10000"}}));
  EXPECT_THAT(text, HasSubstr("\"rope_theta\": 10000.0"));
}

TEST_F(Junit, NoEvidenceIsAnError) {
  PlainTable table;
  table.tokens = 1;
  write_tables(place, table);
  EXPECT_EQ(place.run(check_of(place)).exit_code, 2);
  const json report = parsed(place, "report.xml");
  ASSERT_OR_SKIP(report);
  EXPECT_EQ(report["suite"]["errors"], "2");
  EXPECT_EQ(report["cases"][0]["message"][0], "no evidence");
}

TEST_F(Junit, WhatCannotBeUsedIsAnError) {
  EXPECT_EQ(place.run(check_of(place)).exit_code, 2);
  const json report = parsed(place, "report.xml");
  ASSERT_OR_SKIP(report);
  EXPECT_EQ(report["suite"]["errors"], "1");
  EXPECT_THAT(report["cases"][0]["message"][0].get<std::string>(), HasSubstr("cos.npy"));
  write_tables(place, PlainTable());
  Words elsewhere = check_of(place);
  elsewhere.back() = "none/report.xml";
  place.bad(elsewhere, {"none"});
}

TEST_F(Junit, NamesAreEscaped) {
  const PlainTable table;
  const std::string name = "<a & \"b\"> \x01\xC3\x28.npy";
  place.write(name, npy(table.shape(), table.sines()));
  place.write("sin.npy", npy(table.shape(), table.sines()));
  Words words = plain_check({"--cos", place.path(name), "--sin", place.path("sin.npy"), "--junit", "report.xml"});
  EXPECT_EQ(place.run(words).exit_code, 1);
  EXPECT_THAT(place.read("report.xml"), HasSubstr("&lt;a &amp; &quot;b&quot;&gt;"));
  const json report = parsed(place, "report.xml");
  ASSERT_OR_SKIP(report);
  EXPECT_THAT(report["cases"][0]["text"][0].get<std::string>(), HasSubstr("<a & \"b\">"));
}

TEST_F(Junit, CompareHasACaseForEachKindOfLayers) {
  place.write("a.json", R"({"model_type": "gemma3_text"})");
  place.write("b.json", R"({"model_type": "gemma3_text", "rope_local_base_freq": 20000})");
  EXPECT_EQ(place.run({"compare", "a.json", "b.json", "--junit", "report.xml"}).exit_code, 1);
  json report = parsed(place, "report.xml");
  ASSERT_OR_SKIP(report);
  EXPECT_EQ(report["suite"]["name"], "ropescope.compare");
  EXPECT_EQ(report["suite"]["tests"], "2");
  EXPECT_EQ(report["suite"]["failures"], "1");
  for (const json& one : report["cases"]) {
    EXPECT_EQ(one["result"].empty(), one["name"] != "sliding attention") << one;
  }
  place.good({"compare", "a.json", "a.json", "--junit", "report.xml"});
  report = parsed(place, "report.xml");
  EXPECT_EQ(report["suite"]["failures"], "0");
  EXPECT_EQ(place.run({"compare", "a.json", "none.json", "--junit", "report.xml"}).exit_code, 2);
  EXPECT_EQ(parsed(place, "report.xml")["suite"]["errors"], "1");
}

TEST(Xml, HoldsWhatXmlCanHold) {
  EXPECT_EQ(xml_escaped("a < b && \"c\" > d\n\t"), "a &lt; b &amp;&amp; &quot;c&quot; &gt; d\n\t");
  EXPECT_EQ(xml_escaped("θ 주파수 😀"), "θ 주파수 😀");
  const std::string bad = "\xEF\xBF\xBD";
  EXPECT_EQ(xml_escaped(std::string("\0\x1B\x7F", 3)), bad + bad + "\x7F");
  EXPECT_EQ(xml_escaped("\xC0\xAF"), bad + bad) << "too long a form";
  EXPECT_EQ(xml_escaped("\xED\xA0\x80"), bad + bad + bad) << "half of a pair";
  EXPECT_EQ(xml_escaped("\xEF\xBF\xBE"), bad + bad + bad);
  EXPECT_EQ(xml_escaped("\xE2\x82"), bad + bad) << "cut off";
}

}  // namespace
}  // namespace ropescope
