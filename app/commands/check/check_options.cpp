// Reads the options of `check` and dumps that say what they hold, and opens the files that both name.
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
#include "core/words.h"

namespace ropescope {

// --- Options -------------------------------------------------------------------------------------------------------

namespace {

using Given = std::optional<std::string>;

/// An option by its name.
struct Named {
  const char* name;
  const Given* value;
};

/// The first that is given.
const char* first_given(std::initializer_list<Named> options) {
  for (const Named& option : options) {
    if (*option.value) return option.name;
  }
  return nullptr;
}

/// The option of a tensor: "--cos".
std::string option_of(CheckRole role) {
  return "--" + std::string(names_of(role).name);
}

/// Throws InputError where one of two tensors is given without the other.
void require_pair(const CheckArguments& given, CheckRole one, CheckRole other) {
  if (given.tensors[one].has_value() == given.tensors[other].has_value()) return;
  if (!given.tensors[one]) std::swap(one, other);
  throw InputError("command.both_needed", {{"given", option_of(one)}, {"missing", option_of(other)}});
}

/// An option of a rotary embedding that no layout has; empty where none is given.
Words rope_option_in(const CheckArguments& given) {
  const RopeOptions& rope = given.rope;
  if (const char* name = first_given({{"--model", &rope.model},
                                      {"--profile", &rope.profile},
                                      {"--dim", &rope.dim},
                                      {"--rotary-fraction", &rope.rotary_fraction},
                                      {"--positions", &given.positions},
                                      {"--length", &rope.scaling.length}})) {
    return as_it_is(name);
  }
  ScalingOptions scaling = rope.scaling;
  for (const char* of_layouts : {"max_frequency", "diffusion_time"}) scaling.parameters[of_layouts].reset();
  scaling.scaling.reset();
  return changes_anything(scaling) ? Words("error.command.extension_option") : Words();
}

/// Whether something with a row for each token is given, not frequencies alone.
bool has_tokens(const CheckArguments& given) {
  const auto& tensors = given.tensors;
  return tensors[CheckRole::ids] || tensors[CheckRole::cosine] || tensors[CheckRole::table] ||
         tensors[CheckRole::before];
}

/// The layout of a config whose tokens are those of an image or a video, so that they are nothing without its size.
/// None for a model of text, also for one that sees images too.
Given layout_of_images(const RopeOptions& rope) {
  const std::string& path = *rope.config;
  try {
    const auto found = rope.config_text ? find_layout_config(*rope.config_text, path) : load_layout_config(path);
    if (!found) return std::nullopt;
    if (!found->plain_ladders) return found->layout;
    const ModelConfig model = rope.config_text ? parse_model_config(*rope.config_text, path) : load_model_config(path);
    const std::string& profile = model.profiles.front().name;
    return profile == "image" || profile == "video" ? Given(found->layout) : std::nullopt;
  } catch (const InputError&) {
    // What is wrong with the file is said where it is used.
    return std::nullopt;
  }
}

/// A layout that is named, or that a config with an image's size implies.
Given layout_name_of(const CheckArguments& given) {
  if (given.layout_name || !given.rope.config) return given.layout_name;
  const RopeOptions& rope = given.rope;
  if (given.layout.size || given.layout.grid) {
    return rope.config_text ? parse_layout_config(*rope.config_text, *rope.config).layout
                            : require_layout_config(*rope.config).layout;
  }
  const Given images = has_tokens(given) ? layout_of_images(rope) : std::nullopt;
  if (images) throw InputError(*given.rope.config, "command.image_size", {{"layout", *images}});
  return std::nullopt;
}

CheckReference layout_reference(const CheckArguments& given, const std::string& name, CheckInputs& inputs) {
  if (const Words option = rope_option_in(given); !option.empty()) {
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
  options.scaling = given.rope.scaling.scaling;
  for (const char* field : {"max_frequency", "diffusion_time"}) {
    if (const std::string* text = given.rope.scaling.parameters.find(field)) options.settings[field] = *text;
  }
  // Halves of the channels of each axis: RoPE2D of CroCo, DUSt3R and VGGT.
  const bool by_axis = given.rope.pairing == "axis-half";
  if (takes(layout, "pairing") && !by_axis) {
    options.pairing = given.rope.pairing;
  } else if (given.rope.pairing) {
    inputs.pairing = by_axis ? Pairing::half_split : read_choice<Pairing>("--pairing", *given.rope.pairing);
  }
  CheckReference reference = reference_from_layout(layout, layout_request(options));
  if (by_axis) reference.tokens.pairing = Pairing::half_split, reference.tokens.halves_by_axis = true;
  return reference;
}

/// "A:B", rows A to B − 1.
std::pair<std::int64_t, std::int64_t> read_rows_option(const std::string& text) {
  const std::vector<std::string> parts = split(text, ':');
  const auto whole = [&](std::size_t part) {
    const std::optional<double> number = parts.size() == 2 ? parse_number(parts[part]) : std::nullopt;
    const bool good = number && *number >= 0 && *number <= 1e15 && *number == std::floor(*number);
    if (!good) throw InputError("command.rows", {{"found", in_quotes(text)}});
    return static_cast<std::int64_t>(*number);
  };
  const std::pair rows(whole(0), whole(1));
  if (rows.first >= rows.second) reject("--rows", text, Words("expected.later_end"));
  return rows;
}

/// What the model says besides; its other profiles only where the one is taken as it stands.
void add_profiles(const CheckArguments& given, const Rope& rope, CheckReference& reference) {
  RopeOptions changes = given.rope;
  changes.config.reset(), changes.model.reset(), changes.profile.reset(), changes.scaling.length.reset();
  ModelConfig model;
  if (given.rope.config) {
    model = given.rope.config_text ? parse_model_config(*given.rope.config_text, *given.rope.config)
                                   : load_model_config(*given.rope.config);
  } else {
    model.model_type = *given.rope.model;
    model.profiles = profiles_of(given.rope);
  }
  if (changes_anything(changes)) model.profiles = {rope.profile};
  reference.asked = given.rope.profile.has_value();
  take_model(model.profiles, model.model_type, rope.profile, reference);
}

/// A pairing and a head that one of the model's profiles has already, as if they were not given: they change nothing.
/// Any other option means what it says.
CheckArguments without_what_is_said(const CheckArguments& given) {
  RopeOptions changes = given.rope;
  changes.config.reset(), changes.model.reset(), changes.profile.reset(), changes.scaling.length.reset();
  const bool of_model = given.rope.config || given.rope.model;
  RopeOptions others = changes;
  others.pairing.reset(), others.head_dim.reset();
  if (!of_model || given.rope.profile || !changes_anything(changes) || changes_anything(others)) return given;
  CheckArguments plain = given;
  plain.rope = RopeOptions();
  plain.rope.config = given.rope.config, plain.rope.config_text = given.rope.config_text;
  plain.rope.model = given.rope.model, plain.rope.scaling.length = given.rope.scaling.length;
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

CheckReference rope_reference(const CheckArguments& all, Words::List& notes) {
  const CheckArguments given = without_what_is_said(all);
  if (const std::string option = first_layout_option(given.layout); !option.empty()) {
    throw InputError("command.no_layout", {{"option", option}});
  }
  const Rope rope = resolve_rope(given.rope);
  require_understood(given.rope, rope);
  if (given.rope.config) notes = notes_for_verdicts(rope.profile);
  const std::string& profile = rope.profile.name;
  if (given.rope.model && has_tokens(given) && (profile == "image" || profile == "video")) {
    throw InputError("command.preset_of_images", {{"model", *given.rope.model}});
  }
  std::optional<std::vector<double>> positions;
  if (given.positions) positions = read_positions(*given.positions, "--positions");
  if (positions && given.rows) {
    // Positions that are as many as the chosen rows are the positions of these rows.
    const auto [first, end] = read_rows_option(*given.rows);
    if (static_cast<std::int64_t>(positions->size()) == end - first) {
      positions->insert(positions->begin(), static_cast<std::size_t>(first), 0.0);
    }
  }
  CheckReference reference = reference_from_rope(rope.profile.spec, rope.length, std::move(positions));
  if (given.rope.config || given.rope.model) add_profiles(given, rope, reference);
  // A config within a dump is never one.
  reference.of_gguf = given.rope.config && !given.rope.config_text && is_gguf(*given.rope.config);
  return reference;
}

/// Opens one file after the other and keeps them. Arrays that have to be unpacked are only declared.
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

/// Unpacks what was only declared.
void unpack(const Given& argument, std::optional<StoredTensor>& tensor) {
  if (tensor && is_declared_only(*tensor)) tensor = load_tensor(*argument).tensor;
}

/// Nothing is unpacked before the shapes are known to be those of the reference.
void unpack_all(const CheckArguments& given, CheckRequest& request) {
  CheckInputs& inputs = request.inputs;
  require_shapes(request.reference, inputs);
  unpack(given.tensors[CheckRole::against_cosine], request.reference.cosine);
  unpack(given.tensors[CheckRole::against_sine], request.reference.sine);
  for (const TensorOption& option : kTensorOptions) unpack(given.tensors[option.role], inputs.*input_of(option.role));
}

CheckReference dump_reference(const CheckArguments& given, const Opener& open) {
  require_pair(given, CheckRole::against_cosine, CheckRole::against_sine);
  const std::string of_layout = given.layout_name ? "--layout" : first_layout_option(given.layout);
  Words other = of_layout.empty() ? Words() : as_it_is(of_layout);
  if (other.empty() && changes_anything(given.rope)) other = Words("error.command.a_rope");
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
    if (name) other = as_it_is(name);
  }
  if (!other.empty()) throw InputError("command.against_with", {{"other", other}});
  const auto& tensors = given.tensors;
  if (!tensors[CheckRole::cosine] || !tensors[CheckRole::sine]) throw InputError("command.against_alone", {});
  return reference_from_tables(*open(tensors[CheckRole::against_cosine]), *open(tensors[CheckRole::against_sine]));
}

/// A vision tower whose rows and columns have a plain ladder each, as a layout of its own.
std::optional<Rope> grid_tower(const CheckArguments& given) {
  if (!given.rope.config || !given.rope.profile || given.layout_name || !has_tokens(given)) return std::nullopt;
  Rope rope = resolve_rope(given.rope);
  const std::vector<RotaryAxis>& axes = rope.profile.spec.axes;
  const bool plain = axes.size() == 2 && axes[0].name == "row" && axes[1].name == "column" &&
                     axes[0].ladder == Ladder::plain && axes[1].ladder == Ladder::plain;
  return rope.profile.name == "vision" && plain ? std::optional(std::move(rope)) : std::nullopt;
}

CheckReference tower_reference(const CheckArguments& given, const Rope& rope, Words::List& notes) {
  if (!given.layout.size && !given.layout.grid) throw InputError(*given.rope.config, "command.tower_size", {});
  LayoutOptions options = given.layout;
  options.name = "custom";
  LayoutRequest request = option_request(options);
  for (const RotaryAxis& axis : rope.profile.spec.axes) request.axes.push_back({axis.name, axis.rotary_dim, axis.base});
  request.pairing = rope.profile.spec.pairing;
  if (!request.patch) request.patch = rope.profile.patch;
  request.numbers["merge"] = rope.profile.merge;
  notes = notes_for_verdicts(rope.profile);
  return reference_from_layout(find_layout("custom"), request);
}

CheckReference reference_of(const CheckArguments& given, const Opener& open, CheckRequest& request) {
  if (given.tensors[CheckRole::against_cosine] || given.tensors[CheckRole::against_sine])
    return dump_reference(given, open);
  if (const auto tower = grid_tower(given)) return tower_reference(given, *tower, request.notes);
  const Given layout = layout_name_of(given);
  return layout ? layout_reference(given, *layout, request.inputs) : rope_reference(given, request.notes);
}

/// The causes that are allowed: those asked for, and all that can be where the numbers are no released model's.
void read_allowed(const CheckArguments& given, CheckReference& reference) {
  const std::vector<std::string_view> known = allowable_causes();
  if (reference.rope && !given.rope.model && !given.rope.config) reference.allowed.insert(known.begin(), known.end());
  if (!given.allow) return;
  for (const std::string& name : split(*given.allow, ',')) {
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      throw InputError("command.allow", {{"found", in_quotes(*given.allow)}, {"causes", joined(known)}});
    }
    reference.allowed.insert(name);
  }
}

HeadOrder read_head_order(const std::string& text) {
  if (text == "thd") return HeadOrder::tokens_first;
  if (text == "htd") return HeadOrder::heads_first;
  reject("--q-layout", text, Words("expected.head_order"));
}

void read_inputs(const CheckArguments& given, const Opener& open, CheckInputs& inputs) {
  require_pair(given, CheckRole::cosine, CheckRole::sine);
  require_pair(given, CheckRole::before, CheckRole::after);
  if (std::none_of(std::begin(kTensorOptions), std::end(kTensorOptions),
                   [&](const TensorOption& option) { return given.tensors[option.role].has_value(); })) {
    throw InputError("command.check_nothing", {});
  }
  for (const TensorOption& option : kTensorOptions) inputs.*input_of(option.role) = open(given.tensors[option.role]);
  if (given.part) inputs.part = *given.part;
  if (given.rows) inputs.rows = read_rows_option(*given.rows);
  if (given.q_layout) inputs.head_order = read_head_order(*given.q_layout);
}

}  // namespace

void add_check_options(Arguments& arguments, CheckArguments& given) {
  arguments.option("FILE", "", given.dump, "A dump that says itself what it holds (assets/dump); options win over it");
  arguments.option("--layout", "NAME", given.layout_name, "The model's layout; \"ropescope layouts\" lists them");
  add_layout_only_options(arguments, given.layout);
  add_rope_options(arguments, given.rope);
  arguments.option("--positions", "LIST|F", given.positions,
                   "Position of every token, without a layout (default: 0, 1, 2, ...); cumulative:LIST|F: lengths of "
                   "packed sequences, cu_seqlens");
  for (const auto& [role, help] : kTensorOptions) {
    arguments.option(option_of(role), "F[:tensor]", given.tensors[role], help);
  }
  arguments.option("--part", "PART", given.part, "Tokens that the files hold: all, text, image, reference or audio");
  arguments.option("--rows", "A:B", given.rows, "Rows A to B − 1 of the files alone (leaves padding out)");
  arguments.option("--head", "H", given.head, "Head of the vectors, where each has frequencies of its own (ltx-2)");
  arguments.option("--q-layout", "thd|htd", given.q_layout, "Axes of q: tokens, heads, channels, or heads first");
  arguments.option("--allow", "sign", given.allow,
                   "What the weights were trained with: sines of the other sign are harmless then");
  arguments.flag("--strict", given.strict, "Nothing that differs is harmless, not even a coarser format");
  arguments.option("--against-cos", "F[:tensor]", given.tensors[CheckRole::against_cosine],
                   "Cosines that are right, instead of a model");
  arguments.option("--against-sin", "F[:tensor]", given.tensors[CheckRole::against_sine], "Sines that are right");
}

void CheckRequest::check_unchanged() const {
  for (const auto& file : files) file->check_unchanged();
}

CheckRequest check_request(const CheckArguments& given) {
  CheckRequest request;
  const Opener open{request.files};
  try {
    request.reference = reference_of(given, open, request);
  } catch (const InputError& error) {
    if (given.told.empty()) throw;
    throw InputError::within(Words("dump_notes.told", {{"file", *given.dump}, {"options", given.told}}), error);
  }
  read_allowed(given, request.reference);
  request.reference.strict = given.strict;
  read_inputs(given, open, request.inputs);
  unpack_all(given, request);
  return request;
}

// --- Dumps ---------------------------------------------------------------------------------------------------------

namespace {

using Names = std::set<std::string, std::less<>>;

/// Options of which one in each row is given: those of the file do not count where the command line gives another of
/// the row.
constexpr std::string_view kAlternatives[][3] = {
    {"config", "model", "dim"}, {"size", "grid", ""}, {"frames", "video-frames", ""}};
/// Options whose values are names of files; a dump must not say which files are read.
constexpr std::string_view kNamesOfFiles[] = {"config", "against-cos", "against-sin"};
/// What is tolerated is said by whoever checks, not by the program that is checked.
constexpr std::string_view kOfTheChecker[] = {"allow"};
/// Options about the tensors, whatever they are held against.
constexpr std::string_view kOfTensors[] = {"part", "rows", "q-layout"};
constexpr std::string_view kCheckDumpReferences[] = {"reference", "reference-grid"};

template <class List>
bool holds(const List& list, std::string_view name) {
  return std::find(std::begin(list), std::end(list), name) != std::end(list);
}

/// Names of the options that the command line gives, without dashes.
Names given_names(const Arguments::Targets& options) {
  Names names;
  for (const auto& [name, value] : options) {
    if (*value && name.starts_with("--")) names.insert(name.substr(2));
  }
  return names;
}

/// The options that a file may give.
std::vector<std::string> known_options(const Arguments::Targets& options) {
  std::vector<std::string> names(std::begin(kCheckDumpReferences), std::end(kCheckDumpReferences));
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

/// `other`: the command line names another reference.
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
    // A flag, which has no place among the options.
    if (name == "fit") {
      if (!other && !is_put_away("size", line)) given.layout.fit = joined(values, ",") == "true";
      continue;
    }
    require_known(name, known, path);
    if (is_put_away(name, line) || (other && !holds(kOfTensors, name))) continue;
    if (!holds(kCheckDumpReferences, name)) {
      *options.at("--" + name) = joined(values, ",");
    } else if (!has_references) {
      for (const std::string& value : values) given.layout.references.emplace_back("--" + name, value);
    } else {
      continue;
    }
    given.told += (given.told.empty() ? "--" : " --") + name + " " + in_quotes(joined(values, ","));
  }
}

/// Tensors that the command line does not give. `two_dumps`: cos and sin alone are compared.
void take_tensors(ToldDump dump, const Names& line, bool two_dumps, const Arguments::Targets& options,
                  const CheckArguments& given) {
  if (given.layout_name || given.layout.size || given.layout.grid) take_positions_as_ids(dump);
  const auto is_table = [](std::string_view role) { return role == "cos" || role == "sin"; };
  for (const auto& [role, argument] : dump.roles) {
    const bool other_kind = is_table(role) ? line.contains("table") : role == "table" && line.contains("cos");
    if (line.contains(role) || other_kind || (two_dumps && !is_table(role))) continue;
    *options.at("--" + role) = argument;
  }
}

}  // namespace

void take_dump(CheckArguments& given, const Arguments::Targets& options) {
  if (!given.dump) return;
  ToldDump dump = read_told_dump(*given.dump);
  const Names line = given_names(options);
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
  given.told.clear();
}

}  // namespace ropescope
