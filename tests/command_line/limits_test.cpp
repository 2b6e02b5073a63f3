#include "tests/command_line/program.h"
#include "tests/said.h"

namespace ropescope {
namespace {

using LimitsCommand = InWorkplace;

std::string korean(const std::string& key) {
  return Text::load(source_folder() + "/assets", "ko")[key];
}

json limits(const Workplace& place, const Words& arguments) {
  return json::parse(place.good(Words{"limits", "--json"} + arguments));
}

TEST_F(LimitsCommand, TheTextHasTheQuestionAndASentenceForEachNumber) {
  const std::string text = place.good({"limits", "--model", "llama-2-7b", "--base", "20000", "--context", "100"});
  EXPECT_THAT(text, AllOf(HasSubstr("20000  (--base)"), HasSubstr("100  (--context)"), HasSubstr("llama-2-7b")));
  EXPECT_THAT(text, AllOf(Says("answer.limits.largest"), Says("answer.limits.perturbed"),
                          Says("answer.limits.enough", {{"context", "100"}}), Says("answer.limits.robust"),
                          Says("answer.limits.moving", {{"context", "100"}, {"all", "64"}})));
  EXPECT_THAT(place.good({"limits", "--model", "llama-2-7b", "--context", "2000", "--scaling", "none"}),
              AllOf(Says("answer.limits.short", {{"context", "2000"}}), HasSubstr("46 to 63"), HasSubstr("18 of 64")));
  EXPECT_THAT(place.good({"limits", "--model", "llama-2-7b", "--context", "100", "--language", "ko"}),
              HasSubstr(korean("answer.question.context")));
}

TEST_F(LimitsCommand, EveryNumberPassesItsOwnTestWhenItIsReadBack) {
  for (const std::string dim : {"64", "128"}) {
    for (const int context : {100, 1000, 4096}) {
      const json result = limits(place, {"--dim", dim, "--base", "10000", "--context", std::to_string(context)});
      for (const json& base :
           {result["smallest_base"], result["window"][0], result["window"][1], result["robust_base"]}) {
        const json of_base = limits(place, {"--dim", dim, "--base", base.dump()});
        const json& largest = of_base["largest_context"];  // null: beyond the farthest distance
        EXPECT_TRUE(largest.is_null() || largest >= context) << dim << ": " << base << ": " << largest;
      }
      const json shaken = limits(place, {"--dim", dim, "--base", result["shaken_base"].dump()});
      EXPECT_EQ(shaken["largest_context"], result["shaken_context"]);
    }
  }
}

TEST_F(LimitsCommand, AnExtensionReachesFartherButTheCriticalDimensionIsThePlainOne) {
  const json plain = limits(place, {"--model", "llama-2-7b"});
  const json linear = limits(place, {"--model", "llama-2-7b", "--scaling", "linear", "--factor", "4"});
  // All wavelengths are four times as long, so the sum is negative in the same places between the whole distances.
  EXPECT_NEAR(linear["first_negative_distance"].get<double>(), 4 * 1707, 8);
  EXPECT_LT(linear["effective_pairs"], plain["effective_pairs"]);
  for (const char* key : {"smallest_base", "critical_dimension", "unseen_pairs"})
    EXPECT_NEAR(linear[key].get<double>(), plain[key].get<double>(), 1e-6 * plain[key].get<double>());
}

TEST_F(LimitsCommand, OfOneAxis) {
  json row = limits(place, {"--model", "flux.1-dev", "--axis", "row", "--context", "64"});
  json plain = limits(place, {"--dim", "56", "--base", "10000", "--context", "64"});
  EXPECT_EQ(row["question"]["axis"], "row");
  EXPECT_EQ(row["question"]["rotary_dim"], plain["question"]["rotary_dim"]);
  row.erase("question");
  plain.erase("question");
  EXPECT_EQ(row, plain);
  const Outcome outcome = place.run({"limits", "--model", "flux.1-dev"});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_THAT(outcome.errors, HasSubstr("--axis accepts t, row or column"));
}

TEST_F(LimitsCommand, CtrlCEndsALongSearch) {
  const Outcome outcome =
      place.interrupted({"limits", "--dim", "8192", "--base", "1e12", "--context", "16777216", "-o", "f.json"});
  EXPECT_EQ(outcome.exit_code, 130);
  EXPECT_EQ(outcome.output, "");
  EXPECT_EQ(outcome.errors, "ropescope: " + said(Message("notice.cancelled.limits")) + "\n");
  EXPECT_TRUE(place.files().empty());
}

}  // namespace
}  // namespace ropescope
