// Runs a check for the store, creates cards from its report, and handles clicks.
//
// Contents: Computed; Cards; View.

#include "app/views/check/view.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <iterator>
#include <map>
#include <utility>
#include <variant>

#include "app/figure/figure.h"
#include "app/resources/files.h"
#include "app/resources/models.h"
#include "app/views/check/drop.h"
#include "app/views/check/report.h"
#include "app/views/shared/cards.h"
#include "app/views/shared/figures.h"
#include "app/views/shared/layouts.h"
#include "app/views/shared/messages.h"
#include "app/views/shared/ropes.h"
#include "core/check/phrases.h"
#include "core/formats/models.h"
#include "core/formats/programs/check_fix.h"
#include "core/formats/tensor_file.h"
#include "core/message.h"

namespace ropescope {

// --- Computed ------------------------------------------------------------------------------------------------------

namespace {

/// Smaller files are copied, so later changes to them do not affect the display.
constexpr std::size_t kCopied = std::size_t{32} << 20;

std::optional<StoredTensor>& tensor_of(CheckOutcome& outcome, CheckRole role) {
  if (const auto input = input_of(role)) return outcome.inputs.*input;
  return role == CheckRole::against_cosine ? outcome.reference.cosine : outcome.reference.sine;
}

/// Returns whether a tensor of this role is used: two dumps are compared by cos and sin only, and only then are there
/// roles of a second dump.
bool counts(CheckRole role, const CheckFields& fields) {
  if (fields.against != CheckAgainst::dump) return !is_against(role);
  return is_against(role) || role == CheckRole::cosine || role == CheckRole::sine;
}

/// Returns the tensor with a copy of its bytes if they are few.
StoredTensor kept(StoredTensor tensor, CheckOutcome& outcome) {
  const auto bytes = std::make_shared<const std::vector<std::byte>>(tensor.bytes.begin(), tensor.bytes.end());
  outcome.copied += bytes->size();
  tensor.bytes = *bytes;
  tensor.owner = bytes;
  return tensor;
}

using OpenFiles = std::map<std::string, std::shared_ptr<const MappedFile>>;

/// Opens one tensor of the check; small files are copied.
StoredTensor open_one(const std::string& argument, OpenFiles& open, const TensorReading& reading,
                      CheckOutcome& outcome) {
  const TensorArgument named = read_tensor_argument(argument);
  std::shared_ptr<const MappedFile>& file = open[named.path];
  if (!file) file = map_file(named.path);
  StoredTensor tensor = open_tensor(file->bytes(), file, named.path, named.name, reading);
  const bool in_file = tensor.owner == file;
  if (in_file && file->bytes().size() <= kCopied) return kept(std::move(tensor), outcome);
  if (!in_file && !reading.declared) outcome.copied += tensor.bytes.size();
  return tensor;
}

/// A tensor as named, and the current state of its file.
struct CheckFile {
  std::string argument;  ///< "FILE" or "FILE:TENSOR"; empty: not set
  FileStamp stamp;
  bool operator==(const CheckFile&) const = default;
};

/// The complete input of a check.
struct CheckQuestion {
  CheckAgainst against = CheckAgainst::layout;
  LayoutFields layout;       ///< fields that arrange a layout
  RopeFields rope;           ///< for a rope: without its label
  std::string positions;     ///< a list, or "FILE" or "FILE:TENSOR"
  FileStamp positions_file;  ///< current state of that file
  ByRole<CheckFile> files;
  CheckPart part = CheckPart::all;
  CheckPairing pairing = CheckPairing::model;
  HeadOrder head_order = HeadOrder::automatic;
  bool allow_sign = false;
  bool released = true;  ///< weights were trained with the reference: false for user-defined ropes
  bool operator==(const CheckQuestion&) const = default;
  bool has(CheckRole role) const { return !files[role].argument.empty(); }
  /// Returns whether the user's tensors are set; when two dumps are compared, all four tables.
  bool has_files() const {
    if (against == CheckAgainst::dump) {
      return has(CheckRole::cosine) && has(CheckRole::sine) && has(CheckRole::against_cosine) &&
             has(CheckRole::against_sine);
    }
    return std::any_of(files.begin(), files.end(), [](const CheckFile& file) { return !file.argument.empty(); });
  }
};

/// Opens the tensors. Arrays are unpacked only if their shapes match the reference.
void load_tensors(const CheckQuestion& question, const std::stop_token& stop, CheckOutcome& outcome) {
  OpenFiles open;
  for (const auto& [role, name, offer] : kCheckRoles) {
    const std::string& argument = question.files[role].argument;
    if (!argument.empty()) tensor_of(outcome, role) = open_one(argument, open, {true, stop}, outcome);
  }
  require_shapes(outcome.reference, outcome.inputs);
  for (const auto& [role, name, offer] : kCheckRoles) {
    std::optional<StoredTensor>& tensor = tensor_of(outcome, role);
    if (question.files[role].argument.empty() || !is_declared_only(*tensor)) continue;
    tensor = open_one(question.files[role].argument, open, {false, stop}, outcome);
  }
  for (const auto& [path, file] : open) {
    file->check_unchanged();
    if (file->bytes().size() > kCopied) outcome.files.push_back(file);
  }
}

/// Sets the causes that the weights were trained with: those stated, and for a user-defined rope all possible ones.
void read_allowed(const CheckQuestion& question, CheckReference& reference) {
  if (question.allow_sign) reference.allowed.insert("sign");
  if (question.released) return;
  const std::vector<std::string_view> all = causes_with_allow_option();
  reference.allowed.insert(all.begin(), all.end());
}

/// Returns the model that a rope was read from; nullopt if there is none or it is missing, as the rope is complete.
std::optional<ModelConfig> find_rope_model(const RopeFields& rope) {
  try {
    if (!rope.config.empty()) return load_model_config(rope.config);
    if (!rope.model.empty()) return ModelConfig{rope.model, load_preset(find_places().assets, rope.model).profiles};
  } catch (const InputError&) {
    // Its numbers are judged anyway.
  }
  return std::nullopt;
}

/// Adds the model's other information if the rope is unchanged; its first profile is used unless one is selected.
/// `notes` gets what a verdict requires from the config.
void add_profiles(const RopeFields& rope, CheckReference& reference, Message::List& notes) {
  const std::optional<ModelConfig> model = find_rope_model(rope);
  if (!model) return;
  const auto own = std::find_if(model->profiles.begin(), model->profiles.end(),
                                [&](const Profile& profile) { return profile.name == rope.profile; });
  if (own == model->profiles.end()) return;
  const CheckReference unchanged = reference_from_rope(own->spec, reference.length);
  const bool same = unchanged.tokens.frequencies == reference.tokens.frequencies &&
                    unchanged.tokens.pairing == reference.tokens.pairing && unchanged.amplitude == reference.amplitude;
  if (!same) return;
  require_known_extension(*own, rope.config);
  if (!rope.config.empty()) notes = notes_limiting_verdict(*own);
  reference.profile_was_requested = own != model->profiles.begin();
  take_model(model->profiles, model->model_type, *own, reference);
}

/// Returns the reference: a layout or a rope.
CheckReference reference_of(const CheckQuestion& question, Message::List& notes) {
  if (question.against == CheckAgainst::layout) {
    return reference_from_layout(find_layout(question.layout.name), request_of(question.layout));
  }
  std::optional<std::vector<double>> positions;
  if (question.positions.find_first_not_of(' ') != std::string::npos) {
    positions = read_positions(question.positions, "check.positions");
  }
  const double length = question.rope.scaling.length;
  CheckReference reference = reference_from_rope(
      spec_of(question.rope), length > 0 ? std::optional(length) : std::nullopt, std::move(positions));
  reference.is_gguf = !question.rope.config.empty() && is_gguf(question.rope.config);
  add_profiles(question.rope, reference, notes);
  return reference;
}

/// Returns the current state of a tensor's file.
FileStamp stamp_of_tensor(const std::string& argument) {
  FileStamp stamp;
  stamp.path = argument;
  try {
    stamp = stamp_of(read_tensor_argument(argument).path);
  } catch (const InputError&) {
    // The code that reads it reports the error.
  }
  return stamp;
}

void read_choices(const CheckQuestion& question, CheckInputs& inputs) {
  if (question.pairing == CheckPairing::interleaved) inputs.pairing = Pairing::interleaved;
  if (question.pairing == CheckPairing::half) inputs.pairing = Pairing::half_split;
  inputs.head_order = question.head_order;
  inputs.part = word_of(question.part);
}

/// Returns the check's input from the experiment. It includes file states, so a changed file gives a different input.
CheckQuestion question_of(const Experiment& experiment) {
  const CheckFields& fields = experiment.check;
  CheckQuestion question;
  question.against = fields.against;
  question.allow_sign = fields.allow_sign;
  if (fields.against == CheckAgainst::layout) question.layout = LayoutToArrange(experiment.layout).fields;
  if (fields.against == CheckAgainst::rope) {
    question.rope = turning(experiment.rope);
    // Its other profiles, and the notes for a verdict, come from the original file.
    question.rope.config = experiment.rope.config;
    question.rope.model = experiment.rope.model;
    question.rope.profile = experiment.rope.profile;
    question.released = !experiment.rope.model.empty() || !experiment.rope.config.empty();
    question.positions = fields.positions;
    if (names_positions_file(fields.positions))
      question.positions_file = stamp_of_tensor(positions_source(fields.positions));
  }
  for (const auto& [role, name, offer] : kCheckRoles) {
    const std::string& argument = fields.files[role];
    if (argument.empty() || !counts(role, fields)) continue;
    question.files[role] = {argument, stamp_of_tensor(argument)};
  }
  // Other references have tokens of one part.
  question.part = fields.against == CheckAgainst::layout ? fields.part : CheckPart::all;
  if (fields.against == CheckAgainst::dump) return question;
  question.pairing = fields.pairing;
  question.head_order = fields.head_order;
  return question;
}

/// Returns the files of the input, without duplicates.
std::vector<FileStamp> files_of(const CheckQuestion& question) {
  std::vector<FileStamp> files;
  const auto add = [&files](const FileStamp& stamp) {
    const bool known = std::find(files.begin(), files.end(), stamp) != files.end();
    if (!stamp.path.empty() && !known) files.push_back(stamp);
  };
  for (const CheckFile& file : question.files) add(file.stamp);
  add(question.positions_file);
  return files;
}

/// Runs the check. Throws InputError if an input cannot be read.
std::shared_ptr<const CheckOutcome> check_outcome(const CheckQuestion& question, const Work& work) {
  const auto start = std::chrono::steady_clock::now();
  auto result = std::make_shared<CheckOutcome>();
  const bool dump = question.against == CheckAgainst::dump;
  Message::List notes;
  if (!dump) result->reference = reference_of(question, notes);
  read_allowed(question, result->reference);
  read_choices(question, result->inputs);
  load_tensors(question, work.stop, *result);
  if (dump) result->reference = make_modelled_reference(result->reference, result->inputs);
  result->report = check(result->reference, result->inputs, check_options(work));
  result->reference = CheckReference(find_reported_reference(result->reference, result->report));
  result->report.notes.insert(result->report.notes.end(), notes.begin(), notes.end());
  if (work.stopped() || result->report.cancelled) return nullptr;
  result->check_unchanged();
  result->seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return result;
}

// --- Cards ---------------------------------------------------------------------------------------------------------

constexpr double kVerdictWidth = 1.4;

std::string in_sentences(const std::vector<std::string>& sentences, const Text& text) {
  std::string all;
  for (const std::string& next : sentences) {
    all = all.empty() ? next : text.format("list.sentences", {{"first", all}, {"second", next}});
  }
  return all;
}

/// Returns the display name of a parameter; parameters of a context extension are spelled as in configs.
Message parameter_words(const std::string& name, const Text& text) {
  const std::string key = "check.parameter." + name;
  return text.has(key) ? Message(key) : verbatim(name);
}

NamedValues::One value_of(const CheckParameter& parameter) {
  NamedValues::One one;
  if (const auto* word = std::get_if<Message>(&parameter.value)) one.word = *word;
  if (const auto* value = std::get_if<double>(&parameter.value)) one.numbers = {with_digits(*value, 7)};
  if (const auto* values = std::get_if<std::vector<double>>(&parameter.value)) {
    for (const double value : *values) one.numbers.push_back(with_digits(value, 5));
    // A list of one number is also shown as a list.
    one.list = true;
  }
  return one;
}

ReadoutValue residuals_of(const CheckCause& cause) {
  return Quantity{with_digits(cause.residual_before, 3), "", "readout.check_cause.residual",
                  with_digits(cause.residual_after, 2)};
}

/// Returns "500 000" for one parameter, "factor 4 · beta_fast 32" for several, the residual for none.
ReadoutValue value_of(const CheckCause& cause, const Text& text) {
  if (is_unknown(cause)) return Quantity{with_digits(cause.residual_before, 3)};
  if (cause.parameters.empty()) return residuals_of(cause);
  if (cause.parameters.size() == 1) {
    const CheckParameter& parameter = cause.parameters.front();
    if (const auto* value = std::get_if<double>(&parameter.value)) return Quantity{with_digits(*value, 7)};
    if (const auto* word = std::get_if<Message>(&parameter.value)) return *word;
    return NamedValues{{value_of(parameter)}};
  }
  NamedValues values;
  for (const CheckParameter& parameter : cause.parameters) {
    values.list.push_back(value_of(parameter));
    values.list.back().name = parameter.name;
    values.list.back().label = parameter_words(parameter.name, text);
  }
  return values;
}

std::string turn_text(const CheckReach& reach, const Text& text) {
  const ReportRows rows = reach_rows(reach, text);
  return text.format("readout.check_reach.turn",
                     {{"axis", row_named(rows, "axis").card}, {"turn", row_named(rows, "slowest_turn").card}});
}

Readout reach_readout(const CheckReport& report, const Text& text) {
  NamedValues values;
  for (const CheckReach& reach : report.reach) {
    values.list.push_back({.name = reach.axis,
                           .label = verbatim(axis_word(reach.axis, text)),
                           .numbers = {with_digits(reach.smallest, 5), with_digits(reach.largest, 5)},
                           .range = true});
  }
  Readout readout = start_card("check.reach", text, "check_reach");
  readout.value = values;
  readout.note = text["readout.check_reach.note"];
  readout.tooltip = joined(report.reach, "\n", [&](const CheckReach& reach) { return turn_text(reach, text); }) + "\n" +
                    text["readout.check_reach.tooltip"];
  return readout;
}

/// Returns the names of the errors, without harmless causes.
std::vector<std::string> fault_names(const CheckReport& report) {
  std::vector<std::string> names;
  for (const CheckCause& cause : report.causes) {
    if (!cause.harmless) names.push_back(cause.name);
  }
  return names;
}

/// Returns the key of a card's button that applies a cause, for act_on_check.
std::string apply_key(const std::string& cause) {
  return "apply:" + cause;
}

CardAction action_of(const std::string& cause, const std::string& applied, const Text& text) {
  const bool on = cause == applied;
  return {apply_key(cause),
          text[on                    ? "readout.check_cause.take_back"
               : cause == kAllCauses ? "readout.check_cause.apply_all"
                                     : "readout.check_cause.apply"],
          on};
}

std::string evidence_words(const CheckReport& report, const Text& text) {
  return text.format("readout.check_verdict.evidence",
                     {{"tokens", counted(report.evidence.tokens)}, {"pairs", counted(report.evidence.pairs)}});
}

std::string title_of_cause(const CheckCause& cause, const Text& text) {
  const std::string name = cause_words(cause.name, text);
  return cause.harmless ? text.format("readout.check_cause.harmless", {{"cause", name}}) : name;
}

Readout check_verdict_readout(const CheckReport& report, const std::string& applied, const Text& text) {
  const std::vector<std::string> names = fault_names(report);
  Readout readout = start_card("check.verdict", text, "check_verdict");
  readout.width_share = kVerdictWidth;
  if (report.verdict != Verdict::disagrees || names.empty()) {
    readout.value = Message(std::string("readout.check_verdict.") + verdict_words(report.verdict).key);
  } else if (names.size() == 1) {
    readout.value = Message("readout.check_verdict.because", {{"cause", cause_words(names[0], text)}});
  } else {
    // Each has its own card; their names would not fit.
    readout.value = Message("readout.check_verdict.because_of_several", {{"count", names.size()}});
  }
  std::vector<std::string> sentences;
  for (const Message& note : report.notes) sentences.push_back(text.render(note));
  if (report.verdict == Verdict::no_evidence) {
    sentences.insert(sentences.begin(), text["readout.check_verdict.what_to_do"]);
  } else if (sentences.empty()) {
    sentences.push_back(
        text[report.verdict == Verdict::agrees ? "readout.check_verdict.all_within" : "readout.check_verdict.see_map"]);
  }
  readout.note = in_sentences(sentences, text);
  readout.tooltip = evidence_words(report, text) + "\n" + text["readout.check_verdict.tooltip"];
  if (names.size() > 1 && report.explained) readout.action = action_of(kAllCauses, applied, text);
  return readout;
}

Readout cause_readout(const CheckCause& cause, const std::string& applied, const Text& text) {
  Readout readout;
  readout.name = "check.cause." + cause.name;
  readout.label = title_of_cause(cause, text);
  const bool unknown = is_unknown(cause);
  readout.value = value_of(cause, text);
  std::vector<std::string> sentences;
  if (!cause.parameters.empty()) {
    sentences.push_back(
        text.format("readout.check_cause.remains", {{"residual", value_text(residuals_of(cause), text)}}));
  }
  if (!cause.advice.empty()) sentences.push_back(text.render(cause.advice));
  readout.note = in_sentences(sentences, text);
  std::vector<std::string> lines{text.format("readout.check_cause.name", {{"name", cause.name}})};
  if (!cause.evidence.empty()) lines.push_back(text.render(cause.evidence));
  if (!cause.also.empty()) {
    std::vector<std::string> others;
    for (const std::string& other : cause.also) others.push_back(cause_words(other, text));
    lines.push_back(text.format("readout.check_cause.also", {{"causes", joined(others, text["list.between"])}}));
  }
  if (!unknown) {
    lines.push_back(
        text.format("readout.check_cause.confidence", {{"percent", readable_integer(100 * cause.confidence)}}));
  }
  if (!cause.seen_in.empty()) {
    lines.push_back(text.format("readout.check_cause.seen_in", {{"where", cause.seen_in}}));
  }
  readout.tooltip = joined(lines, "\n");
  if (cause.applied && !unknown) readout.action = action_of(cause.name, applied, text);
  return readout;
}

/// Returns what to write so that the numbers match the reference, by kind.
std::vector<Readout> fix_readouts(const CheckCause& cause, const CheckReference& reference, const Text& text) {
  std::vector<Readout> readouts;
  for (const FixRow& row : list_fixes(fix_of(cause, reference))) {
    Readout readout;
    readout.name = "check.cause." + cause.name + std::string(kWritePart) + row.card;
    readout.label = text[std::string("readout.check_fix.") + row.card];
    readout.value = verbatim(row.written);
    readout.aside = true;
    readouts.push_back(std::move(readout));
  }
  return readouts;
}

/// Returns the ratio of an input's difference to its tolerance.
double excess_of(const CheckedInput& input) {
  if (input.tolerance > 0) return input.largest_difference / input.tolerance;
  return input.largest_difference > 0 ? 1e300 : 0;
}

std::string input_text(const CheckedInput& input, const Text& text) {
  const ReportRows rows = input_rows(input, text);
  const auto card = [&rows](const char* name) { return row_named(rows, name).card; };
  return text.format("readout.check_largest." + card("agrees"), {{"which", card("input")},
                                                                 {"name", card("name")},
                                                                 {"understood", card("understood")},
                                                                 {"storage", card("storage")},
                                                                 {"difference", card("largest_difference")},
                                                                 {"tolerance", card("tolerance")}});
}

Readout check_largest_readout(const CheckReport& report, const Text& text) {
  Readout readout = start_card("check.largest", text, "check_largest");
  const auto worst =
      std::max_element(report.inputs.begin(), report.inputs.end(),
                       [](const CheckedInput& a, const CheckedInput& b) { return excess_of(a) < excess_of(b); });
  readout.value = Quantity{with_digits(worst->largest_difference, 3)};
  readout.note =
      text.format("readout.check_largest.note", {{"which", row_named(input_rows(*worst, text), "input").card},
                                                 {"place", on_card(place_rows(*worst, text), text)},
                                                 {"tolerance", tolerance_words(worst->tolerance, 2, text)}});
  readout.tooltip = joined(report.inputs, "\n", [&](const CheckedInput& input) { return input_text(input, text); });
  return readout;
}

// --- View ----------------------------------------------------------------------------------------------------------

constexpr double kLeftColumnShare = 0.56, kRight = 0.44;

Figure make_empty_check_map(const Experiment&, const Text&) {
  Figure figure = empty_figure("map", "token", "pair");
  figure.bare = true;
  return figure;
}

/// The current computation and its progress.
struct Working {
  bool checking = false, drawing = false;
  double fraction = 0;

