// The view Layout: the token positions of an image model, as maps of ids or angles. Read view.h and
// app/store/store.h first.
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

/// Throws InputError if the layout's fields cannot be shown; the window shows this message in place of the figures.
void check_layout(const Experiment& experiment);

}  // namespace ropescope
