#pragma once

#include "app/experiment/curves.h"
#include "app/figure/figure.h"
#include "app/resources/text.h"
#include "app/store/store.h"

namespace ropescope {

/// The experiment with its reference (CurveKnobs::relative_to) among the ropes that are not hidden: what a view is to
/// be asked for, so that its curves are there to relate to.
Experiment with_reference(Experiment experiment);

/// Puts differences from the reference or ratios to it in the place of the curves of a result of with_reference(): of
/// every line "pin2.envelope" and that of the reference, "current.envelope". Values are related where both curves have
/// one at the same x, and nothing is interpolated; elsewhere, and where the reference is 0 in a ratio or changes its
/// sign, there is a gap. The y axis shows what ratios usually are, without the tops of their poles, and keeps a zoomed
/// range in the field of the figure's own y axis. The reference's own curves go, and so do lines that it has no
/// counterpart of, and what marks values of y. Figures whose lines are not those of ropes stay as they are; where there
/// are no others the result says so (undone). Precondition: relates(experiment).
void relate_curves(ViewResult& result, const Experiment& experiment, const Text& text, Store& store);

/// a − b, or a / b, over the x that both have; NaN where one of them is, or b is 0 in a ratio. Where b changes its sign
/// between two of these x, the ratio has a pole: NaN at that of the two where |b| is smaller.
std::shared_ptr<const Series> related_series(const Series& a, const Series& b, bool ratio);

/// The finite values but for what lies more than half the distance of the 2nd and 98th percentile beyond them; low
/// above high where there is none.
Range usual_range(std::vector<double> values);

}  // namespace ropescope
