#include <algorithm>

#include "app/views/atlas.h"
#include "app/views/attention.h"
#include "app/views/check_drop.h"
#include "app/views/check_view.h"
#include "app/views/compare.h"
#include "app/views/decay.h"
#include "app/views/frequencies.h"
#include "app/views/layout_inputs.h"
#include "app/views/layout_view.h"
#include "app/views/limits.h"
#include "app/views/precision.h"
#include "app/views/rotation.h"
#include "app/views/similarity_view.h"
#include "app/views/view.h"
#include "core/error.h"

namespace ropescope {

namespace {

// The order of the list at the left edge: a group's views stand together.
constexpr View kViews[] = {
    {.id = "rotation",
     .group = "explore",
     .describe = describe_rotation,
     .figures = rotation_figures,
     .react = react_rotation,
     .player = &kRotationPlayer,
     .compares_ropes = false},
    {.id = "decay", .group = "explore", .describe = describe_decay, .figures = decay_figures},
    {.id = "frequencies", .group = "explore", .describe = describe_frequencies, .figures = frequencies_figures},
    {.id = "limits", .group = "explore", .describe = describe_limits, .figures = limits_figures},
    {.id = "precision", .group = "explore", .describe = describe_precision, .figures = precision_figures},
    {.id = "atlas",
     .group = "compare",
     .describe = describe_atlas,
     .figures = atlas_figures,
     .react = react_atlas,
     .compares_ropes = false,
     .follows_pointer = true},
    {.id = "compare",
     .group = "compare",
     .describe = describe_compare,
     .figures = compare_figures,
     .react = react_compare,
     .compares_ropes = false,
     .follows_pointer = true},
    {.id = "attention",
     .group = "compare",
     .describe = describe_attention,
     .figures = attention_figures,
     .react = react_attention,
     .open = open_attention,
     .compares_ropes = false},
    {.id = "layout",
     .group = "images",
     .describe = describe_layout,
     .figures = layout_figures,
     .react = react_layout,
     .open = open_layout,
     .compares_ropes = false,
     .subject = layout_subject,
     .files = layout_files},
    {.id = "similarity",
     .group = "images",
     .describe = describe_similarity,
     .figures = similarity_figures,
     .react = react_similarity,
     .open = open_layout_config,
     .compares_ropes = false,
     .subject = layout_subject,
     .follows_pointer = true},
    {.id = "check",
     .group = "engineer",
     .describe = describe_check,
     .figures = check_figures,
     .react = react_check,
     .open = open_check,
     .compares_ropes = false,
     .subject = check_subject,
     .act = act_on_check,
     .flip = flip_check,
     .files = check_files},
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
