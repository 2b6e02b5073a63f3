#pragma once

#include <vector>

#include "app/resources/file_stamp.h"
#include "app/views/view.h"

namespace ropescope {

/// Check: what somebody's program computed against a model's own definition. Does it agree, and if not, which known
/// mistake explains the difference?
void describe_check(Fields& fields, Experiment& experiment);
ViewResult check_figures(const Experiment& experiment, const Text& text, Store& store);
/// A click picks a token and a pair.
void react_check(Experiment& experiment, const FigureEvent& event);
/// The button of a card: gives the reference a cause, or takes it back.
void act_on_check(Experiment& experiment, const std::string& key);
/// While R is held: the other one of mine and the reference; of the difference mine (with Shift the reference).
void flip_check(Experiment& experiment, bool shift);
/// The files that the tensors stand in.
std::vector<FileStamp> check_files(const Experiment& experiment);
/// The layout, or that it is another dump; empty for a rope, which says itself what it is.
std::string check_subject(const Experiment& experiment, const Text& text);

}  // namespace ropescope
