// What a view is, and which there are: a pure function from an experiment to plain figures and cards. Commands, lessons
// and the window all ask draw_view(). Read app/experiment/experiment.h and app/figure/figure.h before.
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

// How much memory parts of results take, see bytes_of in app/store/store.h.
std::size_t bytes_of(const Series& series);
std::size_t bytes_of(const MapCells& cells);
std::size_t bytes_of(const Pixels& pixels);

/// What a mouse did to a figure, in its data coordinates. A click comes after a press without a drag; `handle` is the
/// one that was caught, or empty. Drags are told only of handles that can be dragged.
struct FigureEvent {
  enum class Kind { click, drag };
  Kind kind = Kind::click;
  std::string figure, handle;
  double x = 0, y = 0;
};

/// What plays a view: a view whose picture moves by itself has one. The edits of advance() make no step of undo.
struct Player {
  bool (*playing)(const Experiment&);
  void (*play)(Experiment&, bool on);
  /// Called while it is playing, once a frame; none: it goes on by itself.
  void (*advance)(Experiment&, double seconds);
  void (*step)(Experiment&, int steps);  ///< one step onwards (1) or back (−1), while paused
  /// Whether the picture that is shown moves; none: every one does.
  bool (*moves)(const Experiment&) = nullptr;
  bool goes_back = true;  ///< whether there are steps back
};

/// A view is a pure function from the experiment to figures; `store` computes what takes long (off the interface where
/// it is asynchronous) and remembers it by its input value.
struct View {
  std::string_view id;     ///< stable name: "decay"; texts "view.ID.name"
  std::string_view group;  ///< heading in the view list: text "view_group.GROUP"
  void (*describe)(FieldList&, Experiment&);
  /// Makes the figures. Throws InputError where nothing can be shown: draw_view() says it in place of numbers.
  ViewResult (*figures)(const Experiment&, const Text&, Store&);
  /// The figure over whose axes it is said that nothing can be shown.
  Figure (*empty)(const Experiment&, const Text&);
  void (*react)(Experiment&, const FigureEvent&) = nullptr;  ///< none: its figures have no handles and no clicks
  const Player* player = nullptr;
  /// Takes a file that was dropped or opened, where it is of its kind; false: it is not.
  bool (*open)(Experiment&, const std::string& path) = nullptr;
  /// How such files end, in lower case: ".npy .npz"; a .json (config or experiment) any view lets open.
  std::string_view opens = {};
  /// How long a sequence it shows or asks about, in positions: what ladders of ropes are computed for that look at the
  /// current length and were given none. 0: nothing is asked (target_length()); none: it shows no rope of the
  /// experiment.
  double (*length)(const Experiment&) = nullptr;
  bool compares_ropes = true;  ///< shows pinned ropes: chips and "pin" are offered
  /// What stands in the top bar where it is not the rope (empty: it is); there is no list of models then either.
  std::string (*subject)(const Experiment&, const Text&) = nullptr;
  /// Does what the button of a card says.
  void (*act)(Experiment&, const std::string& key) = nullptr;
  /// Shows the other side while R is held (with Shift a third one): no edit, no step of undo.
  void (*flip)(Experiment&, bool shift) = nullptr;
  /// What figures() reads: it is asked again where one of these files changes.
  std::vector<FileStamp> (*files)(const Experiment&) = nullptr;
  bool follows_pointer = false;  ///< figures() looks at Experiment::pointer
  /// Whether it looks at the layout of an image in place of the rope, so that a config fills that; none: it never does.
  bool (*shows_layout)(const Experiment&) = nullptr;
  /// Fills its own fields from a model's config.json or folder; the rope is filled by whoever opens it. Throws
  /// InputError where the config holds nothing for it.
  void (*take_config)(Experiment&, const std::string& path) = nullptr;
  /// What stays together is moved along after an edit; words where that kept the edited field from its place: why.
  Words (*settle)(const Experiment& before, Experiment& after) = nullptr;
  /// Throws InputError where a text among its fields cannot be read: what the window says in place of the figures is an
  /// error of a command.
  void (*check)(const Experiment&) = nullptr;
};

/// The experiment with that length in its ropes (give_length()): what figures() is given, and what names of ropes are
/// made of.
Experiment at_shown_length(const View& view, Experiment experiment);

/// What a view shows, the values of its cards put into words; "computing …" where it has nothing else to say
/// meanwhile. An InputError of the view is its fault (ViewResult::fault). Small multiples (Experiment::facet) are
/// joined (app/views/shared/facets.h), and curves related to one of them (app/views/shared/messages.h). Whoever shows
/// a view asks for it here.
ViewResult draw_view(const View& view, const Experiment& experiment, const Text& text, Store& store);

/// All views in the order of the list at the left edge. Adding one: its file or folder, its header and its place
/// in view.cpp.
std::span<const View* const> all_views();
/// The view of an id. Throws InputError that lists the views.
const View& find_view(std::string_view id);

/// The player of the shown picture of the experiment's view; null where nothing does.
const Player* player_of(const Experiment& experiment);

/// The fields of the view.
FieldList fields_of(const View& view, Experiment& experiment);
const FieldList fields_of(const View& view, const Experiment& experiment);
/// Those that its panel shows: facets that are asked for, the fields of the view, how its curves are related.
FieldList panel_fields(const View& view, Experiment& experiment);
/// Sets a field as `--set key=value` does (set_field()), and settles what any view does after an edit. Throws
/// InputError, the experiment as it was then.
void assign(Experiment& experiment, const std::string& assignment, const char* option = "--set");
/// Offers a config to all views but the one that opens it for the rope; those that cannot use it stay as they are.
void offer_config(Experiment& experiment, const std::string& path);

}  // namespace ropescope
