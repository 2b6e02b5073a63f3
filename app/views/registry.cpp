#include <algorithm>

#include "app/views/atlas/view.h"
#include "app/views/attention/view.h"
#include "app/views/check/view.h"
#include "app/views/compare/view.h"
#include "app/views/decay/view.h"
#include "app/views/frequencies/view.h"
#include "app/views/layout/view.h"
#include "app/views/limits/view.h"
#include "app/views/precision/view.h"
#include "app/views/rotation/view.h"
#include "app/views/similarity/view.h"
#include "app/views/view.h"
#include "core/error.h"

namespace ropescope {

namespace {

// The order of the list at the left edge: a group's views stand together.
constexpr const View* kViews[] = {&kRotationView,  &kDecayView,      &kFrequenciesView, &kLimitsView,
                                  &kPrecisionView, &kAtlasView,      &kCompareView,     &kAttentionView,
                                  &kLayoutView,    &kSimilarityView, &kCheckView};

}  // namespace

std::span<const View* const> all_views() {
  return kViews;
}

const View& find_view(std::string_view id) {
  const auto views = all_views();
  const auto found = std::find_if(views.begin(), views.end(), [id](const View* view) { return view->id == id; });
  if (found != views.end()) return **found;
  std::string known;
  for (const View* view : views) known += (known.empty() ? "" : ", ") + std::string(view->id);
  throw InputError("view: \"" + std::string(id) + "\" is not a view; expected one of: " + known);
}

}  // namespace ropescope