  template <class Result>
  void wait_for(const Store::Answer<Result>& answer) {
    if (answer.current) return;
    drawing = true;
    if (!checking) fraction = std::max(fraction, answer.progress);
  }
  void mark(ViewResult& result, const Text& text) const {
    result.stale = checking || drawing;
    if (!result.stale) return;
    result.progress = fraction;
    const std::string percent = readable_integer(std::floor(100 * fraction));
    result.status = text.format(checking ? "view.check.checking" : "view.check.drawing", {{"percent", percent}});
    for (Panel& panel : result.panels) panel.figure.stale = true;
  }
};

void add_panels_check(const CheckShown& shown, ViewResult& result) {
  constexpr double kReport = 0.58, kRest = 0.42;
  const Figure map = check_map_figure(shown), profile = check_profile_figure(shown), pairs = check_pairs_figure(shown);
  const Figure report = check_report_figure(shown.outcome->report, shown.outcome->reference, shown.text);
  result.panels.push_back({report, kReport, false, kLeftColumnShare});
  result.panels.push_back({map, kReport, true, kRight});
  const Figure beside = shown.map->input.image ? check_image_figure(shown) : check_row_figure(shown);
  // Four panels in one row would be too narrow.
  const bool video = shown.map->over_frames != nullptr;
  const double rest = video ? kRest / 1.5 : kRest;
  result.panels.push_back({beside, rest, false});
  if (video) result.panels.push_back({check_frames_figure(shown), rest, true});
  result.panels.push_back({pairs, rest, !video});
  result.panels.push_back({profile, rest, true});
}

/// Draws the panels of tables, vectors or ids. If `fault` is null, something is shown.
ViewResult rows_result(const Experiment& experiment, const std::shared_ptr<const CheckOutcome>& outcome,
                       const Text& text, Store& store, Working& working) {
  const CheckFields& fields = experiment.check;
  const double cost = 1.1e6 + 2 * static_cast<double>(outcome->bytes());  // sizes are known only after reading
  CheckedRows wanted;
  wanted.outcome = outcome;
  wanted.applied = outcome->applied(fields.applied) ? fields.applied : std::string();
  wanted.by_tolerance = fields.measure == CheckMeasure::tolerance;
  wanted.image = image_of(*outcome, experiment.layout.frame, fields.token);
  const auto map = store.request<check_difference_map>({"check.map", cost, true}, wanted);
  working.wait_for(map);
  if (map.nothing()) return make_message_result(make_empty_check_map(experiment, text), {});
  if (!map.result) return make_error_result(make_empty_check_map(experiment, text), text.render(map.fault));
  // Until a map is ready, the last finished map is shown, with its own outcome and cause.
  CheckShown shown{fields,  text, map.result->input.outcome, map.result->input.applied, map.result, nullptr,
                   nullptr, {}};
  if (!shown.applied.empty()) {
    const CheckedRows plain{shown.outcome, {}, shown.map->input.by_tolerance, shown.map->input.image};
    const auto before = store.request<check_difference_map>({"check.before", cost, true}, plain);
    working.wait_for(before);
    if (before.current) shown.before = before.result;
  }
  if (fields.show != CheckShow::difference) {
    const CheckedRows values{shown.outcome, shown.applied, true, shown.map->input.image, shown.pair()};
    const auto answer = store.request<check_value_map>({"check.values", cost, true}, values);
    working.wait_for(answer);
    if (answer.current) {
      if (!answer.result) return make_error_result(make_empty_check_map(experiment, text), text.render(answer.fault));
      shown.values = answer.result;
    }
  }
  if (!shown.map->input.image) {
    shown.row = store.request<check_row>({"check.row", 1e5, true}, {shown.outcome, shown.applied, shown.token()});
  }
  ViewResult result;
  add_panels_check(shown, result);
  result.status = text.format(shown.of_ids() ? "view.check.status_ids" : "view.check.status",
                              {{"tokens", counted(shown.map->rows)},
                               {"pairs", counted(shown.map->pairs)},
                               {"time", readable_number(1e3 * shown.outcome->seconds, 2)}});
  return result;
}

/// Returns instructions if there is nothing to compare yet; for two dumps also the fields that are still empty.
std::string empty_words(const CheckQuestion& question, const Text& text) {
  if (question.against != CheckAgainst::dump) return text["view.check.empty"];
  std::string missing;
  bool any = false;
  for (const auto& [role, key] :
       {std::pair(CheckRole::cosine, "cos"), std::pair(CheckRole::sine, "sin"),
        std::pair(CheckRole::against_cosine, "against_cos"), std::pair(CheckRole::against_sine, "against_sin")}) {
    any = any || question.has(role);
    if (!question.has(role))
      missing += (missing.empty() ? "" : text["list.between"]) + text[std::string("view.check.role.") + key];
  }
  return any ? text.format("view.check.missing", {{"tables", missing}}) : text["view.check.empty_dump"];
}

ViewResult check_figures(const Experiment& experiment, const Text& text, Store& store) {
  const CheckFields& fields = experiment.check;
  const CheckQuestion question = question_of(experiment);
  if (!question.has_files()) {
    return hint_result(make_empty_check_map(experiment, text), empty_words(question, text));
  }
  double bytes = 0;
  for (const CheckFile& file : question.files) bytes += static_cast<double>(file.stamp.size);
  const auto answer = store.request<check_outcome>({"check", 2e6 + bytes, true}, question);
  Working working;
  working.checking = !answer.current;
  working.fraction = answer.current ? 0 : answer.progress;
  ViewResult result;
  if (answer.nothing()) {
    result = make_message_result(make_empty_check_map(experiment, text), {});
  } else if (const auto& outcome = answer.result; !outcome) {
    result = make_error_result(make_empty_check_map(experiment, text), text.render(answer.fault));
  } else {
    const std::string applied = outcome->applied(fields.applied) ? fields.applied : std::string();
    if (outcome->has_rows()) {
      result = rows_result(experiment, outcome, text, store, working);
    } else {
      result.panels.push_back({check_report_figure(outcome->report, outcome->reference, text), 0.5});
      result.panels.push_back({check_frequencies_figure(*outcome, applied, fields, text), 0.5});
      result.status =
          text.format("view.check.status_frequencies", {{"time", readable_number(1e3 * outcome->seconds, 2)}});
    }
    if (result.fault.empty()) result.readouts = check_readouts(outcome->report, outcome->reference, applied, text);
  }
  working.mark(result, text);
  return result;
}

void declare_check_fields(FieldList& list, Experiment& experiment) {
  declare_fields(list, experiment.check);
  if (experiment.check.against == CheckAgainst::rope) declare_fields(list, experiment.rope);
  if (experiment.check.against != CheckAgainst::layout) return;
  LayoutControls controls = controls_of(experiment.layout, false);
  controls.patches = false;
  declare_fields(list, experiment.layout, controls);
}

void react_check(Experiment& experiment, const FigureEvent& event) {
  CheckFields& fields = experiment.check;
  const auto counted = [](double at) { return std::max(1.0, std::round(at) + 1); };
  if (event.clicks("map") || event.clicks("profile")) fields.token = counted(event.x);
  if (event.clicks("map")) fields.pair = counted(event.y);
  if (event.clicks("pairs") || event.clicks("row")) fields.pair = counted(event.x);
  if (!event.clicks("image")) return;
  try {
    CheckOutcome outcome;
    outcome.reference = reference_from_layout(find_layout(experiment.layout.name), request_of(experiment.layout));
    outcome.inputs.part = word_of(fields.part);
    const auto image = image_of(outcome, experiment.layout.frame, fields.token);
    const auto token = image ? image->tiles.token_at(event.x, event.y) : std::nullopt;
    if (token) fields.token = static_cast<double>(image->first_row + *token + 1);
  } catch (const InputError&) {
    // In this case there are no patches.
  }
}

void act_on_check(Experiment& experiment, const std::string& key) {
  std::string& applied = experiment.check.applied;
  const std::string stem = apply_key("");
  if (key.rfind(stem, 0) != 0) return;
  const std::string cause = key.substr(stem.size());
  applied = applied == cause ? std::string() : cause;
}

void flip_check(Experiment& experiment, bool shift) {
  CheckShow& show = experiment.check.show;
  const bool leaves = show == CheckShow::mine || (show == CheckShow::difference && shift);
  show = leaves ? CheckShow::reference : CheckShow::mine;
}

std::vector<FileStamp> check_files(const Experiment& experiment) {
  return files_of(question_of(experiment));
}

std::string check_subject(const Experiment& experiment, const Text& text) {
  if (experiment.check.against == CheckAgainst::dump) return text["option.check.against.dump"];
  return experiment.check.against == CheckAgainst::rope ? std::string() : layout_subject(experiment, text);
}

}  // namespace

std::size_t CheckOutcome::bytes() const {
  std::size_t all = copied;
  for (const auto& file : files) all += file->bytes().size();
  return all;
}

bool CheckOutcome::has_rows() const {
  return inputs.cosine || inputs.table || inputs.after || inputs.ids;
}

const CheckModel* CheckOutcome::applied(const std::string& name) const {
  // If the tensors agree by the recurrence, all figures use it.
  const bool recurs = report.recurrence && report.verdict == Verdict::agrees;
  if (name == kAllCauses || (name.empty() && recurs)) return report.explained.get();
  if (name.empty()) return nullptr;
  const auto cause = std::find_if(report.causes.begin(), report.causes.end(),
                                  [&name](const CheckCause& each) { return each.name == name; });
  return cause == report.causes.end() ? nullptr : cause->applied.get();
}

void CheckOutcome::check_unchanged() const {
  for (const auto& file : files) file->check_unchanged();
}

CheckOptions check_options(const Work& work) {
  CheckOptions options;
  options.threads = work.threads;
  options.stop = work.stop;
  options.progress = [work](double fraction, const Message&) { work.tell(fraction); };
  return options;
}

Figure check_report_figure(const CheckReport& report, const CheckReference& reference, const Text& text) {
  constexpr std::size_t kMaxCauses = 3;
  Figure figure = named_figure("report");
  figure.bare = true;
  using Look = Paragraph::Look;
  const auto add = [&](Look look, const std::string& words, bool spare = false) {
    if (!words.empty()) figure.paragraphs.push_back({words, look, spare});
  };
  const Readout verdict = check_verdict_readout(report, {}, text);
  add(Look::title, value_text(verdict.value, text));
  const std::size_t faults = fault_names(report).size();
  Fix longest;
  for (std::size_t i = 0; i < report.causes.size() && i < kMaxCauses; ++i) {
    const CheckCause& cause = report.causes[i];
    if (faults != 1 || cause.harmless) add(Look::strong, title_of_cause(cause, text));
    add(Look::body, text.render(cause.evidence));
    if (!cause.advice.empty()) add(Look::strong, "→ " + text.render(cause.advice));
    const Fix fix = fix_of(cause, reference);
    if (!cause.harmless && fix.lines.size() > longest.lines.size()) longest = fix;
  }
  if (report.causes.empty()) {
    add(Look::body, evidence_words(report, text));
    if (report.verdict == Verdict::no_evidence) add(Look::strong, "→ " + text["readout.check_verdict.what_to_do"]);
  }
  // An unexplained difference has no separate lines that fix it, so the button copies the whole reference.
  const bool some = longest.lines.size() < longest.numpy.size();
  if (some) {
    add(Look::faint, text["view.check.lines"]);
    add(Look::code, longest.lines);
  } else if (!longest.numpy.empty()) {
    add(Look::faint, text["view.check.whole"], true);
  }
  figure.copies = longest.numpy;
  for (const Message& note : report.notes) add(Look::faint, text.render(note), true);
  return figure;
}

std::vector<Readout> check_readouts(const CheckReport& report, const CheckReference& reference,
                                    const std::string& applied, const Text& text) {
  constexpr std::size_t kMaxCauses = 3;  // shown of an explanation; harmless ones are last
  std::vector<Readout> readouts{check_verdict_readout(report, applied, text)};
  // The report contains it; the card is shown if all causes can be applied.
  readouts.front().aside = !readouts.front().action;
  for (std::size_t i = 0; i < report.causes.size() && i < kMaxCauses; ++i) {
    readouts.push_back(cause_readout(report.causes[i], applied, text));
    std::vector<Readout> fixes = fix_readouts(report.causes[i], reference, text);
    if (!fixes.empty()) readouts.back().tooltip += "\n" + text["readout.check_fix.press"];
    std::move(fixes.begin(), fixes.end(), std::back_inserter(readouts));
  }
  if (!report.inputs.empty()) readouts.push_back(check_largest_readout(report, text));
  if (report.verdict == Verdict::agrees && !report.reach.empty()) readouts.push_back(reach_readout(report, text));
  return readouts;
}

constinit const View kCheckView{
    .id = "check",
    .group = "engineer",
    .declare_fields = declare_check_fields,
    .figures = check_figures,
    .empty = make_empty_check_map,
    .react = react_check,
    .open = open_check,
    .opens = kTensorEndings,
    .compares_ropes = false,
    .subject = check_subject,
    .act = act_on_check,
    .flip = flip_check,
    .files = check_files,
    .shows_layout = [](const Experiment& experiment) { return experiment.check.against == CheckAgainst::layout; },
    .take_config = fill_layout};

}  // namespace ropescope
