#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/experiment/experiment.h"
#include "app/figure/figure.h"
#include "app/resources/text.h"
#include "app/store/store.h"

namespace ropescope {

struct View;

/// The readout of this name among those shown, or null.
const Readout* find_readout(const ViewResult& shown, std::string_view name);

/// The numbers of a readout as render's JSON lists them, none where it says a word. `name` may go on with a dot and one
/// of the names within it, or with ".other" for the 64 of "18 of 64". Null: no such readout is shown.
std::optional<std::vector<ShownNumber>> numbers_of(const ViewResult& shown, const std::string& name);

/// The view that shows a readout: that of the name's first part, else the experiment's (the layout in place of the
/// sweep).
const View& view_of_readout(const std::string& name, const Experiment& experiment);

/// A readout that some picture of a view shows.
struct ListedReadout {
  std::string name, label;
  std::string setting;  ///< --set argument that shows it: "decay.show=phasors", or two with " --set " between; empty:
                        ///< it is there as the experiment is
};
/// All that a view shows of this experiment, in its own picture first, with every one of its choices and switches alone
/// and with another rope pinned, and then in the others, with the choices that they alone offer. What needs somebody's
/// file is there where the experiment names one. The store must be synchronous.
std::vector<ListedReadout> list_readouts(const View& view, const Experiment& experiment, const Text& text,
                                         Store& store);

}  // namespace ropescope
