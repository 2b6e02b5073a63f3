// Mistakes in ports of layouts, written by outsiders: axes assigned to other pairs, a scale of the model omitted, an
// amplitude of an axis, heads that differ.

#include "check_dump.h"
#include "core/layouts/layout.h"

namespace ropescope {
namespace {

/// Rungs of each axis, in the order of its pairs.
std::vector<std::vector<double>> rungs_of(const Dump& dump) {
  std::vector<std::vector<double>> rungs(dump.axes());
  for (std::size_t axis = 0; axis < dump.axes(); ++axis) {
    for (const double frequency : dump.frequencies[axis]) {
      if (frequency != 0) rungs[axis].push_back(frequency);
    }
  }
  return rungs;
}

/// The same pairs, axis after axis or by turns.
void deal(Dump& dump, bool by_turns) {
  const std::vector<std::vector<double>> rungs = rungs_of(dump);
  for (auto& of_axis : dump.frequencies) std::fill(of_axis.begin(), of_axis.end(), 0.0);
  std::size_t pair = 0;
  if (by_turns) {
    for (std::size_t turn = 0; turn < rungs[0].size(); ++turn) {
      for (std::size_t axis = 0; axis < rungs.size(); ++axis) dump.frequencies[axis][pair++] = rungs[axis][turn];
    }
  } else {
    for (std::size_t axis = 0; axis < rungs.size(); ++axis) {
      for (const double rung : rungs[axis]) dump.frequencies[axis][pair++] = rung;
    }
  }
}

}  // namespace

TEST(CheckPlaces, AxesByTurnsAreBlocksAndTheOtherWayRound) {
  for (const auto& [name, by_turns] : {std::pair{"moonvit", false},
                                       {"hunyuan-image-3", false},
                                       {"dinov3", true},
                                       {"qwen-vision", true},
                                       {"sam-3", true},
                                       {"hunyuan-vl", true}}) {
    const CheckCase one = layout_case(name);
    Dump dump = true_dump(one.reference);
    deal(dump, by_turns);
    EXPECT_EQ(names_of(check(one.reference, tables_of(dump))), "section-layout") << name;
  }
}

TEST(CheckPlaces, AxesOfOneLadderInAnyOrder) {
  const CheckCase one = layout_case("hunyuan-vl");
  const Dump truth = true_dump(one.reference);
  std::vector<std::size_t> order(truth.axes());
  std::iota(order.begin(), order.end(), std::size_t{0});
  int named = 0;
  while (std::next_permutation(order.begin(), order.end())) {
    Dump dump = truth;
    for (std::size_t axis = 0; axis < order.size(); ++axis) dump.frequencies[axis] = truth.frequencies[order[axis]];
    const std::string names = names_of(check(one.reference, tables_of(dump)));
    EXPECT_TRUE(names == "axis-dimensions" || names == "axes-swapped") << names << testing::PrintToString(order);
    ++named;
  }
  EXPECT_EQ(named, 23);
}

/// What the model divides or multiplies positions by was left out: its own number is told.
TEST(CheckPlaces, AScaleOfTheModelIsWhatIsMissing) {
  for (const char* name : {"kandinsky-5", "allegro", "dinov3"}) {
    const CheckCase one = layout_case(name);
    Dump dump = true_dump(one.reference);
    for (std::size_t axis = 0; axis < dump.axes(); ++axis) dump.id_scale[axis] = 1;
    const CheckReport report = check(one.reference, tables_of(dump));
    ASSERT_EQ(names_of(report), "position-scale") << name;
    EXPECT_THAT(said(report.causes[0].advice), Says("check.position-scale.advice_own")) << name;
  }
}

TEST(CheckPlaces, AmplitudesOfAxesAreTold) {
  LayoutRequest request{.image = ImageSize::tokens(96, 128), .scaling = "yarn"};
  const Layout& flux = find_layout("flux.1");
  const CheckReference due = reference_from_layout(flux, request);
  const auto judged = [&](const std::vector<double>& amplitudes) {
    TokenLayout made = due.tokens;
    for (std::size_t axis = 0; axis < amplitudes.size(); ++axis) made.axes[axis].amplitude = amplitudes[axis];
    return check(due, exact_tables(made, Storage::float32));
  };
  std::vector<double> own;
  for (const LayoutAxis& axis : due.tokens.axes) own.push_back(axis.amplitude);
  ASSERT_GT(own[1], 1);
  EXPECT_EQ(names_of(judged(own)), "agrees");
  for (const std::vector<double>& other :
       {std::vector<double>{1, 1, 1}, {own[0], own[2], own[1]}, {own[2], own[2], own[2]}}) {
    const CheckReport report = judged(other);
    EXPECT_EQ(names_of(report), "amplitude");
    EXPECT_EQ(list_of(report, "amplitude"), other);
  }
}

TEST(CheckPlaces, HeadsWithLaddersOfTheirOwnAreCheckedOneByOne) {
  const CheckCase one = layout_case("ltx-2");
  Dump first = true_dump(one.reference);
  LayoutRequest request = one.reference.request;
  request.head = 3;
  const CheckReference of_third = reference_from_layout(*one.reference.layout, request);
  CheckInputs inputs, third, both;
  put_vectors(inputs, first, Storage::float32, 1);
  put_vectors(third, true_dump(of_third), Storage::float32, 1);
  EXPECT_EQ(names_of(check(of_third, third)), "agrees");
  // [tokens, 2, channels]: head 0 beside head 3.
  const std::int64_t rows = static_cast<std::int64_t>(first.rows());
  const std::int64_t channels = inputs.before->shape.back();
  const auto beside = [&](const StoredTensor& a, const StoredTensor& b) {
    std::vector<double> of_a(static_cast<std::size_t>(rows * channels)), of_b(of_a.size()), all;
    read_rows(a, 0, rows, of_a.data());
    read_rows(b, 0, rows, of_b.data());
    for (std::int64_t row = 0; row < rows; ++row) {
      for (const auto* of : {&of_a, &of_b})
        all.insert(all.end(), of->begin() + row * channels, of->begin() + (row + 1) * channels);
    }
    return store_values("q", {rows, 2, channels}, all, Storage::float32);
  };
  both.before = beside(*inputs.before, *third.before);
  both.after = beside(*inputs.after, *third.after);
  EXPECT_THROW(check(one.reference, both), InputError);
}

}  // namespace ropescope
