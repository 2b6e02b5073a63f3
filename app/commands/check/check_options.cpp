// The options of `check`, the dumps that describe their own content, and opening the files named by both.
//
// Contents: Options; Dumps.

#include "app/commands/check/check_options.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <iterator>
#include <set>
#include <string_view>
#include <utility>

#include "app/commands/options.h"
#include "app/experiment/experiment.h"
#include "app/resources/files.h"
#include "app/resources/models.h"
#include "app/resources/text.h"
#include "app/views/check/drop.h"
#include "core/formats/config.h"
#include "core/formats/config_layout.h"
#include "core/formats/json.h"
#include "core/formats/models.h"
#include "core/message.h"

namespace ropescope {

// --- Options -------------------------------------------------------------------------------------------------------

namespace {

using Given = std::optional<std::string>;

/// An option's value with its name.
struct Named {
  const char* name;
  const Given* value;
};

/// Returns the name of the first option that is given.
const char* first_given(std::initializer_list<Named> options) {
  for (const Named& option : options) {
    if (*option.value) return option.name;
  }
  return nullptr;
}

/// Returns the option of a tensor: "--cos".
std::string option_of(CheckRole role) {
  return "--" + std::string(names_of(role).name);
}

/// Throws InputError if one of two tensors is given without the other.
void require_pair(const CheckArguments& given, CheckRole one, CheckRole other) {
  if (given.tensors[one].has_value() == given.tensors[other].has_value()) return;
  if (!given.tensors[one]) std::swap(one, other);
  throw InputError("command.both_needed", {{"given", option_of(one)}, {"missing", option_of(other)}});
}

/// Returns a rotary embedding's option that layouts do not have; empty if none is given.
Message rope_option_in(const CheckArguments& given) {
  const RopeOptions& rope = given.rope;
  if (const char* name = first_given({{"--model", &rope.model},
                                      {"--profile", &rope.profile},
                                      {"--dim", &rope.dim},
                                      {"--ladder", &rope.ladder},
                                      {"--rotary-fraction", &rope.rotary_fraction},
                                      {"--positions", &given.positions}})) {
    return verbatim(name);
  }
  if (rope.extension.find("length")) return verbatim("--length");
  GivenFields extension = rope.extension;
  for (const char* of_layouts : {"scaling", "max_frequency", "diffusion_time"}) extension[of_layouts].reset();
  return extension.any() ? Message("error.command.extension_option") : Message();
}

/// Returns whether a tensor with a row per token is given, not only frequencies.
bool has_tokens(const CheckArguments& given) {
  const auto& tensors = given.tensors;
  return tensors[CheckRole::ids] || tensors[CheckRole::cosine] || tensors[CheckRole::table] ||
         tensors[CheckRole::before];
}

/// Returns the layout of a config whose tokens are those of an image or video and therefore require its size. Nullopt
/// for a text model, including one with image input.
Given layout_of_images(const RopeOptions& rope) {
  const std::string& path = *rope.config;
  try {
    const auto found = rope.config_text ? find_layout_config(*rope.config_text, path) : load_layout_config(path);
    if (!found) return std::nullopt;
    if (!found->plain_ladders) return found->layout;
    const ModelConfig model = rope.config_text ? parse_model_config(*rope.config_text, path) : load_model_config(path);
    return is_of_images(model.profiles.front()) ? Given(found->layout) : std::nullopt;
  } catch (const InputError&) {
    // Errors in the file are reported where it is used.
    return std::nullopt;
  }
}

/// Returns the layout that is named, or implied by a config with an image size.
Given layout_name_of(const CheckArguments& given) {
  if (given.layout_name || !given.rope.config) return given.layout_name;
  const RopeOptions& rope = given.rope;
  if (given.layout.has_size()) {
    return rope.config_text ? parse_layout_config(*rope.config_text, *rope.config).layout
                            : require_layout_config(*rope.config).layout;
  }
  const Given images = has_tokens(given) ? layout_of_images(rope) : std::nullopt;
  if (images) throw InputError(*given.rope.config, "command.image_size", {{"layout", *images}});
  return std::nullopt;
}

CheckReference layout_reference(const CheckArguments& given, const std::string& name, CheckInputs& inputs) {
  if (const Message option = rope_option_in(given); !option.empty()) {
    throw InputError("command.not_of_layout", {{"option", option}, {"layout", name}});
  }
  const Layout& layout = find_layout(name);
  LayoutOptions options = given.layout;
  options.name = name;
  options.config = given.rope.config;
  options.config_text = given.rope.config_text;
  options.settings["head_dim"] = given.rope.head_dim;
  options.settings["base"] = given.rope.base;
  options.settings["head"] = given.head;
  for (const char* field : {"scaling", "max_frequency", "diffusion_time"}) {
    if (const std::string* text = given.rope.extension.find(field)) options.settings[field] = *text;
  }
  // Half split over the channels of each axis: RoPE2D of CroCo, DUSt3R and VGGT.
  const bool by_axis = given.rope.pairing == "axis-half";
  if (takes(layout, "pairing") && !by_axis) {
    options.settings["pairing"] = given.rope.pairing;
  } else if (given.rope.pairing) {
    inputs.pairing = by_axis ? Pairing::half_split : read_choice<Pairing>("--pairing", *given.rope.pairing);
  }
  CheckReference reference = reference_from_layout(layout, layout_request(options));
  if (by_axis) reference.tokens.pairing = Pairing::half_split, reference.tokens.halves_by_axis = true;
  return reference;
}

/// Parses "A:B", rows A to B − 1.
std::pair<std::int64_t, std::int64_t> read_rows_option(const std::string& text) {
  const std::vector<std::string> parts = split(text, ':');
  const auto whole = [&](std::size_t part) {
    const std::optional<double> number = parts.size() == 2 ? parse_number(parts[part]) : std::nullopt;
    const bool good = number && *number >= 0 && *number <= 1e15 && *number == std::floor(*number);
    if (!good) throw InputError("command.rows", {{"found", in_quotes(text)}});
    return static_cast<std::int64_t>(*number);
  };
  const std::pair rows(whole(0), whole(1));
  if (rows.first >= rows.second) reject("--rows", text, Message("expected.later_end"));
  return rows;
}

/// Adds the model's other information; its other profiles only if this one is unchanged.
void add_profiles(const CheckArguments& given, const Rope& rope, CheckReference& reference) {
  RopeOptions changes = given.rope;
  changes.config.reset(), changes.model.reset(), changes.profile.reset(), changes.extension["length"].reset();
  ModelConfig model;
  if (given.rope.config) {
    model = given.rope.config_text ? parse_model_config(*given.rope.config_text, *given.rope.config)
                                   : load_model_config(*given.rope.config);
  } else {
    model.model_type = *given.rope.model;
    model.profiles = profiles_of(given.rope);
  }
  if (changes_anything(changes)) model.profiles = {rope.profile};
  reference.profile_was_requested = given.rope.profile.has_value();
  take_model(model.profiles, model.model_type, rope.profile, reference);
}

/// Removes a pairing and a head that one of the model's profiles already has, because they change nothing. All other
/// options are kept.
CheckArguments remove_redundant_options(const CheckArguments& given) {
  RopeOptions changes = given.rope;
  changes.config.reset(), changes.model.reset(), changes.profile.reset(), changes.extension["length"].reset();
  const bool of_model = given.rope.config || given.rope.model;
  RopeOptions others = changes;
  others.pairing.reset(), others.head_dim.reset();
  if (!of_model || given.rope.profile || !changes_anything(changes) || changes_anything(others)) return given;
  CheckArguments plain = given;
  plain.rope = RopeOptions();
  plain.rope.config = given.rope.config, plain.rope.config_text = given.rope.config_text;
  plain.rope.model = given.rope.model;
  if (const std::string* length = given.rope.extension.find("length")) plain.rope.extension["length"] = *length;
  const std::vector<Profile> profiles = plain.rope.config_text
                                            ? parse_model_config(*plain.rope.config_text, *plain.rope.config).profiles
                                            : profiles_of(plain.rope);
  for (const Profile& profile : profiles) {
    RopeOptions one = given.rope;
    one.profile = profile.name;
    if (resolve_rope(one).profile.spec == profile.spec) return plain;
  }
  return given;
}

CheckReference rope_reference(const CheckArguments& all, Message::List& notes) {
  const CheckArguments given = remove_redundant_options(all);
  if (const std::string option = first_layout_option(given.layout); !option.empty()) {
    throw InputError("command.no_layout", {{"option", option}});
  }
  const Rope rope = resolve_rope(given.rope);
  require_known_extension(given.rope, rope);
  if (given.rope.config) notes = notes_limiting_verdict(rope.profile);
  if (given.rope.model && has_tokens(given) && is_of_images(rope.profile)) {
    throw InputError("command.preset_of_images", {{"model", *given.rope.model}});
  }
  std::optional<std::vector<double>> positions;
  if (given.positions) positions = read_positions(*given.positions, "--positions");
  if (positions && given.rows) {
    // Positions with the length of the chosen rows belong to these rows.
    const auto [first, end] = read_rows_option(*given.rows);
    if (static_cast<std::int64_t>(positions->size()) == end - first) {
      positions->insert(positions->begin(), static_cast<std::size_t>(first), 0.0);
    }
  }
  CheckReference reference = reference_from_rope(rope.profile.spec, rope.length, std::move(positions));
  if (given.rope.config || given.rope.model) add_profiles(given, rope, reference);
  // A config embedded in a dump is never a GGUF file.
  reference.is_gguf = given.rope.config && !given.rope.config_text && is_gguf(*given.rope.config);
  return reference;
}

/// Opens files one after another and keeps them. Arrays that require decompression are only declared.
struct Opener {
  std::vector<std::shared_ptr<const MappedFile>>& files;
  std::optional<StoredTensor> operator()(const Given& argument) const {
    if (!argument) return std::nullopt;
    TensorReading reading;
    reading.declared = true;
    LoadedTensor loaded = load_tensor(*argument, reading);
    files.push_back(std::move(loaded.file));
    return std::move(loaded.tensor);
  }
};

/// Decompresses a declared array.
void unpack(const Given& argument, std::optional<StoredTensor>& tensor) {
  if (tensor && is_declared_only(*tensor)) tensor = load_tensor(*argument).tensor;
}

/// Decompresses nothing before the shapes are known to match the reference.
void unpack_all(const CheckArguments& given, CheckRequest& request) {
  CheckInputs& inputs = request.inputs;
  require_shapes(request.reference, inputs);
  unpack(given.tensors[CheckRole::against_cosine], request.reference.cosine);
  unpack(given.tensors[CheckRole::against_sine], request.reference.sine);
  for (const CheckRole role : kTensorOptions) unpack(given.tensors[role], inputs.*input_of(role));
}

CheckReference dump_reference(const CheckArguments& given, const Opener& open) {
  require_pair(given, CheckRole::against_cosine, CheckRole::against_sine);
  const std::string of_layout = given.layout_name ? "--layout" : first_layout_option(given.layout);
  Message other = of_layout.empty() ? Message() : verbatim(of_layout);
  if (other.empty() && changes_anything(given.rope)) other = Message("error.command.a_rope");
  if (other.empty()) {
    const char* name = first_given({{"--positions", &given.positions},
                                    {"--ids", &given.tensors[CheckRole::ids]},
                                    {"--table", &given.tensors[CheckRole::table]},
                                    {"--frequencies", &given.tensors[CheckRole::frequencies]},
                                    {"--before", &given.tensors[CheckRole::before]},
                                    {"--after", &given.tensors[CheckRole::after]},
                                    {"--part", &given.part},
                                    {"--rows", &given.rows},
                                    {"--q-layout", &given.q_layout}});
    if (name) other = verbatim(name);
  }
  if (!other.empty()) throw InputError("command.against_with", {{"other", other}});
  const auto& tensors = given.tensors;
  if (!tensors[CheckRole::cosine] || !tensors[CheckRole::sine]) throw InputError("command.against_alone", {});
  return reference_from_tables(*open(tensors[CheckRole::against_cosine]), *open(tensors[CheckRole::against_sine]));
}

/// Returns the layout of a vision tower whose rows and columns each have a plain ladder; otherwise nullopt.
std::optional<Rope> grid_tower(const CheckArguments& given) {
  if (!given.rope.config || !given.rope.profile || given.layout_name || !has_tokens(given)) return std::nullopt;
  Rope rope = resolve_rope(given.rope);
  const std::vector<RotaryAxis>& axes = rope.profile.spec.axes;
  const bool plain = axes.size() == 2 && axes[0].name == "row" && axes[1].name == "column" &&
                     axes[0].ladder == Ladder::plain && axes[1].ladder == Ladder::plain;
  return rope.profile.name == "vision" && plain ? std::optional(std::move(rope)) : std::nullopt;
}

CheckReference tower_reference(const CheckArguments& given, const Rope& rope, Message::List& notes) {
  if (!given.layout.has_size()) throw InputError(*given.rope.config, "command.tower_size", {});
  LayoutOptions options = given.layout;
  options.name = "custom";
  LayoutRequest request = option_request(options);
  for (const RotaryAxis& axis : rope.profile.spec.axes) request.axes.push_back({axis.name, axis.rotary_dim, axis.base});
  request.pairing = rope.profile.spec.pairing;
  if (!request.patch) request.patch = rope.profile.patch;
  request.numbers["merge"] = rope.profile.merge;
  notes = notes_limiting_verdict(rope.profile);
  return reference_from_layout(find_layout("custom"), request);
}

CheckReference reference_of(const CheckArguments& given, const Opener& open, CheckRequest& request) {
  if (given.tensors[CheckRole::against_cosine] || given.tensors[CheckRole::against_sine])
    return dump_reference(given, open);
  if (const auto tower = grid_tower(given)) return tower_reference(given, *tower, request.notes);
  const Given layout = layout_name_of(given);
  return layout ? layout_reference(given, *layout, request.inputs) : rope_reference(given, request.notes);
}

/// Reads the allowed causes: those requested, and all possible causes if the numbers are not a released model's.
void read_allowed(const CheckArguments& given, CheckReference& reference) {
  const std::vector<std::string_view> known = causes_with_allow_option();
  if (reference.rope && !given.rope.model && !given.rope.config) reference.allowed.insert(known.begin(), known.end());
  if (!given.allow) return;
  for (const std::string& name : split(*given.allow, ',')) {
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      throw InputError("command.allow", {{"found", in_quotes(*given.allow)}, {"causes", joined(known)}});
    }
    reference.allowed.insert(name);
  }
}

HeadOrder parse_head_order(const std::string& text) {
  for (const HeadOrder order : {HeadOrder::tokens_first, HeadOrder::heads_first}) {
    if (text == word_of(order)) return order;
  }
  reject("--q-layout", text, Message("expected.head_order"));
}

void read_inputs(const CheckArguments& given, const Opener& open, CheckInputs& inputs) {
  require_pair(given, CheckRole::cosine, CheckRole::sine);
  require_pair(given, CheckRole::before, CheckRole::after);
  if (std::none_of(std::begin(kTensorOptions), std::end(kTensorOptions),
                   [&](CheckRole role) { return given.tensors[role].has_value(); })) {
    throw InputError("command.check_nothing", {});
  }
  for (const CheckRole role : kTensorOptions) inputs.*input_of(role) = open(given.tensors[role]);
  if (given.part) inputs.part = *given.part;
  if (given.rows) inputs.rows = read_rows_option(*given.rows);
  if (given.q_layout) inputs.head_order = parse_head_order(*given.q_layout);
}

// --- Dumps ---------------------------------------------------------------------------------------------------------

using Names = std::set<std::string, std::less<>>;

/// Rows of alternative options. An option of the file has no effect if the command line gives any option of its row.
constexpr std::string_view kAlternatives[][3] = {
    {"config", "model", "dim"}, {"size", "grid", ""}, {"frames", "video-frames", ""}};
/// Options whose values are file names; a dump must not determine which files are read.
constexpr std::string_view kNamesOfFiles[] = {"config", "against-cos", "against-sin"};
/// Tolerated causes are chosen by the user who checks, not by the checked program.
constexpr std::string_view kOfTheChecker[] = {"allow"};
/// Options about the tensors, independent of the reference.
constexpr std::string_view kOfTensors[] = {"part", "rows", "q-layout"};
constexpr std::string_view kReferenceOptions[] = {"reference", "reference-grid"};

template <class List>
bool holds(const List& list, std::string_view name) {
  return std::find(std::begin(list), std::end(list), name) != std::end(list);
}

/// Returns the names of the options on the command line, without dashes.
Names list_given_names(const Arguments::Targets& options) {
  Names names;
  for (const auto& [name, value] : options) {
    if (*value && name.starts_with("--")) names.insert(name.substr(2));
  }
  return names;
}

/// Returns the options that a file may give.
std::vector<std::string> known_options(const Arguments::Targets& options) {
  std::vector<std::string> names(std::begin(kReferenceOptions), std::end(kReferenceOptions));
  for (const auto& [name, value] : options) {
    const std::string bare = name.starts_with("--") ? name.substr(2) : "";
    if (!bare.empty() && !holds(kNamesOfFiles, bare) && !holds(kDumpRoles, bare) && !holds(kOfTheChecker, bare))
      names.push_back(bare);
  }
  return names;
}

void require_known(const std::string& name, const std::vector<std::string>& known, const std::string& path) {
  if (holds(known, name)) return;
  const std::vector<std::string> near = nearest_words(name, known);
  throw InputError(path, "dump_notes.option",
                   {{"option", in_quotes(name)}, {"known", one_of(near.empty() ? known : near)}});
}

bool is_put_away(const std::string& name, const Names& line) {
  if (line.contains(name)) return true;
  return std::any_of(std::begin(kAlternatives), std::end(kAlternatives), [&](const auto& row) {
    return holds(row, name) &&
           std::any_of(std::begin(row), std::end(row), [&](std::string_view other) { return line.contains(other); });
  });
}

/// Applies the options of the file. `other`: the command line names another reference.
void take_options(const DumpNotes& notes, const Names& line, bool other, const Arguments::Targets& options,
                  CheckArguments& given) {
  const std::string& path = *given.dump;
  if (notes.config && !other && !is_put_away("config", line)) {
    given.rope.config = path + ": ropescope.config";
    given.rope.config_text = notes.config;
  }
  const bool has_references = !given.layout.references.empty();
  const std::vector<std::string> known = known_options(options);
  for (const auto& [name, values] : notes.options) {
    // A flag, which is not among the options with values.
    if (name == "fit") {
      if (!other && !is_put_away("size", line)) given.layout.fit = joined(values, ",") == "true";
      continue;
    }
    require_known(name, known, path);
    if (is_put_away(name, line) || (other && !holds(kOfTensors, name))) continue;
    if (!holds(kReferenceOptions, name)) {
      *options.at("--" + name) = joined(values, ",");
    } else if (!has_references) {
      for (const std::string& value : values) given.layout.references.emplace_back("--" + name, value);
    } else {
      continue;
    }
    given.reference_options +=
        (given.reference_options.empty() ? "--" : " --") + name + " " + in_quotes(joined(values, ","));
  }
}

/// Adds tensors that the command line does not give. `two_dumps`: only cos and sin are compared.
void take_tensors(SelfDescribingDump dump, const Names& line, bool two_dumps, const Arguments::Targets& options,
                  const CheckArguments& given) {
  if (given.layout_name || given.layout.has_size()) take_positions_as_ids(dump);
  const auto is_table = [](std::string_view role) { return role == "cos" || role == "sin"; };
  for (const auto& [role, argument] : dump.roles) {
    const bool other_kind = is_table(role) ? line.contains("table") : role == "table" && line.contains("cos");
    if (line.contains(role) || other_kind || (two_dumps && !is_table(role))) continue;
    *options.at("--" + role) = argument;
  }
}

}  // namespace

