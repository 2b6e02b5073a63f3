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

/// The photograph in a file. Throws InputError where there is none.
std::shared_ptr<const Pixels> photograph_of(const FileStamp& file, const Work& work);

// --- View ----------------------------------------------------------------------------------------------------------

/// Where an image model puts its tokens, what their positions are, and how near two of them are. Clicks on patches:
/// anchor, then target. Opens a PNG or JPEG, which then lies on the patches and whose image takes the nearest size of
/// it (throws InputError where it cannot be read), and a config.json, which chooses the layout.
extern const View kLayoutView;

/// Throws InputError where the layout's fields cannot be shown: what the window says in place of the figures.
void check_layout(const Experiment& experiment);

}  // namespace ropescope
