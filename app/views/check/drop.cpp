#include "app/views/check/drop.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <initializer_list>
#include <map>
#include <span>
#include <string_view>
#include <vector>

#include "app/resources/files.h"
#include "app/resources/gguf_model.h"
#include "app/resources/mapped_file.h"
#include "app/resources/model_folder.h"
#include "app/resources/models.h"
#include "app/views/check/told_dump.h"
#include "app/views/shared/layouts.h"
#include "core/error.h"
#include "core/formats/json_reader.h"
#include "core/formats/tensor_file.h"

namespace ropescope {

namespace {

bool is_upper(char letter) {
  return letter >= 'A' && letter <= 'Z';
}

char lower(char letter) {
  return is_upper(letter) ? static_cast<char>(letter - 'A' + 'a') : letter;
}

/// "rotary_emb.inv_freq" as rotary, emb, inv, freq; "imgIds" as img, ids.
std::vector<std::string> words_of_drop(std::string_view name) {
  std::vector<std::string> words(1);
  for (std::size_t i = 0; i < name.size(); ++i) {
    const char letter = lower(name[i]);
    const bool is_letter = letter >= 'a' && letter <= 'z';
    const bool begins = i > 0 && is_upper(name[i]) && !is_upper(name[i - 1]);
    if ((!is_letter || begins) && !words.back().empty()) words.emplace_back();
    if (is_letter) words.back() += letter;
  }
  if (words.back().empty()) words.pop_back();
  return words;
}

/// What words in a name tell; the first entry that fits decides: "freqs_cos" is a cosine, "freqs_cis" a table, and what
/// names both ("cos_sin_cache") is one.
struct NamedRole {
  CheckRole role;
  std::vector<std::string_view> words;
};
std::vector<NamedRole> named_roles() {
  return {{CheckRole::cosine, {"cos", "cosine", "cosines"}},
          {CheckRole::sine, {"sin", "sine", "sines"}},
          {CheckRole::table, {"cis"}},
          {CheckRole::frequencies, {"freq", "freqs", "frequency", "frequencies", "inv", "theta", "thetas"}},
          {CheckRole::before, {"before", "pre", "unrotated"}},
          {CheckRole::after, {"after", "post", "rotated", "rot"}},
          {CheckRole::ids, {"ids", "id", "positions", "position", "pos"}},
          {CheckRole::table, {"table", "pe", "complex", "angles", "emb", "cache"}}};
}

bool holds_any(const std::vector<std::string>& words, const std::vector<std::string_view>& known) {
  return std::any_of(words.begin(), words.end(), [&known](const std::string& word) {
    return std::find(known.begin(), known.end(), word) != known.end();
  });
}

std::string lower_ending(const std::string& path) {
  std::string ending = std::filesystem::path(path).extension().string();
  std::transform(ending.begin(), ending.end(), ending.begin(), lower);
  return ending;
}

/// While the Check view is shown also by endings that files of other kinds have; what is in it decides.
bool may_hold_tensors(const std::string& ending, bool checking) {
  const auto is_one_of = [&ending](std::initializer_list<const char*> endings) {
    return std::find(endings.begin(), endings.end(), ending) != endings.end();
  };
  if (is_one_of({".npy", ".npz", ".safetensors", ".csv"})) return true;
  return checking && is_one_of({".bin", ".dat", ".txt", ".pt", ".pth", ".ckpt", ".pkl"});
}

/// Axes of one element say nothing.
std::vector<std::int64_t> telling_axes(const StoredTensor& tensor) {
  std::vector<std::int64_t> shape;
  for (const std::int64_t length : tensor.shape) {
    if (length != 1) shape.push_back(length);
  }
  return shape;
}

/// One row of few ids for each token, or one number.
bool may_be_ids(const StoredTensor& tensor) {
  constexpr std::int64_t kMostAxes = 4;
  const std::vector<std::int64_t> shape = telling_axes(tensor);
  return shape.size() == 1 || (shape.size() == 2 && shape[1] <= kMostAxes);
}

bool all_whole(const StoredTensor& tensor) {
  constexpr std::int64_t kLookedAt = 4096;
  const std::int64_t rows = tensor.shape.empty() ? 0 : tensor.shape[0];
  if (rows < 1 || tensor.count() < 1) return false;
  if (is_declared_only(tensor)) return is_integer(tensor.storage);
  const std::int64_t each = tensor.count() / rows, count = std::clamp<std::int64_t>(kLookedAt / each, 1, rows);
  std::vector<double> numbers(static_cast<std::size_t>(count * each));
  read_rows(tensor, 0, count, numbers.data());
  return std::all_of(numbers.begin(), numbers.end(), [](double number) { return number == std::floor(number); });
}

using Found = std::map<CheckRole, std::string>;

/// What is called frequencies and has a row for each token holds angles: a table.
CheckRole role_of(CheckRole by_name, const std::string& argument) {
  if (by_name != CheckRole::frequencies) return by_name;
  TensorReading reading;
  reading.declared = true;
  return telling_axes(load_tensor(argument, reading).tensor).size() == 2 ? CheckRole::table : by_name;
}

/// By the names in a file that holds several tensors.
Found find_by_names(const std::string& path, const std::vector<std::string>& names) {
  Found found;
  for (const std::string& name : names) {
    if (const auto role = role_of_name(name)) found.emplace(role_of(*role, path + ":" + name), path + ":" + name);
  }
  // What stands beside cos and sin is made of them.
  if (found.contains(CheckRole::cosine) && found.contains(CheckRole::sine)) found.erase(CheckRole::table);
  if (!found.empty()) return found;
  throw InputError(path, "check.names_of_tensors", {{"path", path}, {"names", one_of(names)}});
}

/// Lines at the beginning of a text, read in milliseconds, tell what it is as well as all of it; others are whole.
std::span<const std::byte> telling_part(std::span<const std::byte> bytes) {
  constexpr std::size_t kTelling = std::size_t{1} << 20;
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), std::min(bytes.size(), kTelling));
  const std::size_t end = text.rfind('\n');
  const bool is_text = text.find('\0') == std::string_view::npos && !text.starts_with("\x93NUMPY");
  return is_text && bytes.size() > kTelling && end != std::string_view::npos ? bytes.first(end) : bytes;
}

