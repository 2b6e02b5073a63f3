// The view Reported: results as published in papers. registry.cpp registers kReportedView. Read view.h first.
#pragma once

#include <cstddef>

#include "app/experiment/experiment.h"
#include "app/resources/models.h"
#include "app/views/view.h"

namespace ropescope {

// --- Table ---------------------------------------------------------------------------------------------------------

// --- View ----------------------------------------------------------------------------------------------------------

/// Results as published (assets/reported), as bars from 0, with what is compared and the source. The only computed
/// numbers are differences of two published ones.
extern const View kReportedView;

}  // namespace ropescope
