// State of the window between frames: experiment, store, pins, and pending opens. Start reading app/ui here: shell.h
// draws a frame; control_panel.h, plot.h, shell.h and dialogs.h draw its parts; opening.h opens files; state.h persists
// it.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/experiment/experiment.h"
#include "app/figure/palette.h"
#include "app/lessons/handout.h"
#include "app/resources/files.h"
#include "app/resources/models.h"
#include "app/resources/text.h"
#include "app/ui/drawing/font_files.h"
#include "app/ui/drawing/screen.h"
#include "app/ui/lesson/lesson_state.h"
#include "app/ui/settings.h"
#include "app/ui/ui.h"
#include "app/ui/widgets.h"
#include "app/views/shared/ropes.h"
#include "app/views/view.h"
#include "core/message.h"

namespace ropescope::ui {

// --- App -----------------------------------------------------------------------------------------------------------

/// Something selected from a list in this frame. It is opened at the end of the frame because it replaces the
/// experiment that the frame edits.
struct PendingOpen {
  enum class Kind { none, path, preset, profile, field, defaults, choose, back };  ///< back: to App::work
  Kind kind = Kind::none;
  std::string name;        ///< path, preset, profile
  std::string field = {};  ///< field: the field that takes the path; choose: the field to choose a path for
};

/// PendingOpen::field and Dialog::field of a file that is opened for comparison with the current model.
inline constexpr std::string_view kCompared = "compared";

struct WindowMessage {
  std::string text;
  bool is_error = true;     ///< else a notice, which disappears after a while
  double since = -1;        ///< when it was first shown; negative: not shown yet
  bool stays = false;       ///< a notice that waits for an answer
  std::string action = {};  ///< label of a button, or empty
  PendingOpen opens = {};   ///< what the button opens
  bool unfolded = false;    ///< all of its lines are shown

