// Ropes and encodings on screen: their names, the curves that are shown, where values come from, notes, and the
// arguments that reproduce an experiment. Read app/experiment/rope_spec.h before; most views show ropes.
#pragma once

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

/// Puts the notes of the shown view on its figures, with handles "note.INDEX.place" and "note.INDEX.words".
void add_notes(ViewResult& result, const Experiment& experiment, const Text& text);
/// Which note a handle belongs to; none: to none.
std::optional<std::size_t> note_of(const std::string& handle);
/// Moves what the handle of a note stands for.
void move_note(Experiment& experiment, const FigureEvent& event);

// --- Origins -------------------------------------------------------------------------------------------------------

/// Tells the lines of ropes ("current", "pin2.trend") what they come from, for tables: name, base, extension and
/// dimension, in any language the same.
void name_origins(ViewResult& result, const Experiment& experiment);

// --- Ropes ---------------------------------------------------------------------------------------------------------

/// How a rope is called in chips and legends: "Llama 3.1 8B · base 500 000 · llama3 ×8". with_dimension adds "d 128",
/// which is wanted where ropes of different dimension stand side by side.
std::string rope_label(const RopeFields& rope, const Text& text, bool with_dimension);

/// The extension of a rope: "llama3 ×8", "dynamic ×2 at 16 384", "longrope ×32, long list (131 072)"; empty where the
/// context is not extended.
std::string extension_label(const RopeFields& rope, const Text& text);

/// The name of the current curve, of a pin, where it has one; else how its rope is called.
std::string current_label(const Experiment& experiment, const Text& text, bool with_dimension);
std::string pin_label(const Pin& pin, const Text& text, bool with_dimension);

/// True where ropes of different dimension stand side by side.
bool labels_need_dimension(const Experiment& experiment);

/// A rope that is on screen: the current one first, then the pinned ones, without those that are hidden.
struct ShownRope {
  std::string key;  ///< "current", "pin1", …
  std::string label;
  int slot = 0;
  const RopeFields* rope = nullptr;  ///< lives as long as the experiment
};
std::vector<ShownRope> all_ropes(const Experiment& experiment, const Text& text);  // hidden ones too
std::vector<ShownRope> shown_ropes(const Experiment& experiment, const Text& text);

/// The names of ropes shortened to what they differ in, and what they share: "base 10 000" and "base 500 000" of
/// "d 64 · yarn ×4". Models are called by their names alone. A rope with a name by hand keeps that, which stands in
/// `given` at its place (empty: none). No two ropes that turn differently have one name, but by hand.
struct ShortNames {
  std::vector<std::string> names;
  std::string shared;
};
ShortNames short_names(const std::vector<const RopeFields*>& ropes, const std::vector<std::string>& given,
                       const Text& text);
/// Tells the lines of ropes what they are called on a page (Line::rope_name, ViewResult::shared).
void name_shortly(ViewResult& result, const Experiment& experiment, const Text& text);

bool is_hidden(const Experiment& experiment, const std::string& key);

/// Adds the card VIEW.ladder, which says which ladder it is, where the extension looks at the current length.
void add_ladder_in_use(std::vector<Readout>& readouts, std::string_view view, const RopeFields& rope, const Text& text);

/// Puts the rope of a preset into the experiment, as opening it does; how far views look stays. Throws InputError where
/// there is none.
void take_preset(Experiment& experiment, const std::string& id);
/// Puts the rope of a name in the place of the present one, and returns what it is called: "current", "pin1" (those of
/// the experiment), a model's config.json, .gguf or folder, a saved experiment (its rope), or a preset's id. Throws
/// InputError where it is none of these, and as their readers.
std::string take_rope(Experiment& experiment, const std::string& name, const Text& text);

// --- Encodings -----------------------------------------------------------------------------------------------------

/// The fields of an encoding: dim, base, pairing and rotary part from the axis of the rope that is looked at, with
/// the ladder that its context extension makes of them where the encoding turns by one (see put_ladder), and the rest
/// from the encoding fields. What the encoding does not look at keeps its initial value, so that moving its field
/// computes nothing. They are checked by make_model. head_dim: channels of a head that is there (a file's; 0: the
/// rotary ones); a rope that is narrower turns its first channels, one that is wider is cut to it.
/// Throws InputError as spec_of(), and where the encoding turns and the extension cannot be applied.
EncodingValues encoding_settings_of(const RopeFields& rope, const EncodingFields& fields, const Encoding& encoding,
                                    int head_dim = 0);

/// How an encoding is called, "RoPE, llama3 ×8": its title, and the context extension where the encoding turns by such
/// a ladder.
std::string encoding_label(const Encoding& encoding, const RopeFields& rope, const Text& text);
struct EncodingShown {
  const Encoding* encoding = nullptr;
  const EncodingValues* settings = nullptr;
};
/// Where the rope's context is extended and one of the shown encodings turns: adds a card of this name that says by
/// which ladder it does, and what the ladder's amplitude makes of scores.
void add_ladder_readout(std::vector<Readout>& readouts, const std::string& name,
                        const std::vector<EncodingShown>& shown, const RopeFields& rope, const Text& text);

/// Declares the controls that some encodings (by name, unknown ones are passed over) look at: those of the rope with
/// its context extension where one of them turns, else rope.base and rope.rotary_dim or rope.axis; rope.pairing, and
/// the encoding fields.
void describe_encodings(FieldList& list, Experiment& experiment, const std::vector<std::string>& names);

/// The colour and dash of an encoding's curve, the same whatever stands beside it: kin share a colour.
int encoding_slot(std::string_view name);

// --- Sides of models -----------------------------------------------------------------------------------------------

// Sides of a comparison of models (core/formats/models.h): for the command of that name and for the window.

/// What a config.json, a GGUF or a folder says: its layout, where it has one, and its rotary embeddings. Throws
/// InputError as load_model_config() and load_layout_config().
ModelSide file_side(const std::string& path);
/// What a preset says. Throws InputError where there is none of this id.
ModelSide preset_side(const std::string& id);
/// What is shown of a rope: the file or preset that it came from, all kinds of its layers, with the fields in place of
/// the profile where they were moved; of a file that cannot be read any more, or of no file, the fields alone. Throws
/// InputError as spec_of().
ModelSide rope_side(const RopeFields& rope);

/// Whether a rope that is called after a preset has other values than any profile of this name that it has.
bool is_changed(const RopeFields& rope);
/// The name of the model of a rope: "Llama 3.1 8B", or "Llama 3.1 8B, changed"; empty for own values.
std::string rope_name(const RopeFields& rope, const Text& text);

/// What a reader of a comparison must know of the file itself: a class that was guessed, fields that
/// disagree or are not understood, inverse frequencies that are stored beside its config.
Words::List notes_of(const ModelSide& side);

/// How a rope turns, and nothing else: without what a person calls it, where it came from and which of its axes they
/// look at.
RopeFields turning(RopeFields fields);

// --- Arguments -----------------------------------------------------------------------------------------------------

/// The --set arguments, unquoted, that turn the defaults into what the shown view reads of this experiment: its fields,
/// the curves beside its own, and its notes.
std::vector<std::string> arguments_of(const Experiment& experiment);

/// A link to what the shown view reads of this experiment (link_of in app/experiment/figure_file.h).
std::string view_link(const Experiment& experiment, std::string_view address = kOwnAddress);

/// A word of a command line, in quotes where a shell would cut or change it.
std::string shell_quoted(const std::string& word);

}  // namespace ropescope
