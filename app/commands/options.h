// Options shared by several commands: fields declared in core, threads, pairing, pictures, language, and output for
// other programs. Each is declared and parsed once, here. Read commands.h first; rope_options.h builds on it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <initializer_list>
#include <iterator>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "app/commands/commands.h"
#include "app/experiment/experiment.h"
#include "app/experiment/fields.h"
#include "app/experiment/page_fields.h"
#include "app/figure/figure.h"
#include "app/figure/pages/page.h"
#include "app/resources/text.h"
#include "core/formats/programs/equivalents.h"
#include "core/message.h"
#include "core/rotary/spec.h"

namespace ropescope {

struct CheckExample;

// --- Fields --------------------------------------------------------------------------------------------------------

/// Adds the option. Its help is the text "field.KEY.option", in which {takers} lists the users of the field.
void add_option(Arguments& arguments, const NumberField& field, const std::string& takers, Arguments::Take take);

/// Options that set fields of the window: "--text-size 120" sets "save.text_size". Valid values and errors are the
/// fields'; the help is the text of the option, as for every other.
class FieldOptions {
 public:
  /// Adds the option of a field, "--text-size", whose value must outlive the command. `option`: its name, if it is not
  /// the field's.
  void add(Arguments& arguments, const Field& field, const std::string& placeholder, const std::string& option = {});
  void add(Arguments& arguments, const Field& field, const std::string& placeholder, const Message& help);
  /// Returns whether the option of the field with this key is given.
  bool has(std::string_view key) const;
  /// Returns the name of the first option given; empty if there is none.
  std::string first_given() const { return given_.empty() ? std::string() : given_.front().second; }

