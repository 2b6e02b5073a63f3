// What the window holds between frames: experiment, store, pins, and what is opened. Begin reading app/ui here: shell.h
// draws a frame of it, control_panel.h, plot.h, cards.h and dialogs.h its parts, state.h keeps it between starts.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "app/experiment/experiment.h"
#include "app/figure/palette.h"
#include "app/resources/files.h"
#include "app/resources/models.h"
#include "app/resources/text.h"
#include "app/ui/drawing/fonts.h"
#include "app/ui/drawing/screen.h"
#include "app/ui/lesson/lesson_play.h"
#include "app/ui/state.h"
#include "app/ui/widgets.h"
#include "app/views/shared/ropes.h"
#include "app/views/view.h"

namespace ropescope::ui {

// --- App -----------------------------------------------------------------------------------------------------------

/// Something chosen in a list of this frame, carried out at its end: it replaces the experiment that the frame edits.
struct PendingOpen {
  enum class Kind { none, path, preset, profile, field, defaults, choose };
  Kind kind = Kind::none;
  std::string name;        ///< path, preset, profile
  std::string field = {};  ///< field: the field that takes the path; choose: that is to take one that is chosen
};

struct Message {
  std::string text;
  bool is_error = true;     ///< else a notice, which goes by itself after a while
  double since = -1;        ///< when it was first shown; negative: not yet
  bool stays = false;       ///< a notice that waits for an answer
  std::string action = {};  ///< words of a button, or empty
  PendingOpen opens = {};   ///< what the button does
  bool unfolded = false;    ///< all of its lines are shown
};

inline constexpr double kCopiedSeconds = 3;

/// What the interface asks of its surroundings after a frame; the owner of the window carries it out and clears it.
struct Requests {
  std::optional<std::string> clipboard_text;
  std::optional<std::string> clipboard_png;  ///< bytes of a PNG
  bool rebuild_fonts = false;
  bool toggle_full_screen = false;
  std::optional<bool> full_screen;  ///< on or off, whatever it is now
  bool quit = false;
};

/// The mouse on one plot: what a drag began with. Pixels are screen pixels.
struct PlotDrag {
  enum class Kind { none, pan, box, handle };
  Kind kind = Kind::none;
  std::string figure;             ///< name of the figure that the drag began on
  bool on_x = true, on_y = true;  ///< false: the drag began on the other axis
  Vec2 from;
  Range x, y;          ///< ranges at the start
  std::string handle;  ///< caught at the start, or empty
  bool moved = false;
  Vec2 grip;  ///< from the mouse to the handle's middle when it was caught
};

struct PlotState {
  PlotDrag drag;
  std::optional<double> crosshair;  ///< distance under the mouse, shared by linked panels
  std::string hovered;              ///< figure under the mouse
  std::optional<Pointer> pointer;   ///< where the mouse is on a figure
  std::string handle;               ///< handle under the mouse or in the hand
  std::string menu_figure;          ///< figure whose context menu is open
  double menu_at = 0;               ///< distance under the mouse when it opened
  double menu_y = 0;                ///< and the height
  double menu_x = 0;                ///< and the distance itself, off the curve
  Vec2 menu_words;                  ///< a place beside it for the words of a note
  std::string pages_of;             ///< view whose panels are shown page by page, where they have no room together
  std::size_t page = 0, pages = 1;
  std::map<std::string, Scene> scenes;  ///< what was drawn last, by the names of the figures: tests measure it
};

enum class DialogKind { none, open, file, save, keys, find, rename, note, handout };
struct FolderEntry {
  std::string name;
  bool is_folder = false;
};
struct Dialog {
  DialogKind kind = DialogKind::none;
  bool just_opened = false;
  std::string path;                  ///< text field
  std::filesystem::path folder;      ///< listed folder
  std::vector<FolderEntry> entries;  ///< of that folder
  std::string field;                 ///< file: the field that it is chosen for
  std::string endings;               ///< open, file: ".json .npy", what is listed
  bool all_files = false;            ///< list the others too
  enum class Focus { none, text, list };
  Focus focus = Focus::none;       ///< what takes it in this frame
  std::string format;              ///< save: one of page_formats(), csv or json
  std::string figure;              ///< save as CSV: which figure
  std::string error;               ///< said inside the dialog
  int row = 0;                     ///< find: the chosen row
  bool ink = true;                 ///< save: with what the pen drew
  std::string replaces;            ///< save: the file that was asked about; saving once more replaces it
  std::vector<std::string> fonts;  ///< save: the families that are installed
  std::optional<std::size_t>
      index;                    ///< rename: which pin, none for the current curve; note: which one, none for a new one
  Note note;                    ///< note: as it will be, but for its words
  std::string lessons = "all";  ///< handout: "one" or "all"
  std::string paper = "a4";     ///< handout: of a PDF
  bool answers = false;         ///< handout: with them
};

/// How much room the cards took, so that it stays while their values change: nothing then moves under the mouse.
struct CardsRoom {
  std::string view;
  std::size_t most = 0;  ///< cards side by side
  bool actions = false;  ///< one of them had a button
};

/// A pinned chip in the hand.
struct ChipDrag {
  std::optional<std::size_t> pin;
  bool moved = false;
};

class FileJob;

/// Everything the window holds. Free functions below work on it; nothing here knows GLFW or GL.
struct App {
  App(Places places_in, Store::Mode mode, int threads = 0);

