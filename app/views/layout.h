// The view Layout: where an image model puts its tokens, as maps of ids or angles. Inputs say what the store computes
// for it; kLayoutView is what view.cpp lists. Read view.h and app/store/store.h before.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <memory>
#include <stop_token>
#include <vector>

#include "app/figure/figure.h"
#include "app/figure/picture.h"
#include "app/resources/files.h"
#include "app/views/shared/layouts.h"
#include "app/views/view.h"

namespace ropescope {

// --- Inputs --------------------------------------------------------------------------------------------------------

/// What colours the tokens.
struct TokenColouring {
  enum class By { index, axis, angle };
  By by = By::index;
  std::size_t axis = 0;   ///< whose ids
  Eigen::Index pair = 0;  ///< whose angle
  bool operator==(const TokenColouring&) const = default;
};
/// How the fields colour the tokens; an axis that the layout has not stands for its first one that counts rows, columns
/// or tokens.
TokenColouring colouring_of(const LayoutFields& fields, const TokenLayout& layout);
/// The exact value of a row of the tables: number of the token in the whole sequence, id, or angle in [0, 2π).
double colour_value(const TokenColouring& colouring, const TokenLayout& layout, std::int64_t table_row);

/// The values of every block that is seen.
struct LayoutCells {
  std::shared_ptr<const ArrangedLayout> arranged;
  TokenColouring colouring;
  std::vector<SeenBlock> blocks;                       ///< one for each block of the layout
  std::vector<std::shared_ptr<const MapCells>> cells;  ///< of each; the end of a wrapped line is NaN
  Range range;  ///< of all values; of ids those of the image, where they differ: text beyond them takes the last colour
  double seconds = 0;
  std::size_t bytes() const;
};
struct LayoutCellsInput {
  using Result = LayoutCells;
  std::shared_ptr<const ArrangedLayout> arranged;  ///< one without a fault
  TokenColouring colouring;
  int frame = 0;
  bool operator==(const LayoutCellsInput&) const = default;
  double cost() const;
  std::shared_ptr<const LayoutCells> compute(int threads, const std::stop_token& stop) const;
};

/// A photograph, or what is wrong with its file.
struct Photograph {
  Words fault;
  std::shared_ptr<const Pixels> pixels;
  std::size_t bytes() const { return pixels ? pixels->values.size() : 0; }
};
struct PhotographInput {
  using Result = Photograph;
  FileStamp file;
  bool operator==(const PhotographInput&) const = default;
  double cost() const { return 2e6; }
  std::shared_ptr<const Photograph> compute(int threads, const std::stop_token& stop) const;
};
/// The sides of a photograph as they will be shown, from its header alone. Throws InputError as far as that shows what
/// is wrong.
PhotographSize size_of_photograph(const std::string& path);

// --- View ----------------------------------------------------------------------------------------------------------

/// Where an image model puts its tokens, what their positions are, and how near two of them are. Clicks on patches:
/// anchor, then target. Opens a PNG or JPEG, which then lies on the patches and whose image takes the nearest size of
/// it (throws InputError where it cannot be read), and a config.json, which chooses the layout.
extern const View kLayoutView;

/// Throws InputError where the layout's fields cannot be shown: what the window says in place of the figures.
void check_layout(const Experiment& experiment);

}  // namespace ropescope
