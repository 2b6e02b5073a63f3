// Dialogs: open, save, handout, note, names, list of keys, and the files that they save. App::dialog (app.h) holds the
// open one; shell.cpp draws it over the frame.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "app/experiment/experiment.h"
#include "app/figure/pages/page.h"
#include "app/figure/scene/scene.h"
#include "app/ui/app.h"

namespace ropescope::ui {

/// Draws the dialog that is open, if it is about a file, a name or a note.
void draw_dialog_of_file(App& app, const Rect& screen, Experiment& edited);

/// A line in the key list of Shift+F1.
struct KeyLine {
  std::string keys;     ///< "Ctrl+Z"
  std::string meaning;  ///< "Undo"
};
/// Draws the key list while it is open.
void draw_key_list(App& app, const Rect& screen, const std::vector<KeyLine>& lines);

void open_dialog(App& app, DialogKind kind);
/// Opens the dialog that saves in a format: of one figure, if it is named.
void open_save_dialog(App& app, const std::string& format, const std::string& figure = {});
/// Returns the formats of that dialog, except GIF.
std::vector<std::string> save_formats();
/// Returns whether a file of this format has the numbers of one figure.
bool saves_one_figure(const std::string& format);
/// Saves in a format without the dialog, under an unused name in its folder; a message reports the path or the error.
void save_directly(App& app, const std::string& format, const std::string& figure = {});
/// Opens the dialog for the text of a note: an existing one, or a new one starting from `note`.
void open_note_dialog(App& app, std::optional<std::size_t> index, const Note& note);
void open_rename_dialog(App& app, std::optional<std::size_t> pin, const std::string& name);
/// Opens the file dialog for a field, starting in the folder of its current file.
void open_file_dialog(App& app, const std::string& field, const std::string& endings, const std::string& present);
/// Opens the file dialog for the field that PendingOpen::Kind::choose requests, if one does.
void open_requested_dialog(App& app, const Experiment& edited);
/// Opens the list of files, to open one for comparison with the current model.
void open_compare_dialog(App& app);

/// Returns the current figures as saved, as bytes of a file: svg, pdf, png, csv (of one figure) or json (all of them).
/// Throws InputError if there is nothing to save.
std::string picture_of(const App& app, const std::string& format, const std::string& figure);
/// Returns the picture as on screen, as bytes: in pixels of this size and the window's theme.
std::string screen_picture(const App& app, Vec2 size);

// For separate dialogs such as the finder.

/// Starts the dialog of this frame in the middle of the window, no larger than `wanted` (at 100 % text); returns false
/// if it is not open. End it with ImGui::EndPopup.
bool begin_modal(App& app, const char* id, const std::string& title, const Rect& screen, Vec2 wanted);
void close_modal(App& app);

}  // namespace ropescope::ui