  /// Returns when it disappears; nullopt if it stays.
  std::optional<double> end() const {
    constexpr double kNoticeSeconds = 8;
    if (is_error || stays || unfolded || since < 0) return std::nullopt;
    return since + kNoticeSeconds;
  }
};

inline constexpr double kCopiedSeconds = 3;

/// Requests of the interface after a frame; the owner of the window carries them out and clears them.
struct Requests {
  std::optional<std::string> clipboard_text;
  std::optional<std::string> clipboard_png;  ///< bytes of a PNG
  bool rebuild_fonts = false;
  bool toggle_full_screen = false;
  std::optional<bool> full_screen;  ///< on or off, whatever it is now
  bool quit = false;
};

/// The start of a mouse drag on a plot. Pixels are screen pixels.
struct PlotDrag {
  enum class Kind { none, pan, box, handle };
  Kind kind = Kind::none;
  std::string figure;             ///< name of the figure where the drag began
  bool on_x = true, on_y = true;  ///< false: the drag began on the other axis
  Vec2 from;
  Range x, y;          ///< ranges at the start
  std::string handle;  ///< caught at the start, or empty
  bool moved = false;
  Vec2 grip;  ///< from the mouse to the handle's middle when it was caught
  Vec2 last;  ///< place of the mouse at the last event
};

struct PlotState {
  PlotDrag drag;
  std::optional<double> crosshair;  ///< distance under the mouse, shared by linked panels
  std::string hovered;              ///< figure under the mouse
  std::optional<Pointer> pointer;   ///< place of the mouse on a figure
  Vec2 pan;                         ///< pixels by which two fingers moved the figure under the mouse in this frame
  bool gesture = false;             ///< they are still down: all that they do is one step of undo
  std::string handle;               ///< handle under the mouse or dragged
  std::string menu_figure;          ///< figure whose context menu is open
  double menu_at = 0;               ///< distance under the mouse when it opened
  double menu_y = 0;                ///< its y value
  double menu_x = 0;                ///< its x value, not snapped to the curve
  Vec2 menu_words;                  ///< a place next to it for the text of a note
  std::string pages_of;             ///< view whose panels are shown page by page because they do not fit together
  std::size_t page = 0, pages = 1;
  std::map<std::string, Scene> scenes;  ///< last drawn scenes by figure name, for measurements in tests
};

/// The mark around the mouse, for an audience that follows it.
enum class PointerMark { plain, ring, spotlight };

/// A stroke of the pen on a figure, in its data coordinates, so it stays in place.
struct InkStroke {
  std::string view, figure;
  Path path;
};

struct Pen {
  static constexpr int kColours = 5;
  bool on = false;    ///< the left button draws
  bool down = false;  ///< a stroke is being drawn
  int colour = 1;     ///< slot of the palette
  std::vector<InkStroke> strokes;
};

enum class DialogKind { none, start, open, file, save, keys, find, rename, note, handout };
struct FolderEntry {
  std::string name;
  bool is_folder = false;
};
struct Dialog {
  DialogKind kind = DialogKind::none;
  bool just_opened = false;
  std::string path;                  ///< text field
  std::filesystem::path folder;      ///< listed folder
  std::vector<FolderEntry> entries;  ///< entries of that folder
  std::string field;                 ///< file: the field that the file is for
  std::string endings;               ///< open, file: ".json .npy", the types listed
  bool all_files = false;            ///< also lists other types
  enum class Focus { none, text, list };
  Focus focus = Focus::none;  ///< what gets the focus in this frame
  std::string format;         ///< save: one of page_formats(), csv or json
  std::string figure;         ///< save as CSV: which figure
  std::string error;          ///< shown inside the dialog
  int row = 0;                ///< find: the selected row; start: frames drawn until the first focus
  /// find: what is searched; models and examples are chosen from the start screen
  enum class Scope { all, models, examples };
  Scope scope = Scope::all;
  std::string lit;                   ///< start: the choice whose picture moves …
  double lit_since = 0;              ///< … and since when
  bool ink = true;                   ///< save: including pen strokes
  std::string replaces;              ///< save: the file that the dialog asks about; saving again replaces it
  std::vector<std::string> fonts;    ///< save: the installed families
  std::optional<std::size_t> index;  ///< rename: the pin, nullopt for the current curve; note: nullopt for a new one
  Note note;                         ///< note: the result, except its text
  std::string lessons = "all";       ///< handout: "one" or "all"
  std::string paper = "a4";          ///< handout: for PDF
  bool answers = false;              ///< handout: includes answers
  bool notes = false;                ///< handout: includes the lecturer's notes
  HandoutKind handout = {};          ///< handout: its form
};

/// The height of the cards, kept while their values change: nothing moves under the mouse.
struct CardsRoom {
  std::string view;
  std::size_t most = 0;  ///< cards per row
  bool actions = false;  ///< one of them had a button
  CardText text = {};    ///< the largest so far at this width and in these fonts
  double width = 0;
  std::vector<std::string> measured = {};  ///< texts of the cards for which `text` was measured last
};

/// A pinned chip being dragged.
struct ChipDrag {
  std::optional<std::size_t> pin;
  bool moved = false;
};

/// Numbers of an example's tensor, thinned out for a small picture.
struct ExamplePicture {
  std::size_t rows = 0, columns = 0;  ///< one row: inverse frequencies
  std::vector<double> values;         ///< row-major
};

/// An example of Check, as listed on its cards, in its popup and in the finder.
struct ListedExample {
  std::string name, title, path;
  ExamplePicture picture;
};

/// The content of the state files, and unsaved edits. Times are seconds on ImGui's clock.
struct Saving {
  bool allowed = true;            ///< false for pictures: nothing is written
  Experiment experiment;          ///< the last one seen
  Settings settings;              ///< the last ones seen
  std::string experiment_file;    ///< content as written
  std::string settings_file;      ///< content as written
  std::optional<double> waiting;  ///< time of the first unsaved edit
  double edited = 0;              ///< time of the last edit
  std::optional<double> failed;   ///< time of the last attempt, if it failed
  Message said;                   ///< the reason, as in the message
  bool operator==(const Saving&) const = default;
};

class FileJob;

/// The complete state of the window. Free functions below work on it; nothing here depends on GLFW or GL.
struct App {
  App(Places places_in, Store::Mode mode, int threads = 0);

  Places places;
  Text text;
  FontFiles font_files;
  Settings settings;
  History history;
  Store store;
  std::vector<Preset> presets;
  std::vector<Profile> profiles;  ///< of the config or preset of the current rope; empty if unknown
  std::string profiles_of;        ///< which config or preset they belong to

  Ui ui;
  ScreenWriting writing;                ///< formulas as pixels, and drawn characters missing in the fonts
  std::set<unsigned> requested_glyphs;  ///< characters beyond the texts requested from the fonts, found or not
  WidgetRecord record;
  ViewResult result;
  std::optional<Experiment> result_of;  ///< the experiment that `result` shows
  std::vector<FileStamp> result_files;  ///< its input files, in the state in which they were read
  double looked_at = 0;                 ///< time of the last check of these files

