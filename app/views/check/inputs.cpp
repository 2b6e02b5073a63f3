#include "app/views/check/inputs.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <utility>

#include "app/resources/files.h"
#include "app/resources/gguf_model.h"
#include "app/resources/models.h"
#include "app/views/check/positions.h"
#include "app/views/shared/layouts.h"
#include "app/views/shared/model_sides.h"
#include "core/check/report/report.h"
#include "core/error.h"
#include "core/formats/check_model.h"
#include "core/formats/tensor_file.h"

namespace ropescope {

namespace {

/// Smaller files are copied: nothing that happens to them then matters to what is on screen.
constexpr std::size_t kCopied = std::size_t{32} << 20;

std::optional<StoredTensor>& tensor_of(CheckOutcome& outcome, CheckRole role) {
  switch (role) {
    case CheckRole::cosine:
      return outcome.inputs.cosine;
    case CheckRole::sine:
      return outcome.inputs.sine;
    case CheckRole::table:
      return outcome.inputs.table;
    case CheckRole::before:
      return outcome.inputs.before;
    case CheckRole::after:
      return outcome.inputs.after;
    case CheckRole::ids:
      return outcome.inputs.ids;
    case CheckRole::frequencies:
      return outcome.inputs.frequencies;
    case CheckRole::against_cosine:
      return outcome.reference.cosine;
    case CheckRole::against_sine:
      break;
  }
  return outcome.reference.sine;
}

bool is_against(CheckRole role) {
  return role == CheckRole::against_cosine || role == CheckRole::against_sine;
}

/// Of two dumps cos and sin are compared; nothing else has two.
bool counts(CheckRole role, const CheckKnobs& knobs) {
  if (knobs.against != "dump") return !is_against(role);
  return is_against(role) || role == CheckRole::cosine || role == CheckRole::sine;
}

/// The tensor with a copy of its bytes, if they are few.
StoredTensor kept(StoredTensor tensor, CheckOutcome& outcome) {
  const auto bytes = std::make_shared<const std::vector<std::byte>>(tensor.bytes.begin(), tensor.bytes.end());
  outcome.copied += bytes->size();
  tensor.bytes = *bytes;
  tensor.owner = bytes;
  return tensor;
}

using OpenFiles = std::map<std::string, std::shared_ptr<const MappedFile>>;

/// One tensor of the question; small files are copied.
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

/// Opens the tensors; arrays are unpacked only where their shapes are those of the reference.
void load_tensors(const CheckQuestion& question, const std::stop_token& stop, CheckOutcome& outcome) {
  OpenFiles open;
  for (std::size_t i = 0; i < question.files.size(); ++i) {
    const std::string& argument = question.files[i].argument;
    if (!argument.empty()) tensor_of(outcome, kCheckRoles[i]) = open_one(argument, open, {true, stop}, outcome);
  }
  require_shapes(outcome.reference, outcome.inputs);
  for (std::size_t i = 0; i < question.files.size(); ++i) {
    if (question.files[i].argument.empty()) continue;
    std::optional<StoredTensor>& tensor = tensor_of(outcome, kCheckRoles[i]);
    if (!is_declared_only(*tensor)) continue;
    tensor = open_one(question.files[i].argument, open, {false, stop}, outcome);
  }
  for (const auto& [path, file] : open) {
    file->check_unchanged();
    if (file->bytes().size() > kCopied) outcome.files.push_back(file);
  }
}

/// Causes that the weights were trained with: what somebody says, and all that can be of a rope of own numbers.
void read_allowed(const CheckQuestion& question, CheckReference& reference) {
  if (question.allow_sign) reference.allowed.insert("sign");
  if (question.released) return;
  const std::vector<std::string_view> all = allowable_causes();
  reference.allowed.insert(all.begin(), all.end());
}

/// The model that a rope was read from; none where it was read from none, or that is gone: the rope is there.
std::optional<ModelConfig> model_of_check(const RopeKnobs& rope) {
  try {
    if (!rope.config.empty()) return load_model_config(rope.config);
    if (!rope.model.empty()) return ModelConfig{rope.model, load_preset(find_places().assets, rope.model).profiles};
  } catch (const InputError&) {
    // Its numbers are judged all the same.
  }
  return std::nullopt;
}

/// What the model says besides the rope, as long as that is still its own; its first profile is taken where nobody
/// chose one. `notes`: what a verdict needs of the config.
void add_profiles(const RopeKnobs& rope, CheckReference& reference, Words::List& notes) {
  const std::optional<ModelConfig> model = model_of_check(rope);
  if (!model) return;
  const auto own = std::find_if(model->profiles.begin(), model->profiles.end(),
                                [&](const Profile& profile) { return profile.name == rope.profile; });
  if (own == model->profiles.end()) return;
  const CheckReference unchanged = reference_from_rope(own->spec, reference.length);
  const bool same = unchanged.tokens.frequencies == reference.tokens.frequencies &&
                    unchanged.tokens.pairing == reference.tokens.pairing && unchanged.amplitude == reference.amplitude;
  if (!same) return;
  require_understood(*own, rope.config);
  if (!rope.config.empty()) notes = notes_for_verdicts(*own);
  reference.asked = own != model->profiles.begin();
  take_model(model->profiles, model->model_type, *own, reference);
}

/// Of a layout or a rope.
CheckReference reference_of(const CheckQuestion& question, Words::List& notes) {
  if (question.against == "layout") {
    return reference_from_layout(find_layout(question.layout.name), request_of(question.layout));
  }
  std::optional<std::vector<double>> positions;
  if (question.positions.find_first_not_of(' ') != std::string::npos) {
    positions = read_positions(question.positions, "check.positions");
  }
  const double length = question.rope.scaling.length;
  CheckReference reference = reference_from_rope(
      spec_of(question.rope), length > 0 ? std::optional(length) : std::nullopt, std::move(positions));
  reference.of_gguf = !question.rope.config.empty() && is_gguf(question.rope.config);
  add_profiles(question.rope, reference, notes);
  return reference;
}

/// The file that a tensor stands in, as it is now.
FileStamp stamp_of_tensor(const std::string& argument) {
  FileStamp stamp;
  stamp.path = argument;
  try {
    stamp = stamp_of(read_tensor_argument(argument).path);
  } catch (const InputError&) {
    // Whoever reads it says what is wrong.
  }
  return stamp;
}

void read_choices(const CheckQuestion& question, CheckInputs& inputs) {
  if (question.pairing == "interleaved") inputs.pairing = Pairing::interleaved;
  if (question.pairing == "half") inputs.pairing = Pairing::half_split;
  if (question.head_order == "thd") inputs.head_order = HeadOrder::tokens_first;
  if (question.head_order == "htd") inputs.head_order = HeadOrder::heads_first;
  inputs.part = question.part;
}

}  // namespace

bool CheckQuestion::has(CheckRole role) const {
  const auto at = std::find(std::begin(kCheckRoles), std::end(kCheckRoles), role) - std::begin(kCheckRoles);
  return !files[static_cast<std::size_t>(at)].argument.empty();
}

bool CheckQuestion::has_files() const {
  if (against == "dump") {
    return has(CheckRole::cosine) && has(CheckRole::sine) && has(CheckRole::against_cosine) &&
           has(CheckRole::against_sine);
  }
  return std::any_of(files.begin(), files.end(), [](const CheckFile& file) { return !file.argument.empty(); });
}

CheckQuestion question_of(const Experiment& experiment) {
  const CheckKnobs& knobs = experiment.check;
  CheckQuestion question;
  question.against = knobs.against;
  question.allow_sign = knobs.allow_sign;
  if (knobs.against == "layout") question.layout = LayoutInput(experiment.layout).knobs;
  if (knobs.against == "rope") {
    question.rope = turning(experiment.rope);
    // Its other profiles, and what a verdict needs of its file, come from where it was read.
    question.rope.config = experiment.rope.config;
    question.rope.model = experiment.rope.model;
    question.rope.profile = experiment.rope.profile;
    question.released = !experiment.rope.model.empty() || !experiment.rope.config.empty();
    question.positions = knobs.positions;
    if (names_positions_file(knobs.positions))
      question.positions_file = stamp_of_tensor(positions_source(knobs.positions));
  }
  for (std::size_t i = 0; i < question.files.size(); ++i) {
    const std::string& argument = path_of(knobs, kCheckRoles[i]);
    if (argument.empty() || !counts(kCheckRoles[i], knobs)) continue;
    question.files[i] = {argument, stamp_of_tensor(argument)};
  }
  // Others have tokens of one part.
  question.part = knobs.against == "layout" ? knobs.part : "all";
  if (knobs.against == "dump") return question;
  question.pairing = knobs.pairing;
  question.head_order = knobs.head_order;
  return question;
}

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

std::shared_ptr<const CheckProgress> CheckProgressInput::compute(int, const std::stop_token&) const {
  return std::make_shared<const CheckProgress>();
}

std::size_t CheckOutcome::bytes() const {
  std::size_t all = copied;
  for (const auto& file : files) all += file->bytes().size();
  return all;
}

bool CheckOutcome::has_rows() const {
  return inputs.cosine || inputs.table || inputs.after || inputs.ids;
}

const CheckModel* CheckOutcome::applied(const std::string& name) const {
  // What agrees by the recurrence is judged by it wherever it is drawn.
  const bool recurs = report.recurrence && report.verdict == Verdict::agrees;
  if (name == "all" || (name.empty() && recurs)) return report.explained.get();
  if (name.empty()) return nullptr;
  const auto cause = std::find_if(report.causes.begin(), report.causes.end(),
                                  [&name](const CheckCause& each) { return each.name == name; });
  return cause == report.causes.end() ? nullptr : cause->applied.get();
}

void CheckOutcome::check_unchanged() const {
  for (const auto& file : files) file->check_unchanged();
}

double CheckInput::cost() const {
  double bytes = 0;
  for (const CheckFile& file : question.files) bytes += static_cast<double>(file.stamp.size);
  return 2e6 + bytes;
}

std::shared_ptr<const CheckOutcome> CheckInput::compute(int threads, const std::stop_token& stop) const {
  const auto start = std::chrono::steady_clock::now();
  auto result = std::make_shared<CheckOutcome>();
  try {
    const bool dump = question.against == "dump";
    Words::List notes;
    if (!dump) result->reference = reference_of(question, notes);
    read_allowed(question, result->reference);
    read_choices(question, result->inputs);
    load_tensors(question, stop, *result);
    if (dump) result->reference = modelled(result->reference, result->inputs);
    CheckOptions options;
    options.threads = threads;
    options.stop = stop;
    options.progress = [this](double fraction, const Words&) {
      if (progress) progress->fraction = fraction;
    };
    result->report = check(result->reference, result->inputs, options);
    result->reference = CheckReference(reported_on(result->reference, result->report));
    result->report.notes.insert(result->report.notes.end(), notes.begin(), notes.end());
    if (stop.stop_requested() || result->report.cancelled) return nullptr;
    result->check_unchanged();
  } catch (const InputError& error) {
    if (stop.stop_requested()) return nullptr;
    result->fault = error.words();
  }
  result->seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return result;
}

}  // namespace ropescope
