// The view Layout: the token positions of an image model, as maps of ids or angles. registry.cpp registers kLayoutView.
// Read view.h and app/store/store.h first.
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

/// Loads the photograph from a file. Throws InputError if the file cannot be read as one.
std::shared_ptr<const Pixels> photograph_of(const FileStamp& file, const Work& work);

// --- View ----------------------------------------------------------------------------------------------------------

/// The token grid of an image model, the position of each token, and the similarity of two tokens. Clicks on patches
/// set the anchor, then targets. Opens a PNG or JPEG, which is drawn on the patches and sets the nearest supported
/// image size (throws InputError if unreadable), or a config.json, which selects the layout.
extern const View kLayoutView;

/// Throws InputError if the layout's fields cannot be shown; the window shows this message in place of the figures.
void check_layout(const Experiment& experiment);

}  // namespace ropescope
