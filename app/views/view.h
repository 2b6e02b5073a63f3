#pragma once

#include <span>
#include <string_view>

#include "app/experiment/experiment.h"
#include "app/figure/figure.h"
#include "app/resources/text.h"
#include "app/views/store.h"

namespace ropescope {

/// A view is a pure function from the experiment to figures; `store` computes what takes long (off the interface where
/// it is asynchronous) and remembers it by its input value.
struct View {
  std::string_view id;     ///< stable name: "decay"; texts "view.ID.name"
  std::string_view group;  ///< heading in the view list: text "view_group.GROUP"
  void (*describe)(Fields&, Experiment&);
  ViewResult (*figures)(const Experiment&, const Text&, Store&);
};

/// All views in the order of the list at the left edge. Adding one: its file and one line in registry.cpp.
std::span<const View> all_views();
/// Throws InputError that lists the views.
const View& find_view(std::string_view id);

}  // namespace ropescope
