#pragma once

#include "app/views/view.h"

namespace ropescope {

/// How position encodings act on a score; CompareKnobs::show picks the picture. distance: scores by distance of any set
/// of encodings with the same content, where learned tables end visibly. matrix: scores of queries against keys for one
/// encoding, as a whole and term by term. phrase: scores of a phrase's words among themselves at two places of a
/// sentence. The rope's context extension plays no part here. A click into a matrix keeps the query under the mouse; a
/// click on a word begins the phrase there.
extern const View kCompareView;

}  // namespace ropescope
