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

template <class List>
bool holds(const List& list, std::string_view name) {
  return std::find(std::begin(list), std::end(list), name) != std::end(list);
}

/// Returns the option with this name; null if there is none.
Arguments::Given* find_option(const CheckArguments& given, std::string_view name) {
  const auto found = std::ranges::find(*given.options, name, &Arguments::Given::name);
  return found == given.options->end() ? nullptr : &*found;
}

/// Returns the text of an option of the command line or the dump; null if it is not given.
const std::string* find_text(const CheckArguments& given, std::string_view name) {
  const Arguments::Given* option = find_option(given, name);
  return option && *option->text ? &**option->text : nullptr;
}

/// Returns the name of the first option that is given; empty if there is none.
std::string first_given(const CheckArguments& given, CheckStage stage) {
  for (const Arguments::Given& option : *given.options) {
    if (*option.text && option.stage == stage) return option.name;
  }
  return {};
}

std::string first_layout_option(const CheckArguments& given) {
  const std::string first = first_given(given, kLayoutStage);
  return first.empty() && given.layout.fit ? "--fit" : first;
}

bool has_size(const CheckArguments& given) {
  return find_text(given, "--size") || find_text(given, "--grid");
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

/// Options of a layout that are not declared in its stage.
constexpr const char* kNumbersOfBoth[] = {"--head-dim", "--base", "--head", "--max-frequency", "--diffusion-time"};
constexpr const char* kWordsOfBoth[] = {"--pairing", "--scaling"};

/// Returns a rotary embedding's option that layouts do not have; empty if none is given.
Message rope_option_in(const CheckArguments& given) {
  if (given.rope.model) return verbatim("--model");
  for (const char* name : {"--profile", "--dim", "--ladder", "--rotary-fraction", "--positions", "--length"}) {
    if (find_text(given, name)) return verbatim(name);
  }
  const auto is_extension = [](const Arguments::Given& option) {
    const bool both = holds(kNumbersOfBoth, option.name) || holds(kWordsOfBoth, option.name);
    return *option.text && option.stage == kRopeStage && !both;
  };
  return std::ranges::any_of(*given.options, is_extension) ? Message("error.command.extension_option") : Message();
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
  if (has_size(given)) {
    return rope.config_text ? parse_layout_config(*rope.config_text, *rope.config).layout
                            : require_layout_config(*rope.config).layout;
  }
  const Given images = has_tokens(given) ? layout_of_images(rope) : std::nullopt;
  if (images) throw InputError(*given.rope.config, "command.image_size", {{"layout", *images}});
  return std::nullopt;
}

CheckReference layout_reference(CheckArguments& given, const std::string& name, CheckInputs& inputs) {
  if (const Message option = rope_option_in(given); !option.empty()) {
    throw InputError("command.not_of_layout", {{"option", option}, {"layout", name}});
  }
  const Layout& layout = find_layout(name);
  LayoutOptions& options = given.layout;
  options.name = name;
  options.config = given.rope.config;
  options.config_text = given.rope.config_text;
  Arguments::take(given.options, kLayoutStage);
  for (const char* option : kNumbersOfBoth) {
    if (const std::string* text = find_text(given, option)) field_into(options, option)(option, *text);
  }
  if (const std::string* text = find_text(given, "--scaling")) scaling_into(options)("--scaling", *text);
  // Half split over the channels of each axis: RoPE2D of CroCo, DUSt3R and VGGT.
  const std::string* pairing = find_text(given, "--pairing");
  const bool by_axis = pairing && *pairing == "axis-half";
  if (pairing) {
    const Pairing value = by_axis ? Pairing::half_split : read_choice<Pairing>("--pairing", *pairing);
    (takes(layout, "pairing") && !by_axis ? options.pairing : inputs.pairing) = value;
  }
  CheckReference reference = reference_from_layout(layout, layout_request(options));
  if (by_axis) reference.tokens.pairing = Pairing::half_split, reference.tokens.halves_by_axis = true;
  return reference;
}

/// Parses "A:B", rows A to B − 1.
std::pair<std::int64_t, std::int64_t> parse_rows(const std::string& text) {
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

/// Returns the options that make the embedding another one than a model's profile at some length.
RopeOptions changes_of_model(RopeOptions options) {
  options.config.reset(), options.config_text.reset(), options.given.reset();
  options.model.reset(), options.profile.reset(), options.length.reset();
  return options;
}

/// Adds the model's other information; its other profiles only if this one is unchanged.
void add_profiles(const RopeOptions& options, const Rope& rope, CheckReference& reference) {
  ModelConfig model;
  if (options.config) {
    model = options.config_text ? parse_model_config(*options.config_text, *options.config)
                                : load_model_config(*options.config);
  } else {
    model.model_type = *options.model;
    model.profiles = profiles_of(options);
  }
  if (changes_of_model(options) != RopeOptions()) model.profiles = {rope.profile};
  reference.profile_was_requested = options.profile.has_value();
  take_model(model.profiles, model.model_type, rope.profile, reference);
}

/// Removes a pairing and a head that one of the model's profiles already has, because they change nothing. All other
/// options are kept.
RopeOptions remove_redundant_options(const RopeOptions& options) {
  const RopeOptions changes = changes_of_model(options);
  RopeOptions others = changes;
  others.pairing.reset(), others.head_dim.reset();
  const bool of_model = options.config || options.model;
  if (!of_model || options.profile || changes == RopeOptions() || others != RopeOptions()) return options;
  RopeOptions plain;
  plain.config = options.config, plain.config_text = options.config_text;
  plain.model = options.model, plain.length = options.length;
  const std::vector<Profile> profiles =
      plain.config_text ? parse_model_config(*plain.config_text, *plain.config).profiles : profiles_of(plain);
  for (const Profile& profile : profiles) {
    RopeOptions one = options;
    one.profile = profile.name;
    if (resolve_rope(one).profile.spec == profile.spec) return plain;
  }
  return options;
}

CheckReference rope_reference(const CheckArguments& given, Message::List& notes) {
  if (const std::string option = first_layout_option(given); !option.empty()) {
    throw InputError("command.no_layout", {{"option", option}});
  }
  Arguments::take(given.options, kRopeStage);
  const RopeOptions options = remove_redundant_options(given.rope);
  const Rope rope = resolve_rope(options);
  require_known_extension(options, rope);
  if (options.config) notes = notes_limiting_verdict(rope.profile);
  if (options.model && has_tokens(given) && is_of_images(rope.profile)) {
    throw InputError("command.preset_of_images", {{"model", *options.model}});
  }
  std::optional<std::vector<double>> positions;
  if (given.positions) positions = read_positions(*given.positions, "--positions");
  if (positions && given.rows) {
    // Positions with the length of the chosen rows belong to these rows.
    const auto [first, end] = *given.rows;
    if (static_cast<std::int64_t>(positions->size()) == end - first) {
      positions->insert(positions->begin(), static_cast<std::size_t>(first), 0.0);
    }
  }
  CheckReference reference = reference_from_rope(rope.profile.spec, rope.length, std::move(positions));
  if (options.config || options.model) add_profiles(options, rope, reference);
  // A config embedded in a dump is never a GGUF file.
  reference.is_gguf = options.config && !options.config_text && is_gguf(*options.config);
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
  const std::string of_layout = given.layout_name ? "--layout" : first_layout_option(given);
  Message other = of_layout.empty() ? Message() : verbatim(of_layout);
  const bool of_rope = given.rope != RopeOptions() || !first_given(given, kRopeStage).empty();
  if (other.empty() && of_rope) other = Message("error.command.a_rope");
  for (const char* name :
       {"--positions", "--ids", "--table", "--frequencies", "--before", "--after", "--part", "--rows", "--q-layout"}) {
    if (other.empty() && find_text(given, name)) other = verbatim(name);
  }
  if (!other.empty()) throw InputError("command.against_with", {{"other", other}});
  const auto& tensors = given.tensors;
  if (!tensors[CheckRole::cosine] || !tensors[CheckRole::sine]) throw InputError("command.against_alone", {});
  return reference_from_tables(*open(tensors[CheckRole::against_cosine]), *open(tensors[CheckRole::against_sine]));
}

/// Returns the layout of a vision tower whose rows and columns each have a plain ladder; otherwise nullopt.
std::optional<Rope> grid_tower(const CheckArguments& given) {
  if (!given.rope.config || !given.rope.profile || given.layout_name || !has_tokens(given)) return std::nullopt;
  Arguments::take(given.options, kRopeStage);
  Rope rope = resolve_rope(given.rope);
  const std::vector<RotaryAxis>& axes = rope.profile.spec.axes;
  const bool plain = axes.size() == 2 && axes[0].name == "row" && axes[1].name == "column" &&
                     axes[0].ladder == Ladder::plain && axes[1].ladder == Ladder::plain;
  return rope.profile.name == "vision" && plain ? std::optional(std::move(rope)) : std::nullopt;
}

CheckReference tower_reference(CheckArguments& given, const Rope& rope, Message::List& notes) {
  if (!has_size(given)) throw InputError(*given.rope.config, "command.tower_size", {});
  given.layout.name = "custom";
  Arguments::take(given.options, kLayoutStage);
  LayoutRequest request = option_request(given.layout);
  for (const RotaryAxis& axis : rope.profile.spec.axes) request.axes.push_back({axis.name, axis.rotary_dim, axis.base});
  request.pairing = rope.profile.spec.pairing;
  if (!request.patch) request.patch = rope.profile.patch;
  request.numbers["merge"] = rope.profile.merge;
  notes = notes_limiting_verdict(rope.profile);
  return reference_from_layout(find_layout("custom"), request);
}

CheckReference reference_of(CheckArguments& given, const Opener& open, CheckRequest& request) {
  if (given.tensors[CheckRole::against_cosine] || given.tensors[CheckRole::against_sine])
    return dump_reference(given, open);
  if (const auto tower = grid_tower(given)) return tower_reference(given, *tower, request.notes);
  const Given layout = layout_name_of(given);
  return layout ? layout_reference(given, *layout, request.inputs) : rope_reference(given, request.notes);
}

/// Parses the names of causes that --allow accepts.
std::vector<std::string> parse_allowed(const std::string& text) {
  std::vector<std::string> names = split(text, ',');
  const std::vector<std::string_view> known = causes_with_allow_option();
  for (const std::string& name : names) {
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      throw InputError("command.allow", {{"found", in_quotes(text)}, {"causes", joined(known)}});
    }
  }
  return names;
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
  inputs.part = given.part;
  inputs.rows = given.rows;
  inputs.head_order = given.head_order;
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

/// Returns the names of the options, without dashes: of all, or of those on the command line.
Names list_names(const CheckArguments& given, bool all) {
  Names names;
  for (const Arguments::Given& option : *given.options) {
    if ((all || *option.text) && option.name.starts_with("--")) names.insert(option.name.substr(2));
  }
  return names;
}

/// Returns the options that a file may give.
std::vector<std::string> known_options(const CheckArguments& given) {
  std::vector<std::string> names(std::begin(kReferenceOptions), std::end(kReferenceOptions));
  for (const std::string& name : list_names(given, true)) {
    if (!holds(kNamesOfFiles, name) && !holds(kDumpRoles, name) && !holds(kOfTheChecker, name) && !holds(names, name))
      names.push_back(name);
  }
  return names;
}

/// Gives an option the text that the file has for it.
void give(const CheckArguments& given, const std::string& name, const std::string& text) {
  find_option(given, "--" + name)->text = std::make_shared<std::optional<std::string>>(text);
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
void take_options(const DumpNotes& notes, const Names& line, bool other, CheckArguments& given) {
  const std::string& path = *given.dump;
  if (notes.config && !other && !is_put_away("config", line)) {
    given.rope.config = path + ": ropescope.config";
    given.rope.config_text = notes.config;
  }
  const bool has_references = line.contains("reference") || line.contains("reference-grid");
  const std::vector<std::string> known = known_options(given);
  for (const auto& [name, values] : notes.options) {
    // A flag, which is not among the options with values.
    if (name == "fit") {
      if (!other && !is_put_away("size", line)) given.layout.fit = joined(values, ",") == "true";
      continue;
    }
    require_known(name, known, path);
    if (is_put_away(name, line) || (other && !holds(kOfTensors, name))) continue;
    if (!holds(kReferenceOptions, name)) {
      give(given, name, joined(values, ","));
    } else if (!has_references) {
      for (const std::string& value : values) {
        given.options->push_back({"--" + name, std::make_shared<std::optional<std::string>>(value),
                                  reference_into(given.layout), kLayoutStage});
      }
    } else {
      continue;
    }
    given.reference_options +=
        (given.reference_options.empty() ? "--" : " --") + name + " " + in_quotes(joined(values, ","));
  }
}

/// Adds tensors that the command line does not give. `two_dumps`: only cos and sin are compared.
void take_tensors(SelfDescribingDump dump, const Names& line, bool two_dumps, const CheckArguments& given) {
  if (find_text(given, "--layout") || has_size(given)) take_positions_as_ids(dump);
  const auto is_table = [](std::string_view role) { return role == "cos" || role == "sin"; };
  for (const auto& [role, argument] : dump.roles) {
    const bool other_kind = is_table(role) ? line.contains("table") : role == "table" && line.contains("cos");
    if (line.contains(role) || other_kind || (two_dumps && !is_table(role))) continue;
    give(given, role, argument);
  }
}

}  // namespace

void add_check_options(Arguments& arguments, CheckArguments& given) {
  arguments.option("FILE", "", given.dump);
  arguments.option("--layout", "NAME", given.layout_name);
  arguments.stage(kLayoutStage);
  add_layout_only_options(arguments, given.layout);
  arguments.stage(kTextStage);
  add_rope_options(arguments, given.rope, kRopeStage);
  arguments.option("--positions", "LIST|F", given.positions);
  for (const CheckRole role : kTensorOptions) {
    arguments.option(option_of(role), "F[:tensor]", given.tensors[role]);
  }
  arguments.option("--part", "PART", given.part);
  arguments.stage(kRowStage);
  arguments.option("--rows", "A:B", parsed_into(given.rows, parse_rows));
  // Only a layout has a head, which layout_reference() reads.
  arguments.option("--head", "H", Arguments::Take([](const std::string&, const std::string&) {}));
  arguments.option("--q-layout", "thd|htd", parsed_into(given.head_order, parse_head_order));
  arguments.option("--allow", "sign", parsed_into(given.allow, parse_allowed));
  arguments.stage(kTextStage);
  arguments.flag("--strict", given.strict);
  arguments.option("--against-cos", "F[:tensor]", given.tensors[CheckRole::against_cosine]);
  arguments.option("--against-sin", "F[:tensor]", given.tensors[CheckRole::against_sine]);
  given.options = arguments.release();
}

void CheckRequest::check_unchanged() const {
  for (const auto& file : files) file->check_unchanged();
}

CheckRequest check_request(CheckArguments& given) {
  settle_source(given.rope);
  // The preset of an image model defines a layout, as a config does.
  const bool images = given.rope.model && !given.layout_name && has_tokens(given) && has_size(given) &&
                      resolve_model(*given.rope.model).exists && load_layout_config(*given.rope.model);
  if (images) given.rope.config = std::exchange(given.rope.model, std::nullopt);
  CheckRequest request;
  const Opener open{request.files};
  try {
    Arguments::take(given.options, kRowStage);
    request.reference = reference_of(given, open, request);
  } catch (const InputError& error) {
    if (given.reference_options.empty()) throw;
    throw InputError::within(Message("dump_notes.told", {{"file", *given.dump}, {"options", given.reference_options}}),
                             error);
  }
  CheckReference& reference = request.reference;
  reference.allowed.insert(given.allow.begin(), given.allow.end());
  // If the numbers are not a released model's, all possible causes are allowed.
  const std::vector<std::string_view> known = causes_with_allow_option();
  if (reference.rope && !given.rope.model && !given.rope.config) reference.allowed.insert(known.begin(), known.end());
  request.reference.strict = given.strict;
  read_inputs(given, open, request.inputs);
  unpack_all(given, request);
  return request;
}

void take_dump(CheckArguments& given) {
  if (!given.dump) return;
  SelfDescribingDump dump = read_self_describing_dump(*given.dump);
  const Names line = list_names(given, false);
  // The command line stays as it is: a dump that is watched is taken again.
  given.options = std::make_shared<std::vector<Arguments::Given>>(*given.options);
  const bool two_dumps = line.contains("against-cos") || line.contains("against-sin");
  const bool other = two_dumps || line.contains("layout") || line.contains("model") || line.contains("dim");
  if (!two_dumps) take_options(dump.notes, line, other, given);
  take_tensors(std::move(dump), line, two_dumps, given);
  Arguments::take(given.options, kTextStage);
}

}  // namespace ropescope
