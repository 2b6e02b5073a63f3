// The frame of the window: its areas, the bar on top, pages and messages.
#pragma once

#include <vector>

#include "app/figure/figure.h"
#include "app/figure/page.h"
#include "app/figure/scene.h"
#include "app/ui/app.h"
#include "app/ui/widgets.h"

namespace ropescope::ui {

// --- Pages ---------------------------------------------------------------------------------------------------------

inline constexpr std::size_t kGap = static_cast<std::size_t>(-1);

/// A panel on a page: on a page of its own row it may have lost its neighbours.
struct PagePanel {
  std::size_t index = 0;  ///< kGap: an empty place among small multiples
  bool beside = false;
  double height_share = 1;
  double legend = 0;  ///< lines that its legend may take of the height
};
using Page = std::vector<PagePanel>;

/// The panels that are shown together: all of them where they have room, else page by page in their order. `room` is
/// that of the panels; sizes are measured at 100 % text. Small multiples wrap as the
/// room is wide, and none is smaller than can be read.
std::vector<Page> pages_of(const Ui& ui, const std::vector<Panel>& panels, const Rect& room);
/// Those of a page, as they are laid out there.
std::vector<Panel> panels_of(const std::vector<Panel>& panels, const Page& page);

/// A dot for each page in the middle of a row, the shown one filled; the page that was chosen, else `shown`.
std::size_t draw_dots(Ui& ui, const Rect& row, std::size_t pages, std::size_t shown);
/// Height of that row at 100 %; between panels, and around what they hold.
inline constexpr double kDots = 18, kPanelGap = 12, kPanelPadding = 8;

// --- Shell ---------------------------------------------------------------------------------------------------------

// Parts of the frame; each draws itself into its rectangle (pixels) and edits the experiment of this frame.
/// With the list of views as a menu, where there is no room for it beside the figures.
void draw_top_bar(App& app, const Rect& rect, bool view_menu, Experiment& edited);
/// Every view as an item of the current window.
void draw_view_items(App& app, Experiment& edited);
void draw_view_list(App& app, const Rect& rect, Experiment& edited);
void draw_knobs(App& app, const Rect& rect, Experiment& edited);
void draw_plots(App& app, const Rect& rect, Experiment& edited);
/// Cards side by side at the foot of the figures, or where these need the room one row of their numbers.
struct CardsPlace {
  double height = 0;  ///< none: there are no cards
  bool folded = false;
};
CardsPlace cards_place(App& app, const Rect& room);
void draw_cards(App& app, const Rect& rect, const CardsPlace& place, Experiment& edited);
/// All that a card says, over the figures, after it was pressed.
void draw_whole_card(App& app, const Rect& area, Experiment& edited);
/// Its menu: the card's number over a knob, as a curve of the view that sweeps.
void draw_plot_over(App& app, const Readout& readout, Experiment& edited);
/// All cards over the figures, while the row of numbers is unfolded.
void draw_card_sheet(App& app, const Rect& area, Experiment& edited);
void draw_status(App& app, const Rect& rect);
void draw_dialogs(App& app, const Rect& screen, Experiment& edited);
/// Chips of the curves from the top of the room; returns the height that their rows took.
double draw_chips(App& app, const Rect& room, Experiment& edited);
/// The menu of a pinned chip, asked for in this frame by "chip.menu".
void draw_chip_menu(App& app, Experiment& edited);
/// Messages across the top of the figures; returns the height they took.
double draw_messages(App& app, const Rect& rect);
/// When a message goes by itself; nothing: it stays.
std::optional<double> end_of(const Message& message);
/// Asks the view for its figures where the experiment changed or something was still being computed.
void refresh_figures(App& app, const Experiment& experiment);
/// Lets the shown view's player go on, where it is playing; no step of undo.
void play(App& app, double seconds);
/// Moves the knob that is swept, where one is; no step of undo. It ends where somebody else moves that knob.
void play_sweep(App& app, double seconds);
/// How fast knobs are swept, to be chosen.
void draw_sweep_popup(App& app);
/// The menu of a knob, asked for by a right click on its label.
void draw_knob_menu(App& app, Experiment& edited);
/// Play, pause and steps at the right end of a row; returns where they begin.
double draw_player(App& app, const Rect& row, Experiment& edited);
/// Clamps and records the edited experiment (a drag is one undo step) and carries out what was chosen in lists.
void finish_frame(App& app, Experiment& edited);
/// Keys that work anywhere (finder.cpp declares each once: for this and for the list of F1).
void handle_keys(App& app, Experiment& edited);

/// Ctrl+K: views, knobs, presets and commands by their names.
void draw_finder(App& app, const Rect& screen, Experiment& edited);

void open_dialog(App& app, DialogKind kind);
/// The words of a note: of this one, or of a new one as it is given.
void open_note_dialog(App& app, std::optional<std::size_t> index, const Note& note);
void open_rename_dialog(App& app, std::size_t pin, const std::string& name);
/// Lets a file be chosen for a knob, starting where its present one lies.
void open_file_dialog(App& app, const std::string& field, const std::string& endings, const std::string& present);
/// The bytes of a file of the shown figures as they are saved: svg, pdf, png, csv (of one figure) or json (all of
/// them). Throws InputError where there is nothing to save.
std::string picture_of(const App& app, const std::string& format, const std::string& figure);
/// The picture as on screen: in pixels of this size and the window's theme.
std::string screen_picture(const App& app, Vec2 size);
/// What the settings of saving mean for a format.
PageStyle page_style(const Settings& settings, const std::string& format);

}  // namespace ropescope::ui
