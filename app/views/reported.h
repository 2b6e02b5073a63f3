// The view Reported: results as a paper printed them; kReportedView is what view.cpp lists. Read view.h before.
#pragma once

#include <cstddef>

#include "app/experiment/experiment.h"
#include "app/resources/models.h"
#include "app/views/view.h"

namespace ropescope {

// --- Table ---------------------------------------------------------------------------------------------------------

// --- View ----------------------------------------------------------------------------------------------------------

/// Results as a paper printed them (assets/reported), as bars from 0: what is compared, with which source. Nothing here
/// is computed but differences of two printed numbers.
extern const View kReportedView;

}  // namespace ropescope
