// --as numpy of a layout: Python runs the text, and its ids and tables are ours.

#include "check_configs.h"
#include "core/formats/programs/equivalents.h"
#include "core/layouts/tables.h"
#include "tests/angles_of.h"
#include "tests/python_programs.h"

namespace ropescope {
namespace {

struct LayoutProgramCase {
  std::string name;
  const Layout* layout;
  LayoutRequest request;
};

LayoutRequest request_for(const Layout& layout, int rows, int columns) {
  LayoutRequest request;
  if (layout.name != "text") request.image = ImageSize::tokens(rows, columns);
  if (takes(layout, "text")) request.text = 7;
  if (takes(layout, "padded_to")) request.numbers["padded_to"] = 10000;
  if (layout.name == "custom") request.axes = {{"t", 8, {}}, {"row", 12, 500.0}, {"x", 12, {}}, {"l", 4, {}}};
  return request;
}

/// Each field that a layout takes, in a value of its own.
void add_variants(const Layout& layout, std::vector<LayoutProgramCase>& cases) {
  const LayoutRequest plain = request_for(layout, 5, 8);
  const auto add = [&](const std::string& what, const auto& change) {
    LayoutRequest request = plain;
    change(request);
    cases.push_back({std::string(layout.name) + " " + what, &layout, request});
  };
  add("", [](LayoutRequest&) {});
  add("of a square", [](LayoutRequest& r) {
    if (r.image) r.image = ImageSize::tokens(9, 9);
  });
  add("of one row", [](LayoutRequest& r) {
    if (r.image) r.image = ImageSize::tokens(1, 6);
  });
  if (takes(layout, "text_after")) add("with text after", [](LayoutRequest& r) { r.text_after = 3; });
  if (takes(layout, "text")) add("with more text", [](LayoutRequest& r) { r.text = 70; });
  if (takes(layout, "references")) {
    add("with references", [&](LayoutRequest& r) {
      r.references = {ImageSize::tokens(3, 11)};
      const std::set<std::string_view> one = {"flux.1-kontext", "longcat-image", "longcat-video"};
      if (!one.contains(layout.name)) r.references.push_back(ImageSize::tokens(12, 2));
    });
  }
  if (takes(layout, "frames")) add("of a video", [](LayoutRequest& r) { r.frames = 3; });
  if (takes(layout, "frame_rate")) {
    add("at another rate", [&](LayoutRequest& r) {
      r.frames = 4;
      r.frame_rate = 24;
      if (layout.name == "qwen2-vl") r.tokens_per_second = 25;
    });
  }
  if (takes(layout, "tokens_per_second")) {
    add("in seconds", [](LayoutRequest& r) {
      r.frames = 5;
      r.tokens_per_second = 4;
    });
  }
  if (takes(layout, "text_between")) add("with text between", [](LayoutRequest& r) { r.numbers["text_between"] = 5; });
  if (takes(layout, "audio")) {
    add("with sound", [](LayoutRequest& r) {
      r.frames = 4;
      r.numbers["audio"] = 130;
    });
  }
  if (takes(layout, "merge_size")) add("in larger blocks", [](LayoutRequest& r) { r.numbers["merge_size"] = 3; });
  if (takes(layout, "window")) {
    add("in windows", [](LayoutRequest& r) {
      r.image = ImageSize::tokens(10, 7);
      r.numbers["window"] = 4;
    });
  }
  if (takes(layout, "grid_scale")) add("of another scale", [](LayoutRequest& r) { r.numbers["grid_scale"] = 2.5; });
  if (takes(layout, "interpolation_scale_h"))
    add("of another scale", [](LayoutRequest& r) { r.numbers["interpolation_scale_h"] = 2.5; });
  if (takes(layout, "unscaled")) add("unscaled", [](LayoutRequest& r) { r.unscaled = true; });
  if (takes(layout, "base")) add("of another base", [](LayoutRequest& r) { r.base = 333; });
  if (takes(layout, "position_grid")) {
    add("on another grid", [](LayoutRequest& r) { r.position_grid = {64, 100}; });
  }
  if (takes(layout, "sections")) {
    // ERNIE's rows and columns take turns: as many pairs each.
    const std::vector<int> other = layout.name == "ernie-4.5-vl" ? std::vector{5, 4, 4} : std::vector{4, 3, 5};
    add("of other sections", [&](LayoutRequest& r) { r.sections = other; });
  }
  if (takes(layout, "max_frequency")) add("of other frequencies", [](LayoutRequest& r) { r.max_frequency = 256; });
  if (takes(layout, "heads")) {
    add("of more heads", [](LayoutRequest& r) {
      r.heads = 3;
      r.seed = 5;
    });
  }
  if (takes(layout, "mixed_frequencies")) {
    add("learned", [](LayoutRequest& r) { r.mixed_frequencies = Eigen::MatrixXd::Random(2, 8); });
  }
}

/// Every layout with every field, and those of the published configs.
std::vector<LayoutProgramCase> list_layout_programs() {
  std::vector<LayoutProgramCase> all;
  for (const Layout& layout : all_layouts()) add_variants(layout, all);
  if (!has_published_configs()) return all;
  for (const CheckCase& one : published_cases()) {
    if (one.reference.layout) all.push_back({one.name, one.reference.layout, one.reference.request});
  }
  return all;
}

void expect_same(const TokenLayout& arranged, const std::vector<double>& found) {
  const Eigen::Index rows = arranged.row_count(), pairs = arranged.pair_count();
  const auto axes = static_cast<Eigen::Index>(arranged.axes.size());
  ASSERT_EQ(static_cast<Eigen::Index>(found.size()), rows * (axes + 2 * pairs));
  using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const Eigen::Map<const Rows> ids(found.data(), rows, axes);
  const Eigen::Map<const Rows> cosine(found.data() + rows * axes, rows, pairs);
  const Eigen::Map<const Rows> sine(found.data() + rows * (axes + pairs), rows, pairs);
  EXPECT_LE((ids - id_rows(arranged, 0, rows)).cwiseAbs().maxCoeff(), 1e-15);
  for (Eigen::Index row = 0; row < rows; ++row) {
    const Eigen::ArrayXd angles = angles_of(arranged, row).array();
    const Eigen::ArrayXd allowed = 1e-12 + 4e-16 * angles.abs();
    EXPECT_TRUE(((cosine.row(row).transpose().array() - angles.cos()).abs() <= allowed).all()) << "row " << row;
    EXPECT_TRUE(((sine.row(row).transpose().array() - angles.sin()).abs() <= allowed).all()) << "row " << row;
  }
}

}  // namespace

TEST(NumpyLayout, LeavesOurIdsAndTables) {
  const std::vector<LayoutProgramCase> all = list_layout_programs();
  std::vector<std::string> programs;
  for (const LayoutProgramCase& one : all) {
    const Equivalent said = find_other_words("numpy").of_layout(*one.layout, one.request);
    EXPECT_TRUE(said.unsaid.empty());
    programs.push_back(said.text);
  }
  const auto left = run_with_numpy(programs, "[x for n in ('ids', 'cos', 'sin') for x in left[n].ravel()]");
  if (!left) GTEST_SKIP() << "no python3 with NumPy is there";
  for (std::size_t i = 0; i < all.size(); ++i) {
    SCOPED_TRACE(all[i].name);
    expect_same(arrange(*all[i].layout, all[i].request), (*left)[i]);
  }
}

TEST(NumpyLayout, IsRulesAndNoList) {
  for (const Layout& layout : all_layouts()) {
    const auto text_at = [&](int rows, int columns) {
      const LayoutRequest request = request_for(layout, rows, columns);
      return numpy_layout(arrange(layout, request), request);
    };
    const std::string small = text_at(5, 8), large = text_at(63, 97);
    EXPECT_LE(std::count(small.begin(), small.end(), '\n'), 20) << small;
    EXPECT_NEAR(static_cast<double>(small.size()), static_cast<double>(large.size()), 24) << layout.name;
    EXPECT_EQ(std::count(small.begin(), small.end(), '\n'), std::count(large.begin(), large.end(), '\n'));
  }
}

TEST(NumpyLayout, FormulasNameTheSides) {
  const auto formula = [](const char* name) {
    const Layout& layout = find_layout(name);
    const LayoutRequest request = request_for(layout, 5, 8);
    return id_formula(arrange(layout, request), request);
  };
  EXPECT_EQ(formula("flux.1"),
            "text[i]: (t, row, column) = (0, 0, 0)\n"
            "image[row, column]: (t, row, column) = (0, row, column)");
  EXPECT_EQ(formula("qwen-image"),
            "text[i]: (t, row, column) = (max(rows // 2, columns // 2) + i, max(rows // 2, columns // 2) + i, "
            "max(rows // 2, columns // 2) + i)\n"
            "image[row, column]: (t, row, column) = (0, row - (rows - rows // 2), column - (columns - columns // 2))");
  EXPECT_THAT(formula("z-image"), HasSubstr("(text + 31) // 32 * 32 + 1"));
  EXPECT_THAT(formula("dinov3"), HasSubstr("(2 * row + 1 - rows) / rows"));
  EXPECT_EQ(formula("text"), "text[i]: (position,) = (i,)");
  for (const Layout& layout : all_layouts()) {
    EXPECT_THAT(formula(std::string(layout.name).c_str()), Not(HasSubstr("numpy.array"))) << layout.name;
  }
}

}  // namespace ropescope
