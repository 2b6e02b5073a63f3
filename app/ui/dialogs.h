// Dialogs: open, save, handout, note, names, and the files that are saved by them. App::dialog (app.h) says which is
// open; shell.cpp draws it over the frame.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>

#include "app/experiment/experiment.h"
#include "app/figure/pages/page.h"
#include "app/figure/scene/scene.h"
#include "app/ui/app.h"

namespace ropescope::ui {

/// Draws the dialog that is open, if one is.
void draw_dialogs(App& app, const Rect& screen, Experiment& edited);

void open_dialog(App& app, DialogKind kind);
/// Opens the dialog for the words of a note: of this one, or of a new one as it is given.
void open_note_dialog(App& app, std::optional<std::size_t> index, const Note& note);
void open_rename_dialog(App& app, std::optional<std::size_t> pin, const std::string& name);
/// Lets a file be chosen for a field, starting where its present one lies.
void open_file_dialog(App& app, const std::string& field, const std::string& endings, const std::string& present);
/// Opens the list of files to open one of them beside the present model.
void open_compare_dialog(App& app);

/// The bytes of a file of the shown figures as they are saved: svg, pdf, png, csv (of one figure) or json (all of
/// them). Throws InputError where there is nothing to save.
std::string picture_of(const App& app, const std::string& format, const std::string& figure);
/// The bytes of the picture as on screen: in pixels of this size and the window's theme.
std::string screen_picture(const App& app, Vec2 size);
/// What the settings of saving mean for a format.
PageStyle page_style(const Settings& settings, const std::string& format);

// A dialog of its own, as the finder is one.

/// Begins the dialog of this frame in the middle of the window, at most `wanted` large (at 100 % text); false where it
/// is not open. Ends with ImGui::EndPopup.
bool begin_modal(App& app, const char* id, const std::string& title, const Rect& screen, Vec2 wanted);
void close_modal(App& app);

}  // namespace ropescope::ui
