// Declaration and parsing of the options that several commands share. Read options.h first.
//
// Contents: Fields; Numbers and choices; Tables; Threads; Figures; Language; Grids of maps; Output for other programs;
// Intermediate results; Numbers in files.

#include "app/commands/options.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <limits>

#include "app/commands/commands.h"
#include "app/experiment/experiment.h"
#include "app/figure/figure.h"
#include "app/resources/files.h"
#include "app/resources/models.h"
#include "app/resources/places.h"
#include "app/resources/system.h"
#include "app/resources/text.h"
#include "app/views/shared/ropes.h"
#include "core/formats/json.h"
#include "core/message.h"

namespace ropescope {

// --- Fields --------------------------------------------------------------------------------------------------------

namespace {

std::string symbol_of(const NumberField& field) {
  return std::string(field.is_switch ? "true|false" : field.symbol);
}

Message help_of(const NumberField& field, const std::string& takers) {
  Message help("field." + std::string(field.key) + ".option", {{"takers", takers}});
  if (field.is_switch) {
    help.values.emplace_back("initial", field.initial != 0 ? "true" : "false");
  } else {
    help.values.emplace_back("initial", field.initial);
  }
  return help;
}

void put(const OutputFile& output, const OtherWords& as, const Equivalent& equivalent) {
  if (equivalent.text.empty()) {
    const Message nothing("error.command.unsaid", {{"as", as.name}});
    if (equivalent.unsaid.empty()) throw InputError(nothing);
    throw InputError::within(nothing, InputError(equivalent.unsaid.front()));
  }
  put_result(output, equivalent.text + "\n");
  print_notices(equivalent.unsaid);
}

}  // namespace

void add_option(Arguments& arguments, const NumberField& field, const std::string& takers, Arguments::Take take) {
  arguments.option(option_name(field), symbol_of(field), std::move(take), help_of(field, takers));
}

void FieldOptions::add(Arguments& arguments, const Field& field, const std::string& placeholder,
                       const std::string& option) {
  arguments.option(option.empty() ? option_name(field) : option, placeholder, set(field));
}

void FieldOptions::add(Arguments& arguments, const Field& field, const std::string& placeholder, const Message& help) {
  arguments.option(option_name(field), placeholder, set(field), help);
}

bool FieldOptions::has(std::string_view key) const {
  return std::ranges::find(given_, key, &std::pair<std::string, std::string>::first) != given_.end();
}

Arguments::Take FieldOptions::set(const Field& field) {
  return [this, declared = field](const std::string& option, const std::string& text) {
    Field typed = declared;
    set_typed(typed, option, text);
    given_.emplace_back(declared.key, option);
  };
}

NumberField window_field(std::string_view key) {
  static const Experiment made;
  return static_cast<const NumberField&>(find_field(made, key).value());
}

NumberField set_range(NumberField field, double minimum, double maximum) {
  field.minimum = field.lowest = minimum;
  field.maximum = field.highest = maximum;
  return field;
}

// --- Numbers and choices -------------------------------------------------------------------------------------------

double read(const NumberField& field, const std::string& option, const std::string& text, const Message& expected) {
  if (field.is_switch) return read_choice(option, text, {"true", "false"}) == 0 ? 1 : 0;
  const bool even = field.even || field.step == 2;
  const std::optional<double> value = parse_number(text);
  const auto divides = [&value](double step) { return std::fmod(*value, step) == 0; };
  if (value && is_valid(field, *value) && (!field.whole || divides(1)) && (!even || divides(2))) return *value;
  if (!expected.empty()) reject(option, text, expected);
  if (!field.whole) reject(option, text, describe_valid_values(field));
  reject(option, text,
         {even ? "expected.even_number" : "expected.whole",
          {{"least", static_cast<std::int64_t>(field.minimum)}, {"most", static_cast<std::int64_t>(field.maximum)}}});
}

double read_number(const std::string& option, const std::string& text) {
  const std::optional<double> value = parse_number(text);
  if (!value) reject(option, text, Message("expected.a_number"));
  return *value;
}

std::int64_t read_whole(const std::string& option, const std::string& text) {
  constexpr double kMax = std::numeric_limits<double>::max();
  const double value = read(count_between(-kMax, kMax), option, text, Message("expected.whole_of_any_size"));
  if (std::abs(value) > kLargestPosition) reject(option, text, Message("expected.position"));
  return static_cast<std::int64_t>(value);
}

std::int64_t read_whole(const NumberField& field, const std::string& option, const std::string& text) {
  read_whole(option, text);
  return static_cast<std::int64_t>(read(field, option, text));
}

std::size_t read_choice(const std::string& option, const std::string& text, const std::vector<std::string>& names) {
  const auto found = std::find(names.begin(), names.end(), text);
  if (found == names.end()) reject(option, text, names);
  return static_cast<std::size_t>(found - names.begin());
}

// --- Values of options ---------------------------------------------------------------------------------------------

Arguments::Take list_into(std::vector<double>& target, std::size_t limit) {
  return [&target, limit](const std::string& option, const std::string& text) {
    target = parse_list(text, option, limit);
  };
}

std::int64_t require_between(const std::string& option, std::int64_t value, std::int64_t least, std::int64_t most) {
  return read_whole(count_between(static_cast<double>(least), static_cast<double>(most)), option,
                    std::to_string(value));
}

// --- Tables --------------------------------------------------------------------------------------------------------

std::string command_line(std::span<const std::string> words) {
  std::string line = "ropescope";
  for (const std::string& word : words) line.append(" ").append(shell_quoted(word));
  return line;
}

std::string command_line(const CheckExample& example) {
  std::vector<std::string> words{example.command};
  words.insert(words.end(), example.arguments.begin(), example.arguments.end());
  return command_line(words);
}

std::string aligned(const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::size_t> widths;
  for (const auto& row : rows) {
    widths.resize(row.size());
    for (std::size_t c = 0; c < row.size(); ++c) widths[c] = std::max(widths[c], screen_width(row[c]));
  }
  std::string lines;
  for (const auto& row : rows) {
    for (std::size_t c = 0; c + 1 < row.size(); ++c) {
      lines += row[c] + std::string(widths[c] + 2 - screen_width(row[c]), ' ');
    }
    lines += row.back() + "\n";
  }
  return lines;
}

// --- Threads -------------------------------------------------------------------------------------------------------

void add_threads_option(Arguments& arguments, int& target) {
  constexpr double kMaxThreads = 256;
  arguments.option("--threads", "N", number_into(target, count_between(1, kMaxThreads)));
}

// --- Figures -------------------------------------------------------------------------------------------------------

const Panel& find_panel(const ViewResult& result, const std::string& figure) {
  std::string names;
  std::size_t number = 0;
  for (const Panel& panel : result.panels) {
    // Text panels have a name, but no number among the plots.
    const bool is_read = !panel.figure.paragraphs.empty() || !panel.figure.grid.empty();
    if (!is_read) ++number;
    if (figure == panel.figure.name || (!is_read && figure == std::to_string(number))) return panel;
    names += (names.empty() ? "" : ", ") + (is_read ? "" : std::to_string(number) + " ") +
             (is_read ? panel.figure.name : "(" + panel.figure.name + ")");
  }
  reject("--figure", figure, {"expected.one_of", {{"names", names}}});
}

std::optional<PageFormat> picture_format(std::string_view ending) {
  constexpr std::pair<std::string_view, PageFormat> kEndings[] = {
      {".png", PageFormat::png}, {".svg", PageFormat::svg}, {".pdf", PageFormat::pdf}};
  const auto found = std::ranges::find(kEndings, ending, &std::pair<std::string_view, PageFormat>::first);
  return found == std::end(kEndings) ? std::nullopt : std::optional(found->second);
}

void add_picture_options(Arguments& arguments, PageOptions& options, const std::string& size,
                         const std::string& size_option) {
  options.fields.size = size;
  FieldList fields = typed_fields_of(options.fields);
  options.given.add(arguments, *find_field(fields, "save.size"), size, size_option);
  options.given.add(arguments, *find_field(fields, "save.theme"), "dark|light");
}

PageFields to_page(const PageOptions& options, bool drawn) {
  const std::string first = options.given.first_given();
  if (!drawn && !first.empty()) throw InputError("command.no_picture", {{"option", first}});
  parse_page_size(options.fields.size);
  return options.fields;
}

PageSize to_picture_size(const PageFields& page, PageFormat format, const std::string& option) {
  const PageSize size = parse_page_size(page.size);
  if (format != PageFormat::png || !size.millimetres) return size;
  throw InputError("command.png_size", {{"option", option}, {"size", page.size}});
}

void check_picture_memory(const PageSize& size, double bytes_of_pixel, double bytes_of_all) {
  constexpr double kMega = 1e6, kLarge = 250;
  const double needed = (bytes_of_all + bytes_of_pixel * size.width * size.height) / kMega;
  const std::optional<double> free = os::free_memory();
  const Message takes("error.command.picture_takes", {{"width", shortest_number(size.width)},
                                                      {"height", shortest_number(size.height)},
                                                      {"needed", shortest_number(std::ceil(needed))}});
  if (free && needed > *free / kMega) {
    throw InputError("command.picture_memory",
                     {{"takes", takes}, {"free", shortest_number(std::floor(*free / kMega))}});
  }
  if (needed >= kLarge) print_notice({"notice.picture_takes", {{"takes", takes}}});
}

// --- Language ------------------------------------------------------------------------------------------------------

std::vector<std::string> known_languages() {
  try {
    return languages(find_places().assets);
  } catch (const InputError&) {
    return {kEnglish};
  }
}

void add_language_option(Arguments& arguments, std::string& target) {
  const auto parse = [](const std::string& text) { return parse_language(text, find_places().assets); };
  arguments.option("--language", joined(known_languages(), "|"), parsed_into(target, parse));
}

Text load_text(const std::string& language, Text::FormulaForm form) {
  return Text::load(find_places().assets, language.empty() ? kEnglish : language, form);
}

// --- Grids of maps -------------------------------------------------------------------------------------------------

void share_colours(std::vector<Panel>& panels) {
  Range range{0, 0};
  for (const Panel& panel : panels) {
    const Range& own = panel.figure.maps.front().range;
    range = {std::min(range.low, own.low), std::max(range.high, own.high)};
  }
  if (range.low < 0) range.low = -range.high;
  for (std::size_t i = 0; i < panels.size(); ++i) {
    Map& map = panels[i].figure.maps.front();
    map.range = range;
    map.colours = range.low < 0 ? MapColours::signed_value : MapColours::magnitude;
    map.bar = i + 1 == panels.size() || !panels[i + 1].beside;
  }
}

std::int64_t map_columns(std::int64_t maps, const PageSize& size) {
  std::int64_t best = 1;
  double largest = 0;
  for (std::int64_t columns = 1; columns <= maps; ++columns) {
    const std::int64_t rows = (maps + columns - 1) / columns;
    const double side = std::min(size.width / static_cast<double>(columns), size.height / static_cast<double>(rows));
    // Among equal sizes, the first has the fewest gaps at the end.
    if (side > largest) {
      largest = side;
      best = columns;
    }
  }
  return best;
}

// --- Output for other programs -------------------------------------------------------------------------------------

void add_as_option(Arguments& arguments, const OtherWords*& target) {
  const auto find = [](const std::string& text) {
    try {
      return &find_other_words(text);
    } catch (const InputError& error) {
      throw InputError::within("--as", error);
    }
  };
  arguments.option("--as", "WORDS", parsed_into(target, find),
                   {"help.shared.as", {{"programs", joined(entry_names(all_other_words()))}}});
}

void put_equivalent(const OutputFile& output, const OtherWords& as, const EquivalentOf& of) {
  put(output, as, as.of(of));
}

void put_equivalent(const OutputFile& output, const OtherWords& as, const Layout& layout,
                    const LayoutRequest& request) {
  if (!as.of_layout) throw InputError("command.no_layout_words", {{"as", as.name}});
  put(output, as, as.of_layout(layout, request));
}

// --- Intermediate results ------------------------------------------------------------------------------------------

void require_replaceable(const std::filesystem::path& path, const std::function<bool(std::string_view)>& is_own) {
  constexpr std::size_t kBytesRead = std::size_t{1} << 16;
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored) || is_own(read_beginning(path, kBytesRead))) return;
  throw InputError("command.foreign_file", {{"file", in_quotes(path.string())}});
}

// --- Numbers in files ----------------------------------------------------------------------------------------------

void append_npy_numbers(std::span<const double> numbers, std::string& bytes) {
  std::size_t end = bytes.size();
  bytes.resize(end + sizeof(double) * numbers.size());
  for (const double number : numbers) {
    // Little-endian, independent of the machine's byte order.
    const auto bits = std::bit_cast<std::uint64_t>(number);
    for (unsigned shift = 0; shift < 64; shift += 8) bytes[end++] = static_cast<char>(bits >> shift & 0xFF);
  }
}

bool is_npy_path(const std::string& text) {
  std::error_code ignored;
  return !is_list(text) && (text.ends_with(".npy") || std::filesystem::exists(text, ignored));
}

}  // namespace ropescope
