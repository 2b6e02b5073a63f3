#pragma once

#include "core/layouts/layout.h"
#include "core/layouts/tables.h"
#include "tests/angles_of.h"
#include "tests/unit/reference_data.h"

/// Layouts against files that other programs made (tests/reference/layouts).
namespace ropescope {

inline ImageSize grid_in(const json& sizes) {
  return ImageSize::tokens(sizes[0].get<int>(), sizes[1].get<int>());
}

/// The size of a file whose config names it grid_h and grid_w.
inline LayoutRequest grid_request(const json& file) {
  const json& config = file["header"]["config"];
  LayoutRequest request;
  request.image = ImageSize::tokens(config["grid_h"].get<int>(), config["grid_w"].get<int>());
  request.text = config.value("txt_len", config.value("cap_len", 0));
  return request;
}

/// The size of a file whose config names it grid_fhw.
inline LayoutRequest video_request(const json& file) {
  const json& grid = file["header"]["config"]["grid_fhw"];
  LayoutRequest request;
  request.frames = grid[0].get<int>();
  request.image = ImageSize::tokens(grid[1].get<int>(), grid[2].get<int>());
  return request;
}

inline std::vector<double> numbers_of(const json& list) {
  return list.get<std::vector<double>>();
}

inline std::int64_t first_row_of(const TokenLayout& layout, const std::string& part) {
  for (const TokenBlock& block : layout.blocks) {
    if (block.part == part) return block.first_row;
  }
  ADD_FAILURE() << "no part " << part;
  return 0;
}

/// cos and sin of one row against lists of the file, both as formula and as streamed.
inline void expect_table_row(const LayoutTables& tables, std::int64_t row, const json& cosines, const json& sines,
                             double tolerance) {
  const Eigen::VectorXd angles = angles_of(tables.layout(), row);
  ASSERT_EQ(static_cast<std::size_t>(angles.size()), cosines.size());
  Eigen::VectorXd cosine(angles.size()), sine(angles.size());
  tables.table_rows<double>(row, 1, cosine.data(), sine.data());
  const Eigen::VectorXd expected_cosine = vector_of(cosines), expected_sine = vector_of(sines);
  EXPECT_LE((cosine - expected_cosine).cwiseAbs().maxCoeff(), tolerance) << "row " << row;
  EXPECT_LE((sine - expected_sine).cwiseAbs().maxCoeff(), tolerance) << "row " << row;
  EXPECT_LE((angles.array().cos() - expected_cosine.array()).abs().maxCoeff(), tolerance) << "row " << row;
}

/// Every sampled token of a file: its id exactly, its table row within the tolerance. row_of finds the row of one.
template <class RowOf>
inline void expect_tokens(const LayoutTables& tables, const json& tokens, double tolerance, const RowOf& row_of) {
  ASSERT_FALSE(tokens.empty());
  for (const json& token : tokens) {
    const std::int64_t row = row_of(token);
    SCOPED_TRACE("token " + token["token"].dump() + " row " + std::to_string(row));
    ASSERT_LT(row, tables.layout().row_count());
    if (token.contains("id") && token["id"].is_array()) {
      EXPECT_EQ(ids_of(tables.layout(), row), numbers_of(token["id"]));
    }
    expect_table_row(tables, row, token["cos"], token["sin"], tolerance);
  }
}

inline std::int64_t by_token(const json& token) {
  return token["token"].get<std::int64_t>();
}

/// All ids of a part that a small file carries in full.
inline void expect_ids(const TokenLayout& layout, const std::string& part, const json& ids) {
  const std::int64_t first = first_row_of(layout, part);
  for (std::size_t i = 0; i < ids.size(); ++i) {
    EXPECT_EQ(ids_of(layout, first + static_cast<std::int64_t>(i)), numbers_of(ids[i])) << part << " " << i;
  }
}

/// The ids of all tokens, which small files carry; empty in others.
inline json ids_in(const json& file) {
  return file.value("ids", json::array());
}

inline void expect_counts(const TokenLayout& layout, const json& file) {
  EXPECT_EQ(layout.row_count(), file["n_tokens"].get<std::int64_t>());
}

inline LayoutTables tables_of(const char* name, const LayoutRequest& request) {
  return LayoutTables(arrange(find_layout(name), request));
}

}  // namespace ropescope
