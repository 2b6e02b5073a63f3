// Writes experiments for files of figures and for links, loads them, and finds the files that they name.

#include "app/experiment/figure_file.h"

#include <zlib.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <memory>
#include <set>
#include <utility>

#include "app/experiment/fields.h"
#include "app/experiment/own_data.h"
#include "app/resources/files.h"
#include "core/formats/carried.h"
#include "core/formats/json.h"
#include "core/words.h"

namespace ropescope {

namespace {

namespace fs = std::filesystem;

/// Calls `found` for the fields that hold a file.
template <class Found>
void with_files(Experiment& experiment, const Found& found) {
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

/// The last part of a path; of a folder with a slash at its end the folder's.
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

/// The bytes of a file, or none of what cannot be opened: whoever opens it next says why.
std::shared_ptr<const MappedFile> opened(const std::string& path) {
  try {
    return map_file(path);
  } catch (const InputError&) {
    return nullptr;
  }
}

std::string_view characters_of(const MappedFile& file) {
  return {reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size()};
}

}  // namespace

std::string figure_text(const Experiment& experiment) {
  return experiment_to_line(named_alone(experiment));
}

Experiment named_alone(Experiment experiment) {
  with_files(experiment, [](const Field&, std::string& path) { path = name_alone(path); });
  return experiment;
}

namespace {

/// After the address: how the rest of the link is written. Another way gets another number.
constexpr std::string_view kLinkVersion = "1", kPackedVersion = "2";
/// A longer link is packed: people read the others.
constexpr std::size_t kLongLink = 160;
/// No experiment has more: each of its fields once, pins and notes.
constexpr std::size_t kMostUnpacked = 1 << 18, kMostParts = 512;

/// base64's, but for the last two, which mean something in a link.
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

/// None: nothing that packed() makes.
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
  std::string text(kMostUnpacked, '\0');
  uLongf size = text.size();
  if (uncompress(reinterpret_cast<Bytef*>(text.data()), &size, reinterpret_cast<const Bytef*>(bytes.data()),
                 bytes.size()) != Z_OK) {
    return std::nullopt;
  }
  text.resize(size);
  return text;
}

/// Writes the bytes that a URL may not hold as "%20" (RFC 3986, section 2.1).
std::string percent_encoded(std::string_view text) {
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

/// A percent sign without two hexadecimal digits stays as it is.
std::string percent_decoded(std::string_view text) {
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
  return begins(kLinkVersion) || begins(kPackedVersion) || text.starts_with(kLessonLink);
}

/// Returns the part of a link after its address and "#" ("1&view=decay"), or nullopt if the text is not a link.
std::optional<std::string_view> behind_address(std::string_view text) {
  if (text.starts_with(kOwnAddress)) return text.substr(kOwnAddress.size());
  const std::string_view fragment = text.starts_with('#') ? text.substr(1) : text;
  if (is_fragment(fragment)) return fragment;
  const std::size_t hash = text.find('#');
  const bool web = text.starts_with("https://") || text.starts_with("http://");
  return web && hash != std::string_view::npos ? std::optional(text.substr(hash + 1)) : std::nullopt;
}

/// Precondition: it is a link.
Experiment experiment_of_link(std::string_view link) {
  if (link.size() > kMostUnpacked) {
    throw InputError("link", "experiment.long_link", {{"bytes", link.size()}, {"most", kMostUnpacked}});
  }
  std::vector<std::string> parts = split(std::string(*behind_address(link)), '&');
  if (parts.size() == 2 && parts.front() == kPackedVersion) {
    const std::optional<std::string> text = unpacked(parts.back());
    if (text) parts = split(*text, '&');
    if (!text || parts.front() != kLinkVersion) throw InputError("link", "experiment.packed_link", {});
  }
  if (parts.front() != kLinkVersion) {
    throw InputError(
        "link", "experiment.link",
        {{"found", in_quotes(parts.front())}, {"version", one_of({as_it_is(kLinkVersion), as_it_is(kPackedVersion)})}});
  }
  if (parts.size() > kMostParts + 1) {
    throw InputError("link", "experiment.many_values", {{"count", parts.size() - 1}, {"most", kMostParts}});
  }
  Experiment experiment;
  std::set<std::string, std::less<>> known;
  for (std::size_t i = 1; i < parts.size(); ++i) {
    const std::string key = set_field(experiment, percent_decoded(parts[i]), {}, "link");
    if (!known.insert(key).second) throw InputError("link", "experiment.value_twice", {{"key", key}});
  }
  // What must fit together is looked at by whoever reads files.
  return named_alone(experiment_from_json(experiment_to_line(experiment), "link"));
}

}  // namespace

std::string link_of(const std::vector<std::string>& arguments, std::string_view address) {
  std::string link(kLinkVersion);
  for (const std::string& argument : arguments) link += "&" + percent_encoded(argument);
  if (link.size() > kLongLink) {
    const std::string short_link = std::string(kPackedVersion) + "&" + packed(link);
    if (short_link.size() < link.size()) link = short_link;
  }
  return std::string(address) + link;
}

bool is_link(std::string_view text) {
  return behind_address(text).has_value();
}

std::optional<StepLink> step_of_link(std::string_view text) {
  constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_";
  constexpr std::size_t kLongestStep = 256;
  std::optional<std::string_view> named = behind_address(text);
  if (!named || !named->starts_with(kLessonLink)) return std::nullopt;
  named->remove_prefix(kLessonLink.size());
  const std::string_view place = named->substr(0, named->find('&'));
  const std::string_view changed = named->substr(std::min(place.size() + 1, named->size()));
  const std::size_t slash = std::min(place.find('/'), place.size());
  const std::string_view lesson = place.substr(0, slash), step = place.substr(std::min(slash + 1, place.size()));
  if (lesson.empty() || lesson.find_first_not_of(kLetters) != std::string_view::npos || step.size() > kLongestStep) {
    return std::nullopt;
  }
  return StepLink{std::string(lesson), percent_decoded(step),
                  changed.empty() ? "" : std::string(kOwnAddress) + std::string(changed)};
}

std::string path_of_url(const std::string& text) {
  constexpr std::string_view kFile = "file://";
  return text.starts_with(kFile) ? percent_decoded(std::string_view(text).substr(kFile.size())) : text;
}

std::optional<Experiment> experiment_of_figure(const std::string& path) {
  if (!is_there(path) && is_link(path)) return experiment_of_link(path);
  const std::shared_ptr<const MappedFile> file = opened(path);
  const std::optional<std::string> text = file ? carried_text(characters_of(*file), path) : std::nullopt;
  if (!text) return std::nullopt;
  file->check_unchanged();
  Experiment experiment = experiment_from_json(*text, path);
  const fs::path folder = fs::path(path).parent_path();
  with_files(experiment, [&folder](const Field&, std::string& name) {
    name = name_alone(name);  // a figure that was made up opens nothing elsewhere
    if (!folder.empty() && is_there(folder / name)) name = (folder / name).string();
  });
  return experiment;
}

Experiment load_experiment(const std::string& path) {
  if (std::optional<Experiment> figure = experiment_of_figure(path)) return std::move(*figure);
  if (is_figure_file(path)) throw InputError(path, "carried_text.none", {});
  return experiment_from_json(read_file(path, kLargestJsonBytes), path);
}

bool is_figure_file(const std::string& path) {
  if (!is_there(path) && is_link(path)) return true;
  const std::shared_ptr<const MappedFile> file = opened(path);
  return file && may_carry_text(characters_of(*file));
}

std::vector<FileField> wanted_files(const Experiment& experiment) {
  std::vector<FileField> wanted;
  Experiment read = experiment;
  with_files(read, [&wanted](const Field& field, const std::string& path) {
    if (is_name_alone(path) && !is_there(path)) wanted.push_back({std::string(field.key), path, field.endings});
  });
  return wanted;
}

}  // namespace ropescope
