#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace ropescope {

/// A table of results as a paper printed it. What its names are called is in the texts.
struct ReportedTable {
  struct Row {
    std::string name;        ///< "roformer-512"
    std::string role;        ///< "baseline", "roformer", "longer" (the same read further) or "other"
    bool other_set = false;  ///< measured on another set than the other rows: no like-for-like comparison
    std::vector<double> values;
  };
  std::string name;  ///< "glue"
  int number = 0;    ///< in the paper
  int decimals = 0;  ///< as printed
  std::vector<std::string> columns;
  std::vector<Row> rows;

  /// The row of a role; null where there is none.
  const Row* row(const std::string& role) const;
};

/// assets/reported/roformer.json: every number confirmed against the paper's text.
struct ReportedPaper {
  std::string paper, source;  ///< "RoFormer", "arXiv 2104.09864v5"
  std::vector<ReportedTable> tables;
  int stages_number = 0;  ///< the table of the stages of pre-training
  int longest_stage = 0;  ///< most tokens of any of them

  /// Throws InputError where there is none of this name.
  const ReportedTable& table(const std::string& name) const;
};
/// Throws InputError that names file and field.
ReportedPaper load_reported(const std::filesystem::path& assets);

}  // namespace ropescope