 private:
  Arguments::Take set(const Field& field);
  std::vector<std::pair<std::string, std::string>> given_;  ///< keys of fields, with their options
};

/// Returns the window's number field for this option, as declared in a new experiment: "race.layers". Precondition: it
/// exists.
NumberField window_field(std::string_view key);
/// Returns the field with a range that differs from the slider's; everything else is as declared.
NumberField set_range(NumberField field, double minimum, double maximum);

// --- Numbers and choices -------------------------------------------------------------------------------------------

// All throw InputError that names the option, its value and the expectation.

/// Returns the value of a field's option: a switch ("true" as 1), or a valid number, integer or even as declared, but
/// not limited to slider steps. `expected`: a custom description of valid values.
double read(const NumberField& field, const std::string& option, const std::string& text, const Message& expected = {});

double read_number(const std::string& option, const std::string& text);

inline constexpr double kLargestPosition = 1125899906842624;  // 2^50
/// Returns an integer with absolute value at most 2^50.
std::int64_t read_whole(const std::string& option, const std::string& text);
/// Like read() for an integer field, but a value that is not an integer is reported first.
std::int64_t read_whole(const NumberField& field, const std::string& option, const std::string& text);

/// Returns the index of the text among the names.
std::size_t read_choice(const std::string& option, const std::string& text, const std::vector<std::string>& names);
/// Returns the enumerator with this word.
template <Worded E>
E read_choice(const std::string& option, const std::string& text) {
  return static_cast<E>(read_choice(option, text, {std::begin(kWordsOf<E>), std::end(kWordsOf<E>)}));
}

// --- Values of options ---------------------------------------------------------------------------------------------

// Return what Arguments::option does with a text: it is parsed as above and sets `target`, which keeps its value if the
// option is not given.

template <class T>
struct ValueIn {
  using Type = T;
};
template <class T>
struct ValueIn<std::optional<T>> {
  using Type = T;
};

/// The text is a number in this range, as for read().
template <class Number>
Arguments::Take number_into(Number& target, const NumberField& range, const Message& expected = {}) {
  return [&target, range, expected](const std::string& option, const std::string& text) {
    target = static_cast<typename ValueIn<Number>::Type>(read(range, option, text, expected));
  };
}
/// The text is an integer; another number is reported before one out of range.
template <class Number>
Arguments::Take whole_into(Number& target, double least = -kLargestPosition, double most = kLargestPosition) {
  return [&target, range = count_between(least, most)](const std::string& option, const std::string& text) {
    target = static_cast<typename ValueIn<Number>::Type>(read_whole(range, option, text));
  };
}
/// The text is a word of an enumeration.
template <class Choice>
Arguments::Take choice_into(Choice& target) {
  return [&target](const std::string& option, const std::string& text) {
    target = read_choice<typename ValueIn<Choice>::Type>(option, text);
  };
}
/// The text is one of these words, each with its value. `listed`: the names in an error, if they are not the words.
template <class T>
Arguments::Take word_into(T& target, std::initializer_list<std::pair<std::string, typename ValueIn<T>::Type>> words,
                          const std::vector<std::string>& listed = {}) {
  return [&target, words = std::vector(words), listed](const std::string& option, const std::string& text) {
    std::vector<std::string> names;
    for (const auto& [name, value] : words) names.push_back(name);
    const auto found = std::ranges::find(names, text);
    if (found == names.end()) reject(option, text, listed.empty() ? names : listed);
    target = words[static_cast<std::size_t>(found - names.begin())].second;
  };
}
/// `parse` returns the value of a text, given alone or after the name of its option.
template <class T, class Parse>
Arguments::Take parsed_into(T& target, Parse parse) {
  return [&target, parse](const std::string& option, const std::string& text) {
    if constexpr (std::is_invocable_v<Parse, const std::string&>) {
      target = parse(text);
    } else {
      target = parse(option, text);
    }
  };
}
/// The text is a list of at most `limit` numbers (parse_list).
Arguments::Take list_into(std::vector<double>& target, std::size_t limit = std::size_t{1} << 26);

/// Returns an integer of an option whose range depends on other input. Throws InputError that names the option.
std::int64_t require_between(const std::string& option, std::int64_t value, std::int64_t least, std::int64_t most);

// --- Tables --------------------------------------------------------------------------------------------------------

/// Returns the line that runs the program with these arguments, as typed into a shell.
std::string command_line(std::span<const std::string> words);
/// Returns the line that runs an example: "ropescope check --cos …".
std::string command_line(const CheckExample& example);
/// Returns the rows, all of equal length, as lines: each column is its widest displayed text plus two spaces wide.
std::string aligned(const std::vector<std::vector<std::string>>& rows);

// --- Threads -------------------------------------------------------------------------------------------------------

/// Adds "--threads N", for commands that distribute work; the result is the same for any number.
/// `target`: 0 stands for all cores.
void add_threads_option(Arguments& arguments, int& target);

// --- Figures -------------------------------------------------------------------------------------------------------

/// Returns the panel that --figure specifies by number, from 1, or by name. Throws InputError that lists them.
const Panel& find_panel(const ViewResult& result, const std::string& figure);

/// Returns the picture format of a file ending (".png"); nullopt if it is not a picture.
std::optional<PageFormat> picture_format(std::string_view ending);
/// The page of a command that draws, and the options that set it.
struct PageOptions {
  PageFields fields;
  FieldOptions given;
};
/// Adds the size, initially `size`, and "--theme".
void add_picture_options(Arguments& arguments, PageOptions& options, const std::string& size,
                         const std::string& size_option = "--size");
/// Returns the page. Throws InputError, also if an option is given and no picture is drawn.
PageFields to_page(const PageOptions& options, bool drawn = true);
/// Returns the size of a page, in pixels for a .png. Throws InputError.
PageSize to_picture_size(const PageFields& page, PageFormat format, const std::string& option = "--size");

/// Bytes per pixel while a picture is drawn and written: the picture and its file; for a window two copies, first in
/// the frame buffer and as pixels, then as pixels and in the encoder, and its file.
inline constexpr double kBytesOfPagePixel = 5, kBytesOfWindowPixel = 9;
/// Bytes for a window of any size: OpenGL, fonts and shaders.
inline constexpr double kBytesOfWindow = 140e6;
/// Reports the memory for a large picture, to explain the wait: `bytes_of_all` in addition to those per pixel. Throws
/// InputError if it exceeds the free memory.
void check_picture_memory(const PageSize& size, double bytes_of_pixel = kBytesOfPagePixel, double bytes_of_all = 0);

// --- Language ------------------------------------------------------------------------------------------------------

/// Returns the available languages; only English if the assets are not found.
std::vector<std::string> known_languages();
/// Declares --language of a command that draws. The default is English, whatever the locale, so scripts give the same
/// figure on every machine.
/// `target` stays empty without the option.
void add_language_option(Arguments& arguments, std::string& target);

/// Returns the texts of that language; empty: English.
Text load_text(const std::string& language, Text::FormulaForm form = Text::FormulaForm::plain);

// --- Grids of maps -------------------------------------------------------------------------------------------------

// Maps of equal size in the rows and columns of one page.

/// Gives the panels' first maps a common colour scale, so one colour bar is valid for each row.
void share_colours(std::vector<Panel>& panels);

/// Returns the number of columns that gives square maps their maximum size.
std::int64_t map_columns(std::int64_t maps, const PageSize& size);

// --- Output for other programs -------------------------------------------------------------------------------------

/// Adds "--as WORDS": the embedding in another program's terms.
void add_as_option(Arguments& arguments, const OtherWords*& target);

/// Writes the text to the file or to standard output, and each part without an equivalent to standard error, one per
/// line. Throws InputError with the first reason if nothing has an equivalent.
void put_equivalent(const OutputFile& output, const OtherWords& as, const EquivalentOf& of);
/// Writes a layout of tokens in another program's terms, as above. Throws InputError also as arrange().
void put_equivalent(const OutputFile& output, const OtherWords& as, const Layout& layout, const LayoutRequest& request);

// --- Intermediate results ------------------------------------------------------------------------------------------

/// Throws InputError unless a command may replace this file by its intermediate results: there is none yet, or it is a
/// regular file whose beginning `is_own` recognises as the command's.
void require_replaceable(const std::filesystem::path& path, const std::function<bool(std::string_view)>& is_own);

// --- Numbers in files ----------------------------------------------------------------------------------------------

/// Appends float64 numbers to `bytes`, in the format of a "<f8" .npy after its header.
void append_npy_numbers(std::span<const double> numbers, std::string& bytes);

/// Returns whether an option for a list of numbers or a .npy names a file: if it has that ending or such a file exists,
/// unless it is a valid list.
bool is_npy_path(const std::string& text);

}  // namespace ropescope
