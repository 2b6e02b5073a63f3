#pragma once

#include "core/layouts/tables.h"
#include "tests/angles_of.h"
#include "tests/unit/reference_data.h"

/// Layouts against files that other programs made (tests/reference/layouts).
namespace ropescope {

inline ImageSize grid_in(const json& sizes) {
  return ImageSize::tokens(sizes[0].get<int>(), sizes[1].get<int>());
}

inline json read_layout_file(const std::string& name) {
  return read_reference("layouts/" + name + ".json");
}
inline const json& config_of(const json& file) {
  return file["header"]["config"];
}

/// What a file of a layout was made with: sizes under the names of its config, and what is the layout's own.
LayoutRequest request_of(const std::string& layout, const json& config);

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

/// The row of a token: a file without a count of all tokens counts text and images each from 0.
inline std::int64_t row_of(const TokenLayout& layout, const json& file, const json& token) {
  if (file.contains("n_tokens") || file.contains("batch")) return by_token(token);
  return by_token(token) + first_row_of(layout, token["segment"] == "txt" ? "text" : "image");
}

/// The ids of a part, or of rows from `first` on, that a small file carries in full.
inline void expect_ids(const TokenLayout& layout, std::int64_t first, const json& ids) {
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const std::int64_t row = first + static_cast<std::int64_t>(i);
    EXPECT_EQ(ids_of(layout, row), numbers_of(ids[i])) << "row " << row;
  }
}

/// All ids that a file carries: of all rows, of its segments, or of text and image.
inline void expect_all_ids(const TokenLayout& layout, const json& file) {
  static const std::map<std::string, std::string> parts = {{"txt", "text"},        {"img", "image"},
                                                           {"ref0", "reference1"}, {"ref1", "reference2"},
                                                           {"ref", "reference1"},  {"cond", "reference1"}};
  for (const char* text : {"txt_ids", "cap_ids"})
    if (file.contains(text)) expect_ids(layout, first_row_of(layout, "text"), file[text]);
  if (file.contains("img_ids")) expect_ids(layout, first_row_of(layout, "image"), file["img_ids"]);
  const json ids = file.value("ids", json::array());
  if (ids.is_array()) return expect_ids(layout, 0, ids);
  for (const auto& [segment, rows] : ids.items()) {
    SCOPED_TRACE(segment);
    // The layers of an image follow each other.
    const bool layer = segment.starts_with("image");
    const std::size_t before = layer ? std::stoul(segment.substr(5)) * rows.size() : 0;
    const std::int64_t first = first_row_of(layout, layer ? "image" : parts.at(segment));
    expect_ids(layout, first + static_cast<std::int64_t>(before), rows);
  }
}

/// The number of all tokens, or those of a padded image and its padded text.
inline void expect_counts(const TokenLayout& layout, const json& file) {
  if (file.contains("n_tokens")) EXPECT_EQ(layout.row_count(), file["n_tokens"].get<std::int64_t>());
  if (!file.contains("padded_img_len")) return;
  EXPECT_EQ(first_row_of(layout, "text"), file["padded_img_len"].get<std::int64_t>());
  EXPECT_EQ(layout.row_count() - first_row_of(layout, "text"), file["padded_cap_len"].get<std::int64_t>());
}

inline LayoutTables tables_of(const std::string& name, const LayoutRequest& request) {
  return LayoutTables(arrange(find_layout(name), request));
}

}  // namespace ropescope
