// Incorrect ramps of YaRN, Llama 3, LongRoPE and NTK-by-parts in a port: frequencies by formulas written out here, each
// as tables and as a list.

#include "check_advice.h"
#include "check_faults.h"
#include "core/check/causes/cause.h"

namespace ropescope {
namespace {

using Ladder = std::vector<double>;

/// A rope, and what its method is made of, by the published formulas.
struct Made {
  CheckCase one;
  Ladder plain, kept;
  double factor = 1, base = 1e4, trained = 4096;

  int pairs() const { return static_cast<int>(plain.size()); }
  Ladder of(const std::function<double(int)>& at) const {
    Ladder all;
    for (int i = 0; i < pairs(); ++i) all.push_back(at(i));
    return all;
  }
  Ladder on(double other) const {
    return of([&](int i) { return std::pow(other, -2.0 * i / (2 * pairs())); });
  }
  Ladder divided() const {
    return of([&](int i) { return plain[static_cast<std::size_t>(i)] / factor; });
  }
  static Ladder blend(const Ladder& part, const Ladder& fast, const Ladder& slow) {
    Ladder all;
    for (std::size_t i = 0; i < part.size(); ++i) all.push_back(part[i] * fast[i] + (1 - part[i]) * slow[i]);
    return all;
  }
  double ntk() const { return base * std::pow(factor, pairs() / (pairs() - 1.0)); }
};

/// The pair that turns so often in the trained length.
double find_pair_with_turns(const Made& made, double turns) {
  return made.pairs() * std::log(made.trained / (turns * 2 * std::numbers::pi)) / std::log(made.base);
}

Ladder ramp_between(const Made& made, double low, double high) {
  return made.of([&](int i) { return 1 - std::clamp((i - low) / (high - low), 0.0, 1.0); });
}

Made made_of(const std::string& name) {
  Made made{rope_case(name), {}, {}};
  const RotarySpec& spec = *made.one.reference.rope;
  made.base = spec.axes[0].base;
  made.factor = spec.extension.numbers.at("factor");
  made.trained = *spec.trained_length;
  for (int i = 0; i < spec.axes[0].rotary_dim / 2; ++i)
    made.plain.push_back(std::pow(made.base, -2.0 * i / spec.axes[0].rotary_dim));
  if (name.rfind("yarn", 0) == 0) {
    made.kept = ramp_between(made, std::max(std::floor(find_pair_with_turns(made, 32)), 0.0),
                             std::ceil(find_pair_with_turns(made, 1)));
  } else {
    const double slow = 1, fast = name == "llama3" ? 4 : 32;
    made.kept = made.of([&](int i) {
      const double turns = made.trained * made.plain[static_cast<std::size_t>(i)] / (2 * std::numbers::pi);
      return std::clamp((turns - slow) / (fast - slow), 0.0, 1.0);
    });
  }
  return made;
}

/// The report of frequencies in place of a rope's, as tables.
CheckReport report_of(const Made& made, const Ladder& frequencies, Dump* faulty = nullptr) {
  Dump dump = true_dump(made.one.reference);
  dump.frequencies[0] = frequencies;
  if (faulty != nullptr) *faulty = dump;
  return check(made.one.reference, tables_of(dump));
}

void expect_kind(const Made& made, const Ladder& frequencies, const std::string& kind,
                 const std::string& cause = "scaling-kind") {
  SCOPED_TRACE(made.one.name + ": " + kind);
  Dump dump;
  const CheckReport report = report_of(made, frequencies, &dump);
  EXPECT_EQ(names_of(report), cause);
  EXPECT_EQ(text_of(report, "kind"), kind);
  CheckInputs listed = frequencies_in(dump);
  const CheckReport of_list = check(made.one.reference, listed);
  EXPECT_EQ(names_of(of_list), cause);
  EXPECT_EQ(text_of(of_list, "kind"), kind);
  if (!report.causes.empty())
    expect_fixed(made.one, report.causes[0], dump, [](const Dump& after) { return tables_of(after); });
}

const std::vector<std::string> kRamps = {"yarn", "yarn-mscale", "llama3", "ntk-by-parts"};

TEST(CheckRamps, TheFormulasHereAreThoseOfTheModels) {
  for (const std::string& name : kRamps) {
    const Made made = made_of(name);
    EXPECT_EQ(names_of(report_of(made, Made::blend(made.kept, made.plain, made.divided()))), "agrees") << name;
  }
}

TEST(CheckRamps, TheRampMadeOtherwise) {
  for (const std::string& name : kRamps) {
    const Made made = made_of(name);
    const Ladder divided = made.divided();
    const auto at = [](const Ladder& of, int i) { return of[static_cast<std::size_t>(i)]; };
    expect_kind(made, Made::blend(made.of([&](int i) { return 1 - at(made.kept, i); }), made.plain, divided),
                "inverted");
    expect_kind(made, made.of([&](int i) {
      return 1 / (at(made.kept, i) / at(made.plain, i) + (1 - at(made.kept, i)) / at(divided, i));
    }),
                "wavelengths");
    expect_kind(made, made.of([&](int i) { return at(made.plain, i) * std::pow(made.factor, at(made.kept, i) - 1); }),
                "geometric");
  }
  const Made yarn = made_of("yarn");
  const Ladder exchanged =
      ramp_between(yarn, std::floor(find_pair_with_turns(yarn, 1)), std::ceil(find_pair_with_turns(yarn, 32)));
  expect_kind(yarn, Made::blend(exchanged, yarn.plain, yarn.divided()), "exchanged");
  const Made llama = made_of("llama3");
  expect_kind(llama,
              Made::blend(llama.of([&](int i) {
                const double wave = 2 * std::numbers::pi / llama.plain[static_cast<std::size_t>(i)];
                return std::clamp((8192 - wave) / (8192 - 2048), 0.0, 1.0);
              }),
                          llama.plain, llama.divided()),
              "wavelengths");
}

TEST(CheckRamps, OneOfTheTwoPartsMadeOtherwise) {
  for (const std::string& name : kRamps) {
    const Made made = made_of(name);
    const auto with = [&](const Ladder& fast, const Ladder& slow) { return Made::blend(made.kept, fast, slow); };
    expect_kind(made, with(made.plain, made.on(made.base * made.factor)), "interpolated-base");
    expect_kind(made, with(made.plain, made.on(made.ntk())), "interpolated-ntk");
    expect_kind(made, with(made.on(made.ntk()), made.divided()), "kept-ntk");
    const Ladder due = with(made.plain, made.divided());
    expect_kind(made, made.of([&](int i) {
      const auto pair = static_cast<std::size_t>(i);
      return due[pair] * due[pair] / made.plain[pair];
    }),
                "twice");
  }
}

TEST(CheckRamps, StepsBoundsAndParts) {
  const Made made = made_of("yarn");
  const Ladder divided = made.divided();
  const auto pick = [&](const std::function<bool(int)>& kept) {
    return made.of([&](int i) {
      return kept(i) ? made.plain[static_cast<std::size_t>(i)] : divided[static_cast<std::size_t>(i)];
    });
  };
  expect_kind(made, pick([](int i) { return i < 30; }), "step");
  EXPECT_EQ(number_of(report_of(made, pick([](int i) { return i < 30; })), "pairs"), 30);
  const Ladder other = Made::blend(ramp_between(made, 17, 41), made.plain, divided);
  expect_kind(made, other, "bounds");
  EXPECT_EQ(number_of(report_of(made, other), "low"), 17);
  EXPECT_EQ(number_of(report_of(made, other), "high"), 41);
  Ladder part = Made::blend(made.kept, made.plain, divided);
  for (std::size_t i = 56; i < 64; ++i) part[i] = made.plain[i];
  expect_kind(made, part, "part");
  EXPECT_EQ(list_of(report_of(made, part), "pairs"), (std::vector<double>{56, 63}));
  const Made llama = made_of("llama3");
  const Ladder turns = Made::blend(llama.of([&](int i) {
    return std::clamp((8192 * llama.plain[static_cast<std::size_t>(i)] / (2 * std::numbers::pi) - 2) / (16 - 2), 0.0,
                      1.0);
  }),
                                   llama.plain, llama.divided());
  expect_kind(llama, turns, "bounds");
  EXPECT_EQ(number_of(report_of(llama, turns), "low"), 2);
  EXPECT_EQ(number_of(report_of(llama, turns), "high"), 16);
}

TEST(CheckRamps, ASquareIsSaid) {
  const Made made = made_of("yarn");
  Ladder slow = made.plain;
  for (double& frequency : slow) frequency /= 16;
  EXPECT_TRUE(finds(report_of(made, Made::blend(made.kept, made.plain, slow)), "scaling-parameters",
                    {{"factor", 16}, {"kind", "squared"}}));
}

TEST(CheckRamps, FactorsOfLongRope) {
  const CheckCase one = rope_case("longrope");
  const std::vector<double>& factors = one.reference.rope->extension.lists.at("long_factors");
  const Dump truth = true_dump(one.reference);
  const auto with = [&](const std::function<double(std::size_t, double)>& of) {
    Dump dump = truth;
    for (std::size_t i = 0; i < factors.size(); ++i)
      dump.frequencies[0][i] = of(i, truth.frequencies[0][i] * factors[i]);
    return dump;
  };
  const std::size_t count = factors.size();
  for (const auto& [kind, dump] :
       {std::pair("multiplied", with([&](std::size_t i, double plain) { return plain * factors[i]; })),
        std::pair("twice", with([&](std::size_t i, double plain) { return plain / factors[i] / factors[i]; })),
        std::pair("reversed", with([&](std::size_t i, double plain) { return plain / factors[count - 1 - i]; })),
        std::pair("shifted", with([&](std::size_t i, double plain) { return plain / factors[i == 0 ? 0 : i - 1]; }))}) {
    const CheckReport report = check(one.reference, tables_of(dump));
    EXPECT_TRUE(finds(report, "scaling-kind", {{"kind", kind}})) << kind;
    if (!report.causes.empty())
      expect_fixed(one, report.causes[0], dump, [](const Dump& after) { return tables_of(after); });
  }
}

TEST(CheckRamps, TheExponentsSign) {
  for (const char* name : {"plain", "partial", "linear"}) {
    const CheckCase one = rope_case(name);
    Dump dump = true_dump(one.reference);
    const double factor = std::string(name) == "linear" ? 4 : 1;
    for (double& frequency : dump.frequencies[0]) frequency = 1 / (frequency * factor) / factor;
    EXPECT_TRUE(finds(check(one.reference, tables_of(dump)), "frequency-ladder", {{"kind", "reciprocal"}})) << name;
  }
}

TEST(CheckRamps, WhatIsUnknownIsReadPairByPair) {
  const Made made = made_of("yarn");
  // Nobody divides these by 3, and those by 7.
  const Ladder odd = made.of([&](int i) {
    const double plain = made.plain[static_cast<std::size_t>(i)];
    return i < 20 ? plain : i < 40 ? plain / 3 : i < 50 ? plain * (1 - 0.01 * i) : plain / 7;
  });
  const CheckReport report = report_of(made, odd);
  ASSERT_EQ(names_of(report), "unknown");
  const std::string evidence = said(report.causes[0].evidence);
  const auto pairs = [](const char* first, const char* last) {
    return english_text().format("check.ratios.several", {{"first", first}, {"last", last}});
  };
  EXPECT_THAT(evidence, Says("check.ratios.plain", {{"pairs", pairs("0", "19")}}));
  EXPECT_THAT(evidence, Says("check.ratios.divided", {{"pairs", pairs("20", "39")}, {"factor", "3"}}));
  EXPECT_THAT(evidence, Says("check.ratios.between", {{"pairs", pairs("40", "49")}, {"from", "0.6"}, {"to", "0.51"}}));
  EXPECT_THAT(evidence, Says("check.ratios.divided", {{"pairs", pairs("50", "63")}, {"factor", "7"}}));
}

}  // namespace
}  // namespace ropescope
