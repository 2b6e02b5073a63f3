// Experiments in figure files and links: writing, loading, and locating the files that they name.

#include "app/experiment/figure_file.h"

#include <zlib.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <memory>
#include <set>
#include <utility>

#include "app/experiment/fields.h"
#include "app/experiment/user_data.h"
#include "app/resources/files.h"
#include "core/formats/embedded_text.h"
#include "core/formats/json.h"
#include "core/machine.h"
#include "core/message.h"

namespace ropescope {

namespace {

namespace fs = std::filesystem;

/// Calls `found` for every field that contains a file name.
template <class Found>
void replace_file_paths(Experiment& experiment, const Found& found) {
  const auto look_through = [&found](FieldList fields) {
    for (Field& field : fields) {
      if (field.kind != Field::Kind::text || field.as<std::string>().empty()) continue;
      const bool ladder = field.key == "rope.ladder" && names_ladder_file(field.as<std::string>());
      if (ladder || !field.endings.empty()) found(field, field.as<std::string>());
    }
  };
  look_through(fields_of(experiment));
  for (Pin& pin : experiment.pins) look_through(fields_of(pin.rope));
}

/// Returns the last component of a path; for a folder with a trailing slash, the folder's.
std::string name_alone(const fs::path& path) {
  return (path.has_filename() || !path.has_parent_path() ? path : path.parent_path()).filename().string();
}

bool is_name_alone(const std::string& path) {
  return path == name_alone(path);
}

bool is_there(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

/// Returns the bytes of a file, or null if it cannot be opened; the next reader reports the reason.
std::shared_ptr<const MappedFile> open_if_readable(const std::string& path) {
  try {
    return map_file(path);
  } catch (const InputError&) {
    return nullptr;
  }
}

/// Versions of the encoding of a link after its address. A new encoding gets a new number.
constexpr std::string_view kLinkVersion = "1", kPackedVersion = "2";
/// Longer links are packed; shorter ones stay readable.
constexpr std::size_t kLongLink = 160;
/// Upper limits for any experiment: all of its fields once, pins and notes.
constexpr std::size_t kMaxUnpackedBytes = 1 << 18, kMaxParts = 512;

/// The letters of base64url: those of base64 except for the last two, which have a meaning in a link.
constexpr std::string_view kLinkLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

std::string packed(const std::string& text) {
  uLongf size = compressBound(text.size());
  std::string bytes(size, '\0');
  compress2(reinterpret_cast<Bytef*>(bytes.data()), &size, reinterpret_cast<const Bytef*>(text.data()), text.size(),
            Z_BEST_COMPRESSION);
  std::string letters = base64(std::string_view(bytes).substr(0, size));
  letters.erase(std::min(letters.find('='), letters.size()));
  std::replace(letters.begin(), letters.end(), '+', '-');
  std::replace(letters.begin(), letters.end(), '/', '_');
  return letters;
}

/// Returns nullopt for any text that packed() cannot produce. Throws InputError for more than kMaxUnpackedBytes.
std::optional<std::string> unpacked(std::string_view letters) {
  std::string bytes;
  unsigned bits = 0, count = 0;
  for (const char letter : letters) {
    const std::size_t value = kLinkLetters.find(letter);
    if (value == std::string_view::npos) return std::nullopt;
    bits = bits << 6 | static_cast<unsigned>(value);
    count += 6;
    if (count < 8) continue;
    count -= 8;
    bytes += static_cast<char>(bits >> count & 255);
  }
  std::string text(kMaxUnpackedBytes, '\0');
  uLongf size = text.size();
  const int error = uncompress(reinterpret_cast<Bytef*>(text.data()), &size,
                               reinterpret_cast<const Bytef*>(bytes.data()), bytes.size());
  // A truncated input is a data error, so the output has no space left.
  if (error == Z_BUF_ERROR) throw InputError("link", "experiment.large_link", {{"most", kMaxUnpackedBytes}});
  if (error != Z_OK) return std::nullopt;
  text.resize(size);
  return text;
}

/// Escapes bytes that a URL must not contain as "%20" (RFC 3986, section 2.1).
std::string encode_percent(std::string_view text) {
  constexpr std::string_view kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~:,=/";
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string encoded;
  for (const char character : text) {
    const auto byte = static_cast<unsigned char>(character);
    if (kPlain.find(character) != std::string_view::npos) {
      encoded += character;
    } else {
      encoded.append({'%', kDigits[byte >> 4], kDigits[byte & 15]});
    }
  }
  return encoded;
}

/// Decodes "%20"; a percent sign without two hexadecimal digits is kept.
std::string decode_percent(std::string_view text) {
  std::string decoded;
  for (std::size_t i = 0; i < text.size(); ++i) {
    unsigned byte = 0;
    const char* const digits = text.data() + i + 1;
    const bool encoded =
        text[i] == '%' && i + 2 < text.size() && std::from_chars(digits, digits + 2, byte, 16).ptr == digits + 2;
    decoded += encoded ? static_cast<char>(byte) : text[i];
    if (encoded) i += 2;
  }
  return decoded;
}

/// Returns whether a text is a link without its address: a version and "&", or a lesson.
bool is_fragment(std::string_view text) {
  const auto begins = [&](std::string_view version) {
    return text.starts_with(version) && text.substr(version.size()).starts_with('&');
  };
  return begins(kLinkVersion) || begins(kPackedVersion) || text.starts_with(kLessonLink) || begins(kStudentLink);
}

/// Returns the part of a link after its address and "#" ("1&view=decay&student=1"), or nullopt if the text is not a
/// link.
std::optional<std::string_view> find_whole_content(std::string_view text) {
  if (text.starts_with(kOwnAddress)) return text.substr(kOwnAddress.size());
  const std::string_view fragment = text.starts_with('#') ? text.substr(1) : text;
  if (is_fragment(fragment)) return fragment;
  const std::size_t hash = text.find('#');
  const bool web = text.starts_with("https://") || text.starts_with("http://");
  return web && hash != std::string_view::npos ? std::optional(text.substr(hash + 1)) : std::nullopt;
}

/// Removes kStudentLink from the start or the end of a link's content; returns whether it was there.
bool take_student(std::string_view& content) {
  const bool first = content.starts_with(kStudentLink), last = content.ends_with(kStudentLink);
  const std::string_view rest = content.substr(0, content.size() - (last ? kStudentLink.size() : 0));
  if (last && (rest.empty() || rest.back() == '&')) {
    content = rest.substr(0, rest.size() - (rest.empty() ? 0 : 1));
    return true;
  }
  if (!first || content[kStudentLink.size()] != '&') return false;
  content.remove_prefix(kStudentLink.size() + 1);
  return true;
}

/// Returns that content without kStudentLink.
std::optional<std::string_view> find_link_content(std::string_view text) {
  std::optional<std::string_view> content = find_whole_content(text);
  if (content) take_student(*content);
  return content;
}

/// Returns the experiment of a link. Precondition: it is a link.
Experiment parse_link(std::string_view link) {
  if (link.size() > kMaxUnpackedBytes) {
    throw InputError("link", "experiment.long_link", {{"bytes", link.size()}, {"most", kMaxUnpackedBytes}});
  }
  std::vector<std::string> parts = split(std::string(*find_link_content(link)), '&');
  if (parts.size() == 2 && parts.front() == kPackedVersion) {
    const std::optional<std::string> text = unpacked(parts.back());
    if (text) parts = split(*text, '&');
    if (!text || parts.front() != kLinkVersion) throw InputError("link", "experiment.packed_link", {});
  }
  if (parts.front() != kLinkVersion) {
    throw InputError(
        "link", "experiment.link",
        {{"found", in_quotes(parts.front())}, {"version", one_of({verbatim(kLinkVersion), verbatim(kPackedVersion)})}});
  }
  if (parts.size() > kMaxParts + 1) {
    throw InputError("link", "experiment.many_values", {{"count", parts.size() - 1}, {"most", kMaxParts}});
  }
  Experiment experiment;
  std::set<std::string, std::less<>> known;
  for (std::size_t i = 1; i < parts.size(); ++i) {
    const std::string key = set_field(experiment, decode_percent(parts[i]), {}, "link");
    if (!known.insert(key).second) throw InputError("link", "experiment.value_twice", {{"key", key}});
  }
  // Parsing the JSON again also validates dependencies between fields.
  return strip_folders(experiment_from_json(experiment_to_line(experiment), "link"));
}

}  // namespace

std::string figure_text(const Experiment& experiment) {
  return experiment_to_line(strip_folders(experiment));
}

Experiment strip_folders(Experiment experiment) {
  replace_file_paths(experiment, [](const Field&, std::string& path) { path = name_alone(path); });
  return experiment;
}

std::string link_of(const std::vector<std::string>& arguments, std::string_view address) {
  std::string link(kLinkVersion);
  for (const std::string& argument : arguments) link += "&" + encode_percent(argument);
  if (link.size() > kLongLink) {
    const std::string short_link = std::string(kPackedVersion) + "&" + packed(link);
    if (short_link.size() < link.size()) link = short_link;
  }
  return std::string(address) + link;
}

bool is_link(std::string_view text) {
  return find_link_content(text).has_value();
}

bool is_student_link(std::string_view text) {
  std::optional<std::string_view> content = find_whole_content(text);
  return content && take_student(*content);
}

std::optional<StepLink> parse_step_link(std::string_view text) {
  constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_";
  constexpr std::size_t kLongestStep = 256;
  std::optional<std::string_view> named = find_link_content(text);
  if (!named || !named->starts_with(kLessonLink)) return std::nullopt;
  named->remove_prefix(kLessonLink.size());
  const std::string_view place = named->substr(0, named->find('&'));
  const std::string_view changed = named->substr(std::min(place.size() + 1, named->size()));
  const std::size_t slash = std::min(place.find('/'), place.size());
  const std::string_view lesson = place.substr(0, slash), step = place.substr(std::min(slash + 1, place.size()));
  if (lesson.empty() || lesson.find_first_not_of(kLetters) != std::string_view::npos || step.size() > kLongestStep) {
    return std::nullopt;
  }
  return StepLink{std::string(lesson), decode_percent(step),
                  changed.empty() ? "" : std::string(kOwnAddress) + std::string(changed)};
}

std::string to_path(const std::string& text) {
  constexpr std::string_view kFile = "file://";
  return text.starts_with(kFile) ? decode_percent(std::string_view(text).substr(kFile.size())) : text;
}

std::optional<Experiment> read_figure_experiment(const std::string& path) {
  if (!is_there(path) && is_link(path)) return parse_link(path);
  const std::shared_ptr<const MappedFile> file = open_if_readable(path);
  const std::optional<std::string> text = file ? carried_text(characters_of(file->bytes()), path) : std::nullopt;
  if (!text) return std::nullopt;
  file->check_unchanged();
  Experiment experiment = experiment_from_json(*text, path);
  const fs::path folder = fs::path(path).parent_path();
  replace_file_paths(experiment, [&folder](const Field&, std::string& name) {
    name = name_alone(name);  // a synthetic figure must not open files elsewhere
    if (!folder.empty() && is_there(folder / name)) name = (folder / name).string();
  });
  return experiment;
}

Experiment load_experiment(const std::string& path) {
  if (std::optional<Experiment> figure = read_figure_experiment(path)) return std::move(*figure);
  if (is_figure_file(path)) throw InputError(path, "carried_text.none", {});
  return experiment_from_json(read_file(path, kLargestJsonBytes), path);
}

bool is_figure_file(const std::string& path) {
  if (!is_there(path) && is_link(path)) return true;
  const std::shared_ptr<const MappedFile> file = open_if_readable(path);
  return file && may_carry_text(characters_of(file->bytes()));
}

std::vector<FileField> required_input_files(const Experiment& experiment) {
  std::vector<FileField> wanted;
  Experiment read = experiment;
  replace_file_paths(read, [&wanted](const Field& field, const std::string& path) {
    if (is_name_alone(path) && !is_there(path)) wanted.push_back({std::string(field.key), path, field.endings});
  });
  return wanted;
}

}  // namespace ropescope