  PlotState plot;
  Rect figures;  ///< area of figures, chips and cards, below the messages; empty: not drawn
  CardsRoom cards_room;
  std::string whole_card;  ///< a card to open with its whole text in this frame
  ChipDrag chip_drag;
  std::optional<std::size_t> chip_menu;  ///< the pin whose menu is open; nullopt: the current curve's
  std::vector<ListedExample> examples;   ///< in an empty Check, and in the finder
  std::string examples_language;         ///< of their titles
  Dialog dialog;
  PendingOpen pending;
  bool animated = false;       ///< something moves without input: frames continue
  bool holds_picture = false;  ///< the frame just drawn is not final: the previous picture stays on screen
  double copied = -1;          ///< time of the last copy to the clipboard; the status line shows it for kCopiedSeconds
  bool pin_requested = false, fold_requested = false;
  bool drawer_open = false;        ///< controls over the figures, in a window too narrow for both
  bool controls_shown = false;     ///< folded controls are shown until the next fold: the focus moved to one
  bool cards_open = false;         ///< the sheet of all cards, if only a row of their numbers fits
  bool figure_alone = false;       ///< only the figure and its cards
  bool turned_to_figures = false;  ///< the figures, not the lesson, in a window where only one of them fits
  bool student = false;            ///< only a figure, a control and the question, as a link requests it (kStudentLink)
  Pen pen;
  PointerMark pointer_mark = PointerMark::plain;
  std::unique_ptr<LessonPlay> lesson;      ///< the current lesson, or null
  double presentation_scale = 100;         ///< text size in presentation mode, in percent: follows the window height
  bool lesson_focused = false;             ///< the panel's text has the focus
  std::vector<LessonTitle> lesson_titles;  ///< in the language of `lesson_titles_in`
  std::string lesson_titles_in;
  std::optional<Experiment> clamped;      ///< the last value that was clamped
  float fields_overflow = 0;              ///< how far the controls of the last frame scroll
  std::string listed_view;                ///< the view and text size for which the list was scrolled
  bool lessons_listed = false;            ///< the list of lessons instead of the list of views
  bool chapters_listed = false;           ///< chapters instead of lessons
  std::shared_ptr<FileJob> file_job;      ///< a GIF being saved, or null
  std::string popup;                      ///< a popup of the top bar to open in this frame: "text_size"
  bool stopped = false;                   ///< Escape: the computation is cancelled until something changes
  std::optional<double> text_scale_edit;  ///< while its slider is dragged
  std::optional<Experiment> work;         ///< the user's experiment that a lesson or the start screen replaced
  std::vector<WindowMessage> messages;
  Requests requests;
  Saving saving;
};

/// Choices of a new window that differ from the initial values, which files, links and commands without them mean.
inline constexpr std::pair<std::string_view, std::string_view> kFreshChoices[] = {
    {"encodings.score_axis", "linear"},
    {"layout.colours", "axis"},
    {"similarity.colours", "fitted"},
    {"sweep.over", "rope.base=1e3..1e5:50:log"}};
/// Returns the experiment of a new window: the initial values under the name of the preset that has them, and one plot
/// fewer than files have by default.
Experiment fresh_experiment(const App& app);
/// Edits a field of the current view's panel as its control does, in one undo step; ignores an unknown key.
void edit_field(App& app, std::string_view key, const std::function<void(Field&)>& edit);
/// Returns the user's experiment: the current one, or the one that the current lesson replaced.
Experiment find_work(const App& app);
/// Returns the text scale in percent: as selected, or larger in presentation mode.
double text_scale_of(const App& app);
/// Sets fonts, colours and style for the current settings times the screen's scale. Call it between frames; afterwards
/// the GPU must upload the font atlas again.
void apply_settings(App& app, float content_scale);
/// Loads the texts of settings.language, or of the locale if that is empty or missing; requests its fonts. If a file
/// cannot be read, the language is unchanged and a message gives the reason.
void apply_language(App& app);
/// Sets only colours and style, after a change of theme.
void apply_theme(App& app);
/// Changes the setting from dark to light, or from light to dark; it is applied before the next frame.
void toggle_theme(App& app);
/// Reports that the clipboard data in Requests was copied.
void say_copied(App& app);
inline constexpr double kFileCheckInterval = 0.5;  ///< seconds between checks of the input files
/// Returns whether the input files of the current figures changed; reads file status from disk.
bool files_changed(const App& app);

/// Undoes or redoes a step, of which the frame then shows the experiment.
void step_history(App& app, Experiment& edited, void (History::*step)());

/// Pins the current rope next to the later ones (at most kMaximumPins).
void pin_current(App& app, Experiment& edited);

// --- Pins ----------------------------------------------------------------------------------------------------------

// Edits of the pinned ropes; the names by which they are hidden ("pin2") are updated.

void remove_pin(Experiment& experiment, std::size_t index);
/// Moves a pin to another place of the list.
void move_pin(Experiment& experiment, std::size_t from, std::size_t to);
/// Returns the slot with this colour (0…4) and this dash.
int slot_with(int colour, Dash dash);

}  // namespace ropescope::ui
