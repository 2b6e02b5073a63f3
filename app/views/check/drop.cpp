// Infers the roles of tensors, reads positions, and fills the fields of the view Check from dropped files.
//
// Contents: Positions; Finding tensors; Self-describing dumps; Filling the fields; Dropping.

#include "app/views/check/drop.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <iterator>
#include <map>
#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "app/experiment/experiment.h"
#include "app/resources/files.h"
#include "app/resources/models.h"
#include "app/views/shared/layouts.h"
#include "app/views/views.h"
#include "core/check/phrases.h"
#include "core/formats/json.h"
#include "core/formats/tensor_file.h"
#include "core/machine.h"
#include "core/message.h"

namespace ropescope {

// --- Positions -----------------------------------------------------------------------------------------------------

namespace {

/// Larger than any context length. The reference stores the positions twice.
constexpr std::int64_t kMaxPositions = std::int64_t{1} << 24;

constexpr std::string_view kCumulative = "cumulative:";

/// Throws the error for a tensor that cannot be used as positions.
[[noreturn]] void reject(const StoredTensor& tensor, const std::string& option, const InputError& error) {
  throw InputError::within(tensor.name, InputError::within(option, error));
}

void require_positions(const StoredTensor& tensor, const std::string& option) {
  // Sequences and tokens; other axes have size 1.
  const auto longer = [](std::int64_t side) { return side != 1; };
  if (tensor.shape.empty() || is_complex(tensor.storage) ||
      std::count_if(tensor.shape.begin(), tensor.shape.end(), longer) > 2) {
    reject(tensor, option,
           {"check.positions_shape", {{"axes", tensor.shape.size()}, {"storage", storage_name(tensor.storage)}}});
  }
  if (tensor.count() > kMaxPositions) {
    reject(tensor, option, {"check.positions_count", {{"count", tensor.count()}, {"most", kMaxPositions}}});
  }
}

/// Returns the positions of sequences that end at these cumulative token counts.
std::vector<double> list_sequence_positions(const std::vector<double>& lengths, const std::string& option) {
  std::vector<double> positions;
  const auto reject = [&](const char* key) {
    throw InputError(option, key, {{"found", list_text(lengths)}, {"most", kMaxPositions}});
  };
  if (lengths.size() < 2 || lengths[0] != 0 || !std::is_sorted(lengths.begin(), lengths.end()))
    reject("check.cumulative");
  if (lengths.back() > static_cast<double>(kMaxPositions)) reject("check.cumulative_count");
  for (std::size_t i = 1; i < lengths.size(); ++i) {
    if (lengths[i] != std::nearbyint(lengths[i])) reject("check.cumulative");
    for (double position = 0; position < lengths[i] - lengths[i - 1]; ++position) positions.push_back(position);
  }
  if (positions.empty()) reject("check.cumulative");
  return positions;
}

// --- Finding tensors -----------------------------------------------------------------------------------------------

bool is_upper(char letter) {
  return letter >= 'A' && letter <= 'Z';
}

char lower(char letter) {
  return is_upper(letter) ? static_cast<char>(letter - 'A' + 'a') : letter;
}

/// Splits a name into words: "rotary_emb.inv_freq" as rotary, emb, inv, freq; "imgIds" as img, ids.
std::vector<std::string> split_name_words(std::string_view name) {
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

/// The role implied by words in a name. The first matching entry decides: "freqs_cos" is a cosine, "freqs_cis" a table,
/// and a name with both ("cos_sin_cache") is a table.
struct NamedRole {
  CheckRole role;
  std::vector<std::string_view> words;
};
std::vector<NamedRole> list_role_names() {
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

/// Returns whether to open a file. In the Check view, ambiguous endings are included and the contents decide.
bool may_hold_tensors(const std::string& ending, bool checking) {
  return is_ending_among(ending, ".npy .npz .safetensors .csv .pt .pth") ||
         (checking && is_ending_among(ending, ".bin .dat .tensor .gguf .txt .ckpt .pkl"));
}

/// Returns the axes with more than one element.
std::vector<std::int64_t> telling_axes(const StoredTensor& tensor) {
  std::vector<std::int64_t> shape;
  for (const std::int64_t length : tensor.shape) {
    if (length != 1) shape.push_back(length);
  }
  return shape;
}

/// Returns whether a tensor has one short row of ids per token, or one number.
bool may_be_ids(const StoredTensor& tensor) {
  constexpr std::int64_t kMaxAxes = 4;
  const std::vector<std::int64_t> shape = telling_axes(tensor);
  return shape.size() == 1 || (shape.size() == 2 && shape[1] <= kMaxAxes);
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

/// Returns the role, except that "frequencies" with a row per token are angles: a table.
CheckRole role_of(CheckRole by_name, const std::string& argument) {
  if (by_name != CheckRole::frequencies) return by_name;
  TensorReading reading;
  reading.declared = true;
  return telling_axes(load_tensor(argument, reading).tensor).size() == 2 ? CheckRole::table : by_name;
}

/// Finds roles by the names in a file with several tensors.
Found find_by_names(const std::string& path, const std::vector<std::string>& names) {
  Found found;
  for (const std::string& name : names) {
    if (const auto role = find_role_by_name(name)) found.emplace(role_of(*role, path + ":" + name), path + ":" + name);
  }
  // A table next to cos and sin was computed from them.
  if (found.contains(CheckRole::cosine) && found.contains(CheckRole::sine)) found.erase(CheckRole::table);
  if (!found.empty()) return found;
  throw InputError(path, "check.names_of_tensors", {{"path", path}, {"names", quoted_names(names)}});
}

/// Returns the part of a file that shows its kind: the first lines of a text, read in milliseconds; other files whole.
std::span<const std::byte> telling_part(std::span<const std::byte> bytes) {
  constexpr std::size_t kTelling = std::size_t{1} << 20;
  const std::string_view text = characters_of(bytes).substr(0, kTelling);
  const std::size_t end = text.rfind('\n');
  const bool is_text = text.find('\0') == std::string_view::npos && !text.starts_with("\x93NUMPY");
  return is_text && bytes.size() > kTelling && end != std::string_view::npos ? bytes.first(end) : bytes;
}

/// The maximum count of numbers to unpack immediately, in milliseconds.
constexpr std::int64_t kUnpackedAtOnce = std::int64_t{1} << 22;

/// Finds the role of a single tensor: by its name, its file's name, or its shape.
Found find_one(const std::string& path, const MappedFile& file, const std::string& name) {
  const std::string stem = std::filesystem::path(path).stem().string();
  for (const std::string& called : {name, stem}) {
    if (const auto role = find_role_by_name(called)) return {{role_of(*role, path), path}};
  }
  StoredTensor tensor = open_tensor(telling_part(file.bytes()), nullptr, path, {}, {true, {}});
  // A declared tensor has only a shape; a short one is unpacked because its numbers distinguish ids from frequencies.
  if (is_declared_only(tensor) && may_be_ids(tensor) && tensor.count() <= kUnpackedAtOnce) {
    tensor = open_tensor(file.bytes(), nullptr, path, {});
  }
  file.check_unchanged();
  if (const auto role = find_role_by_shape(tensor)) return {{*role, path}};
  throw InputError(path, "check.name_of_tensor", {});
}

// --- Self-describing dumps -----------------------------------------------------------------------------------------

using Roles = std::map<std::string, std::string, std::less<>>;

/// Returns "FILE" or "FILE:TENSOR" for each role, inferred from tensor names, the file name and shapes. Throws
/// InputError if nothing indicates a role.
std::map<CheckRole, std::string> find_tensors(const std::string& path) {
  const std::shared_ptr<const MappedFile> file = map_file(path);
  const std::vector<std::string> names = list_tensors(file->bytes(), path);
  if (names.empty()) throw InputError(path, "check.no_tensor", {});
  return names.size() == 1 ? find_one(path, *file, names.front()) : find_by_names(path, names);
}

/// Returns the roles as for a dropped file without notes; a tensor with the name of an option has that option's role.
Roles roles_by_name(const std::string& path, const MappedFile& file) {
  Roles roles;
  for (const auto& [role, argument] : find_tensors(path)) roles.emplace(names_of(role).name, argument);
  for (const std::string& name : list_tensors(file.bytes(), path)) {
    if (std::find(std::begin(kDumpRoles), std::end(kDumpRoles), name) != std::end(kDumpRoles)) {
      roles[name] = path + ":" + name;
    }
  }
  const auto ids = roles.find("ids"), positions = roles.find("positions");
  if (ids != roles.end() && positions != roles.end() && ids->second == positions->second) roles.erase(ids);
  // If only one of the two is present, it was not rotated here.
  if (roles.contains("before") != roles.contains("after")) {
    roles.erase("before");
    roles.erase("after");
  }
  return roles;
}

// --- Filling the fields --------------------------------------------------------------------------------------------

/// Sets the fields of the window from a dump's description.
class Taking {
 public:
  Taking(const DumpNotes& notes, std::string path, Experiment& experiment)
      : notes_(notes), path_(std::move(path)), experiment_(experiment) {}

  /// Sets the reference if one is named; otherwise it is unchanged.
  void take() {
    const CheckFields initial;
    CheckFields& check = experiment_.check;
    check.part = initial.part;
    check.pairing = initial.pairing;
    check.head_order = initial.head_order;
    check.positions.clear();
    if (names_layout()) {
      begin_layout();
    } else if (notes_.config || find("model") || find("dim")) {
      begin_rope();
    } else if (check.against == CheckAgainst::dump) {
      check.against = initial.against;
    }
    for (const auto& [name, values] : notes_.options) take_option(name, joined(values, ","));
  }

 private:
  std::optional<std::string> find(std::string_view option) const {
    for (const auto& [name, values] : notes_.options) {
      if (name == option) return joined(values, ",");
    }
    return std::nullopt;
  }
  std::string config_place() const { return path_ + ": ropescope.config"; }
  bool has_size() const { return find("size") || find("grid"); }

  /// Returns whether the dump names a layout, by its name or by a config of an image model.
  bool names_layout() const {
    if (find("layout")) return true;
    if (!notes_.config) return false;
    const auto config = find_layout_config(*notes_.config, config_place());
    if (!config || has_size() || !config->plain_ladders) return config.has_value();
    return is_of_images(parse_model_config(*notes_.config, config_place()).profiles.front());
  }

  void begin_layout() {
    LayoutFields fields;
    if (const auto name = find("layout")) fields.name = find_layout(*name).name;
    if (notes_.config) take_layout_config(parse_layout_config(*notes_.config, config_place()), {}, fields);
    if (find("grid")) fields.size_by = SizeBy::tokens;
    experiment_.layout = fields;
    experiment_.check.against = CheckAgainst::layout;
  }

  void begin_rope() {
    RopeFields rope;
    rope.trained_length = 0;  // for a ladder set by its numbers
    const auto model = find("model");
    if (notes_.config || model) {
      const auto profiles = notes_.config ? parse_model_config(*notes_.config, config_place()).profiles
                                          : load_preset(find_places().assets, *model).profiles;
      const std::string named = find("profile").value_or("");
      const Profile& profile = find_profile(profiles, named, path_);
      rope = to_rope_fields(profile, short_name(path_));
      rope.profile = profile.name;
      if (!notes_.config) rope.model = *model;
    }
    rope.label = short_name(path_);
    experiment_.rope = rope;
    experiment_.check.against = CheckAgainst::rope;
    take_dimensions();
  }

  /// Sets the dimensions: "dim" is the rotary dimension, or with "rotary-fraction" the head dimension.
  void take_dimensions() {
    RopeFields& rope = experiment_.rope;
    const auto fraction = find("rotary-fraction");
    if (const auto dim = find("dim")) {
      set("rope.head_dim", "dim", *dim);
      if (!fraction) set("rope.rotary_dim", "dim", *dim);
    }
    if (!fraction) return;
    const auto share = parse_number(*fraction);
    if (!share) reject("rotary-fraction");
    rope.rotary_dim = std::floor(rope.head_dim * *share);
  }

  void take_option(const std::string& name, const std::string& value) {
    const bool layout = experiment_.check.against == CheckAgainst::layout;
    constexpr std::string_view kTaken[] = {"layout", "model", "profile", "dim", "rotary-fraction"};
    if (std::find(std::begin(kTaken), std::end(kTaken), name) != std::end(kTaken)) return;
    constexpr std::pair<std::string_view, const char*> kOfCheck[] = {
        {"part", "check.part"}, {"q-layout", "check.head_order"}, {"positions", "check.positions"}};
    for (const auto& [option, key] : kOfCheck) {
      if (name == option) return set(key, name, value);
    }
    if (layout) return take_layout_option(name, value);
    set("rope." + key_of(name), name, value);
  }

  void take_layout_option(const std::string& name, const std::string& value) {
    LayoutFields& fields = experiment_.layout;
    const Layout& layout = find_layout(fields.name);
    struct Pair {
      std::string_view option;
      const char *first, *second;
    };
    for (const Pair& pair :
         {Pair{"size", "layout.width", "layout.height"}, Pair{"grid", "layout.rows", "layout.columns"}}) {
      if (name == pair.option) return set_two(pair.first, pair.second, name, value);
    }
    for (const auto& [option, size_by] :
         {std::pair<std::string_view, SizeBy>{"reference", SizeBy::pixels}, {"reference-grid", SizeBy::tokens}}) {
      if (name != option) continue;
      if (fields.size_by != size_by) reject(name);
      return set("layout.references", name, value);
    }
    if (name == "video-frames") {
      const auto frames = parse_number(value);
      if (!frames || *frames < 1 || *frames > 1e6) reject(name);
      fields["frames"] = count_token_frames(layout, static_cast<int>(*frames));
      return;
    }
    if (name == "pairing" && !takes(layout, "pairing")) return set("check.pairing", name, value);
    set("layout." + key_of(name), name, value);
  }

  /// Sets two fields from "1664x928".
  void set_two(const std::string& first, const std::string& second, const std::string& name, const std::string& value) {
    const std::size_t cross = value.find('x');
    if (cross == std::string::npos) reject(name);
    set(first, name, value.substr(0, cross));
    set(second, name, value.substr(cross + 1));
  }

  static std::string key_of(std::string name) {
    std::replace(name.begin(), name.end(), '-', '_');
    return name;
  }

  /// Sets the field of an option.
  void set(const std::string& key, const std::string& option, const std::string& value) {
    const std::vector<FieldInfo> fields = list_fields();
    const bool known =
        std::any_of(fields.begin(), fields.end(), [&key](const auto& field) { return field.key == key; });
    if (!known) reject(option);
    try {
      constexpr std::pair<std::string_view, const char*> kSwitched[] = {{"true", "1"}, {"false", "0"}};
      std::string text = value;
      for (const auto& [word, number] : kSwitched) {
        if (value == word) text = number;
      }
      set_field(experiment_, key + "=" + text);
    } catch (const InputError& error) {
      throw InputError::within(path_, error);
    }
  }

  [[noreturn]] void reject(const std::string& option) const {
    throw InputError(path_, "dump_notes.no_control",
                     {{"option", in_quotes(option)}, {"value", in_quotes(find(option).value_or(""))}});
  }

  const DumpNotes& notes_;
  std::string path_;
  Experiment& experiment_;
};

/// Returns the tensors that have their own field: all except positions.
std::map<CheckRole, std::string> tensors_of(const SelfDescribingDump& dump) {
  std::map<CheckRole, std::string> tensors;
  for (const auto& [role, name, offer] : kCheckRoles) {
    const auto found = dump.roles.find(name);
    if (found != dump.roles.end()) tensors.emplace(role, found->second);
  }
  return tensors;
}

/// Sets tensors and reference of the Check view from the file's description; what it does not describe is unchanged,
/// except tensors. Returns false if it is not a .safetensors or has no description. Throws InputError as above, and for
/// an option without a control in the window.
bool open_self_describing_dump(Experiment& experiment, const std::string& path) {
  SelfDescribingDump dump = read_self_describing_dump(path);
  if (!dump.describes_anything()) return false;
  Experiment next = experiment;
  Taking(dump.notes, path, next).take();
  CheckFields& check = next.check;
  if (check.against == CheckAgainst::layout) take_positions_as_ids(dump);
  const auto positions = dump.roles.find("positions");
  if (positions != dump.roles.end() && check.positions.empty()) check.positions = positions->second;
  check.files = {};
  take_tensors(tensors_of(dump), check);
  experiment = std::move(next);
  return true;
}

// --- Dropping ------------------------------------------------------------------------------------------------------

/// Returns whether the other table of a dump is in the same folder.
bool lies_beside(const std::string& argument, const std::string& path) {
  namespace fs = std::filesystem;
  return !argument.empty() &&
         fs::path(read_tensor_argument(argument).path).parent_path() == fs::path(path).parent_path();
}

/// Returns whether a dropped file belongs to the second dump: its companion does, or the first one's field is set.
bool is_other_dump(const Found& found, const std::string& path, const CheckFields& fields) {
  const bool cosine = found.contains(CheckRole::cosine), sine = found.contains(CheckRole::sine);
  if (cosine != sine) {
    const bool mine = lies_beside(cosine ? fields.files[CheckRole::sine] : fields.files[CheckRole::cosine], path);
    const bool other =
        lies_beside(cosine ? fields.files[CheckRole::against_sine] : fields.files[CheckRole::against_cosine], path);
    if (mine != other) return other;
  }
  const auto taken = [&](CheckRole role) {
    const std::string& box = fields.files[role];
    return found.contains(role) && !box.empty() && box != found.at(role);
  };
  return taken(CheckRole::cosine) || taken(CheckRole::sine);
}

/// Returns the tables of a dump, since two dumps are compared only by cos and sin.
Found select_dump_tables(const Found& found, const std::string& path, const CheckFields& fields) {
  const bool other = is_other_dump(found, path, fields);
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

/// Sets the model that the tables are compared with.
void take_profile(Experiment& experiment, const std::string& path, const Profile& profile) {
  experiment.rope = to_rope_fields(profile, short_name(path));
  experiment.rope.config = path;
  experiment.rope.profile = profile.name;
  experiment.check.against = CheckAgainst::rope;
  experiment.check.applied.clear();
}

bool take_config(Experiment& experiment, const std::string& path) {
  if (is_experiment(path)) return false;
  CheckFields& fields = experiment.check;
  if (const auto layout = load_layout_config(path)) {
    take_layout_config(*layout, path, experiment.layout);
    fields.against = CheckAgainst::layout;
    fields.applied.clear();
  } else {
    take_profile(experiment, path, load_model_config(path).profiles.front());
  }
  return true;
}

}  // namespace

std::string positions_source(const std::string& text) {
  return text.starts_with(kCumulative) ? text.substr(kCumulative.size()) : text;
}

bool names_positions_file(const std::string& text) {
  if (text.starts_with(kCumulative)) return names_positions_file(positions_source(text));
  if (is_list(text)) return false;
  std::error_code error;
  const std::string path = read_tensor_argument(text).path;
  return ends_like_tensors(path) || std::filesystem::exists(path, error);
}

std::vector<double> read_positions(const std::string& text, const std::string& option) {
  if (text.starts_with(kCumulative))
    return list_sequence_positions(read_positions(positions_source(text), option), option);
  if (!names_positions_file(text)) return parse_list(text, option, kMaxPositions);
  TensorReading reading;
  reading.declared = true;
  LoadedTensor loaded = load_tensor(text, reading);
  require_positions(loaded.tensor, option);
  if (is_declared_only(loaded.tensor)) loaded = load_tensor(text);
  const StoredTensor& tensor = loaded.tensor;
  std::vector<double> positions(static_cast<std::size_t>(tensor.count()));
  if (!positions.empty()) read_rows(tensor, 0, tensor.shape[0], positions.data());
  loaded.file->check_unchanged();
  const auto odd = std::find_if(positions.begin(), positions.end(), [](double each) { return !std::isfinite(each); });
  if (odd != positions.end()) {
    reject(tensor, option, {"check.odd_number", {{"place", odd - positions.begin()}, {"found", odd_number(*odd)}}});
  }
  return positions;
}

std::optional<CheckRole> find_role_by_name(std::string_view name) {
  const std::vector<std::string> words = split_name_words(name);
  if (holds_any(words, {"cos", "cosine", "cosines"}) && holds_any(words, {"sin", "sine", "sines"})) {
    return CheckRole::table;
  }
  for (const NamedRole& named : list_role_names()) {
    if (holds_any(words, named.words)) return named.role;
  }
  if (!holds_any(words, {"q", "k", "query", "key"})) return std::nullopt;
  // "q_embed" is q after the rotation; "q" alone is not rotated yet.
  if (holds_any(words, {"embed", "rope"})) return CheckRole::after;
  return words.size() == 1 ? std::optional(CheckRole::before) : std::nullopt;
}

std::optional<CheckRole> find_role_by_shape(const StoredTensor& tensor) {
  const std::vector<std::int64_t> shape = telling_axes(tensor);
  const std::size_t rank = shape.size();
  if (is_complex(tensor.storage)) return CheckRole::table;
  if (rank >= 3 && shape[rank - 1] == 2 && shape[rank - 2] == 2) return CheckRole::table;
  if (may_be_ids(tensor) && all_whole(tensor)) return CheckRole::ids;
  if (rank == 1) return CheckRole::frequencies;
  return std::nullopt;
}

SelfDescribingDump read_self_describing_dump(const std::string& path) {
  const auto file = map_file(path);
  SelfDescribingDump dump;
  if (is_safetensors(file->bytes(), path)) dump.notes = read_dump_notes(file->bytes(), path);
  for (const auto& [role, name] : dump.notes.roles) dump.roles.emplace(role, path + ":" + name);
  if (dump.roles.empty()) dump.roles = roles_by_name(path, *file);
  file->check_unchanged();
  return dump;
}

void take_positions_as_ids(SelfDescribingDump& dump) {
  const auto positions = dump.roles.find("positions");
  if (positions == dump.roles.end()) return;
  dump.roles.emplace("ids", positions->second);
  dump.roles.erase(positions);
}

void take_tensors(const std::map<CheckRole, std::string>& found, CheckFields& fields) {
  const bool cosines = found.contains(CheckRole::cosine) || found.contains(CheckRole::sine);
  if (cosines) fields.files[CheckRole::table].clear();
  if (found.contains(CheckRole::table)) {
    fields.files[CheckRole::cosine].clear();
    fields.files[CheckRole::sine].clear();
  }
  for (const auto& [role, argument] : found) fields.files[role] = argument;
  if (!found.empty()) fields.offer = names_of(found.begin()->first).offer;
  fields.show = CheckShow::difference;
  fields.applied.clear();
  fields.token = fields.pair = 0;
  fields.zooms.reset();
}

bool open_check(Experiment& experiment, const std::string& path) {
  const std::string ending = lower_ending(path);
  const bool model = ending == ".json" || is_folder(path) || (is_gguf(path) && !is_gguf_of_tensors(path));
  if (model) return kCheckView.is_shown(experiment) && take_config(experiment, path);
  if (!may_hold_tensors(ending, kCheckView.is_shown(experiment))) return false;
  CheckFields& fields = experiment.check;
  if (fields.against == CheckAgainst::dump) {
    take_tensors(select_dump_tables(tensors_of(read_self_describing_dump(path)), path, fields), fields);
  } else if (ending != ".safetensors" || !open_self_describing_dump(experiment, path)) {
    take_tensors(find_tensors(path), fields);
  }
  return true;
}

}  // namespace ropescope
