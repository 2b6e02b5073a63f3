#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

#include "app/store/store.h"
#include "app/views/shared/sweep_grid.h"

namespace ropescope {

/// What a sweep has found, as CSV or JSON: a row per point, the knobs' values in front; what is not defined is an empty
/// cell or null, several numbers stand side by side.
class SweepTable {
 public:
  SweepTable(const SweepGrid& grid, bool json);

  /// Takes over the whole rows of a CSV file, if it is there. Throws InputError where they are not those of this sweep:
  /// another header, other points, or the first or last row not as it is computed now.
  void resume(const std::filesystem::path& path, const Text& text, Store& store);
  void add(std::size_t point, const SweptPoint& swept);

  std::size_t rows() const { return rows_; }
  std::size_t added() const { return added_; }
  std::size_t failures() const { return failures_; }
  /// Whether a part of it is worth a file: a part of a CSV is one.
  bool can_grow() const { return !json_; }
  std::string content() const;

  /// Throws InputError where nothing could be computed at any of the points that were added.
  void require_any() const;
  /// Says on standard error how many could not, and why the first one.
  void notice_failures() const;

 private:
  std::string row_of(std::size_t point, const SweptPoint& swept) const;
  std::string name_of(std::size_t point) const;

  const SweepGrid& grid_;
  bool json_;
  std::string header_, text_;  // the rows as they are written
  std::size_t rows_ = 0, added_ = 0, failures_ = 0;
  std::string first_failure_;
};

}  // namespace ropescope
