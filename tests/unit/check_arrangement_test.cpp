#include "check_dump.h"
#include "core/check/compare/arrangement.h"
#include "core/formats/programs/check_fix.h"

// From the attention itself: q and k of one layer before and after, and which permutation of wq and wk, or which order
// of heads, lies between. The numbers are NumPy's (tests/reference/attention/make.py), made from weights.

namespace ropescope {

namespace {

class Attention {
 public:
  Attention() {
    std::ifstream file(source_folder() + "/tests/reference/attention/permuted.json");
    file >> all_;
  }

  CheckReference reference(const std::string& name) const {
    RotarySpec spec{.head_dim = all_["channels"],
                    .pairing = all_["cases"][name]["pairing"] == "half" ? Pairing::half_split : Pairing::interleaved,
                    .axes = {RotaryAxis{.rotary_dim = all_["channels"], .base = all_["base"]}}};
    return reference_from_rope(spec);
  }

  CheckInputs inputs(const std::string& name, Storage storage = Storage::float32) const {
    const json& one = all_["cases"].at(name);
    const auto tensor = [&](const char* side, const json& vectors) {
      const std::int64_t tokens = all_["tokens"], heads = vectors["heads"], width = all_["channels"];
      return store_values(side, {tokens, heads, width}, vectors["numbers"].get<std::vector<double>>(), storage);
    };
    CheckInputs made;
    made.before = tensor("before", all_["before"][one["of"].get<std::string>()]);
    made.after = tensor("after", one["after"]);
    made.head_order = HeadOrder::tokens_first;
    return made;
  }

  CheckReport report(const std::string& name, Storage storage = Storage::float32, bool strict = false) const {
    CheckReference of = reference(name);
    of.strict = strict;
    return check(of, inputs(name, storage));
  }

