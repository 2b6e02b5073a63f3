// Similarities between tokens, compared with reference numbers.

#include "core/layouts/similarity.h"
#include "tests/unit/layouts_reference.h"

namespace ropescope {
namespace {

TEST(SimilarityReference, AllCases) {
  const std::map<std::string, std::string> layouts = {{"flux1", "flux.1"}, {"flux2", "flux.2"}, {"raster1d", "raster"}};
  for (const char* name : {"flux1_64x64", "flux1_64x64_center", "flux2_64x64"}) {
    const json file = read_reference(std::string("similarity/") + name + ".json");
    for (const json& tested : file["cases"]) {
      const std::string id = tested["id"].get<std::string>();
      SCOPED_TRACE(id);
      const std::string layout = layouts.at(id.substr(0, id.find('_')));
      LayoutRequest request{.image = ImageSize::tokens(64, 64), .base = tested["config"]["theta"].get<double>()};
      if (layout == "raster") request.head_dim = tested["config"]["axes_dim"][0].get<int>();
      const LayoutTables tables = tables_of(layout.c_str(), request);
      ASSERT_EQ(tables.layout().pair_count(), tested["n_pairs"].get<int>());
      const std::int64_t anchor = tested["anchor"].get<std::int64_t>();
      EXPECT_EQ(ids_of(tables.layout(), anchor), numbers_of(tested["anchor_id"]));
      const LayoutSimilarity map = similarity_from(tables, anchor);
      ASSERT_FALSE(tested["tokens"].empty());
      for (std::size_t i = 0; i < tested["tokens"].size(); ++i) {
        const std::int64_t token = tested["tokens"][i].get<std::int64_t>();
        const TokenSimilarity picked = similarity_between(tables.layout(), anchor, token);
        const double exact = tested["exact_normalised"][i].get<double>();
        EXPECT_NEAR(picked.total, exact, 4e-15) << token;
        EXPECT_NEAR(map.total[token], exact, 4e-15) << token;
        EXPECT_NEAR(picked.total, tested["normalised"][i].get<double>(), 5e-6) << token;
        EXPECT_EQ(ids_of(tables.layout(), token), numbers_of(tested["token_ids"][i]));
        ASSERT_EQ(picked.per_axis.size(), tested["per_axis_sum"].size());
        for (std::size_t axis = 0; axis < picked.per_axis.size(); ++axis) {
          const double pairs = static_cast<double>(tables.layout().pair_count());
          EXPECT_NEAR(picked.per_axis[axis] * pairs, tested["per_axis_sum"][axis][i].get<double>(), 5e-6 * pairs);
        }
      }
    }
  }
}

}  // namespace
}  // namespace ropescope