/// Numbers that are unpacked on the spot, in milliseconds.
constexpr std::int64_t kUnpackedAtOnce = std::int64_t{1} << 22;

/// One tensor: by its name, that of its file, or its shape.
Found find_one(const std::string& path, const MappedFile& file, const std::string& name) {
  const std::string stem = std::filesystem::path(path).stem().string();
  for (const std::string& called : {name, stem}) {
    if (const auto role = role_of_name(called)) return {{role_of(*role, path), path}};
  }
  StoredTensor tensor = open_tensor(telling_part(file.bytes()), nullptr, path, {}, {true, {}});
  // What is only declared shows its shape; a short one is unpacked, as its numbers tell ids from frequencies.
  if (is_declared_only(tensor) && may_be_ids(tensor) && tensor.count() <= kUnpackedAtOnce) {
    tensor = open_tensor(file.bytes(), nullptr, path, {});
  }
  file.check_unchanged();
  if (const auto role = role_of_shape(tensor)) return {{*role, path}};
  throw InputError(path, "check.name_of_tensor", {});
}

/// Whose boxes are offered.
std::string offer_of(CheckRole role) {
  switch (role) {
    case CheckRole::table:
      return "table";
    case CheckRole::before:
    case CheckRole::after:
      return "vectors";
    case CheckRole::ids:
      return "ids";
    case CheckRole::frequencies:
      return "frequencies";
    default:
      return "tables";
  }
}

/// Whether the other table of a dump lies in the same folder.
bool lies_beside(const std::string& argument, const std::string& path) {
  namespace fs = std::filesystem;
  return !argument.empty() &&
         fs::path(read_tensor_argument(argument).path).parent_path() == fs::path(path).parent_path();
}

/// Whether what was dropped belongs to the other one of two dumps: where its companion lies, else where there is room.
bool is_other_dump(const Found& found, const std::string& path, const CheckKnobs& knobs) {
  const bool cosine = found.contains(CheckRole::cosine), sine = found.contains(CheckRole::sine);
  if (cosine != sine) {
    const bool mine = lies_beside(cosine ? knobs.sine : knobs.cosine, path);
    const bool other = lies_beside(cosine ? knobs.against_sine : knobs.against_cosine, path);
    if (mine != other) return other;
  }
  const auto taken = [&](CheckRole role) {
    const std::string& box = path_of(knobs, role);
    return found.contains(role) && !box.empty() && box != found.at(role);
  };
  return taken(CheckRole::cosine) || taken(CheckRole::sine);
}

