#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

/// Matrices of tests that are too large for every run: rows (lesson steps, views, causes) times cells (languages,
/// sizes, formats).
namespace ropescope {

/// Returns whether every cell of every matrix is to be run: `./test --long` sets ROPESCOPE_LONG=1.
bool runs_all_cells();

/// Returns how many of `all` random cases to run: `some`, or all of them with `--long`. Prints both as a Sample does.
int sampled_count(const std::string& name, int some, int all);

/// Chooses the cells of a matrix that are run. `./test` runs each row in `cells_per_row` of its cells, evenly spaced
/// and starting one cell further with each row, so that neighbouring rows cover each other's cells. The choice depends
/// on the row's index alone. Prints at its end how many cells were run of at most how many; `./test` adds them up by
/// name.
class Sample {
 public:
  /// `cells_per_row` ≥ 1; a row that has fewer cells runs them all.
  explicit Sample(std::string name, std::size_t cells_per_row = 1);
  ~Sample();
  Sample(const Sample&) = delete;
  Sample& operator=(const Sample&) = delete;

  /// Returns those of the row's cells that are run, in their order. `exists(cell)`: false if the row has nothing to run
  /// there; the next cell that exists takes its place. It is called for no more cells than needed.
  template <class Cell, class Exists>
  std::vector<Cell> of(std::size_t row, const std::vector<Cell>& cells, const Exists& exists) {
    std::vector<Cell> chosen;
    for (const std::size_t i : choose(row, cells.size(), [&](std::size_t cell) { return exists(cells[cell]); })) {
      chosen.push_back(cells[i]);
    }
    count(chosen.size(), runs_all_cells() ? chosen.size() : cells.size());
    return chosen;
  }
  template <class Cell>
  std::vector<Cell> of(std::size_t row, const std::vector<Cell>& cells) {
    return of(row, cells, [](const Cell&) { return true; });
  }
  /// Returns whether one cell of `cells` is among those of the row: for tests with one process per cell.
  bool takes(std::size_t row, std::size_t cell, std::size_t cells);

 private:
  std::vector<std::size_t> choose(std::size_t row, std::size_t cells,
                                  const std::function<bool(std::size_t)>& exists) const;
  void count(std::size_t taken, std::size_t all);

  std::string name_;
  std::size_t cells_per_row_;
  std::size_t taken_ = 0, all_ = 0;
};

}  // namespace ropescope
