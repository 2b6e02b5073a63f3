#include <algorithm>

#include "app/views/decay.h"
#include "app/views/frequencies.h"
#include "app/views/limits.h"
#include "app/views/precision.h"
#include "app/views/view.h"
#include "core/error.h"

namespace ropescope {

namespace {

// The order of the list at the left edge: a group's views stand together.
constexpr View kViews[] = {
    {"decay", "explore", describe_decay, decay_figures},
    {"frequencies", "explore", describe_frequencies, frequencies_figures},
    {"limits", "explore", describe_limits, limits_figures},
    {"precision", "explore", describe_precision, precision_figures},
};

}  // namespace

std::span<const View> all_views() {
  return kViews;
}

const View& find_view(std::string_view id) {
  const auto views = all_views();
  const auto found = std::find_if(views.begin(), views.end(), [id](const View& view) { return view.id == id; });
  if (found != views.end()) return *found;
  std::string known;
  for (const View& view : views) known += (known.empty() ? "" : ", ") + std::string(view.id);
  throw InputError("view: \"" + std::string(id) + "\" is not a view; expected one of: " + known);
}

}  // namespace ropescope
