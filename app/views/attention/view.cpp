// Prepares the common state of the pictures of the view Attention, and creates its cards.
//
// Contents: Cards; View.

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <optional>

#include "app/figure/figure.h"
#include "app/views/attention/figures.h"
#include "app/views/attention/layers.h"
#include "app/views/attention/words.h"
#include "app/views/shared/cards.h"
#include "app/views/shared/messages.h"
#include "app/views/shared/ropes.h"
#include "app/views/views.h"
#include "core/attention/attention.h"
#include "core/message.h"

namespace ropescope {

// --- Cards ---------------------------------------------------------------------------------------------------------

namespace {

/// Changes below this are attributed to rounding.
constexpr double kRounding = 1e-10;

Readout smallest_readout(const AttentionShown& shown, const AttentionWeights& weights) {
  Readout readout = make_card("attention.smallest", Quantity{with_digits(weights.smallest, 3)}, shown.text);
  if (weights.negative_share > 0) {
    readout.note =
        shown.text.format(shown.subject.options.turned_denominator ? "readout.attention.smallest.negative_turned"
                                                                   : "readout.attention.smallest.negative",
                          {{"share", readable_number(100 * weights.negative_share, 3)}});
  } else {
    readout.note = shown.text["readout.attention.smallest.positive"];
  }
  return readout;
}

Readout sums_readout(const AttentionShown& shown, const AttentionWeights& weights) {
  Readout readout = start_card("attention.sums", shown.text);
  if (sums_are_one(weights)) {
    readout.value = Quantity{as_whole(1)};
    readout.note = shown.text["readout.attention.sums.one"];
    return readout;
  }
  readout.value = Quantity{with_decimals(weights.least_sum, 3), "", "readout.attention.sums.range",
                           with_decimals(weights.most_sum, 3)};
  readout.note = shown.text["readout.attention.sums.other"];
  return readout;
}

Readout denominator_readout(const AttentionShown& shown, const AttentionWeights& weights) {
  Readout readout = make_card("attention.denominator", Quantity{with_digits(weights.least_denominator, 3)}, shown.text);
  const bool turned = shown.subject.options.turned_denominator;
  readout.note = shown.text[weights.least_denominator <= 0 ? "readout.attention.denominator.not_positive"
                            : turned                       ? "readout.attention.denominator.turned"
                            : weights.negative_share > 0   ? "readout.attention.denominator.turns"
                                                           : "readout.attention.denominator.note"];
  return readout;
}

/// Returns the key with the largest weight for the selected query.
Readout row_readout(const AttentionShown& shown, const AttentionWeights& weights, Eigen::Index row) {
  const RowMatrix<float>& matrix = *weights.picture.weights;
  Readout readout = start_card("attention.row", shown.text);
  readout.label = shown.text.format("readout.attention.row.of", {{"query", counted(row)}});
  const Eigen::Index keys = weights.picture.causal ? row + 1 : matrix.cols();
  Eigen::Index best = -1;
  for (Eigen::Index key = 0; key < keys; ++key) {
    const float weight = matrix(row, key);
    if (!std::isnan(weight) && (best < 0 || weight > matrix(row, best))) best = key;
  }
  readout.value = no_number();
  if (best >= 0) readout.value = Quantity{with_digits(static_cast<double>(matrix(row, best)), 3)};
  readout.note = best < 0 ? shown.text["readout.attention.row.past"]
                          : shown.text.format("readout.attention.row.note",
                                              {{"key", counted(best)},
                                               {"distance", counted(row - best)},
                                               {"even", readable_number(1 / static_cast<double>(keys), 3)}});
  return readout;
}

/// Sets the relative effect on the outputs: none, rounding, or the text `more`.
void set_effect(Readout& readout, const AttentionShown& shown, double effect, const std::string& more) {
  const Text& text = shown.text;
  if (std::isnan(effect)) {
    readout.value = no_number();
    readout.note =
        text.format("readout.attention.shift.past", {{"rows", counted(shown.subject.ready.settings.trained_length)}});
    return;
  }
  readout.value = Quantity{with_digits(effect, 2)};
  const std::string texts = "readout." + readout.name;
  readout.note = text[texts + (effect == 0 ? ".exact" : effect < kRounding ? ".rounding" : more)];
}

/// Returns the effect of the selected shift on the outputs of the selected encoding.
Readout change_readout_attention(const AttentionShown& shown, const std::vector<ShiftEffect>& at_shift) {
  const Text& text = shown.text;
  Readout readout = start_card("attention.shift", text);
  readout.label = text.format("readout.attention.shift.of", {{"shift", counted(shown.fields.shift)}});
  const double change = at_shift.empty() ? 0 : at_shift.front().relative;
  set_effect(readout, shown, change, ".changes");
  return readout;
}

Readout attention_relative_readout(const AttentionShown& shown) {
  const bool relative = shown.encoding().relative;
  return make_card("attention.relative", Message(relative ? "readout.yes" : "readout.no"), shown.text,
                   shown.text[relative ? "readout.attention.relative.yes" : "readout.attention.relative.no"]);
}

/// Returns ‖π⁻¹ Attention(πX) − Attention(X)‖ / ‖Attention(X)‖.
Readout attention_difference_readout(const AttentionShown& shown, double difference) {
  Readout readout = start_card("attention.shuffle_difference", shown.text);
  set_effect(readout, shown, difference, ".seen");
  return readout;
}

/// Returns the first measured length from which linear attention is faster.
std::optional<double> faster_from(const AttentionCost& cost) {
  std::optional<double> from;
  for (std::size_t i = cost.linear.tokens.size(); i-- > 0;) {
    if (cost.linear.seconds[i] >= cost.softmax.seconds[i]) break;
    from = cost.linear.tokens[i];
  }
  return from;
}

Readout slope_readout(const AttentionShown& shown, const std::string& key, const MeasuredCost& cost) {
  Readout readout = start_card("attention." + key, shown.text);
  const std::optional<double> slope = cost_slope(cost);
  readout.value = slope ? Quantity{with_decimals(*slope, 2), "", "readout.attention.slope.value"} : no_number();
  readout.note = cost.tokens.empty() ? shown.text.format("readout.attention.slope.none",
                                                         {{"encoding", shown.text.render(title_of(shown.encoding()))}})
                                     : shown.text.format("readout.attention.slope.note",
                                                         {{"tokens", counted(cost.tokens.back())},
                                                          {"time", readable_number(1e3 * cost.seconds.back(), 3)}});
  return readout;
}

Readout crossing_readout(const AttentionShown& shown, const AttentionCost& cost) {
  Readout readout = start_card("attention.crossing", shown.text);
  const std::optional<double> from = faster_from(cost);
  readout.value = from ? Quantity{as_whole(*from), "tokens"} : no_number();
  readout.note =
      from ? shown.text.format("readout.attention.crossing.note",
                               {{"times", readable_number(cost.softmax.seconds.back() / cost.linear.seconds.back(), 2)},
                                {"tokens", counted(cost.linear.tokens.back())}})
           : shown.text["readout.attention.crossing.never"];
  return readout;
}

/// Returns the smallest number of pairs with half of Σ |q||k|.
Readout half_readout(const AttentionShown& shown, const PairEnergy& pairs) {
  Readout readout = start_card("attention.half", shown.text);
  std::vector<double> sorted(pairs.product.begin(), pairs.product.end());
  std::sort(sorted.rbegin(), sorted.rend());
  const double all = pairs.product.sum();
  double sum = 0;
  std::size_t count = 0;
  while (count < sorted.size() && sum < (0.5 - 1e-12) * all) sum += sorted[count++];
  Eigen::Index strongest = 0;
  pairs.product.maxCoeff(&strongest);
  readout.value = count_of_pairs(count, sorted.size());
  readout.note = shown.text.format(
      "readout.attention.half.note",
      {{"pair", counted(strongest)}, {"share", readable_number(100 * pairs.product[strongest] / all, 3)}});
  return readout;
}

/// Returns the energy in pairs that do not complete a turn over these tokens.
Readout slow_readout(const AttentionShown& shown, const PairEnergy& pairs, const Eigen::VectorXd& frequencies) {
  Readout readout = start_card("attention.slow", shown.text);
  const double tokens = shown.subject.content.tokens;
  const SlowPairs slow = slow_pairs(frequencies, tokens);
  const double share = pairs.product.segment(slow.first, slow.count).sum() / pairs.product.sum();
  readout.value = Quantity{with_digits(100 * share, 3), "percent", "readout.percent"};
  readout.note = shown.text.format(
      "readout.attention.slow.note",
      {{"count", counted(slow.count)}, {"pairs", counted(frequencies.size())}, {"tokens", counted(tokens)}});
  return readout;
}

/// Returns the looseness of the bound, compared with the largest |mean|.
Readout bound_readout(const AttentionShown& shown, const AttentionEnergy& energy) {
  Readout readout = start_card("attention.bound", shown.text);
  double nearest = 0;
  std::size_t at = 0;
  for (std::size_t i = 0; i < energy.bound->ys.size(); ++i) {
    const double ratio = std::abs(energy.turning->ys[i]) / energy.bound->ys[i];
    if (ratio > nearest) nearest = ratio, at = i;
  }
  readout.value = Quantity{with_digits(100 * nearest, 3), "percent", "readout.attention.bound.value"};
  readout.note = shown.text.format("readout.attention.bound.note", {{"distance", counted(at)}});
  return readout;
}

// --- View ----------------------------------------------------------------------------------------------------------

Figure no_weights() {
  return empty_figure("weights", "key", "query");
}

/// Returns whether a picture has no token content; it uses at most the number of tokens.
bool has_no_content(const AttentionFields& fields) {
  return fields.show == AttentionShow::cost || fields.show == AttentionShow::products;
}

/// Returns whether the tokens are the words of the sentence.
bool uses_words(const AttentionFields& fields) {
  return fields.content == AttentionSource::words && !has_no_content(fields);
}

double token_count(const AttentionFields& fields) {
  return uses_words(fields) ? static_cast<double>(words_of(fields.sentence).size()) : fields.tokens;
}

/// Sets dim, heads and tokens from the file. Returns false while it is being read.
bool take_file(AttentionShown& shown) {
  AttentionContent& content = shown.subject.content;
  content.file = stamp_of(shown.fields.file);
  content.layer = std::llround(shown.fields.layer);
  const LayerOfDump layer{content.file, content.layer};
  content.dump = shown.store.request<load_dump>({"attention.file", layer.cost(), true}, layer).present();
  if (!content.dump) return false;
  const AttentionDump& dump = content.dump->dump;
  shown.tokens_in_file = dump.tokens;
  shown.heads_in_file = dump.heads;
  content.tokens = static_cast<int>(std::min<std::int64_t>(content.tokens, dump.tokens));
  content.head = std::llround(shown.fields.head);
  if (content.head > dump.heads) {
    throw InputError(shown.text.format(
        "view.attention.no_head",
        {{"file", shown.fields.file}, {"head", counted(shown.fields.head)}, {"heads", std::to_string(dump.heads)}}));
  }
  EncodingValues& settings = shown.subject.ready.settings;
  settings = collect_encoding_settings(shown.experiment.rope, shown.experiment.encoding, shown.encoding(),
                                       static_cast<int>(dump.head_dim));
  const auto looks_at = [&](std::string_view field) { return takes(shown.encoding(), field); };
  if (looks_at("heads")) settings.heads = static_cast<int>(std::min<std::int64_t>(dump.heads, 1024));
  if (looks_at("head")) settings.head = static_cast<int>(content.head);
  return true;
}

std::string about(const AttentionShown& shown) {
  const Text& text = shown.text;
  const bool linear = shown.subject.kind == AttentionKind::linear;
  std::string words = encoding_label(shown.encoding(), shown.experiment.rope, text) + " · " +
                      text[linear ? "view.attention.linear" : "view.attention.softmax"];
  if (shown.heads_in_file == 0) return words;
  return words + " · " +
         text.format("view.attention.of_file", {{"head", counted(shown.fields.head)},
                                                {"heads", counted(shown.heads_in_file)},
                                                {"tokens", counted(shown.subject.content.tokens)},
                                                {"all", counted(shown.tokens_in_file)}});
}

/// Prepares the state from the fields. Returns false while the file is being read. Throws InputError if the fields
/// contradict each other.
bool prepare_attention(AttentionShown& shown) {
  const AttentionFields& fields = shown.fields;
  AttentionSubject& subject = shown.subject;
  subject.ready.encoding = &find_encoding(fields.encoding);
  shown.rope = read_axes(shown.experiment.rope);
  const bool chooses_kind = fields.show == AttentionShow::weights || fields.show == AttentionShow::shift ||
                            fields.show == AttentionShow::shuffle;
  if (chooses_kind) subject.kind = fields.kind;
  subject.options.turned_denominator = subject.kind == AttentionKind::linear && fields.turn_denominator;
  const bool uses_kernel =
      subject.kind == AttentionKind::linear || has_no_content(fields) || fields.show == AttentionShow::kernel;
  if (uses_kernel) {
    subject.options.kernel = fields.kernel;
    subject.options.turned_vectors = fields.turn_vectors;
  }
  subject.options.causal = fields.causal;
  AttentionContent& content = subject.content;
  content.tokens = static_cast<int>(token_count(fields));
  if (uses_words(fields)) {
    content.words = words_of(fields.sentence);
    if (content.words.size() < 2) throw InputError(Message("view.attention.no_sentence"));
  }
  const bool file = fields.content == AttentionSource::file && !has_no_content(fields);
  content.aligned = fields.content == AttentionSource::aligned;
  content.seed = file ? 1 : static_cast<std::uint64_t>(fields.seed);
  if (file) {
    if (fields.file.empty()) throw InputError(Message("view.attention.no_file"));
    if (!take_file(shown)) return false;
  } else {
    subject.ready.settings =
        collect_encoding_settings(shown.experiment.rope, shown.experiment.encoding, shown.encoding());
  }
  content.dim = subject.ready.settings.dim;
  if (subject.options.kernel == LinearKernel::random_features) {
    subject.options.random_features = static_cast<int>(fields.features) * content.dim;
  }
  validate(shown.encoding(), subject.ready.settings);
  if (subject.kind == AttentionKind::linear && !shown.encoding().linear_attention) {
    throw InputError(Message("view.attention.not_linear", {{"encoding", title_of(shown.encoding())}}));
  }
  shown.about = about(shown);
  return true;
}

void declare_attention_fields(FieldList& list, Experiment& experiment) {
  declare_fields(list, experiment.attention, std::max(2.0, token_count(experiment.attention)));
  declare_encoding_fields(list, experiment, {experiment.attention.encoding});
}

ViewResult attention_figures(const Experiment& experiment, const Text& text, Store& store) {
  const AttentionFields& fields = experiment.attention;
  if (fields.show == AttentionShow::energy && fields.content == AttentionSource::file &&
      fields.energy_of != EnergyOf::head) {
    return attention_layers(experiment, text, store);
  }
  AttentionShown shown{experiment, fields, text, store};
  if (!prepare_attention(shown)) return attention_message({}, true);
  const AttentionShow show = fields.show;
  if (show == AttentionShow::cost) return attention_cost(shown);
  if (show == AttentionShow::products) return attention_products(shown);
  if (show == AttentionShow::kernel) return attention_kernel(shown);
  ViewResult result = show == AttentionShow::shift     ? attention_shift(shown)
                      : show == AttentionShow::shuffle ? attention_shuffle(shown)
                      : show == AttentionShow::energy  ? attention_energy(shown)
                                                       : attention_weights(shown);
  if (result.readouts.empty()) return result;
  add_ladder_readout(result.readouts, "attention.ladder", {shown.subject.ready}, experiment.rope, text);
  return result;
}

/// Returns the largest position of a token, counted from 1.
double attention_last_position(const Experiment& experiment) {
  const AttentionFields& fields = experiment.attention;
  return token_count(fields) + (fields.show == AttentionShow::shift ? fields.shift : 0);
}

/// Moves a token of the lower line to another place.
void drag_token(AttentionFields& fields, const FigureEvent& event) {
  const std::optional<TokenHandle> handle = read_token_handle(event.handle);
  if (!event.drags("sentence") || !handle || !std::isfinite(event.x)) return;
  const std::vector<std::string> words =
      token_words(uses_words(fields) ? words_of(fields.sentence) : std::vector<std::string>(), handle->tokens);
  if (static_cast<Eigen::Index>(words.size()) < handle->tokens) return;
  fields.order = order_text(order_with(shuffled_order(fields, handle->tokens), handle->token, event.x, words));
}

void react_attention(Experiment& experiment, const FigureEvent& event) {
  AttentionFields& fields = experiment.attention;
  if (event.kind == FigureEvent::Kind::drag) return drag_token(fields, event);
  if (fields.show == AttentionShow::energy && fields.content == AttentionSource::file &&
      fields.energy_of != EnergyOf::head)
    return choose_layer(fields, event);
  const bool map = event.clicks("weights");
  if (!map && !event.clicks("sums")) return;
  fields.row = std::clamp(std::round(map ? event.y : event.x), 0.0, std::max(0.0, token_count(fields) - 1));
}

void check_order(const Experiment& experiment) {
  shuffled_order(experiment.attention, 1);
}

bool open_attention(Experiment& experiment, const std::string& path) {
  const std::string ending = std::filesystem::path(path).extension().string();
  // In other views these files are for Check.
  const bool tensors = ends_like_tensors(path) && ending != ".csv" && kAttentionView.is_shown(experiment);
  if (!is_ending_among(ending, ".npz .npy") && !tensors) return false;
  experiment.attention.content = AttentionSource::file;
  experiment.attention.file = path;
  // Pictures without content do not use a file.
  if (has_no_content(experiment.attention)) experiment.attention.show = AttentionShow::weights;
  return true;
}

/// Returns the dumps in use, if any.
std::vector<FileStamp> attention_files(const Experiment& experiment) {
  std::vector<FileStamp> stamps;
  for (const std::string& path : {experiment.attention.file, experiment.attention.against}) {
    if (!path.empty()) stamps.push_back(stamp_of(path));
  }
  return stamps;
}

}  // namespace

bool sums_are_one(const AttentionWeights& weights) {
  constexpr double kSame = 1e-5;
  return std::abs(weights.least_sum - 1) < kSame && std::abs(weights.most_sum - 1) < kSame;
}

std::vector<Readout> weights_readouts(const AttentionShown& shown, const AttentionWeights& weights, Eigen::Index row) {
  std::vector<Readout> readouts{smallest_readout(shown, weights), sums_readout(shown, weights)};
  if (shown.subject.kind == AttentionKind::linear) readouts.push_back(denominator_readout(shown, weights));
  readouts.push_back(row_readout(shown, weights, row));
  return readouts;
}

std::vector<Readout> shift_readouts(const AttentionShown& shown, const std::vector<ShiftEffect>& at_shift) {
  return {change_readout_attention(shown, at_shift), attention_relative_readout(shown)};
}

std::vector<Readout> shuffle_readouts(const AttentionShown& shown, const AttentionShuffle& shuffle,
                                      const std::vector<std::string>& words, const std::vector<Eigen::Index>& order) {
  constexpr std::size_t kMaxReported = 32;
  Readout said = start_card("attention.shuffle_order", shown.text),
          moved = start_card("attention.shuffle_moved", shown.text),
          chosen = start_card("attention.chosen", shown.text);
  std::string sentence;
  std::size_t elsewhere = 0;
  for (std::size_t place = 0; place < order.size(); ++place) {
    const auto token = static_cast<std::size_t>(order[place]);
    if (place < kMaxReported) sentence += (place == 0 ? "" : " ") + words[token];
    elsewhere += token == place ? 0 : 1;
  }
  said.value = verbatim(order.size() > kMaxReported ? sentence + " …" : sentence);
  if (std::ssize(order) <= kMaxDragged) said.note = shown.text["readout.attention.shuffle_order.note"];
  said.note_is_hint = true;
  said.width_share = 1.8;
  moved.value = Quantity{as_whole(elsewhere), "tokens", "readout.count_of", as_whole(order.size())};
  moved.note =
      shown.text[elsewhere == 0 ? "readout.attention.shuffle_moved.none" : "readout.attention.shuffle_moved.note"];
  chosen.value = title_of(shown.encoding());
  chosen.aside = true;
  return {attention_difference_readout(shown, shuffle.relative), said, moved, chosen};
}

std::optional<double> cost_slope(const MeasuredCost& cost) {
  const std::size_t first = cost.tokens.size() / 2, count = cost.tokens.size() - first;
  if (count < 2) return std::nullopt;
  double mean_x = 0, mean_y = 0, above = 0, below = 0;
  for (std::size_t i = first; i < cost.tokens.size(); ++i) {
    mean_x += std::log(cost.tokens[i]) / static_cast<double>(count);
    mean_y += std::log(cost.seconds[i]) / static_cast<double>(count);
  }
  for (std::size_t i = first; i < cost.tokens.size(); ++i) {
    const double x = std::log(cost.tokens[i]) - mean_x;
    above += x * (std::log(cost.seconds[i]) - mean_y);
    below += x * x;
  }
  return above / below;
}

std::vector<Readout> cost_readouts(const AttentionShown& shown, const AttentionCost& cost) {
  std::vector<Readout> readouts{slope_readout(shown, "softmax_cost", cost.softmax),
                                slope_readout(shown, "linear_cost", cost.linear)};
  if (!cost.linear.tokens.empty()) readouts.push_back(crossing_readout(shown, cost));
  return readouts;
}

std::vector<Readout> energy_readouts(const AttentionShown& shown, const AttentionEnergy& energy,
                                     const Eigen::VectorXd& frequencies) {
  std::vector<Readout> readouts{half_readout(shown, energy.pairs), slow_readout(shown, energy.pairs, frequencies)};
  if (energy.bound) readouts.push_back(bound_readout(shown, energy));
  return readouts;
}

ViewResult attention_message(const std::string& words, bool stale) {
  return make_error_result(no_weights(), words, stale);
}

constinit const View kAttentionView{.id = "attention",
                                    .group = "compare",
                                    .declare_fields = declare_attention_fields,
                                    .figures = attention_figures,
                                    .empty = [](const Experiment&, const Text&) { return no_weights(); },
                                    .react = react_attention,
                                    .open = open_attention,
                                    .opens = ".npz .npy .safetensors .pt .gguf",
                                    .length = attention_last_position,
                                    .compares_ropes = false,
                                    .files = attention_files,
                                    .check = check_order};

}  // namespace ropescope