  Places places;
  Text text;
  FontFiles font_files;
  Settings settings;
  History history;
  Store store;
  std::vector<Preset> presets;
  std::vector<Profile> profiles;  ///< of the config or preset the current rope came from; empty if unknown
  std::string profiles_of;        ///< which config or preset these are of

  Ui ui;
  ScreenWriting writing;         ///< formulas as pixels, and what the fonts lack of what was drawn
  std::set<unsigned> asked_for;  ///< characters beyond the texts that were asked of the fonts, found or not
  WidgetRecord record;
  ViewResult result;
  std::optional<Experiment> result_of;  ///< the experiment that `result` shows
  std::vector<FileStamp> result_files;  ///< and the files that it was made of, as they were
  double looked_at = 0;                 ///< time of the last look at them

  PlotState plot;
  Rect figures;  ///< where figures, chips and cards are, under the messages
  CardsRoom cards_room;
  std::string whole_card;  ///< a card whose whole text is asked for in this frame
  ChipDrag chip_drag;
  std::optional<std::size_t> chip_menu;  ///< the pin whose menu is open; none: the current curve's
  Dialog dialog;
  PendingOpen pending;
  bool animated = false;  ///< something moves by itself: frames go on without input
  double copied = -1;     ///< when something was put on the clipboard, which the foot says for kCopiedSeconds
  bool pin_requested = false, fold_requested = false;
  bool drawer_open = false;   ///< the controls over the figures, in a window too narrow for both
  bool cards_open = false;    ///< the sheet of all cards, where there is only a row of their numbers
  bool figure_alone = false;  ///< nothing but the figure and its cards
  Pen pen;
  PointerMark pointer_mark = PointerMark::plain;
  std::unique_ptr<LessonPlay> lesson;      ///< the lesson that is played, or none
  double room_scale = 100;                 ///< text of the room, in percent: follows the height of the window
  bool lesson_focused = false;             ///< the panel's words have the focus
  std::vector<LessonTitle> lesson_titles;  ///< in the language of `lesson_titles_in`
  std::string lesson_titles_in;
  std::string listed_view;                ///< the view, at its text size, that the list has scrolled to
  bool lessons_listed = false;            ///< the list of lessons in place of the list of views
  bool chapters_listed = false;           ///< of chapters in place of lessons
  std::shared_ptr<FileJob> file_job;      ///< a GIF that is being saved, or none
  std::string popup;                      ///< a popup of the top bar to be opened in this frame: "text_size"
  bool stopped = false;                   ///< Escape: what was being computed is not wanted until something changes
  std::optional<double> text_scale_edit;  ///< while its slider is dragged
  std::vector<Message> messages;
  Requests requests;
  Saving saving;
};

/// Opens a config.json, a GGUF or a saved experiment. A file that cannot be used leaves the experiment as it was and
/// says why.
void open_path(App& app, const std::string& path);
/// Shows a preset or another profile of the current config.
void open_preset(App& app, const std::string& id);
void open_profile(App& app, const std::string& name);

// Steps of a frame; draw_app() takes them in this order with what shell.h draws between them.
/// Asks the view for its figures where the experiment changed or something was still being computed.
void refresh_figures(App& app, const Experiment& experiment);
/// Lets the shown view's player go on, where it is playing; no step of undo.
void play(App& app, double seconds);
/// Clamps and records the edited experiment (a drag is one undo step) and carries out what was chosen in lists.
void finish_frame(App& app, Experiment& edited);

/// Draws one frame: everything, in a window of this many pixels. To be called between ImGui::NewFrame and
/// ImGui::Render.
void draw_app(App& app, double width, double height);
/// The scale of text in percent: as chosen, or larger in the room.
double text_scale_of(const App& app);
/// Sets fonts, colours and style for the current settings times the screen's own scale. Between frames; afterwards the
/// GPU must upload the font atlas again.
void apply_settings(App& app, float content_scale);
/// Loads the words of settings.language, or of the locale where that is empty or gone; asks for fonts of it. A file
/// that cannot be read leaves the language as it was and says why.
void apply_language(App& app);
/// Sets colours and style alone, after a change of theme.
void apply_theme(App& app);
/// What was asked for by Requests is on the clipboard.
void say_copied(App& app);
/// Seconds until something has to be drawn or done without any input: 0 for the next frame, infinity for never. What a
/// worker finishes, or somebody else's file that changed, is not foreseen.
double seconds_to_frame(const App& app);
/// Whether the shown figures were made of files that are others by now; looks at the discs.
bool files_changed(const App& app);

/// Keeps the current rope beside the next ones (at most kMaximumPins).
void pin_current(App& app, Experiment& edited);

// --- Opening -------------------------------------------------------------------------------------------------------

/// PendingOpen::field and Dialog::field of a file that is opened beside the present model, to compare both.
inline constexpr std::string_view kCompared = "compared";

/// Files that were dropped together: two that describe models are compared, others are opened one after the other.
void open_paths(App& app, const std::vector<std::string>& paths);

// --- Pins ----------------------------------------------------------------------------------------------------------

// Edits of the pinned ropes; the names by which they are hidden ("pin2") go along.

void remove_pin(Experiment& experiment, std::size_t index);
/// Takes a pin out and puts it in at another place of the list.
void move_pin(Experiment& experiment, std::size_t from, std::size_t to);
/// The slot with this colour (0…4) and this dash.
int slot_with(int colour, Dash dash);

}  // namespace ropescope::ui
