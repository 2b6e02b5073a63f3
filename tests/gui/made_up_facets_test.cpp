// Small multiples and related curves in an invented language (tests/made_up_language.h).

#include "tests/gui/made_up_window.h"

namespace ropescope::ui {
namespace {

using MadeUpFacets = MadeUpLanguage;

/// Small multiples of a field and of models, their fields, and differences between pins.
TEST_F(MadeUpFacets, AndRelations) {
  Experiment experiment = small_experiment();
  experiment.pins.resize(1);
  experiment.pins[0].rope.base = 100;
  experiment.curves = {ShownAs::difference, "pin1", {}};
  for (const View* view : all_views()) {
    experiment.view = view->id;
    // Two maps beside each other are narrow enough.
    const bool wide = view->id == "similarity";
    experiment.facet = {wide ? "" : "rope.base=500,10000", wide ? "layout.base=500,10000" : ""};
    window.show(experiment, 3);
    read();
  }
  experiment.view = "decay";
  experiment.curves = {};
  for (const FacetFields& facet : {FacetFields{"model=llama-2-7b,llama-3.1-8b", "decay.show_bound=false,true"},
                                   FacetFields{"rope.base=500,10000", "rope.base=500,10000"}}) {
    experiment.facet = facet;
    window.show(experiment, 3);
    read();
  }
  experiment.facet = {};
  window.show(experiment);
  window.gui.click("rope.base.label", 1);
  ASSERT_TRUE(window.gui.shows("field.menu.facet"));
  read();
}

}  // namespace
}  // namespace ropescope::ui
