#pragma once

#include "app/resources/files.h"
#include "tests/unit/reference_data.h"

namespace ropescope {

/// Where the verbatim configs lie beside a checkout; they are not part of it.
inline fs::path shared_configs() {
  return fs::path(source_folder()) / ".." / "shared" / "configs";
}

/// The rows of tests/reference/configs/published.json: what stands in each of them.
inline json published_configs() {
  const json file = read_reference("configs/published.json");
  json rows = json::array();
  for (const json& test : file.at("tests"))
    for (const json& row : test.at("rows")) rows.push_back(row);
  EXPECT_EQ(rows.size(), 56u);
  return rows;
}

inline fs::path preset_folder() {
  return fs::path(source_folder()) / "assets" / "models";
}

}  // namespace ropescope
