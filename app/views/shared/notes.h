#pragma once

#include <optional>
#include <string>

#include "app/views/view.h"

namespace ropescope {

/// Puts the notes of the shown view on its figures, with handles "note.INDEX.place" and "note.INDEX.words".
void add_notes(ViewResult& result, const Experiment& experiment, const Text& text);
/// Which note a handle belongs to; none: to none.
std::optional<std::size_t> note_of(const std::string& handle);
/// Moves what the handle of a note stands for.
void move_note(Experiment& experiment, const FigureEvent& event);

}  // namespace ropescope
