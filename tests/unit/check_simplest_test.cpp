// The simplest explanation is reported first: one parameter before two before three.

#include "check_faults.h"
#include "core/precision/precision.h"

namespace ropescope {
namespace {

CheckCase of_pixels(const std::string& name, int width, int height, int frames = 1) {
  const Layout& layout = find_layout(name);
  LayoutRequest request{.image = ImageSize::pixels(width, height)};
  if (takes(layout, "text")) request.text = 4;
  if (takes(layout, "frames")) request.frames = frames;
  return {name, reference_from_layout(layout, request)};
}

/// Another base is no extension, at sizes beyond those of training either.
TEST(CheckSimplest, ABaseIsABaseAboveTheTrainedSide) {
  struct Size {
    const char* name;
    int width, height, frames;
  };
  for (const Size& size : {Size{"flux.1", 1360, 768, 1}, {"flux.1", 1664, 928, 1}, {"wan", 1280, 720, 2}}) {
    const CheckCase one = of_pixels(size.name, size.width, size.height, size.frames);
    for (const double base : {20000.0, 100000.0, 1e6}) {
      SCOPED_TRACE(std::string(size.name) + ", base " + std::to_string(base));
      Dump dump = true_dump(one.reference);
      change_ladders(dump, [&](std::size_t, int index, int count, double) {
        return std::pow(base, -static_cast<double>(index) / count);
      });
      const CheckReport report = check(one.reference, tables_of(dump));
      EXPECT_EQ(names_of(report), "base");
      EXPECT_NEAR(number_of(report, "base"), base, 1e-6 * base);
    }
  }
}

TEST(CheckSimplest, ExponentsWithBothEndsAreALadder) {
  const CheckCase one = of_pixels("flux.1", 1664, 928);
  Dump dump = true_dump(one.reference);
  change_ladders(dump, [](std::size_t, int index, int count, double) {
    return std::pow(10000, -static_cast<double>(index) / (count - 1));
  });
  EXPECT_EQ(names_of(check(one.reference, tables_of(dump))), "frequency-ladder");
}

TEST(CheckSimplest, IdsOverTheSideAreAFactor) {
  for (const auto& [width, height] : {std::pair(1152, 640), std::pair(1664, 928)}) {
    const CheckCase one = of_pixels("flux.1", width, height);
    Dump dump = true_dump(one.reference);
    for (auto& ids : dump.ids) ids[1] /= height / 16, ids[2] /= width / 16;
    EXPECT_EQ(names_of(check(one.reference, tables_of(dump))), "position-scale");
  }
}

TEST(CheckSimplest, NothingRotatedIsOneFinding) {
  for (const char* name : {"yarn", "plain", "llama3"}) {
    const CheckCase one = rope_case(name);
    Dump dump = true_dump(one.reference);
    dump.amplitude = 1;
    for (auto& ids : dump.ids) ids[0] = 0;
    EXPECT_EQ(names_of(check(one.reference, tables_of(dump))), "position-scale") << name;
  }
}

TEST(CheckSimplest, OfFluxTwo) {
  const CheckCase one = layout_case("flux.2", 40, 56);
  Dump doubled = true_dump(one.reference);
  for (std::size_t row = 0; row < doubled.rows(); ++row) doubled.ids[row][1] *= doubled.parts[row] == "image" ? 2 : 1;
  EXPECT_EQ(names_of(check(one.reference, tables_of(doubled))), "position-scale");
  Dump first = true_dump(one.reference);
  for (auto& ids : first.ids) std::rotate(ids.begin(), ids.end() - 1, ids.end());
  EXPECT_TRUE(finds(check(one.reference, tables_of(first)), "axes-swapped", {{"order", "l, t, row, column"}}));
}

/// One number beside a right table is no way of computing.
TEST(CheckSimplest, OneNumberOffIsNoRecurrence) {
  const CheckReference plain = rope_case("plain").reference;
  const CheckReference rope = reference_from_rope(*plain.rope);
  constexpr std::int64_t kRows = 4096, kPairs = 64;
  for (const auto& [row, pair, by] :
       {std::tuple(4095, 10, 1e-3), std::tuple(4000, 3, 1e-3), std::tuple(2000, 1, 6e-4)}) {
    std::vector<double> cosine, sine;
    for (std::int64_t r = 0; r < kRows; ++r) {
      for (std::int64_t p = 0; p < kPairs; ++p) {
        const double angle = static_cast<double>(r) * std::pow(10000, -static_cast<double>(p) / kPairs);
        cosine.push_back(std::cos(angle)), sine.push_back(std::sin(angle));
      }
    }
    cosine[static_cast<std::size_t>(row * kPairs + pair)] += by;
    CheckInputs inputs = cos_and_sin({kRows, kPairs}, cosine, sine, Storage::float32);
    const CheckReport report = check(rope, inputs);
    EXPECT_EQ(report.verdict, Verdict::disagrees) << row;
    EXPECT_FALSE(report.recurrence) << row;
  }
}

/// Both numbers of the line about the largest difference are of one comparison.
TEST(CheckSimplest, WhatIsToleratedIsOfTheSameComparison) {
  const CheckCase one = rope_case("plain");
  for (const auto round : {round_to_bfloat16}) {
    Dump dump = true_dump(one.reference);
    dump.round_table = round;
    const CheckReport report = check(one.reference, tables_of(dump));
    EXPECT_EQ(report.verdict, Verdict::agrees);
    for (const CheckedInput& input : report.inputs) {
      EXPECT_GT(input.largest_difference, 1e-3);
      EXPECT_LE(input.largest_difference, input.tolerance);
      EXPECT_LE(input.tolerance, 0.01);
    }
  }
}

}  // namespace
}  // namespace ropescope
