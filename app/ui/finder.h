// The finder (Ctrl+K) for everything that can be opened, changed or done, by name or meaning, and the global keys.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/resources/text.h"
#include "app/ui/app.h"
#include "app/ui/dialogs.h"

namespace ropescope::ui {

/// Returns the lines of the key list of Shift+F1.
std::vector<KeyLine> key_lines(const Text& text);

/// Returns whether a key with these modifiers does something: others are left to the browser of a page.
bool has_binding(int key, bool control, bool shift);

/// Handles global keys (finder.cpp declares each once: for this and for the list of Shift+F1).
void handle_keys(App& app, Experiment& edited);

/// Opens the finder (Ctrl+K): views, fields, actions, settings, presets, recent files, examples of Check, chapters,
/// lessons and their steps; or only some of them, for the start screen, to which it then leads back.
void open_finder(App& app, Dialog::Scope scope);
void draw_finder(App& app, const Rect& screen, Experiment& edited);

// --- Search --------------------------------------------------------------------------------------------------------

/// Something that can be searched. Both texts are compared without regard to the case of A to Z.
struct Searchable {
  std::string_view label;  ///< as displayed
  std::string_view words;  ///< synonyms, option names and ids, separated by spaces
};

/// What a typed word may match: as it is written, or also with one typing error (a letter wrong, missing, added, or two
/// swapped; words of four letters and more) or with letters missing ("qwn" for "qwen"; three letters and more).
enum class Spelling { exact, fuzzy };

/// Returns the rank of a match, lower is better; nullopt if a typed word matches nothing. Sum over the typed words: 0
/// for the first word of the label, 1 for another word of the label or a synonym, 2 and 3 for the start of such a word,
/// 4 and 5 for a part of it, 10 and more if it is misspelt.
std::optional<int> find_rank(std::string_view typed, const Searchable& item, Spelling spelling);

}  // namespace ropescope::ui
