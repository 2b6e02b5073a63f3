#include "app/views/attention/view.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <optional>

#include "app/views/attention/figures.h"
#include "app/views/attention/layers.h"
#include "app/views/attention/order.h"
#include "app/views/shared/counted.h"
#include "app/views/shared/encodings.h"
#include "app/views/shared/messages.h"
#include "app/views/shared/sentence.h"
#include "core/error.h"

namespace ropescope {

namespace {

Figure no_weights() {
  return empty_figure("weights", "key", "query");
}

LinearKernel kernel_of(const std::string& name) {
  if (name == "exp") return LinearKernel::exponential;
  if (name == "performer") return LinearKernel::random_features;
  return name == "softmax" ? LinearKernel::softmax_of_q : LinearKernel::elu_plus_one;
}

/// Pictures without tokens of their own: how many there are is all that they look at, if anything.
bool without_content(const AttentionKnobs& knobs) {
  return knobs.show == "cost" || knobs.show == "products";
}

/// Whether the tokens are the words of the sentence.
bool uses_words(const AttentionKnobs& knobs) {
  return knobs.content == "words" && !without_content(knobs);
}

std::vector<std::string> words_of_tokens(const AttentionKnobs& knobs) {
  return uses_words(knobs) ? words_of(knobs.sentence) : std::vector<std::string>();
}

double token_count(const AttentionKnobs& knobs) {
  return uses_words(knobs) ? static_cast<double>(words_of(knobs.sentence).size()) : knobs.tokens;
}

/// Takes dim, heads and tokens from the file. False: it is still being read.
bool take_file(AttentionShown& shown) {
  AttentionContent& content = shown.subject.content;
  content.file = stamp_of(shown.knobs.file);
  content.layer = std::llround(shown.knobs.layer);
  const auto answer = shown.store.get("attention.file", DumpInput{content.file, content.layer});
  if (!answer.result || !answer.current) return false;
  if (!answer.result->fault.empty()) throw InputError(answer.result->fault);
  const AttentionDump& dump = answer.result->loaded.dump;
  shown.tokens_in_file = dump.tokens;
  shown.heads_in_file = dump.heads;
  content.dump = answer.result;
  content.tokens = static_cast<int>(std::min<std::int64_t>(content.tokens, dump.tokens));
  content.head = std::llround(shown.knobs.head);
  if (content.head > dump.heads) {
    throw InputError(shown.text.format(
        "view.attention.no_head",
        {{"file", shown.knobs.file}, {"head", counted(shown.knobs.head)}, {"heads", std::to_string(dump.heads)}}));
  }
  EncodingSettings& settings = shown.subject.settings;
  settings = encoding_settings_of(shown.experiment.rope, shown.experiment.encoding, *shown.encoding,
                                  static_cast<int>(dump.head_dim));
  const auto looks_at = [&](std::string_view setting) { return takes(*shown.encoding, setting); };
  if (looks_at("heads")) settings.heads = static_cast<int>(std::min<std::int64_t>(dump.heads, 1024));
  if (looks_at("head")) settings.head = static_cast<int>(content.head);
  return true;
}

std::string about(const AttentionShown& shown) {
  const Text& text = shown.text;
  const bool linear = shown.subject.kind == AttentionKind::linear;
  std::string words = encoding_label(*shown.encoding, shown.experiment.rope, text) + " · " +
                      text[linear ? "view.attention.linear" : "view.attention.softmax"];
  if (shown.heads_in_file == 0) return words;
  return words + " · " +
         text.format("view.attention.of_file", {{"head", counted(shown.knobs.head)},
                                                {"heads", counted(shown.heads_in_file)},
                                                {"tokens", counted(shown.subject.content.tokens)},
                                                {"all", counted(shown.tokens_in_file)}});
}

/// Everything that the knobs say. False: the file is still being read. Throws InputError where they contradict each
/// other.
bool prepare_attention(AttentionShown& shown) {
  const AttentionKnobs& knobs = shown.knobs;
  shown.encoding = &find_encoding(knobs.encoding);
  AttentionSubject& subject = shown.subject;
  subject.encoding = knobs.encoding;
  shown.rope = read_axes(shown.experiment.rope);
  const bool chooses_kind = knobs.show == "weights" || knobs.show == "shift" || knobs.show == "shuffle";
  if (chooses_kind && knobs.kind == "linear") subject.kind = AttentionKind::linear;
  subject.turned_denominator = subject.kind == AttentionKind::linear && knobs.turn_denominator;
  const bool uses_kernel = subject.kind == AttentionKind::linear || without_content(knobs) || knobs.show == "kernel";
  if (uses_kernel) {
    subject.kernel = kernel_of(knobs.kernel);
    subject.turned_vectors = knobs.turn_vectors;
  }
  subject.causal = knobs.causal;
  AttentionContent& content = subject.content;
  content.tokens = static_cast<int>(token_count(knobs));
  if (uses_words(knobs)) {
    content.words = words_of(knobs.sentence);
    if (content.words.size() < 2) throw InputError(Words("view.attention.no_sentence"));
  }
  const bool file = knobs.content == "file" && !without_content(knobs);
  content.aligned = knobs.content == "aligned";
  content.seed = file ? 1 : static_cast<std::uint64_t>(knobs.seed);
  if (file) {
    if (knobs.file.empty()) throw InputError(Words("view.attention.no_file"));
    if (!take_file(shown)) return false;
  } else {
    subject.settings = encoding_settings_of(shown.experiment.rope, shown.experiment.encoding, *shown.encoding);
  }
  content.dim = subject.settings.dim;
  if (subject.kernel == LinearKernel::random_features) {
    subject.random_features = static_cast<int>(knobs.features) * content.dim;
  }
  validate(*shown.encoding, subject.settings);
  if (subject.kind == AttentionKind::linear && !shown.encoding->linear_attention) {
    throw InputError(Words("view.attention.not_linear", {{"encoding", title_of(*shown.encoding)}}));
  }
  shown.about = about(shown);
  return true;
}

}  // namespace

ViewResult attention_message(const std::string& words, bool stale) {
  return fault_result(no_weights(), words, stale);
}

namespace {

void describe_attention(Fields& fields, Experiment& experiment) {
  describe(fields, experiment.attention, std::max(2.0, token_count(experiment.attention)));
  describe_encodings(fields, experiment, {experiment.attention.encoding});
}

ViewResult attention_figures(const Experiment& experiment, const Text& text, Store& store) {
  const AttentionKnobs& knobs = experiment.attention;
  if (knobs.show == "energy" && knobs.content == "file" && knobs.energy_of != "head") {
    return attention_layers(experiment, text, store);
  }
  AttentionShown shown{experiment, knobs, text, store, nullptr, {}, {}, 0, 0, {}};
  if (!prepare_attention(shown)) return attention_message({}, true);
  const std::string& show = knobs.show;
  if (show == "cost") return attention_cost(shown);
  if (show == "products") return attention_products(shown);
  if (show == "kernel") return attention_kernel(shown);
  ViewResult result = show == "shift"     ? attention_shift(shown)
                      : show == "shuffle" ? attention_shuffle(shown)
                      : show == "energy"  ? attention_energy(shown)
                                          : attention_weights(shown);
  if (result.readouts.empty()) return result;
  add_ladder_readout(result.readouts, "attention.ladder", {{shown.encoding, &shown.subject.settings}}, experiment.rope,
                     text);
  return result;
}

/// The farthest position that a token is put at, counted from 1.
double attention_last_position(const Experiment& experiment) {
  const AttentionKnobs& knobs = experiment.attention;
  return token_count(knobs) + (knobs.show == "shift" ? knobs.shift : 0);
}

/// A token of the lower line is taken to another place of it.
void drag_token(AttentionKnobs& knobs, const FigureEvent& event) {
  const std::optional<TokenHandle> handle = read_token_handle(event.handle);
  if (event.figure != "sentence" || !handle || !std::isfinite(event.x)) return;
  const std::vector<std::string> words = token_words(words_of_tokens(knobs), handle->tokens);
  if (static_cast<Eigen::Index>(words.size()) < handle->tokens) return;
  knobs.order = order_text(order_with(shuffled_order(knobs, handle->tokens), handle->token, event.x, words));
}

void react_attention(Experiment& experiment, const FigureEvent& event) {
  AttentionKnobs& knobs = experiment.attention;
  if (event.kind == FigureEvent::Kind::drag) return drag_token(knobs, event);
  if (knobs.show == "energy" && knobs.content == "file" && knobs.energy_of != "head") return choose_layer(knobs, event);
  if (event.figure != "weights" && event.figure != "sums") return;
  knobs.row =
      std::clamp(std::round(event.figure == "weights" ? event.y : event.x), 0.0, std::max(0.0, token_count(knobs) - 1));
}

void check_order(const Experiment& experiment) {
  shuffled_order(experiment.attention, 1);
}

bool open_attention(Experiment& experiment, const std::string& path) {
  const std::string ending = std::filesystem::path(path).extension().string();
  // Elsewhere a .safetensors is for Check.
  const bool tensors = ending == ".safetensors" && experiment.view == "attention";
  if (ending != ".npz" && ending != ".npy" && !tensors) return false;
  experiment.attention.content = "file";
  experiment.attention.file = path;
  // Neither of the others looks at a file.
  if (without_content(experiment.attention)) experiment.attention.show = "weights";
  return true;
}

/// The dumps, where there are some.
std::vector<FileStamp> attention_files(const Experiment& experiment) {
  std::vector<FileStamp> stamps;
  for (const std::string& path : {experiment.attention.file, experiment.attention.against}) {
    if (!path.empty()) stamps.push_back(stamp_of(path));
  }
  return stamps;
}

}  // namespace

constinit const View kAttentionView{.id = "attention",
                                    .group = "compare",
                                    .describe = describe_attention,
                                    .figures = attention_figures,
                                    .empty = [](const Experiment&, const Text&) { return no_weights(); },
                                    .react = react_attention,
                                    .open = open_attention,
                                    .opens = ".npz .npy .safetensors",
                                    .length = attention_last_position,
                                    .compares_ropes = false,
                                    .files = attention_files,
                                    .check = check_order};

}  // namespace ropescope
