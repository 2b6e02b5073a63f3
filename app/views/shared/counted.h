#pragma once

#include "app/figure/number_text.h"
#include "app/resources/text.h"

namespace ropescope {

/// A whole number in a text: as people read it, and as what chooses between singular and plural.
template <class Number>
TextValue counted(Number number) {
  return {readable_integer(static_cast<double>(number)), static_cast<double>(number)};
}

}  // namespace ropescope