 private:
  json all_;
};

}  // namespace

TEST(CheckArrangement, NamesThePermutationOfTheWeights) {
  const Attention layer;
  const std::map<std::string, std::string> kinds = {{"converted and turned by halves", "kept"},
                                                    {"converted backwards", "reversed"},
                                                    {"converted twice", "twice"},
                                                    {"wk with the heads of q", "heads"},
                                                    {"wk with n_head // n_head_kv for one head", "heads"},
                                                    {"some heads", "some"}};
  for (const auto& [name, kind] : kinds) {
    for (const Storage storage : {Storage::float32, Storage::bfloat16, Storage::float64}) {
      const CheckReport report = layer.report(name, storage);
      EXPECT_EQ(report.verdict, Verdict::disagrees) << name;
      ASSERT_FALSE(report.causes.empty()) << name;
      EXPECT_EQ(report.causes[0].name, "weight-permutation") << name;
      EXPECT_EQ(text_of(report, "kind"), kind) << name;
      EXPECT_LE(report.causes[0].residual_after, 0.25 * report.causes[0].residual_before) << name;
      EXPECT_FALSE(report.inputs.at(0).agrees) << name;
    }
    EXPECT_EQ(names_of(layer.report(name)), "weight-permutation") << name;
  }
  EXPECT_EQ(number_of(layer.report("wk with the heads of q"), "heads"), 4);
  EXPECT_EQ(number_of(layer.report("wk with n_head // n_head_kv for one head"), "heads"), 1);
  const CheckReport some = layer.report("some heads");
  EXPECT_THAT(list_of(some, "heads"), SizeIs(2));
  const auto says_of_heads = [](const char* heads, const std::string& way) {
    return Says("check.weight-permutation.of_heads",
                {{"heads", heads}, {"way", english_text()["check.weight-permutation.way." + way]}});
  };
  EXPECT_THAT(said(some.causes[0].evidence), says_of_heads("0 to 1", "converted"));
  EXPECT_THAT(said(some.causes[0].evidence), says_of_heads("2 to 3", "neighbours"));
  const Fix fix = fix_of(some.causes[0], layer.reference("some heads"));
  EXPECT_THAT(fix.numpy, HasSubstr("def permute(w, heads)"));
}

/// Scores are the model's where q and k both stand in the converter's order: a note, and a fault where nothing may
/// differ.
TEST(CheckArrangement, VectorsInTheOrderOfAGgufAreRight) {
  const Attention layer;
  EXPECT_EQ(names_of(layer.report("right, halves")), "agrees");
  for (const char* name : {"right, converted", "converted, of a gguf"}) {
    const CheckReport report = layer.report(name);
    EXPECT_EQ(report.verdict, Verdict::agrees) << name;
    EXPECT_EQ(names_of(report), "weight-permutation") << name;
    EXPECT_TRUE(report.causes[0].harmless);
    EXPECT_EQ(text_of(report, "kind"), "converted");
    EXPECT_EQ(layer.report(name, Storage::float32, true).verdict, Verdict::disagrees);
  }
  const CheckReport missing = layer.report("not converted");
  EXPECT_EQ(names_of(missing), "pairing");
  EXPECT_TRUE(has_note(missing, "check.note.pairing_of_weights"));
  CheckReference gguf = layer.reference("not converted");
  gguf.is_gguf = true;
  EXPECT_TRUE(has_note(check(gguf, layer.inputs("not converted")), "check.note.pairing_of_gguf"));
}

TEST(CheckArrangement, NamesTheOrderOfHeads) {
  const Attention layer;
  const std::map<std::string, std::pair<std::string, std::vector<double>>> orders = {
      {"key heads in turn", {"tiled", {0, 1, 0, 1}}},
      {"heads reversed", {"reversed", {3, 2, 1, 0}}},
      {"groups and members exchanged", {"grouped", {0, 2, 1, 3}}},
      {"two heads exchanged", {"exchanged", {0, 3, 2, 1}}}};
  for (const auto& [name, order] : orders) {
    const CheckReport report = layer.report(name);
    EXPECT_EQ(names_of(report), "head-order") << name;
    EXPECT_EQ(report.verdict, Verdict::disagrees) << name;
    EXPECT_EQ(text_of(report, "kind"), order.first) << name;
    EXPECT_EQ(list_of(report, "heads"), order.second) << name;
    EXPECT_TRUE(fix_of(report.causes[0], layer.reference(name)).empty());
  }
  const CheckReport repeated = layer.report("key heads repeated");
  EXPECT_EQ(names_of(repeated), "agrees");
  EXPECT_TRUE(has_note(repeated, "check.note.repeated_heads", TextValues{{"heads", "2"}}));
  const CheckReport tiled = layer.report("key heads in turn");
  EXPECT_THAT(said(tiled.causes[0].evidence), Says("check.head-order.evidence_tiled"));
}

/// Everything else is said of the vectors as they should stand.
TEST(CheckArrangement, OtherCausesAreFoundBesideIt) {
  const Attention layer;
  const CheckReport base = layer.report("converted backwards, another base");
  EXPECT_EQ(names_of(base), "weight-permutation + base");
  EXPECT_NEAR(std::get<double>(base.causes.at(1).parameters.at(0).value), 500000, 50);
  EXPECT_EQ(names_of(layer.report("heads reversed, one position late")), "head-order + position-offset");
}

/// [heads, tokens, channels] viewed as [tokens, heads, channels]: every vector is turned by a position of its own.
TEST(CheckArrangement, AxesThatWereOnlyViewedOtherwise) {
  const Attention layer;
  CheckInputs inputs = layer.inputs("right, halves");
  const std::int64_t tokens = inputs.before->shape[0], heads = inputs.before->shape[1], width = inputs.before->shape[2];
  for (auto* tensor : {&inputs.before, &inputs.after}) {
    std::vector<double> numbers(static_cast<std::size_t>((*tensor)->count())), viewed(numbers.size());
    read_rows(**tensor, 0, tokens, numbers.data());
    for (std::int64_t i = 0; i < tokens * heads; ++i) {
      std::copy_n(numbers.begin() + i * width, width, viewed.begin() + (i % heads * tokens + i / heads) * width);
    }
    *tensor = store_values((*tensor)->name, (*tensor)->shape, viewed, Storage::float32);
  }
  const CheckReport report = check(layer.reference("right, halves"), inputs);
  EXPECT_TRUE(finds(report, "position-offset", {{"kind", "transposed"}}));
  EXPECT_THAT(said(report.causes[0].evidence), Says("check.position-offset.evidence_transposed", {{"tokens", "8"}}));
}

/// What changes lengths, or has no length, tells nothing of an order.
TEST(CheckArrangement, LengthsThatChangeTellNothing) {
  const Attention layer;
  const CheckReference due = layer.reference("right, halves");
  CheckInputs zero = layer.inputs("right, halves"), other = zero;
  const std::vector<double> none(static_cast<std::size_t>(zero.before->count()), 0);
  zero.before = store_values("before", zero.before->shape, none, Storage::float32);
  zero.after = store_values("after", zero.after->shape, none, Storage::float32);
  EXPECT_EQ(check(due, zero).verdict, Verdict::no_evidence);
  std::vector<double> numbers(none.size());
  read_rows(*other.after, 0, other.after->shape[0], numbers.data());
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] *= 1 + 0.5 * static_cast<double>(i % 5);
  other.after = store_values("after", other.after->shape, numbers, Storage::float32);
  for (const CheckCause& cause : check(due, other).causes) {
    EXPECT_NE(cause.name, "head-order");
    EXPECT_NE(cause.name, "weight-permutation");
  }
  // Other numbers of heads that are no multiple.
  CheckInputs odd = layer.inputs("key heads repeated");
  odd.after->shape[1] = 3;
  EXPECT_THROW(check(layer.reference("key heads repeated"), odd), InputError);
}

}  // namespace ropescope
