// Options that several commands share: fields that core declares, threads, pairing, pictures, language, and the words
// of other programs. Each is declared and read here once. Read commands.h before; rope_options.h builds on it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/commands/commands.h"
#include "app/experiment/experiment.h"
#include "app/experiment/fields.h"
#include "app/figure/figure.h"
#include "app/figure/pages/page.h"
#include "app/resources/text.h"
#include "core/formats/programs/equivalents.h"
#include "core/rotary/spec.h"
#include "core/words.h"

namespace ropescope {

// --- Fields --------------------------------------------------------------------------------------------------------

/// Options that fields declare, as given, under the fields' names.
class GivenFields {
 public:
  std::optional<std::string>& operator[](std::string_view name) { return texts_[std::string(name)]; }
  /// The text of an option; null where it is not given.
  const std::string* find(std::string_view name) const;
  bool any() const;

 private:
  std::map<std::string, std::optional<std::string>, std::less<>> texts_;  // options point at its values
};

/// Adds the option; its help is the text "field.KEY.option", in which {takers} are those that look at the field.
void add_option(Arguments& arguments, const NumberField& field, const std::string& takers, GivenFields& given);
/// The number of the window that an option gives too, as a new experiment declares it: "race.layers". Precondition:
/// there is one.
NumberField window_field(std::string_view key);
/// The same quantity where a command takes other values than a slider can show; all else is as declared.
NumberField with_range(NumberField field, double minimum, double maximum);

// --- Numbers and choices -------------------------------------------------------------------------------------------

// All throw InputError that names the option, what was found and what was expected.

/// What an option gives of a field: a switch ("true" as 1), or a number that is valid; whole and even as declared, but
/// not on other steps of a slider. `expected`: other words for it.
double read(const NumberField& field, const std::string& option, const std::string& text, const Words& expected = {});

double read_number(const std::string& option, const std::string& text);

inline constexpr double kLargestPosition = 1125899906842624;  // 2^50
/// A whole number of at most 2^50 in size.
std::int64_t read_whole(const std::string& option, const std::string& text);
/// As read() of a whole field, but what is no whole number at all is told so first.
std::int64_t read_whole(const NumberField& field, const std::string& option, const std::string& text);
std::int64_t read_whole(const std::string& option, const std::string& text, std::int64_t least, std::int64_t most);

/// The place of the text among the names.
std::size_t read_choice(const std::string& option, const std::string& text, const std::vector<std::string>& names);
/// The enumerator whose word the text is.
template <Worded E>
E read_choice(const std::string& option, const std::string& text) {
  return static_cast<E>(read_choice(option, text, {std::begin(kWordsOf<E>), std::end(kWordsOf<E>)}));
}

// --- Tables --------------------------------------------------------------------------------------------------------

/// The rows, all of one length, as lines: each column as wide as a screen shows its widest text and two spaces more.
std::string aligned(const std::vector<std::vector<std::string>>& rows);

// --- Threads -------------------------------------------------------------------------------------------------------

/// Adds "--threads N", for commands that share their work: the result is the same for any number.
void add_threads_option(Arguments& arguments, std::optional<std::string>& target);
/// The number of threads; 0, which is all cores, where it is not given. Throws InputError.
int read_threads(const std::optional<std::string>& option);

// --- Figures -------------------------------------------------------------------------------------------------------

/// The panel that --figure names by its number, counted from 1, or by its name. Throws InputError that lists them.
const Panel& find_panel(const ViewResult& result, const std::string& figure);

/// The format of a picture whose name ends so (".png"); none where that is no picture.
std::optional<PageFormat> picture_format(std::string_view ending);
/// Of one that has pixels where it is a .png. Throws InputError.
PageSize read_picture_size(const std::string& option, const std::optional<std::string>& given, const PageSize& initial,
                           PageFormat format);

/// Bytes per pixel of a picture while it is drawn and written: the picture and its file, and of a window the frame that
/// it is read back from.
inline constexpr double kBytesOfPagePixel = 5, kBytesOfWindowPixel = 9;
/// Says what a large picture of pixels takes, so that the wait is not silent. Throws InputError if that is more than is
/// free.
void check_picture_memory(const PageSize& size, double bytes_of_pixel = kBytesOfPagePixel);

// --- Language ------------------------------------------------------------------------------------------------------

/// The languages that there are; English alone where the assets are not found.
std::vector<std::string> known_languages();
/// Declares --language of a command that draws. Without it English, whatever the locale: a script gives the same figure
/// everywhere.
void add_language_option(Arguments& arguments, std::optional<std::string>& target,
                         const std::string& of = "all words in the picture");

/// The texts of the language that was given. Throws InputError that names the option and lists the languages.
Text read_language(const std::optional<std::string>& given, Text::FormulaForm form = Text::FormulaForm::plain);

// --- Grids of maps -------------------------------------------------------------------------------------------------

// Maps of equal size in rows and columns of one page.

/// Gives the panels' first maps the same colours for the same numbers, so that one bar speaks for each row.
void share_colours(std::vector<Panel>& panels);

/// Into how many columns square maps go so that they come out largest.
std::int64_t map_columns(std::int64_t maps, const PageSize& size);

// --- Words of other programs ---------------------------------------------------------------------------------------

/// Adds "--as WORDS": the embedding in the words of another program.
void add_as_option(Arguments& arguments, std::optional<std::string>& target);

/// What the option asks for. Throws InputError: words that nobody knows.
const OtherWords& read_as(const std::string& option);

/// Writes the text to the file or to standard output, and what cannot be said to standard error, a line each. Throws
/// InputError where nothing can be said, with the first reason.
void put_equivalent(const std::optional<std::string>& path, const std::string& as, const EquivalentOf& of);
/// Writes a layout of tokens in the words of another program, as above. Throws InputError as arrange() too.
void put_equivalent(const std::optional<std::string>& path, const std::string& as, const Layout& layout,
                    const LayoutRequest& request);

// --- Numbers in files ----------------------------------------------------------------------------------------------

/// The bytes of float64 numbers as they stand in a .npy of "<f8" after its header, to be appended to `bytes`.
void append_npy_numbers(std::span<const double> numbers, std::string& bytes);

/// Whether an option that takes a list of numbers or a .npy means a file: where it ends so or where there is such a
/// file, but a list where it can be one.
bool names_npy_file(const std::string& text);

}  // namespace ropescope
