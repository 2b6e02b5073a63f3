#pragma once

#include "app/views/view.h"

namespace ropescope {

/// Results as a paper printed them (assets/reported), as bars from 0: what is compared, with which source. Nothing here
/// is computed but differences of two printed numbers.
extern const View kReportedView;

}  // namespace ropescope