void add_check_options(Arguments& arguments, CheckArguments& given) {
  arguments.option("FILE", "", given.dump);
  arguments.option("--layout", "NAME", given.layout_name);
  add_layout_only_options(arguments, given.layout);
  add_rope_options(arguments, given.rope);
  arguments.option("--positions", "LIST|F", given.positions);
  for (const CheckRole role : kTensorOptions) {
    arguments.option(option_of(role), "F[:tensor]", given.tensors[role]);
  }
  arguments.option("--part", "PART", given.part);
  arguments.option("--rows", "A:B", given.rows);
  arguments.option("--head", "H", given.head);
  arguments.option("--q-layout", "thd|htd", given.q_layout);
  arguments.option("--allow", "sign", given.allow);
  arguments.flag("--strict", given.strict);
  arguments.option("--against-cos", "F[:tensor]", given.tensors[CheckRole::against_cosine]);
  arguments.option("--against-sin", "F[:tensor]", given.tensors[CheckRole::against_sine]);
}

void CheckRequest::check_unchanged() const {
  for (const auto& file : files) file->check_unchanged();
}

CheckRequest check_request(const CheckArguments& as_given) {
  CheckArguments given = as_given;
  settle_source(given.rope);
  // The preset of an image model defines a layout, as a config does.
  const bool images = given.rope.model && !given.layout_name && has_tokens(given) && given.layout.has_size() &&
                      resolve_model(*given.rope.model).exists && load_layout_config(*given.rope.model);
  if (images) given.rope.config = std::exchange(given.rope.model, std::nullopt);
  CheckRequest request;
  const Opener open{request.files};
  try {
    request.reference = reference_of(given, open, request);
  } catch (const InputError& error) {
    if (given.reference_options.empty()) throw;
    throw InputError::within(Message("dump_notes.told", {{"file", *given.dump}, {"options", given.reference_options}}),
                             error);
  }
  read_allowed(given, request.reference);
  request.reference.strict = given.strict;
  read_inputs(given, open, request.inputs);
  unpack_all(given, request);
  return request;
}

void take_dump(CheckArguments& given, const Arguments::Targets& options) {
  if (!given.dump) return;
  SelfDescribingDump dump = read_self_describing_dump(*given.dump);
  const Names line = list_given_names(options);
  const bool two_dumps = line.contains("against-cos") || line.contains("against-sin");
  const bool other = two_dumps || line.contains("layout") || line.contains("model") || line.contains("dim");
  if (!two_dumps) take_options(dump.notes, line, other, options, given);
  take_tensors(std::move(dump), line, two_dumps, options, given);
}

AsGiven::AsGiven(const CheckArguments& given, const Arguments::Targets& options)
    : references_(given.layout.references), fit_(given.layout.fit) {
  for (const auto& [name, value] : options) values_.emplace(name, *value);
}

void AsGiven::put_back(CheckArguments& given, const Arguments::Targets& options) const {
  for (const auto& [name, value] : values_) *options.at(name) = value;
  given.layout.references = references_;
  given.layout.fit = fit_;
  given.rope.config_text.reset();
  given.reference_options.clear();
}

}  // namespace ropescope