/// Two dumps are compared by cos and sin alone.
Found tables_of_dump(const Found& found, const std::string& path, const CheckKnobs& knobs) {
  const bool other = is_other_dump(found, path, knobs);
  Found tables;
  for (const auto& [role, argument] : found) {
    if (role == CheckRole::cosine) tables[other ? CheckRole::against_cosine : role] = argument;
    if (role == CheckRole::sine) tables[other ? CheckRole::against_sine : role] = argument;
  }
  if (tables.empty()) {
    throw InputError(path, "check.no_tables_of_dump", {});
  }
  return tables;
}

/// The model that the tables should be of.
void take_profile(Experiment& experiment, const std::string& path, const Profile& profile) {
  experiment.rope = knobs_of(profile, short_name(path));
  experiment.rope.config = path;
  experiment.rope.profile = profile.name;
  experiment.check.against = "rope";
  experiment.check.applied.clear();
}

bool take_config(Experiment& experiment, const std::string& path) {
  if (is_experiment(path)) return false;
  CheckKnobs& knobs = experiment.check;
  if (const auto layout = load_layout_config(path)) {
    take_layout_config(*layout, path, experiment.layout);
    knobs.against = "layout";
    knobs.applied.clear();
  } else {
    take_profile(experiment, path, load_model_config(path).profiles.front());
  }
  return true;
}

}  // namespace

std::optional<CheckRole> role_of_name(std::string_view name) {
  const std::vector<std::string> words = words_of_drop(name);
  if (holds_any(words, {"cos", "cosine", "cosines"}) && holds_any(words, {"sin", "sine", "sines"})) {
    return CheckRole::table;
  }
  for (const NamedRole& named : named_roles()) {
    if (holds_any(words, named.words)) return named.role;
  }
  if (!holds_any(words, {"q", "k", "query", "key"})) return std::nullopt;
  // "q_embed" is q after the rotation, "q" alone was not turned yet.
  if (holds_any(words, {"embed", "rope"})) return CheckRole::after;
  return words.size() == 1 ? std::optional(CheckRole::before) : std::nullopt;
}

std::optional<CheckRole> role_of_shape(const StoredTensor& tensor) {
  const std::vector<std::int64_t> shape = telling_axes(tensor);
  const std::size_t rank = shape.size();
  if (is_complex(tensor.storage)) return CheckRole::table;
  if (rank >= 3 && shape[rank - 1] == 2 && shape[rank - 2] == 2) return CheckRole::table;
  if (may_be_ids(tensor) && all_whole(tensor)) return CheckRole::ids;
  if (rank == 1) return CheckRole::frequencies;
  return std::nullopt;
}

std::map<CheckRole, std::string> find_tensors(const std::string& path) {
  const std::shared_ptr<const MappedFile> file = map_file(path);
  const std::vector<std::string> names = list_tensors(file->bytes(), path);
  if (names.empty()) throw InputError(path, "check.no_tensor", {});
  return names.size() == 1 ? find_one(path, *file, names.front()) : find_by_names(path, names);
}

void take_tensors(const std::map<CheckRole, std::string>& found, CheckKnobs& knobs) {
  const bool cosines = found.contains(CheckRole::cosine) || found.contains(CheckRole::sine);
  if (cosines) knobs.table.clear();
  if (found.contains(CheckRole::table)) {
    knobs.cosine.clear();
    knobs.sine.clear();
  }
  for (const auto& [role, argument] : found) path_of(knobs, role) = argument;
  if (!found.empty()) knobs.offer = offer_of(found.begin()->first);
  knobs.show = "difference";
  knobs.applied.clear();
  knobs.token = knobs.pair = 0;
  for (auto* range : {&knobs.token_range, &knobs.pair_range, &knobs.error_range, &knobs.value_range, &knobs.row_range,
                      &knobs.column_range}) {
    range->reset();
  }
}

bool open_check(Experiment& experiment, const std::string& path) {
  const std::string ending = lower_ending(path);
  const bool model = ending == ".json" || is_folder(path) || is_gguf(path);
  if (model) return experiment.view == "check" && take_config(experiment, path);
  if (!may_hold_tensors(ending, experiment.view == "check")) return false;
  CheckKnobs& knobs = experiment.check;
  if (knobs.against == "dump") {
    take_tensors(tables_of_dump(tensors_of(read_told_dump(path)), path, knobs), knobs);
  } else if (ending != ".safetensors" || !open_told_dump(experiment, path)) {
    take_tensors(find_tensors(path), knobs);
  }
  return true;
}

}  // namespace ropescope
