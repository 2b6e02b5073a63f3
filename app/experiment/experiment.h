#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/experiment/fields.h"
#include "app/experiment/knobs.h"
#include "core/encodings/encoding.h"
#include "core/formats/config.h"
#include "core/layouts/layout.h"
#include "core/rotary/spec.h"

namespace ropescope {

/// A kept rope to compare with; slot picks colour and dash (the current one has slot 0).
struct Pin {
  RopeKnobs rope;
  int slot = 1;
  std::string name = {};  ///< what its curve is called; empty: as the rope is
  bool operator==(const Pin&) const = default;
};
/// "pin1" of the first one: what its curves are called among the names of lines.
inline std::string pin_key(std::size_t index) {
  return "pin" + std::to_string(index + 1);
}

/// Words on a figure of a view with an arrow to a place of it, in the figure's data coordinates.
struct Note {
  std::string view, figure, text;
  double x = 0, y = 0, text_x = 0, text_y = 0;  ///< the place, and the middle of the words
  bool operator==(const Note&) const = default;
};

/// Where the mouse is, in data coordinates of a figure. Not a choice: it is in no file and no step of undo, and only
/// the window sets it, for views that follow it.
struct Pointer {
  std::string figure;
  double x = 0, y = 0;
  bool operator==(const Pointer&) const = default;
};

/// Everything the user chose: one value. Undo keeps the previous one; a session file is this as JSON.
struct Experiment {
  std::string view = "decay";
  RopeKnobs rope;
  RotationKnobs rotation;
  DecayKnobs decay;
  FrequenciesKnobs frequencies;
  LimitsKnobs limits;
  PrecisionKnobs precision;
  EncodingKnobs encoding;
  AtlasKnobs atlas;
  CompareKnobs compare;
  AttentionKnobs attention;
  LayoutKnobs layout;
  SimilarityKnobs similarity;
  CheckKnobs check;
  RaceKnobs race;
  ReportedKnobs reported;
  FacetKnobs facet;
  CurveKnobs curves;
  SweepKnobs sweep;
  std::vector<Pin> pins;            ///< at most kMaximumPins
  std::vector<std::string> hidden;  ///< ropes whose curves are hidden in every view: "current", "pin1", …
  std::vector<Note> notes;          ///< at most kMaximumNotes
  double opened_length = 0;         ///< the trained length of the config or preset that was opened last; 0: none
  std::optional<Pointer> pointer;
  bool operator==(const Experiment&) const = default;
};
inline constexpr std::size_t kMaximumPins = 8, kMaximumNotes = 64;
/// Strokes that a pin can choose among: five colours in five dashes (stroke_of). Slot 0 is that of the current rope.
inline constexpr int kPinSlots = 25;

void describe(Fields& fields, RopeKnobs& knobs);  // keys "rope.base", "rope.rotary_dim", …
/// "rope.pairing" alone, which describe(RopeKnobs) declares without a control.
void describe_pairing(Fields& fields, RopeKnobs& knobs, bool control);
void describe(Fields& fields, PrecisionKnobs& knobs);    // keys "precision.span", …
void describe(Fields& fields, LimitsKnobs& knobs);       // keys "limits.context", …
void describe(Fields& fields, FrequenciesKnobs& knobs);  // keys "frequencies.quantity", …
void describe(Fields& fields, DecayKnobs& knobs);        // keys "decay.span", …
/// Keys "rotation.show", …. For controls, `pairs` says how many there are to choose from.
void describe(Fields& fields, RotationKnobs& knobs, double pairs = 4096);
/// With the lock on before and after an edit that moved one of m and n, the other one moves along: m − n stays. Both
/// stop where one of them would leave its range; false where that kept the edited one from its place.
bool keep_distance(const RotationKnobs& before, RotationKnobs& edited);
void describe(Fields& fields, AtlasKnobs& knobs);  // keys "atlas.values", …
/// Keys "compare.show", …. For controls, `queries` says which ones there are to choose from.
void describe(Fields& fields, CompareKnobs& knobs, const Range& queries = {0, 2 * kMostComparePosition});
/// Keys "attention.show", …. For controls, `tokens` says how many queries there are to choose from.
void describe(Fields& fields, AttentionKnobs& knobs, double tokens = kMostAttentionTokens);
/// What controls of a layout have to choose from, where it is known.
struct LayoutControls {
  double step = 1;                    ///< pixels per token and side
  double tokens = kMostLayoutTokens;  ///< of the image, all frames
  double pairs = 4096;
  double frames = 1024;
  std::vector<std::string> axes;  ///< names; empty: those of all layouts
  bool colouring = true;          ///< whether there are controls for what colours the tokens, and the picture
  bool patches = true;            ///< whether there are controls for anchor and targets
  std::vector<Words> notes;       ///< what a reader must know
};
/// Keys "layout.name", …: controls for what the chosen layout looks at.
void describe(Fields& fields, LayoutKnobs& knobs, const LayoutControls& controls = {});
/// Keys "similarity.anchor_mode", …. For controls, `axes` are the names to choose from; empty: those of all layouts.
void describe(Fields& fields, SimilarityKnobs& knobs, const std::vector<std::string>& axes = {});
/// Keys "check.cos", ….
void describe(Fields& fields, CheckKnobs& knobs);
/// Keys "race.encodings", …. For controls, `added` are the further runners with the present rope among them; none: it
/// cannot be added.
void describe(Fields& fields, RaceKnobs& knobs, const std::optional<std::string>& added = {});
void describe(Fields& fields, ReportedKnobs& knobs);  // keys "reported.table", …
void describe(Fields& fields, FacetKnobs& knobs);     // keys "facet.across", …
/// Keys "curves.shown_as", …. For controls, `pins` says how many there are to choose from.
void describe(Fields& fields, CurveKnobs& knobs, std::size_t pins = kMaximumPins);
void describe(Fields& fields, SweepKnobs& knobs);  // keys "sweep.readout", …
/// Whether the knobs ask their layout for a setting: it looks at it, and no other one takes its place.
bool asks_for(const LayoutKnobs& knobs, const Layout& layout, std::string_view setting);
/// Names of axes of any layout, each once.
std::vector<std::string> all_layout_axes();
/// What README asks of the picture: is patch 1 nearer to patch 64 or to patch 65 of 64 × 64?
void ask_raster_question(LayoutKnobs& knobs);
/// Keys "encoding.heads", …. Only what encodings look at has a control: `used` are names of Encoding::settings.
void describe(Fields& fields, EncodingKnobs& knobs, std::span<const std::string_view> used = {});
/// The rope knobs and rope.pairing, of which only some have a control: "rope.base", ….
void describe_embedding(Fields& fields, RopeKnobs& knobs, std::span<const std::string_view> controls);
/// The whole experiment ("view", then all knobs) without its pins: used by JSON, command line, clamping and reset.
void describe(Fields& fields, Experiment& experiment);

/// The spec of the knobs. A head narrower than its rotary part grows to it, as a head only adds channels that do not
/// turn. Throws InputError where a value is out of range or `axes` and `axis` cannot be read.
RotarySpec spec_of(const RopeKnobs& knobs);
/// The names of several axes in their order; empty for one axis and for a text that cannot be read.
std::vector<std::string> axis_names(const RopeKnobs& knobs);
/// Which axis of their spec is looked at.
std::size_t axis_index(const RotarySpec& spec, const RopeKnobs& knobs);
/// Knobs that show a profile: every value filled in (config and model, where it came from, are the caller's). Throws
/// InputError only where a value lies outside the range of its knob, e.g. a base above 1e12.
RopeKnobs knobs_of(const Profile& profile, const std::string& label);
/// An extension for people: "llama3 (factor 8)"; empty for "none".
std::string extension_text(const Extension& extension);
/// The same at a current length, which only some methods look at: "longrope (factor 32), long list (131072)",
/// "dynamic (factor 4) at 131072".
std::string extension_text(const Extension& extension, double trained_length, double length);
/// A finite number and nothing else; none for any other text (NaN and infinities too).
std::optional<double> parse_number(std::string_view text);
/// Whether a text can only be meant as a list of numbers, right or wrong: where an option takes a file too, "0:15" is
/// no file even if one is called so; "./0:15" is one.
bool is_list(std::string_view text);
/// "1,5,9", "-2.5" or "0:64:8": numbers and inclusive ranges a:b or a:b:step (step 1; downwards with a negative one).
/// Throws InputError that names `option`. Used by LIST options too. `limit` bounds how many numbers come out.
std::vector<double> parse_list(const std::string& text, const std::string& option,
                               std::size_t limit = std::size_t{1} << 26);

/// JSON of the whole experiment ({"ropescope": 1, "view": …, "rope": {…}, "decay": {…}, "pins": [{"slot", "name",
/// "rope"}], "notes": [{"view", "figure", "text", "x", "y", "text_x", "text_y"}], "opened_length"}).
/// Reading: a key that is unknown, of the wrong type or out of range is an InputError that names it; missing keys keep
/// their defaults (a missing "axis" is the first of the "axes" that are there). What an edit would bring in order is in
/// order: without "axes", "head_dim" is raised to "rotary_dim"; values that are not related to a pin name none.
std::string experiment_to_json(const Experiment& experiment);
/// The same on one line, in ASCII.
std::string experiment_to_line(const Experiment& experiment);
Experiment experiment_from_json(const std::string& text, const std::string& source);

/// `--set key=value`: the full key ("rope.base") or its last part where that is unique ("base"). "pins" and
/// "notes" take a JSON list, ranges "low:high" or "fit", names a comma list. Where a last part belongs to several keys,
/// that of the shown view is meant, else that of the group `looks_at`, else that of the rope. Returns the full key.
/// Throws InputError that names `option`: unknown key (names near ones), bad value, out of range.
std::string set_field(Experiment& experiment, const std::string& assignment, std::string_view looks_at = {},
                      const char* option = "--set");
/// The --set arguments that turn the defaults into this experiment, unquoted: {"rope.base=100", "decay.span=16384"}.
std::vector<std::string> set_arguments(const Experiment& experiment);

/// Brings every number into range (a file cannot be out of range; edits can).
void clamp(Experiment& experiment);
/// Without axes a head has at least the channels of it that are rotated: head_dim is raised to rotary_dim.
void grow_head(RopeKnobs& rope);
/// Lets every axis of every view fit its data again.
void reset_ranges(Experiment& experiment);
/// After a config or preset was opened: spans and contexts that nobody set (they have their initial value, or the one
/// of the opening before) become the length that the model takes, extended or as trained, where it has one.
void follow_opening(Experiment& experiment);

/// A field for people who write files and --set arguments.
struct FieldInfo {
  std::string key;
  Words expected;
  std::string value;  ///< as --set takes it
};
/// Every field in the order of declaration, with the value that it has in a default experiment.
std::vector<FieldInfo> list_fields();

}  // namespace ropescope
