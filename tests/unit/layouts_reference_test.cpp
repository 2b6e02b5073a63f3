// Released models' layouts, compared with the files of tests/reference/layouts: the ids of all tokens that a file
// carries, and the tables of some.

#include "tests/unit/layouts_reference.h"

namespace ropescope {
namespace {

/// A row of tests/reference/layouts/cases.json: files of one layout that are compared in the same way. `tolerance` of
/// cos and sin: what an independent recomputation in float64 met (README of the reference data), none where it follows
/// from the largest position; `also`: what else the config determines.
struct LayoutCase {
  json row;
};

void PrintTo(const LayoutCase& one, std::ostream* out) {
  *out << one.row["name"];
}

std::vector<LayoutCase> layout_cases_of_files() {
  std::vector<LayoutCase> cases;
  for (const json& row : read_reference("layouts/cases.json")) cases.push_back({row});
  return cases;
}

/// transformers computes tables in float32: half a unit of the largest angle, which the largest position gives.
double tolerance_of_float32(const json& file) {
  double largest = 1;
  for (const json& token : file["tokens"]) {
    for (const json& id : token["id"]) largest = std::max(largest, id.get<double>());
  }
  return 1.5e-7 * largest + 2e-7;
}

void expect_snapped_reference(const TokenLayout& layout, const json& config) {
  ASSERT_EQ(layout.notes.size(), 1u);
  EXPECT_THAT(debug_text(layout.notes.front()), HasSubstr("new_width=1392 new_height=752"));
  const TokenBlock& reference = layout.blocks.back();
  EXPECT_EQ(reference.part, "reference1");
  EXPECT_EQ(reference.rows, config["cond_grid_h"].get<int>());
  EXPECT_EQ(reference.columns, config["cond_grid_w"].get<int>());
}

void expect_axis_dims(const TokenLayout& layout, const json& config) {
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(layout.axes[i].rotary_dim, config["axes_dim"][i].get<int>());
}

void expect_bases(const TokenLayout& layout, const json& config) {
  for (std::size_t i = 0; i < 3; ++i) EXPECT_DOUBLE_EQ(layout.axes[i].base, config["effective_theta"][i].get<double>());
}

void expect_text_first(const TokenLayout& layout, const json& config) {
  EXPECT_EQ(first_row_of(layout, "image"), config["txt_len"].get<int>());
}
void expect_text_counted(const TokenLayout& layout, const json&) {
  EXPECT_EQ(layout.blocks[0].first_token, 226);
}
void expect_scale(const TokenLayout& layout, const json& config) {
  EXPECT_DOUBLE_EQ(1 / layout.axes[2].id_scale, config["scale_factor"][2].get<double>());
}
void expect_halves(const TokenLayout& layout, const json&) {
  EXPECT_TRUE(layout.halves_by_axis);
}
void expect_class_token(const TokenLayout& layout, const json&) {
  EXPECT_EQ(layout.blocks.back().part, "cls");
}

using ExpectAlso = void (*)(const TokenLayout& layout, const json& config);
const std::map<std::string, ExpectAlso> kAlso = {
    {"snapped_reference", expect_snapped_reference},
    {"axis_dims", expect_axis_dims},
    {"bases", expect_bases},
    {"text_first", expect_text_first},
    {"text_counted", expect_text_counted},
    {"scale", expect_scale},
    {"halves", expect_halves},
    {"class_token", expect_class_token},
};

class LayoutReferenceTest : public ::testing::TestWithParam<LayoutCase> {};

TEST_P(LayoutReferenceTest, IsThatOfTheReleasedCode) {
  const json& one = GetParam().row;
  const std::string of = one["layout"];
  for (const std::string name : one["files"]) {
    SCOPED_TRACE(name);
    const json file = read_layout_file(name);
    const LayoutTables tables = tables_of(of, request_of(of, config_of(file)));
    const TokenLayout& layout = tables.layout();
    const double tolerance = one.contains("tolerance") ? one["tolerance"].get<double>() : tolerance_of_float32(file);
    expect_counts(layout, file);
    expect_all_ids(layout, file);
    expect_tokens(tables, file["tokens"], tolerance, [&](const json& token) { return row_of(layout, file, token); });
    for (const json& token : file["tokens"]) {  // of Allegro
      if (!token.contains("cos_f64")) break;
      expect_table_row(tables, by_token(token), token["cos_f64"], token["sin_f64"], 1e-14);
    }
    if (one.contains("also")) kAlso.at(one["also"].get<std::string>())(layout, config_of(file));
  }
}

TEST(LayoutReference, HasAllFilesOfTheTable) {
  std::size_t files = 0;
  std::map<std::string, int> rows_with;
  const std::vector<LayoutCase> cases = layout_cases_of_files();
  for (const LayoutCase& one : cases) {
    files += one.row.at("files").size();
    for (const auto& [name, value] : one.row.items()) ++rows_with[name];
  }
  EXPECT_EQ(cases.size(), 33u);
  EXPECT_EQ(files, 85u);
  const std::map<std::string, int> due = {{"name", 33}, {"layout", 33}, {"files", 33}, {"also", 8}, {"tolerance", 24}};
  EXPECT_EQ(rows_with, due);
}

INSTANTIATE_TEST_SUITE_P(Released, LayoutReferenceTest, ::testing::ValuesIn(layout_cases_of_files()),
                         [](const auto& entry) { return entry.param.row["name"].template get<std::string>(); });

}  // namespace
}  // namespace ropescope
