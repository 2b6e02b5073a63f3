#pragma once

#include <string>

#include "app/views/view.h"

namespace ropescope {

/// A figure without numbers over these axes.
Figure empty_figure(const std::string& name, const std::string& x, const std::string& y);

/// The figure alone, with a sentence in place of numbers; `stale`: these are still being computed.
ViewResult message_result(Figure figure, const std::string& words, bool stale = false);
/// The same with a sentence that tells a hand at the screen what it may do.
ViewResult hint_result(Figure figure, const std::string& words);
/// A sentence that says what is wrong: of it no file is made. Or nothing yet, as above.
ViewResult fault_result(Figure figure, const std::string& words, bool stale = false);

}  // namespace ropescope
