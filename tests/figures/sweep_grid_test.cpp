// Readouts over fields: every point is independent of the order and the number of threads.
#include "app/views/shared/facets.h"

#include "tests/figures/view_parts.h"

namespace ropescope {
namespace {

SweepGrid small_grid() {
  SweepGrid grid;
  grid.experiment.decay.span = 300;
  grid.readouts = {"decay.lowest", "frequencies.unseen"};
  grid.over = {{"rope.base", {100, 1000, 10000}, true}, {"rope.rotary_dim", {32, 64}, true}};
  return grid;
}

std::vector<std::vector<double>> swept(const SweepGrid& grid, const PointRange& range, int threads) {
  std::vector<std::vector<double>> rows;
  const Text text = Text::load(kAssets);
  sweep_points(grid, range, text, {threads}, [&](std::size_t point, const SweptPoint& one) {
    EXPECT_EQ(point, range.first + rows.size());
    rows.emplace_back();
    for (const auto& cell : one.cells) rows.back().push_back(cell.at(0).value);
  });
  return rows;
}

TEST(SweepGrid, TheLastFieldRunsFastest) {
  const SweepGrid grid = small_grid();
  EXPECT_EQ(grid.points(), 6u);
  EXPECT_THAT(grid.values(0), ElementsAre(100, 32));
  EXPECT_THAT(grid.values(1), ElementsAre(100, 64));
  EXPECT_THAT(grid.values(4), ElementsAre(10000, 32));
}

TEST(SweepGrid, IsTheSameForAnyNumberOfThreads) {
  const SweepGrid grid = small_grid();
  const auto alone = swept(grid, {0, 6}, 1);
  ASSERT_EQ(alone.size(), 6u);
  EXPECT_EQ(swept(grid, {0, 6}, 4), alone);
  EXPECT_EQ(swept(grid, {2, 5}, 3), std::vector(alone.begin() + 2, alone.begin() + 5));
  Store store(Store::Mode::synchronous);
  Experiment point = apply_sweep_point(grid, 3);
  const auto numbers = numbers_of(draw_view(find_view("decay"), point, Text::load(kAssets), store), "decay.lowest");
  ASSERT_TRUE(numbers);
  EXPECT_EQ(alone[3][0], numbers->at(0).value);
}

}  // namespace
}  // namespace ropescope
