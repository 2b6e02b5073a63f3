// Views: pure functions from an experiment to figures and cards. Commands, lessons and the window all use draw_view().
// registry.cpp lists the views and defines these functions. Read app/experiment/experiment.h and app/figure/figure.h
// first.

#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/experiment/experiment.h"
#include "app/figure/figure.h"
#include "app/resources/files.h"
#include "app/resources/text.h"
#include "app/store/store.h"

namespace ropescope {

// Bytes of memory used by parts of results, see count_bytes in app/store/store.h.
std::size_t count_bytes(const Series& series);
std::size_t count_bytes(const MapCells& cells);
std::size_t count_bytes(const Pixels& pixels);

/// A mouse event on a figure, in its data coordinates. A click is a press without a drag; `handle` names the handle
/// that was hit, or is empty. Drags are reported only for draggable handles.
struct FigureEvent {
  enum class Kind { click, drag };
  Kind kind = Kind::click;
  std::string figure, handle;
  double x = 0, y = 0;
  double across = 0, up = 0;  ///< of a drag: the way since the event before, in widths and heights of the plot
  bool clicks(std::string_view name) const { return kind == Kind::click && figure == name; }
  bool drags(std::string_view name) const { return kind == Kind::drag && figure == name; }
};

/// The player of a view whose picture can move. The edits of advance() are not undo steps.
struct Player {
  bool (*playing)(const Experiment&);
  void (*play)(Experiment&, bool on);
  /// Called once per frame while playing; null: the animation needs no edits.
  void (*advance)(Experiment&, double seconds);
  void (*step)(Experiment&, int steps);  ///< one step forwards (1) or back (−1), while paused
  /// Returns whether the current picture moves; null: every picture does.
  bool (*moves)(const Experiment&) = nullptr;
  bool goes_back = true;  ///< whether it can step back
};

/// A view: a pure function from the experiment to figures. `store` runs long computations (on worker threads if it is
/// asynchronous) and caches results by their input values.
struct View {
  std::string_view id;     ///< stable name: "decay"; texts "view.ID.name"
  std::string_view group;  ///< heading in the view list: text "view_group.GROUP"
  void (*declare_fields)(FieldList&, Experiment&);
  /// Draws the figures. Throws InputError if nothing can be shown: draw_view() shows the message in place of numbers.
  ViewResult (*figures)(const Experiment&, const Text&, Store&);
  /// Returns the figure over whose axes that message is shown.
  Figure (*empty)(const Experiment&, const Text&);
  void (*react)(Experiment&, const FigureEvent&) = nullptr;  ///< null: its figures have no handles and no clicks
  const Player* player = nullptr;
  /// Opens a dropped or opened file if its format is the view's; returns false if it is not.
  bool (*open)(Experiment&, const std::string& path) = nullptr;
  /// Lower-case extensions of such files: ".npy .npz"; every view can open a .json (config or experiment).
  std::string_view opens = {};
  /// Returns the sequence length that the view shows or queries, in positions. Ropes whose ladders depend on the
  /// current length, but that set none, are computed for this one. 0: no length is queried (target_length()); null: the
  /// view shows no rope of the experiment.
  double (*length)(const Experiment&) = nullptr;
  bool compares_ropes = true;  ///< shows pinned ropes: chips and "pin" are offered
  /// Returns whether the current picture draws the current rope alone, so it has no chips; null: never.
  bool (*hides_pins)(const Experiment&) = nullptr;
  /// A toggle among its fields that is also a chip above the figures: "decay.show_bound"; may be empty.
  std::string_view toggle_chip = {};
  /// Returns the top bar's subject in place of the rope and its list of models; empty: the rope is the subject.
  std::string (*subject)(const Experiment&, const Text&) = nullptr;
  /// Performs the action of a card's button.
  void (*act)(Experiment&, const std::string& key) = nullptr;
  /// Shows the other side of a comparison while R is held (with Shift a third picture): not an edit, no undo step.
  void (*flip)(Experiment&, bool shift) = nullptr;
  /// Returns the files that figures() reads; it is called again when one of them changes.
  std::vector<FileStamp> (*files)(const Experiment&) = nullptr;
  bool follows_pointer = false;  ///< figures() uses Experiment::pointer
  /// Returns whether an image layout is shown in place of the rope, so that a config fills the layout; null: never.
  bool (*shows_layout)(const Experiment&) = nullptr;
  /// Fills the view's own fields from a model's config.json or folder; the code that opens it fills the rope. Throws
  /// InputError if the config contains nothing for the view.
  void (*take_config)(Experiment&, const std::string& path) = nullptr;
  /// Adjusts dependent fields after an edit; returns the reason if this changed the edited field, otherwise nothing.
  Message (*settle)(const Experiment& before, Experiment& after) = nullptr;
  /// Throws InputError if a text among its fields cannot be parsed: the message that the window shows in place of the
  /// figures is an error for a command.
  void (*check)(const Experiment&) = nullptr;
  bool is_shown(const Experiment& experiment) const { return experiment.view == id; }
};

/// Returns the experiment with the view's length set in its ropes (give_length()): the input of figures() and the
/// source of rope names.
Experiment at_shown_length(const View& view, Experiment experiment);

/// Draws a view, with the values of its cards as text; "computing …" if it has nothing else to show meanwhile. An
/// InputError of the view becomes its fault (ViewResult::fault). Joins small multiples (Experiment::facet,
/// app/views/shared/facets.h) and relates curves to one of them (app/views/shared/messages.h). Always use it to show a
/// view.
ViewResult draw_view(const View& view, const Experiment& experiment, const Text& text, Store& store);

/// Returns all views in the order of the list on the left edge. To add one: write its files, declare it in views.h,
/// and list it in registry.cpp.
std::span<const View* const> all_views();
/// Returns whether there is a view with this id.
bool is_view(std::string_view id);
/// Returns the view with this id. Throws InputError that lists the views if there is none.
const View& find_view(std::string_view id);

/// Returns the player of the current picture of the experiment's view; null if it has none.
const Player* find_player(const Experiment& experiment);

/// Returns the fields of the view.
FieldList fields_of(const View& view, Experiment& experiment);
const FieldList fields_of(const View& view, const Experiment& experiment);
/// Returns the fields in the view's panel: active facets, the view's fields, and the relation of its curves.
FieldList panel_fields(const View& view, Experiment& experiment);
/// Sets a field as `--set key=value` does (set_field()), then adjusts dependent fields of all views. On InputError the
/// experiment is unchanged.
void assign(Experiment& experiment, const std::string& assignment, const char* option = "--set");
/// Offers a config to all views except the one that opens it for the rope; views that cannot use it are unchanged.
void offer_config(Experiment& experiment, const std::string& path);

}  // namespace ropescope
