#pragma once

#include "app/views/view.h"

namespace ropescope {

// The Layout view: where an image model puts its tokens, what their positions are, and how near two of them are.

void describe_layout(Fields& fields, Experiment& experiment);
ViewResult layout_figures(const Experiment& experiment, const Text& text, Store& store);
/// Clicks on patches: anchor, then target.
void react_layout(Experiment& experiment, const FigureEvent& event);
/// A PNG or JPEG lies on the patches, whose image takes the nearest size of it; a config.json chooses the layout.
/// Throws InputError where the picture cannot be read.
bool open_layout(Experiment& experiment, const std::string& path);

/// The picture, where there is one.
std::vector<FileStamp> layout_files(const Experiment& experiment);

/// Throws InputError where the knobs of a view of images cannot be shown: what the window says in place of its figures.
void check_layout(const LayoutKnobs& knobs);

}  // namespace ropescope
