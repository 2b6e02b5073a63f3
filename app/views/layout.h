// The view Layout: where an image model puts its tokens, as maps of ids or angles; kLayoutView is what
// view.cpp lists. Read view.h and app/store/store.h before.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <memory>

#include "app/figure/figure.h"
#include "app/figure/picture.h"
#include "app/resources/files.h"
#include "app/views/shared/layouts.h"
#include "app/views/view.h"

namespace ropescope {

// --- Tokens --------------------------------------------------------------------------------------------------------

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

/// The photograph in a file. Throws InputError where there is none.
std::shared_ptr<const Pixels> photograph_of(const FileStamp& file, const Work& work);
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
