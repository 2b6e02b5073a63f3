// Ropes and encodings on screen: names, visible curves, origins of values, notes, and the arguments that reproduce an
// experiment. Most views use it. Read app/experiment/rope_spec.h first.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/experiment/experiment.h"
#include "app/experiment/figure_file.h"
#include "app/figure/figure.h"
#include "app/resources/text.h"
#include "app/views/view.h"
#include "core/encodings/encoding.h"
#include "core/formats/models.h"

namespace ropescope {

// --- Notes ---------------------------------------------------------------------------------------------------------

/// Adds the notes of the current view to its figures, with handles "note.INDEX.place" and "note.INDEX.words".
void add_notes(ViewResult& result, const Experiment& experiment, const Text& text);
/// Returns the note that a handle belongs to; nullopt if it belongs to none.
std::optional<std::size_t> note_of(const std::string& handle);
/// Moves the place or the words of a note when its handle is dragged.
void move_note(Experiment& experiment, const FigureEvent& event);

// --- Origins -------------------------------------------------------------------------------------------------------

/// Sets the origins of the rope lines ("current", "pin2.trend") for tables: name, base, extension and dimension,
/// independent of the language.
void name_origins(ViewResult& result, const Experiment& experiment);

// --- Ropes ---------------------------------------------------------------------------------------------------------

/// Returns a rope's name for chips and legends: "Llama 3.1 8B · base 500 000 · llama3 ×8". with_dimension appends "d
/// 128", needed if ropes of different dimension are side by side.
std::string rope_label(const RopeFields& rope, const Text& text, bool with_dimension);

/// Returns the label of a rope's trained length: `key` with {length}, or, if its extension reaches farther, "original
/// 8 192 → 131 072". Precondition: it has a trained length.
std::string trained_label(const RopeFields& rope, std::string_view key, const Text& text);

/// Returns the extension of a rope: "llama3 ×8", "dynamic ×2 at 16 384", "longrope ×32, long list (131 072)"; empty if
/// the context is not extended.
std::string extension_label(const RopeFields& rope, const Text& text);

/// Returns the custom name of the current curve or of a pin if it has one; otherwise the label of its rope.
std::string current_label(const Experiment& experiment, const Text& text, bool with_dimension);
std::string pin_label(const Pin& pin, const Text& text, bool with_dimension);

/// Returns whether ropes of different dimension are side by side.
bool labels_need_dimension(const Experiment& experiment);

/// A rope on screen: the current one first, then the pinned ones, without those that are hidden.
struct ShownRope {
  std::string key;  ///< "current", "pin1", …
  std::string label;
  int slot = 0;
  const RopeFields* rope = nullptr;  ///< points into the experiment, which must outlive it
};
std::vector<ShownRope> all_ropes(const Experiment& experiment, const Text& text);  // includes hidden ones
std::vector<ShownRope> shown_ropes(const Experiment& experiment, const Text& text);

/// Rope names reduced to their differences, and what they share: "base 10 000" and "base 500 000" share "d 64 · yarn
/// ×4". Models keep only their names. A rope with a custom name keeps it, stored in `given` at the rope's index (empty:
/// no custom name). Ropes that rotate differently have different names, except custom ones.
struct ShortNames {
  std::vector<std::string> names;
  std::string shared;
};
ShortNames short_names(const std::vector<const RopeFields*>& ropes, const std::vector<std::string>& given,
                       const Text& text);
/// Sets the names of rope lines for use on a page (Line::rope_name, ViewResult::shared).
void shorten_curve_names(ViewResult& result, const Experiment& experiment, const Text& text);

bool is_hidden(const Experiment& experiment, const std::string& key);

/// Adds the card VIEW.ladder, which names the ladder in use, if the extension depends on the current length.
void add_ladder_in_use(std::vector<Readout>& readouts, std::string_view view, const RopeFields& rope, const Text& text);

/// Returns the rope of a preset, as opening it gives. Throws InputError if there is no such preset.
RopeFields load_preset_rope(const std::string& id);
/// Replaces the current rope by the named one and returns its display name. `name` is "current", "pin1" (ropes of the
/// experiment), a model's config.json, .gguf or folder, a saved experiment (its rope), or a preset's id. Throws
/// InputError if it is none of these, and as the readers of these files do.
std::string load_rope(Experiment& experiment, const std::string& name, const Text& text);

// --- Encodings -----------------------------------------------------------------------------------------------------

/// Returns the settings of an encoding: dim, base, pairing and rotary part from the rope's selected axis, with the
/// ladder under the context extension if the encoding rotates by one (see put_ladder); the rest from the encoding
/// fields. Settings that the encoding does not use keep their initial values, so editing their fields recomputes
/// nothing. make_model validates them. head_dim: channels of the head in a file (0: the rotary channels). A narrower
/// rope rotates the head's first channels; a wider one is cut to the head's width.
/// Throws InputError as spec_of() does, and if the encoding rotates and the extension cannot be applied.
EncodingValues collect_encoding_settings(const RopeFields& rope, const EncodingFields& fields, const Encoding& encoding,
                                         int head_dim = 0);

/// Returns the name of an encoding, "RoPE, llama3 ×8": its title, and the context extension if the encoding rotates by
/// such a ladder.
std::string encoding_label(const Encoding& encoding, const RopeFields& rope, const Text& text);

/// An encoding with its fields. model() throws InputError if they form no valid model.
struct ReadyEncoding {
  const Encoding* encoding = nullptr;
  EncodingValues settings = {};
  bool operator==(const ReadyEncoding&) const = default;
  std::shared_ptr<const EncodingModel> model() const { return make_model(*encoding, settings); }
};
/// Adds a card of this name with the ladder in use and the effect of its amplitude on scores, if the rope's context is
/// extended and one of the encodings on screen rotates.
void add_ladder_readout(std::vector<Readout>& readouts, const std::string& name,
                        const std::vector<ReadyEncoding>& shown, const RopeFields& rope, const Text& text);

/// Declares the controls used by the named encodings; unknown names are ignored. If one of them rotates, the rope's
/// ladder and context extension; always rope.rotary_dim or rope.axis; and rope.base, rope.pairing and the encoding
/// fields that they use.
void declare_encoding_fields(FieldList& list, Experiment& experiment, const std::vector<std::string>& names);

/// Returns an encoding's stroke (colour and dash), whatever the other curves; related encodings share a colour.
int encoding_slot(std::string_view name);

// --- Sides of models -----------------------------------------------------------------------------------------------

// Sides of a model comparison (core/formats/models.h), for the command `compare` and for the window.

/// Loads a config.json, a GGUF or a folder: its layout, if it has one, and its rotary embeddings. Throws InputError as
/// load_model_config() and load_layout_config().
ModelSide file_side(const std::string& path);
/// Returns a preset as a side. Throws InputError if there is no preset of this id.
ModelSide preset_side(const std::string& id);
/// Returns a rope as a side: all layer types of the file or preset it came from, with the fields in place of the
/// profile if they were edited. If there is no file, or it cannot be read any more, the fields alone. Throws InputError
/// as spec_of().
ModelSide rope_side(const RopeFields& rope);

/// Returns whether a rope named after a preset differs from all profiles of that name in the preset.
bool is_changed(const RopeFields& rope);
/// Returns the name of a rope's model: "Llama 3.1 8B", or "Llama 3.1 8B, changed"; empty for the user's own values.
std::string rope_name(const RopeFields& rope, const Text& text);

/// Returns notes on the file itself for readers of a comparison: a guessed class, fields that disagree or are unknown,
/// inverse frequencies stored in addition to its config.
Message::List notes_of(const ModelSide& side);

/// Returns only the fields that determine a rope's rotation: without its custom name, its origin and the selected axis.
RopeFields turning(RopeFields fields);

// --- Arguments -----------------------------------------------------------------------------------------------------

/// Returns the unquoted --set arguments that change the defaults to the parts of this experiment that the current view
/// reads: its fields, the additional curves, and its notes.
std::vector<std::string> arguments_of(const Experiment& experiment);

/// Returns a link with what the current view reads of this experiment (link_of in app/experiment/figure_file.h).
std::string view_link(const Experiment& experiment, std::string_view address = kOwnAddress);

/// Returns a word of a command line, quoted if a shell would split or change it.
std::string shell_quoted(const std::string& word);

}  // namespace ropescope
