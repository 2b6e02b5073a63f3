#include "core/layouts/extension.h"
#include "core/layouts/similarity.h"
#include "core/layouts/tables.h"
#include "core/message.h"
#include "specs.h"
#include "tests/rotate_token.h"

namespace ropescope {

/// For messages of failed tests.
void PrintTo(const Layout& layout, std::ostream* stream) {
  *stream << layout.name;
}

namespace {

/// A request with everything that the layout takes: text, references, frames, an odd grid that is not square.
LayoutRequest full_request(const Layout& layout) {
  LayoutRequest request;
  if (takes(layout, "image")) request.image = ImageSize::tokens(5, 7);
  if (takes(layout, "text")) request.text = 9;
  if (takes(layout, "text_after")) request.text_after = 4;
  if (takes(layout, "frames")) request.frames = 3;
  if (takes(layout, "audio")) request.numbers["audio"] = 60;
  if (takes(layout, "references")) request.references = {ImageSize::tokens(2, 3)};
  if (takes(layout, "axes")) request.axes = {{"t", 16, {}}, {"row", 24, 500.0}, {"column", 24, {}}, {"other", 4, {}}};
  return request;
}

class LayoutLaws : public testing::TestWithParam<Layout> {
 protected:
  const Layout& layout() const { return GetParam(); }
  TokenLayout arranged() const { return arrange(layout(), full_request(layout())); }
};

Content random_content_for(const TokenLayout& layout) {
  return random_content(static_cast<int>(layout.pair_count()), 5);
}

bool is_part(const std::string& part) {
  for (const char* plain : {"text", "image", "audio", "padding", "cls"}) {
    if (part == plain) return true;
  }
  constexpr std::size_t kNumber = 9;
  return part.rfind("reference", 0) == 0 && part.size() > kNumber &&
         part.find_first_not_of("0123456789", kNumber) == std::string::npos;
}

}  // namespace

TEST_P(LayoutLaws, SaysWhatItIs) {
  EXPECT_EQ(find_layout(layout().name).name, layout().name);
  EXPECT_EQ(layout().source.empty(), layout().name == "custom") << "axes of one's own have no source";
  EXPECT_GE(layout().vae_factor * layout().patch, 1);
  const TokenLayout tokens = arranged();
  EXPECT_EQ(tokens.name, layout().name);
  if (layout().axes.empty()) return;
  ASSERT_EQ(tokens.axes.size(), layout().axes.size());
  for (std::size_t i = 0; i < tokens.axes.size(); ++i) {
    EXPECT_EQ(tokens.axes[i].name, layout().axes[i].name);
    EXPECT_EQ(tokens.axes[i].rotary_dim, layout().axes[i].rotary_dim) << tokens.axes[i].name;
  }
}

TEST_P(LayoutLaws, HasOneIdRowForEachToken) {
  const TokenLayout tokens = arranged();
  std::int64_t next_row = 0;
  std::int64_t images = 0;
  for (const TokenBlock& block : tokens.blocks) {
    EXPECT_TRUE(is_part(block.part)) << block.part;
    EXPECT_EQ(block.first_row, next_row);
    next_row += block.count();
    images += block.part == "image" ? block.count() : 0;
    ASSERT_EQ(block.ids.size(), tokens.axes.size());
    for (const AxisIds& ids : block.ids) {
      const std::int64_t expected = ids.listed.empty() ? 0 : block.count(ids.along);
      EXPECT_EQ(static_cast<std::int64_t>(ids.listed.size()), expected);
    }
  }
  EXPECT_EQ(tokens.row_count(), next_row);
  // Each row of HunYuan's ends in a newline token.
  const std::int64_t grid = layout().name == "hunyuan-vl" ? 40 : 35;
  EXPECT_EQ(images, takes(layout(), "image") ? grid * (takes(layout(), "frames") ? 3 : 1) : 0);
  const auto rows = id_rows(tokens, 0, tokens.row_count());
  ASSERT_EQ(rows.rows(), tokens.row_count());
  std::int64_t last_token = -1;
  for (std::int64_t row = 0; row < tokens.row_count(); ++row) {
    const std::vector<double> ids = ids_of(tokens, row);
    ASSERT_EQ(ids.size(), tokens.axes.size());
    for (std::size_t axis = 0; axis < ids.size(); ++axis) {
      EXPECT_EQ(rows(row, static_cast<Eigen::Index>(axis)), ids[axis]);
      EXPECT_TRUE(std::isfinite(ids[axis]));
    }
    const TokenPlace place = place_of(tokens, row);
    EXPECT_GT(place.token, last_token);
    last_token = place.token;
  }
  EXPECT_THROW(id_rows(tokens, 1, tokens.row_count()), InputError);
  EXPECT_THROW(ids_of(tokens, -1), InputError);
}

TEST_P(LayoutLaws, ImageTokensOfAFrameAreAllDifferent) {
  const TokenLayout tokens = arranged();
  for (const TokenBlock& block : tokens.blocks) {
    if (block.part != "image" && block.part.rfind("reference", 0) != 0) continue;
    std::set<std::vector<double>> seen;
    for (std::int64_t i = 0; i < block.count(); ++i) seen.insert(ids_of(tokens, block.first_row + i));
    EXPECT_EQ(static_cast<std::int64_t>(seen.size()), block.count()) << block.part;
  }
}

TEST_P(LayoutLaws, AxisDimensionsSumToTheRotaryDimension) {
  const TokenLayout tokens = arranged();
  ASSERT_EQ(static_cast<std::size_t>(tokens.frequencies.rows()), tokens.axes.size());
  EXPECT_TRUE(tokens.frequencies.allFinite());
  int sum = 0;
  for (std::size_t axis = 0; axis < tokens.axes.size(); ++axis) {
    const auto turning = (tokens.frequencies.row(static_cast<Eigen::Index>(axis)).array() != 0).count();
    EXPECT_EQ(2 * turning, tokens.axes[axis].rotary_dim) << tokens.axes[axis].name;
    sum += tokens.axes[axis].rotary_dim;
  }
  EXPECT_EQ(sum == 2 * tokens.pair_count(), layout().axes_fill);
  const Eigen::ArrayXi owners = (tokens.frequencies.array() != 0).cast<int>().colwise().sum().transpose();
  EXPECT_EQ((owners == 1).all(), layout().axes_fill);
}

TEST_P(LayoutLaws, PositionZeroIsTheIdentityWhereDeclared) {
  TokenLayout tokens = arranged();
  for (TokenBlock& block : tokens.blocks) {
    for (AxisIds& ids : block.ids) ids = AxisIds{};
  }
  const LayoutTables tables(tokens);
  const auto pairs = static_cast<std::size_t>(tokens.pair_count());
  std::vector<double> cosine(pairs), sine(pairs);
  tables.table_rows<double>(0, 1, cosine.data(), sine.data());
  const bool still = std::all_of(cosine.begin(), cosine.end(), [](double value) { return value == 1; }) &&
                     std::all_of(sine.begin(), sine.end(), [](double value) { return value == 0; });
  EXPECT_EQ(still, layout().identity_at_zero);
}

TEST_P(LayoutLaws, StreamedTablesAreTheFormula) {
  const LayoutTables tables(arranged());
  const TokenLayout& tokens = tables.layout();
  const std::int64_t rows = tokens.row_count();
  const Eigen::Index pairs = tokens.pair_count();
  using Table = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  Table cosine(rows, pairs), sine(rows, pairs);
  tables.table_rows<double>(0, rows, cosine.data(), sine.data());
  Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> short_cosine(rows, pairs),
      short_sine(rows, pairs);
  tables.table_rows<float>(0, rows, short_cosine.data(), short_sine.data());
  EXPECT_TRUE(short_cosine == cosine.cast<float>());
  EXPECT_TRUE(short_sine == sine.cast<float>());
  for (std::int64_t row = 0; row < rows; ++row) {
    const Eigen::VectorXd angles = angles_of(tokens, row);
    for (Eigen::Index pair = 0; pair < pairs; ++pair) {
      const double tolerance = 1e-15 + 4e-16 * std::abs(angles[pair]);
      ASSERT_NEAR(cosine(row, pair), std::cos(angles[pair]), tolerance) << row << " " << pair;
      ASSERT_NEAR(sine(row, pair), std::sin(angles[pair]), tolerance) << row << " " << pair;
    }
  }
  // Any window gives the same rows.
  Table window(3, pairs), window_sine(3, pairs);
  for (const std::int64_t first : {std::int64_t{0}, std::int64_t{4}, rows / 2, rows - 3}) {
    tables.table_rows<double>(first, 3, window.data(), window_sine.data());
    EXPECT_TRUE(window == cosine.middleRows(first, 3)) << first;
    EXPECT_TRUE(window_sine == sine.middleRows(first, 3)) << first;
  }
  EXPECT_THROW(tables.table_rows<double>(rows - 2, 3, window.data(), window_sine.data()), InputError);
}

TEST_P(LayoutLaws, RotationKeepsNormsWhereDeclared) {
  const TokenLayout tokens = arranged();
  double largest = 0;
  for (std::int64_t row = 0; row < tokens.row_count(); ++row) {
    const Eigen::VectorXd x = random_vector(2 * tokens.pair_count(), static_cast<std::uint64_t>(row));
    largest = std::max(largest, std::abs(rotate_token(tokens, row, x).norm() / x.norm() - 1));
  }
  if (layout().keeps_norms) {
    EXPECT_LT(largest, 1e-13);
  } else {
    EXPECT_GT(largest, 1e-3);
  }
}

TEST_P(LayoutLaws, SimilarityIsTheProductOfRotatedOnes) {
  const TokenLayout tokens = arranged();
  if (!layout().keeps_norms) GTEST_SKIP() << "its similarity is that of the table";
  const Eigen::VectorXd ones = Eigen::VectorXd::Ones(2 * tokens.pair_count());
  const std::int64_t anchor = tokens.row_count() / 2;
  const Eigen::VectorXd query = rotate_token(tokens, anchor, ones);
  for (std::int64_t row = 0; row < tokens.row_count(); ++row) {
    const double product = query.dot(rotate_token(tokens, row, ones)) / static_cast<double>(ones.size());
    EXPECT_NEAR(similarity_between(tokens, anchor, row).total, product, 1e-11) << row;
  }
}

TEST_P(LayoutLaws, SimilarityAtDistanceZeroIsOneAndNowhereMore) {
  const LayoutTables tables(arranged());
  const std::int64_t rows = tables.layout().row_count();
  for (const std::int64_t anchor : {std::int64_t{0}, rows / 3, rows - 1}) {
    const LayoutSimilarity map = similarity_from(tables, anchor);
    ASSERT_EQ(map.total.size(), rows);
    EXPECT_NEAR(map.total[anchor], 1, 1e-14);
    EXPECT_LT(map.total.maxCoeff(), 1 + 1e-14);
    EXPECT_EQ(similarity_between(tables.layout(), anchor, anchor).total, 1);
  }
  EXPECT_THROW(similarity_from(tables, rows), InputError);
}

TEST_P(LayoutLaws, MapIsTheDirectSumOverPairs) {
  const LayoutTables tables(arranged());
  const TokenLayout& tokens = tables.layout();
  for (const Content& content : {Content{}, random_content_for(tokens)}) {
    const std::int64_t anchor = 11 % tokens.row_count();
    const LayoutSimilarity map = similarity_from(tables, anchor, content);
    const Eigen::VectorXd here = angles_of(tokens, anchor);
    for (std::int64_t row = 0; row < tokens.row_count(); ++row) {
      const Eigen::ArrayXd turns = (angles_of(tokens, row) - here).array();
      const double direct = content.amplitudes.size() == 0
                                ? turns.cos().mean()
                                : (content.amplitudes.array() * (turns + content.phases_radians.array()).cos()).sum() /
                                      content.amplitudes.sum();
      EXPECT_NEAR(map.total[row], direct, 2e-11) << row;
      const TokenSimilarity picked = similarity_between(tokens, anchor, row, content);
      EXPECT_NEAR(picked.total, direct, 2e-11) << row;
    }
  }
  Content wrong = random_content(3, 1);
  EXPECT_THROW(similarity_from(tables, 0, wrong), InputError);
}

TEST_P(LayoutLaws, AxesSumToTheTotal) {
  const LayoutTables tables(arranged());
  const TokenLayout& tokens = tables.layout();
  const LayoutSimilarity map = similarity_from(tables, 3, random_content_for(tokens));
  const bool mixed = layout().name == "vit-mixed";
  for (std::int64_t row = 0; row < tokens.row_count(); ++row) {
    const TokenPlace place = place_of(tokens, row);
    const auto& axes = map.contributions[place.block];
    const TokenSimilarity picked = similarity_between(tokens, 3, row, random_content_for(tokens));
    EXPECT_EQ(axes.empty(), mixed);
    EXPECT_EQ(picked.per_axis.empty(), mixed);
    if (mixed) continue;
    double sum = map.still;
    for (const AxisContribution& of : axes) {
      const AxisIds& ids = tokens.blocks[place.block].ids[static_cast<std::size_t>(of.axis)];
      const std::int64_t at = ids.along == Along::none     ? 0
                              : ids.along == Along::frame  ? place.frame
                              : ids.along == Along::row    ? place.row
                              : ids.along == Along::column ? place.column
                                                           : row - tokens.blocks[place.block].first_row;
      EXPECT_NEAR(of.values[at], picked.per_axis[static_cast<std::size_t>(of.axis)], 2e-11);
      sum += of.values[at];
    }
    EXPECT_NEAR(sum, map.total[row], 1e-14);
  }
}

TEST_P(LayoutLaws, FieldsThatItDoesNotTakeAreNamed) {
  const std::vector<std::pair<std::string, void (*)(LayoutRequest&)>> changes = {
      {"text", [](LayoutRequest& r) { r.text = 3; }},
      {"text_after", [](LayoutRequest& r) { r.text_after = 3; }},
      {"references", [](LayoutRequest& r) { r.references = {ImageSize::tokens(2, 2)}; }},
      {"frames", [](LayoutRequest& r) { r.frames = 2; }},
      {"frame_rate", [](LayoutRequest& r) { r.frame_rate = 24; }},
      {"tokens_per_second", [](LayoutRequest& r) { r.tokens_per_second = 2; }},
      {"unscaled", [](LayoutRequest& r) { r.unscaled = true; }},
      {"base", [](LayoutRequest& r) { r.base = 77; }},
      {"patch", [](LayoutRequest& r) { r.patch = 8; }},
      {"position_grid",
       [](LayoutRequest& r) {
         r.position_grid = {64, 64};
       }},
      {"sections",
       [](LayoutRequest& r) {
         r.sections = {8, 12, 12};
       }},
      {"max_frequency", [](LayoutRequest& r) { r.max_frequency = 100; }},
      {"mixed_frequencies", [](LayoutRequest& r) { r.heads = 3; }},
      {"pairing", [](LayoutRequest& r) { r.pairing = Pairing::half_split; }}};
  for (const auto& [name, change] : changes) {
    LayoutRequest request = full_request(layout());
    if (name == "text") request.text = 0;
    change(request);
    if (takes(layout(), name)) {
      EXPECT_NO_THROW(arrange(layout(), request)) << name;
    } else {
      EXPECT_THROW(arrange(layout(), request), InputError) << name;
    }
  }
}

TEST_P(LayoutLaws, SizesThatDoNotDivideNameTheNearest) {
  if (!takes(layout(), "image")) GTEST_SKIP() << "no image";
  const int step = layout().vae_factor * layout().patch;
  LayoutRequest request = full_request(layout());
  request.frames = 1;
  request.references.clear();
  request.image = ImageSize::pixels(3 * step, 2 * step);
  const TokenLayout tokens = arrange(layout(), request);
  const auto image = std::find_if(tokens.blocks.begin(), tokens.blocks.end(),
                                  [](const TokenBlock& block) { return block.part == "image"; });
  ASSERT_NE(image, tokens.blocks.end());
  EXPECT_EQ(image->rows, 2);
  EXPECT_EQ(image->columns, layout().name == "hunyuan-vl" ? 4 : 3) << "each row of HunYuan's ends in a newline token";
  request.image = ImageSize::pixels(3 * step + 1, 2 * step);
  try {
    arrange(layout(), request);
    ADD_FAILURE() << "accepted";
  } catch (const InputError& error) {
    const auto size = [&](int width, int height) {
      return std::to_string(width * step) + "x" + std::to_string(height * step);
    };
    EXPECT_THAT(error.what(), HasSubstr(std::string(layout().name)));
    EXPECT_THAT(error.what(), HasSubstr(size(3, 2)));
    EXPECT_THAT(error.what(), HasSubstr(size(4, 2)));
  }
  for (const ImageSize& size : {ImageSize::pixels(0, 16), ImageSize::pixels(16, 8193), ImageSize::tokens(4, -1)}) {
    request.image = size;
    EXPECT_THROW(arrange(layout(), request), InputError);
  }
  request.image.reset();
  EXPECT_THROW(arrange(layout(), request), InputError);
}

TEST_P(LayoutLaws, LargestImagesArrange) {
  if (!takes(layout(), "image")) GTEST_SKIP() << "no image";
  const int step = layout().vae_factor * layout().patch;
  LayoutRequest request = full_request(layout());
  request.image = ImageSize::pixels(8192 / step * step, step);
  EXPECT_GT(arrange(layout(), request).row_count(), 8192 / step - 1);
  request.image = ImageSize::pixels(8192 / step * step, 8192 / step * step);
  EXPECT_GE(arrange(layout(), request).row_count(), static_cast<std::int64_t>(8192 / step) * (8192 / step));
}

TEST_P(LayoutLaws, ScaleOneShiftZeroAndFactorOneChangeNothing) {
  if (!takes_extension(layout())) GTEST_SKIP() << "no axis runs along a picture";
  const TokenLayout plain = arranged();
  const auto expect_same = [&](LayoutRequest request, const std::string& what) {
    const TokenLayout other = arrange(layout(), request);
    EXPECT_TRUE(other.frequencies == plain.frequencies) << what;
    for (std::size_t b = 0; b < plain.blocks.size(); ++b) {
      for (std::size_t axis = 0; axis < plain.axes.size(); ++axis) {
        EXPECT_EQ(other.axes[axis].amplitude, 1) << what;
        EXPECT_EQ(other.blocks[b].ids[axis].listed, plain.blocks[b].ids[axis].listed) << what;
        EXPECT_EQ(other.blocks[b].ids[axis].first, plain.blocks[b].ids[axis].first) << what;
      }
    }
  };
  LayoutRequest request = full_request(layout());
  for (const char* way : {"t", "x", "y"}) {
    request.numbers[std::string("scale_") + way] = 1;
    request.numbers[std::string("shift_") + way] = 0;
  }
  expect_same(request, "scale 1, shift 0");
  for (const ScalingMethod& method : all_scaling_methods()) {
    if (!extends_axes(method)) continue;
    request = full_request(layout());
    request.scaling = method.name;
    if (method.name != "none") {
      for (const char* factor : {"factor_t", "factor_x", "factor_y"}) request.numbers[factor] = 1;
      request.numbers["trained_side"] = 2;
    }
    expect_same(request, std::string(method.name));
  }
}

/// At the end of DyPE's time every ladder is the plain one; at its start the extension is whole.
TEST_P(LayoutLaws, DypeEndsWithThePlainLadder) {
  LayoutRequest request = full_request(layout());
  if (!takes_extension(layout())) GTEST_SKIP() << "no axis runs along a picture";
  const TokenLayout plain = arranged();
  for (const char* method : {"dype", "dype-ntk"}) {
    request.scaling = method;
    // A side in which some pairs make more turns than DyPE's bounds: with fewer it keeps all, as released.
    request.numbers["trained_side"] = 64;
    request.numbers["factor_x"] = request.numbers["factor_y"] = 2;
    request.numbers["diffusion_time"] = 0;
    std::optional<TokenLayout> end;
    try {
      end = arrange(layout(), request);
    } catch (const InputError&) {
      return;  // its ladder is none that methods extend
    }
    EXPECT_TRUE(end->frequencies == plain.frequencies) << method;
    request.numbers["diffusion_time"] = 1;
    const TokenLayout start = arrange(layout(), request);
    EXPECT_FALSE(start.frequencies == plain.frequencies) << method;
    EXPECT_TRUE((start.frequencies.array() <= plain.frequencies.array() * (1 + 1e-15)).all()) << method;
  }
}

INSTANTIATE_TEST_SUITE_P(All, LayoutLaws, testing::ValuesIn(all_layouts().begin(), all_layouts().end()), kByName);

TEST(LongLines, SplitTablesAreTheFormulaAndSoIsTheMap) {
  // Past 2048 tokens a line is kept as products of two short tables.
  LayoutRequest request{.text = 70000, .head_dim = 32};
  const LayoutTables tables(arrange(find_layout("text"), request));
  const TokenLayout& tokens = tables.layout();
  Eigen::VectorXd cosine(16), sine(16);
  const LayoutSimilarity map = similarity_from(tables, 41234);
  for (const std::int64_t row : {0, 1, 255, 256, 511, 512, 2047, 2048, 41234, 65535, 65536, 69999}) {
    tables.table_rows<double>(row, 1, cosine.data(), sine.data());
    const Eigen::VectorXd angles = angles_of(tokens, row);
    EXPECT_LT((cosine.array() - angles.array().cos()).abs().maxCoeff(), 1e-11) << row;
    EXPECT_LT((sine.array() - angles.array().sin()).abs().maxCoeff(), 1e-11) << row;
    EXPECT_NEAR(map.total[row], similarity_between(tokens, 41234, row).total, 1e-11) << row;
  }
}

TEST(RasterQuestion, PatchOneIsNearerToTheOneBelow) {
  LayoutRequest request{.image = ImageSize::tokens(64, 64)};
  const TokenLayout flux = arrange(find_layout("flux.1"), request), raster = arrange(find_layout("raster"), request);
  // Patches 1, 64 and 65 counted from one.
  EXPECT_EQ(similarity_between(flux, 0, 64).difference, (std::vector<double>{0, 1, 0}));
  EXPECT_EQ(similarity_between(flux, 0, 63).difference, (std::vector<double>{0, 0, 63}));
  EXPECT_NEAR(similarity_between(flux, 0, 64).total, 0.985, 5e-4);
  EXPECT_NEAR(similarity_between(flux, 0, 63).total, 0.794, 5e-4);
  EXPECT_NEAR(similarity_between(raster, 0, 64).total, 0.477, 5e-4);
  EXPECT_NEAR(similarity_between(raster, 0, 63).total, 0.458, 5e-4);
}

}  // namespace ropescope
