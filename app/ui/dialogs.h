// Dialogs: open, save, handout, words.
#pragma once

#include <filesystem>
#include <string>

#include "app/ui/app.h"

namespace ropescope::ui {

// What the dialogs share. Not for others.

/// Begins the dialog of this frame in the middle of the window, at most `wanted` large (at 100 % text); false where it
/// is not open. Ends with ImGui::EndPopup.
bool begin_modal(App& app, const char* id, const std::string& title, const Rect& screen, Vec2 wanted);
void close_modal(App& app);

/// Where a row of buttons begins, so wide together.
void place_at_bottom_right(const Ui& ui, float width);
/// "Cancel" and the button `key` that says `label`; true where the latter was pressed.
bool end_buttons(App& app, const char* key, const std::string& label);
/// Height for what stands above them.
float height_above_buttons(const Ui& ui);
double room_for_text();
/// The text of the dialog, selected whole where the focus comes to it; true where Enter confirmed it.
bool path_field(App& app);
void error_line(const App& app);

/// The folder of last time, else the one that the program was started in, else the person's own: each may be gone.
std::filesystem::path starting_folder(const App& app);
/// Shows the files of a folder in the dialog.
void list_folder(App& app, const std::filesystem::path& folder);
/// What the text of the dialog means: a relative path starts at the folder that is shown.
std::filesystem::path typed_path(const Dialog& dialog);

/// "similarity-1.svg" where "similarity.svg" exists: saving never replaces a file unasked.
std::string free_name(const std::filesystem::path& folder, const std::string& stem, const std::string& extension);
/// Absolute where the current folder is there; else as it is.
std::filesystem::path whole_path(const std::filesystem::path& path);
/// Whether the file may be written: it is not there, or it is of the same kind and the person has said yes to replacing
/// just this one. Else the dialog says why, or asks.
bool may_write(App& app);
/// "Cancel" and the button `key` that writes; it says "Replace" once it was asked. True where it was pressed.
bool write_buttons(App& app, const char* key);

void draw_open(App& app, const Rect& screen);
void draw_save(App& app, const Rect& screen, Experiment& edited);
void draw_handout(App& app, const Rect& screen);
void draw_rename(App& app, const Rect& screen, Experiment& edited);
void draw_note(App& app, const Rect& screen, Experiment& edited);

}  // namespace ropescope::ui
