#include "app/resources/text.h"
#include "tests/command_line/program.h"
#include "tests/places.h"
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

TEST_F(LimitsCommand, OfLlama2) {
  const json result = limits(place, {"--model", "llama-2-7b"});
  EXPECT_EQ(result["largest_context"], 1706);
  EXPECT_EQ(result["first_negative_distance"], 1707);
  EXPECT_NEAR(result["smallest_base"].get<double>(), 26952.3, 0.05);
  EXPECT_EQ(result["critical_dimension"], 92);
  EXPECT_EQ(result["unseen_pairs"], 18);
  EXPECT_NEAR(result["effective_pairs"].get<double>(), 51.8275, 1e-4);
  ASSERT_EQ(result["window"].size(), 2u);
  EXPECT_EQ(result["window"][0], result["smallest_base"]);
  EXPECT_NEAR(result["window"][1].get<double>(), 26973.1, 0.1);
  EXPECT_NEAR(result["robust_base"].get<double>(), 58788, 2);
  EXPECT_EQ(result["robust_ratio"], 1.0005);
  EXPECT_LT(result["shaken_context"], 1706);
  EXPECT_NEAR(result["shaken_base"].get<double>(), 10000, 100.1);
  EXPECT_EQ(result["unseen_ranges"], json::parse("[[46, 63]]"));
  EXPECT_EQ(result.size(), 14u);
  const json& question = result["question"];
  EXPECT_EQ(question["base"], 10000);
  EXPECT_EQ(question["rotary_dim"], 128);
  EXPECT_TRUE(question["extension"].is_null());
  EXPECT_EQ(question["trained_length"], 4096);
  EXPECT_EQ(question["context"], 4096);
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

TEST_F(LimitsCommand, AModelWithTwoLengthsHasBothInTheQuestion) {
  const Words llama = {"limits", "--model", "llama-3.1-8b"};
  const std::string text = place.good(llama);
  EXPECT_THAT(text, AllOf(Says("answer.lengths", {{"trained", "8192"}, {"extended", "131072"}}),
                          Says("answer.original_length", {{"extended", "131072"}}), HasSubstr(" 131072 ")));
  const json question = limits(place, {"--model", "llama-3.1-8b", "--context", "100"})["question"];
  EXPECT_EQ(question["trained_length"], 8192);
  EXPECT_EQ(question["context_length"], 131072);
  EXPECT_EQ(question["origin"]["context"], "--context");
  EXPECT_FALSE(limits(place, {"--model", "llama-3.1-8b", "--context", "100", "--scaling", "none"})["question"].contains(
      "context_length"))
      << "without its extension the model does not support it";
}

TEST_F(LimitsCommand, ABaseIsNotNeededForTheBaseOfAContext) {
  const json found = limits(place, {"--dim", "128", "--context", "4096"});
  EXPECT_NEAR(found["smallest_base"].get<double>(), 26952.3, 0.05);
  EXPECT_FALSE(found["question"].contains("base"));
  for (const char* key : {"largest_context", "shaken_context", "effective_pairs", "unseen_pairs"}) {
    EXPECT_TRUE(found[key].is_null()) << key;
  }
  EXPECT_THAT(found["notes"].dump(), Says("answer.limits.published_agrees", {{"thousands", "4"}}));
  EXPECT_THAT(limits(place, {"--dim", "128", "--context", "32Ki"})["notes"].dump(),
              Says("answer.limits.published_differs", {{"thousands", "32"}}))
      << "6.3e5 is not 6.4e5";
  EXPECT_THAT(place.good({"limits", "--dim", "128", "--context", "100"}),
              AllOf(Says("answer.limits.ask_base"), Says("answer.limits.smallest_open")));
  EXPECT_THAT(place.good({"limits", "--dim", "128", "--base", "500"}),
              AllOf(Says("answer.limits.ask_context"), Says("answer.limits.ask_length")));
  place.bad({"limits", "--dim", "128"}, {"--base", "--context"});
  place.bad({"limits", "--dim", "128", "--context", "100", "--factors", "linear"}, {"--base"});
  place.bad({"limits", "--dim", "128", "--context", "100", "--scaling", "linear"}, {"--base"});
}

TEST_F(LimitsCommand, LayersWithoutRotationAreNoted) {
  const json found = limits(place, {"--model", "llama-4-scout-17b-16e", "--context", "100"});
  EXPECT_THAT(found["notes"].dump(), Says("config_note.one_unrotated_in_of"));
  EXPECT_THAT(place.good({"frequencies", "--model", "llama-4-scout-17b-16e", "--json"}),
              Says("config_note.one_unrotated_in_of"));
  EXPECT_EQ(limits(place, {"--model", "llama-2-7b", "--context", "100"})["notes"], json::array());
}

// First negative sums of the two lists of Phi-3.5's config.json, in Python.
TEST_F(LimitsCommand, OfALadderThatLooksAtTheLengthAreThoseOfTheContext) {
  const Words phi = {"--model", "phi-3.5-mini-instruct"};
  const auto with = [&](const Words& more) { return limits(place, phi + more); };
  const json far = with({"--context", "131072"});
  EXPECT_EQ(far["first_negative_distance"], 39894);
  EXPECT_EQ(far["largest_context"], 39893);
  EXPECT_EQ(far["ladder"], "longrope (factor 32), long list (131072)");
  const json near = with({});
  EXPECT_EQ(near["largest_context"], 2282);
  EXPECT_EQ(near["ladder"], "longrope (factor 32), short list (4096)");
  EXPECT_EQ(with({"--context", "131072", "--length", "4096"})["largest_context"], 2282);
}

TEST_F(LimitsCommand, PairsThatStandStillAreNotUnseen) {
  const json gemma4 = limits(place, {"--model", "gemma-4-26b-a4b", "--context", "1000"});
  EXPECT_EQ(gemma4["unseen_pairs"], 0);
  EXPECT_EQ(gemma4["critical_dimension"], 128);
  EXPECT_EQ(limits(place, {"--model", "gemma-3-4b-it", "--context", "1000"})["unseen_pairs"], 48);
}

// 26 952.339 227 857 867 875 and 51.827 549 110 631 by the formulas with 40 digits.
TEST_F(LimitsCommand, PrintsTheDigitsThatAreRight) {
  for (const std::string threads : {"1", "2", "5"}) {
    for (int again = 0; again < 3; ++again) {
      const std::string text = place.good({"limits", "--model", "llama-2-7b", "--json", "--threads", threads});
      EXPECT_THAT(text, HasSubstr("\"smallest_base\": 26952.3392278579,"));
      EXPECT_THAT(text, HasSubstr("\"effective_pairs\": 51.8275491106"));
    }
  }
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

TEST_F(LimitsCommand, TheContextIsThatOfTheSmallestBaseAndOfTheMovingPairsAlone) {
  const json trained = limits(place, {"--model", "llama-2-7b"});
  const json given = limits(place, {"--model", "llama-2-7b", "--context", "131072"});
  EXPECT_NEAR(given["smallest_base"].get<double>(), 4869104, 0.5);
  EXPECT_THAT(given["notes"].dump(), Says("answer.limits.published_differs", {{"thousands", "128"}}));
  EXPECT_GT(given["effective_pairs"], trained["effective_pairs"]);
  for (const char* key : {"largest_context", "first_negative_distance", "critical_dimension", "unseen_pairs"}) {
    EXPECT_EQ(given[key], trained[key]) << key;
  }
}

TEST_F(LimitsCommand, WithoutATrainedLengthWhatNeedsOneIsNull) {
  const json plain = limits(place, {"--dim", "128", "--base", "10000"});
  EXPECT_EQ(plain["first_negative_distance"], 1707);
  for (const char* key :
       {"smallest_base", "window", "robust_base", "critical_dimension", "unseen_pairs", "effective_pairs"}) {
    EXPECT_TRUE(plain[key].is_null()) << key;
  }
  const json with_context = limits(place, {"--dim", "128", "--base", "10000", "--context", "8192"});
  EXPECT_NEAR(with_context["smallest_base"].get<double>(), 83763.8, 0.05);
  EXPECT_TRUE(with_context["critical_dimension"].is_null());
  const json with_length = limits(place, {"--dim", "128", "--base", "10000", "--trained-length", "4096"});
  EXPECT_EQ(with_length["critical_dimension"], 92);
}

TEST_F(LimitsCommand, BeyondTheFarthestDistanceTheContextIsNull) {
  const json result = limits(place, {"--dim", "128", "--base", "1e12"});
  EXPECT_TRUE(result["largest_context"].is_null());
  EXPECT_TRUE(result["first_negative_distance"].is_null());
  EXPECT_TRUE(result["shaken_context"].is_null());
  EXPECT_TRUE(result["shaken_base"].is_null());
  const json none = limits(place, {"--dim", "2", "--base", "100", "--context", "2"});
  for (const char* key : {"smallest_base", "window", "robust_base"}) {
    EXPECT_TRUE(none[key].is_null()) << key << ": cos 2 < 0 whatever the base";
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

TEST_F(LimitsCommand, TheFactorsThatAllowAContext) {
  const json seen = limits(
      place, {"--model", "llama-2-7b", "--context", "8192", "--factors", "linear,ntk-aware", "--criterion", "seen"});
  EXPECT_EQ(seen["criterion"], "seen");
  EXPECT_NEAR(seen["factors"]["linear"]["smallest"].get<double>(), 2, 0.002);
  EXPECT_GT(seen["factors"]["ntk-aware"]["smallest"], seen["factors"]["linear"]["smallest"]);
  const json sums = limits(place, {"--model", "llama-2-7b", "--context", "8192", "--factors", "all"});
  EXPECT_EQ(sums["criterion"], "non-negative");
  const json linear = sums["factors"]["linear"]["smallest"];
  const json with_it = limits(place, {"--model", "llama-2-7b", "--scaling", "linear", "--factor", linear.dump()});
  EXPECT_GE(with_it["largest_context"], 8192) << "read back as printed";
  place.bad({"limits", "--dim", "64", "--base", "100", "--factors", "linear"}, {"--factors", "--context"});
  place.bad({"limits", "--model", "llama-2-7b", "--factors", "longrope"}, {"--factors", "linear"});
  place.bad({"limits", "--model", "llama-2-7b", "--factors", "linear", "--criterion", "best"}, {"--criterion", "seen"});
  place.bad({"limits", "--model", "llama-2-7b", "--factors", "linear", "--criterion", "level"}, {"--level"});
  place.bad({"limits", "--model", "llama-2-7b", "--criterion", "seen"}, {"--factors"});
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

TEST_F(LimitsCommand, BadInput) {
  for (const std::string context : {"0", "-1", "4096.5", "nan", "many", "16777217", ""}) {
    place.bad({"limits", "--dim", "64", "--base", "100", "--context", context},
              {"--context", said(Message("expected.whole", {{"least", "1"}, {"most", "16777216"}}))});
  }
  place.bad({"limits"}, {"--dim"});
  place.bad({"limits", "--dim", "7", "--base", "100"}, {"--dim"});
}

}  // namespace
}  // namespace ropescope
