// The cause "length": a number of tokens that differs from the reference, with the image size, repetition or cut that
// gives it.
//
// Contents: Other sizes; Length.

#include "core/check/causes/sizes.h"

#include <algorithm>
#include <cmath>

#include "core/check/compare/compare.h"
#include "core/check/evidence/fit.h"
#include "core/check/evidence/positions.h"
#include "core/check/evidence/rows.h"
#include "core/check/model/model.h"
#include "core/check/tuning.h"
#include "core/message.h"

namespace ropescope {

// --- Other sizes ---------------------------------------------------------------------------------------------------

namespace {

/// Another size in a request: of the image with its frames, or of a reference.
struct OtherSize {
  LayoutRequest request;
  ImageSize size;  ///< in tokens
  int frames = 1;
  std::size_t reference = 0;  ///< 0: the image; else the number of the reference
  double unlike = 0;          ///< difference of its aspect from the requested one
};

int pixels_per_side(const Situation& situation) {
  return pixels_per_token(*situation.reference.layout, situation.reference.request);
}

std::string in_pixels(const ImageSize& tokens, int pixels) {
  return std::to_string(static_cast<std::int64_t>(tokens.columns) * pixels) + "x" +
         std::to_string(static_cast<std::int64_t>(tokens.rows) * pixels);
}

Message size_in_words(const ImageSize& tokens, int frames, int pixels) {
  return Message(frames > 1 ? "check.length.size_frames" : "check.length.size",
                 {{"width", static_cast<std::int64_t>(tokens.columns) * pixels},
                  {"height", static_cast<std::int64_t>(tokens.rows) * pixels},
                  {"rows", tokens.rows},
                  {"columns", tokens.columns},
                  {"frames", frames}});
}

/// Returns the size of a block of the reference.
ImageSize to_token_size(const TokenBlock& block) {
  return ImageSize::tokens(block.rows, static_cast<int>(block.columns));
}

/// Calls `act` with every grid of `count` tokens.
template <class Act>
void each_grid(std::int64_t count, const Act& act) {
  for (std::int64_t rows = 1; rows <= std::min(count, tuned::kLongestSide); ++rows) {
    if (count % rows != 0 || count / rows > tuned::kLongestSide) continue;
    act(ImageSize::tokens(static_cast<int>(rows), static_cast<int>(count / rows)));
  }
}

/// Returns how many rows continue with the step between the first two, as ids or as angles of all pairs.
std::int64_t steady_rows(const Evidence& evidence, const CheckModel& model) {
  const auto rows = static_cast<Eigen::Index>(evidence.rows.size());
  if (rows < 2) return rows;
  RowMatrixXd numbers = evidence.ids, noise = RowMatrixXd::Constant(numbers.rows(), numbers.cols(), 1e-6);
  const bool angles = evidence.has_tables();
  if (angles) {
    const Observed observed = observe(evidence, model);
    numbers = observed.phase, noise = observed.noise;
  }
  const auto step_at = [&](Eigen::Index row, Eigen::Index i) { return numbers(row + 1, i) - numbers(row, i); };
  for (Eigen::Index row = 1; row + 1 < rows; ++row) {
    for (Eigen::Index i = 0; i < numbers.cols(); ++i) {
      const double other = step_at(row, i) - step_at(0, i), by = angles ? wrapped(other, kTurn) : other;
      const double allowed = tuned::kErrors * (noise(row, i) + noise(row + 1, i) + noise(0, i) + noise(1, i));
      if (std::abs(by) > std::max(allowed, tuned::kPhaseOfSteps)) return row + 1;
    }
  }
  return rows;
}

/// The other requests that give the rows of the tensors.
class Sizes {
 public:
  explicit Sizes(const Situation& situation)
      : situation_(situation), part_(part_of_rows(situation.model, situation.reference.tokens)) {}

  std::vector<OtherSize> all() {
    const LayoutRequest& asked = situation_.reference.request;
    const TokenBlock* image = find_block_of_part(situation_.reference.tokens, "image");
    if (part_.empty() || part_ == "text" || image == nullptr || !asked.image) return {};
    for (const TokenBlock& block : situation_.reference.tokens.blocks) {
      if (follows_image(block) && part_ != "image") following_ += block.frames;
    }
    if (part_ != "reference" || following_ > 0) add_images(*image);
    const bool others = situation_.evidence.tensors->rows != situation_.model.row_count;
    for (std::size_t i = 0; i < asked.references.size() && part_ != "image" && others; ++i) add_references(i);
    std::stable_sort(sizes_.begin(), sizes_.end(),
                     [](const OtherSize& a, const OtherSize& b) { return a.unlike < b.unlike; });
    return std::move(sizes_);
  }
  const std::string& part() const { return part_; }

 private:
  std::int64_t rows() const { return situation_.evidence.tensors->rows; }

  /// Returns whether a reference is not in the request: then it has the size of the image (Qwen-Image-Layered).
  bool follows_image(const TokenBlock& block) const {
    return is_reference(block) && situation_.reference.request.references.empty();
  }

  /// Returns the rows of the part other than the image and what has its size, without padding to a multiple; nullopt if
  /// the layout rejects the request.
  std::optional<std::int64_t> beside(const LayoutRequest& request, const std::string& of) const {
    const auto tokens = arranged(situation_, request);
    if (!tokens) return std::nullopt;
    std::int64_t count = 0;
    for (const TokenBlock& block : tokens->blocks) {
      const bool counted = is_in_part(block, part_);
      if (counted && block.part != of && block.part != "padding" && !follows_image(block)) count += block.count();
    }
    return count;
  }

  /// Returns how many of the first rows, or of the last ones, continue with the same step, like a text.
  std::int64_t rows_in_step(bool last) const {
    if (!situation_.evidence.has_ids() && !situation_.evidence.has_tables()) return 0;
    const std::int64_t most = std::min(rows(), tuned::kRowsOfText);
    for (std::int64_t count = std::min(tuned::kFewRows, most);; count = std::min(4 * count, most)) {
      std::vector<std::int64_t> looked(static_cast<std::size_t>(count));
      for (std::int64_t i = 0; i < count; ++i) looked[static_cast<std::size_t>(i)] = last ? rows() - 1 - i : i;
      const std::int64_t steady = steady_rows(select_rows(situation_.evidence, std::move(looked)), situation_.model);
      if (steady < count || count == most) return steady;
    }
  }

  /// Returns numbers of text tokens that the rows may begin or end with, and those that pipelines pad to.
  std::vector<std::int64_t> likely_texts(std::int64_t asked) const {
    std::vector<std::int64_t> texts = {asked};
    const auto add = [&](std::int64_t text) {
      if (text >= 0 && std::find(texts.begin(), texts.end(), text) == texts.end()) texts.push_back(text);
    };
    for (const std::int64_t text : {0, 128, 256, 512}) add(text);
    for (const bool last : {false, true}) {
      // The step from a text to an image may be that of the text.
      const std::int64_t steady = rows_in_step(last);
      add(steady), add(steady - 1);
    }
    return texts;
  }

  /// Returns whether a row is not rotated at all.
  bool is_still(std::int64_t row) const {
    const Evidence there = select_rows(situation_.evidence, {row});
    if (there.has_ids()) return there.ids.isZero();
    const Observed observed = observe(there, situation_.model);
    const auto turned = observed.phase.unaryExpr([](double phase) { return std::abs(wrapped(phase, kTurn)); });
    return (turned.array() <= (tuned::kErrors * observed.noise.array()).max(tuned::kPhaseOfSteps)).all();
  }

  /// Appends images padded to a number of tokens, whatever their size (HiDream-I1): neither the padding nor the text
  /// after it is rotated, but all of the image's tokens after the first are.
  void add_filled_up(const TokenBlock& image, double filled_to) {
    std::int64_t turning = 0, still = rows();
    while (still - turning > 1) {
      const std::int64_t middle = turning + (still - turning) / 2;
      (is_still(middle) ? still : turning) = middle;
    }
    each_grid(still, [&](const ImageSize& size) {
      LayoutRequest request = situation_.reference.request;
      const bool square = size.rows == size.columns;
      request.text = rows() - (square ? still : std::max(still, static_cast<std::int64_t>(filled_to)));
      if (request.text >= 0) add_size(request, image, size, 1, still != image.count());
    });
  }

  void add_images(const TokenBlock& image) {
    const LayoutRequest& asked = situation_.reference.request;
    const bool shows_rows = situation_.evidence.has_ids() || situation_.evidence.has_tables();
    const LayoutField* filled = find_field(*situation_.reference.layout, "padded_to");
    if (filled != nullptr && part_ == "all" && shows_rows) return add_filled_up(image, *value_of(asked, *filled));
    const bool same_count = rows() == situation_.model.row_count;
    std::vector<std::int64_t> texts = {asked.text};
    const bool other_texts = !same_count && part_ == "all" && takes(*situation_.reference.layout, "text");
    if (other_texts) texts = likely_texts(asked.text);
    const bool pads = find_block_of_part(situation_.reference.tokens, "padding") != nullptr;
    for (const std::int64_t text : texts) {
      LayoutRequest request = asked;
      request.text = text;
      const auto others = beside(request, "image");
      if (!others) continue;
      const std::int64_t count = rows() - *others;
      for (std::int64_t padding = 0; padding < (pads ? 32 : 1); ++padding) {
        add_grids(request, image, count - padding, !same_count);
      }
    }
  }

  void add_grids(const LayoutRequest& request, const TokenBlock& image, std::int64_t count, bool other_frames) {
    const bool takes_frames = takes(*situation_.reference.layout, "frames");
    for (int frames = 1; frames <= (takes_frames ? tuned::kMaxFrames : 1) && frames <= count; ++frames) {
      const int grids = (part_ == "reference" ? 0 : frames) + following_;
      if (count % grids != 0 || (takes_frames && !other_frames && frames != image.frames)) continue;
      each_grid(count / grids, [&](const ImageSize& size) { add_size(request, image, size, frames, other_frames); });
    }
  }

  void add_size(const LayoutRequest& request, const TokenBlock& image, const ImageSize& size, int frames,
                bool other_count) {
    const ImageSize due = to_token_size(image);
    const bool same = size == due && frames == image.frames && request.text == situation_.reference.request.text;
    const bool turned = size.rows == due.columns && size.columns == due.rows;
    // With as many rows, swapped sides are another cause.
    if (same || (turned && !other_count)) return;
    OtherSize other{request, size, frames, 0, 0};
    other.request.image = size;
    if (takes(*situation_.reference.layout, "frames")) other.request.frames = frames;
    const auto aspect = [](const ImageSize& of) { return std::log(static_cast<double>(of.columns) / of.rows); };
    other.unlike = std::min(std::abs(aspect(size) - aspect(due)), std::abs(aspect(size)));
    if (size.rows != due.rows && size.columns != due.columns) other.unlike += 0.1;
    if (frames != image.frames) other.unlike += 1;
    if (request.text != situation_.reference.request.text) other.unlike += 1;
    sizes_.push_back(std::move(other));
  }

  void add_references(std::size_t index) {
    const std::string name = "reference" + std::to_string(index + 1);
    const TokenBlock* block = find_block_of_part(situation_.reference.tokens, name);
    if (block == nullptr) return;
    const LayoutRequest& asked = situation_.reference.request;
    const auto others = beside(asked, name);
    if (!others) return;
    const std::int64_t count = rows() - *others;
    each_grid(count, [&](const ImageSize& size) {
      OtherSize other{asked, size, 1, index + 1, 0};
      other.request.references[index] = size;
      const auto aspect = [](const ImageSize& of) { return std::log(static_cast<double>(of.columns) / of.rows); };
      other.unlike = 0.5 + std::abs(aspect(size) - aspect(to_token_size(*block)));
      sizes_.push_back(std::move(other));
    });
  }

  const Situation& situation_;
  std::string part_;
  int following_ = 0;  ///< grids of the part with the size of the image, in addition to its frames
  std::vector<OtherSize> sizes_;
};

Proposal size_proposal(const Situation& situation, const OtherSize& other, CheckModel model) {
  Proposal found = situation.proposal();
  found.model = std::move(model);
  const int pixels = pixels_per_side(situation);
  const TokenLayout& reference = situation.reference.tokens;
  const std::string part = other.reference == 0 ? "image" : "reference" + std::to_string(other.reference);
  const TokenBlock* due = find_block_of_part(reference, part);
  const std::int64_t rows = situation.evidence.tensors->rows;
  found.parameters = {{"length", static_cast<double>(rows)}, {"size", verbatim(in_pixels(other.size, pixels))}};
  if (due->frames != other.frames) found.parameters.push_back({"frames", static_cast<double>(other.frames)});
  if (other.reference > 0) found.parameters.push_back({"part", part_words(part)});
  const std::int64_t text = situation.reference.request.text;
  const bool other_text = other.request.text != text;
  if (other_text) found.parameters.push_back({"text", static_cast<double>(other.request.text)});
  const bool of_image = other.reference == 0;
  const char* key = !of_image    ? "check.length.evidence_reference"
                    : other_text ? "check.length.evidence_size_text"
                                 : "check.length.evidence_size";
  found.evidence = Message(key, {{"rows", rows},
                                 {"due", situation.model.row_count},
                                 {"part", part_words(part)},
                                 {"size", size_in_words(other.size, other.frames, pixels)},
                                 {"due_size", size_in_words(to_token_size(*due), due->frames, pixels)},
                                 {"text", other.request.text},
                                 {"due_text", text}});
  std::string options;
  const auto add = [&](const std::string& option, const std::string& value) {
    options += (options.empty() ? "" : " ") + option + " " + value;
  };
  add("--size", in_pixels(other.size, pixels));
  if (due->frames != other.frames) add("--frames", std::to_string(other.frames));
  if (other_text) add("--text", std::to_string(other.request.text));
  found.advice =
      of_image ? Message("check.length.advice_size", {{"option", options}}) : Message("check.length.advice_reference");
  // As many latents as expected tokens: each latent of a token has become one.
  const int patch = situation.reference.layout->vae_factor > 1 ? situation.reference.layout->patch : 1;
  const bool unpacked = of_image && patch > 1 && other.frames == due->frames && other.size.rows == patch * due->rows &&
                        other.size.columns == patch * due->columns;
  if (unpacked) {
    const Message::Named latents("patch", patch);
    found.evidence = sentences(std::move(found.evidence), Message("check.length.evidence_unpacked", {latents}));
    found.advice = Message("check.length.advice_unpacked", {latents});
  }
  return found;
}

// --- Length --------------------------------------------------------------------------------------------------------

/// Appends the cause "length" with images, videos or references of other sizes that give the number of rows: those that
/// reproduce the tensors, else the few most like the reference's. Appends nothing if the reference's image has as many
/// rows and no size reproduces the tensors.
void propose_sizes(const Situation& situation, std::vector<Proposal>& proposals) {
  if (situation.reference.layout == nullptr || situation.reference.rope) return;
  Sizes sizes(situation);
  std::vector<Proposal> likely;
  for (const OtherSize& other : sizes.all()) {
    auto model = arrange_as_requested(situation, other.request, sizes.part());
    if (!model) continue;
    if (reproduces_all(*model, situation.evidence, inputs_of(situation.evidence))) {
      proposals.push_back(size_proposal(situation, other, std::move(*model)));
      return;
    }
    if (likely.size() < tuned::kFewSizes) likely.push_back(size_proposal(situation, other, std::move(*model)));
  }
  if (situation.evidence.tensors->rows == situation.model.row_count) return;
  std::move(likely.begin(), likely.end(), std::back_inserter(proposals));
}

/// Appends a model of another length. `evidence` lacks the numbers of tokens.
void add_length(const Situation& situation, CheckModel model, Message evidence, std::vector<Proposal>& proposals) {
  const std::int64_t rows = situation.evidence.tensors->rows;
  if (model.row_count != rows) return;
  Proposal& found = situation.add_to(proposals);
  found.model = std::move(model);
  found.parameters = {{"length", static_cast<double>(rows)}};
  found.evidence = std::move(evidence);
  found.evidence.values.emplace_back("rows", rows);
  found.evidence.values.emplace_back("due", situation.model.row_count);
  found.advice = Message("check.length.advice");
}

/// Appends all rows repeated as often as they fit: a batch with concatenated items. More items than a batch has would
/// each be searched row by row, so they are excluded.
void propose_repeated(const Situation& situation, std::vector<Proposal>& proposals) {
  const CheckModel& model = situation.model;
  const std::int64_t rows = situation.evidence.tensors->rows, times = rows / model.row_count;
  if (times < 2 || times > tuned::kMaxItems || rows % model.row_count != 0) return;
  CheckModel repeated = model;
  for (std::int64_t i = 1; i < times; ++i)
    repeated.rows.insert(repeated.rows.end(), model.rows.begin(), model.rows.end());
  repeated.row_count = rows;
  add_length(situation, std::move(repeated), Message("check.length.evidence_repeated", {{"times", times}}), proposals);
  proposals.back().advice = Message("check.length.advice_repeated", {{"due", model.row_count}, {"times", times}});
}

/// Returns the model with a range of its rows.
CheckModel cut_rows(const CheckModel& model, std::int64_t first, std::int64_t count) {
  CheckModel part = model;
  part.rows.clear();
  for (const auto& [from, length] : model.rows) {
    const std::int64_t skipped = std::min(first, length), taken = std::min(length - skipped, count);
    if (taken > 0) part.rows.emplace_back(from + skipped, taken);
    first -= skipped, count -= taken;
  }
  part.row_count = 0;
  for (const auto& [from, length] : part.rows) part.row_count += length;
  return part;
}

/// Appends the rows of one of several ranks that share a sequence: its slice, or one from each end (ring attention).
void propose_slices(const Situation& situation, std::vector<Proposal>& proposals) {
  const CheckModel& model = situation.model;
  const std::int64_t rows = situation.evidence.tensors->rows, all = model.row_count;
  if (all % rows != 0 || all / rows > tuned::kMaxRanks) return;
  const auto add = [&](CheckModel part, std::int64_t first, const char* key) {
    add_length(situation, std::move(part), Message(key, {{"first", first}, {"last", first + rows - 1}}), proposals);
    proposals.back().advice = Message("check.length.advice_slice");
  };
  for (std::int64_t first = rows; first + rows < all; first += rows)
    add(cut_rows(model, first, rows), first, "check.length.evidence_slice");
  const std::int64_t half = rows / 2;
  for (std::int64_t first = 0; rows % 2 == 0 && first + half < all - first - half; first += half) {
    CheckModel ends = cut_rows(model, first, half);
    for (const auto& stretch : cut_rows(model, all - first - half, half).rows) ends.rows.push_back(stretch);
    ends.row_count = rows;
    add(std::move(ends), first, "check.length.evidence_slice_of_ends");
    proposals.back().evidence.values[1] = Message::Named("last", first + half - 1);
    proposals.back().evidence.values.emplace_back("second", all - first - half);
    proposals.back().evidence.values.emplace_back("end", all - first - 1);
  }
}

/// Appends the model with the blocks of another request.
void add_arranged(const Situation& situation, const LayoutRequest& request, const Message& evidence,
                  std::vector<Proposal>& proposals) {
  if (auto model = arrange_as_requested(situation, request, "all"))
    add_length(situation, std::move(*model), evidence, proposals);
}

void propose_layouts(const Situation& situation, std::vector<Proposal>& proposals) {
  const LayoutRequest& asked = situation.reference.request;
  const std::int64_t more = situation.evidence.tensors->rows - situation.model.row_count;
  if (part_of_rows(situation.model, situation.reference.tokens) != "all") return;
  const auto other = [&](const auto& change, const Message& evidence) {
    LayoutRequest request = asked;
    change(request);
    add_arranged(situation, request, evidence, proposals);
  };
  for (const std::int64_t padded : {more, more - 31, more + 31, -asked.text}) {
    if (asked.text + padded < 0 || padded == 0) continue;
    other([&](LayoutRequest& request) { request.text += padded; },
          Message("check.length.evidence_text", {{"text", asked.text + padded}, {"due_text", asked.text}}));
  }
  if (asked.text_after + more >= 0)
    other([&](LayoutRequest& request) { request.text_after += more; }, Message("check.length.evidence_text_after"));
  if (asked.references.empty()) return;
  other([](LayoutRequest& request) { request.references.clear(); }, Message("check.length.evidence_no_references"));
  other([](LayoutRequest& request) { request.references.push_back(request.references.back()); },
        Message("check.length.evidence_one_reference_more"));
}

/// Appends a longer line of tokens.
void propose_longer(const Situation& situation, std::vector<Proposal>& proposals) {
  const std::int64_t rows = situation.evidence.tensors->rows;
  if (situation.model.tokens.blocks.size() != 1 || situation.model.tokens.blocks[0].rows != 1 ||
      situation.model.tokens.blocks[0].frames != 1 || situation.model.given_tables) {
    return;
  }
  CheckModel longer = situation.model;
  TokenBlock& block = longer.tokens.blocks[0];
  for (AxisIds& ids : block.ids) {
    if (!ids.listed.empty()) return;
  }
  block.columns = rows;
  longer.rows = {{0, rows}};
  longer.row_count = rows;
  add_length(situation, std::move(longer), Message("check.length.evidence_counting_on"), proposals);
}

/// Returns whether a model reproduces all rows from one on: rows that the reference lacks are not sampled.
bool gives_rows_from(const CheckModel& model, const Evidence& evidence, std::int64_t first) {
  const CheckTensors& tensors = *evidence.tensors;
  const bool has_pairs = tensors.tables.planes.empty() || tensors.tables.pairs == model.tokens.pair_count();
  if (!has_pairs) return false;
  // A few rows reject most candidates.
  const std::int64_t all = tensors.rows - first;
  for (const std::int64_t count : {std::min(tuned::kFewRows, all), all}) {
    if (evidence.is_spent()) return false;
    evidence.spend(count * model.tokens.pair_count());
    const Comparison rest =
        compare_all(cut_rows(model, first, count), rows_of(tensors, first, count), evidence.options);
    if (rest.cancelled || !rest.agrees()) return false;
  }
  return true;
}

/// Returns the model with `more` rows at the same ids before row `at`.
CheckModel insert_padding(const CheckModel& model, std::int64_t at, std::int64_t more, const std::vector<double>& ids) {
  CheckModel longer = cut_rows(model, 0, at);
  TokenBlock block;
  block.part = "padding";
  block.columns = more;
  block.first_row = model.tokens.row_count();
  block.first_token = block.first_row;
  for (const double id : ids) block.ids.push_back({Along::none, model.id_factor == 0 ? 0 : id / model.id_factor, {}});
  longer.rows.emplace_back(block.first_row, more);
  for (const auto& stretch : cut_rows(model, at, model.row_count - at).rows) longer.rows.push_back(stretch);
  longer.row_count = model.row_count + more;
  longer.tokens.blocks.push_back(std::move(block));
  return longer;
}

/// Appends rows that the model lacks, before row `at`: at id 0, or with the ids of an adjacent row.
void propose_padding(const Situation& situation, std::int64_t at, std::vector<Proposal>& proposals) {
  const CheckModel& model = situation.model;
  const std::int64_t more = situation.evidence.tensors->rows - model.row_count;
  const RowEvaluator evaluator(model);
  const std::vector<double> zero(model.tokens.axes.size(), 0);
  std::vector<std::vector<double>> likely{zero};
  for (const std::int64_t beside : {at - 1, at, std::int64_t{0}, model.row_count - 1}) {
    if (beside < 0 || beside >= model.row_count) continue;
    evaluator.ids(beside, likely.emplace_back(zero).data());
  }
  const char* key = at == model.row_count ? "check.length.evidence_padded_after"
                    : at == 0             ? "check.length.evidence_padded_before"
                                          : "check.length.evidence_padded_inside";
  for (const std::vector<double>& ids : likely) {
    CheckModel longer = insert_padding(model, at, more, ids);
    if (!gives_rows_from(longer, situation.evidence, at)) continue;
    add_length(situation, std::move(longer), Message(key, {{"more", more}, {"row", at}, {"ids", list_text(ids)}}),
               proposals);
    return;
  }
}

/// Appends extra or missing rows in the middle, located by the first row that does not fit.
void propose_inside(const Situation& situation, std::vector<Proposal>& proposals) {
  const CheckModel& model = situation.model;
  const std::int64_t rows = situation.evidence.tensors->rows;
  const auto wrong = first_wrong_row(model, situation.evidence);
  if (!wrong || *wrong == 0) return;
  if (rows > model.row_count) {
    propose_padding(situation, *wrong, proposals);
    return;
  }
  const std::int64_t less = model.row_count - rows;
  CheckModel shorter = cut_rows(model, 0, *wrong);
  for (const auto& stretch : cut_rows(model, *wrong + less, model.row_count - *wrong - less).rows) {
    shorter.rows.push_back(stretch);
  }
  shorter.row_count = rows;
  add_length(situation, std::move(shorter), Message("check.length.evidence_missing", {{"less", less}, {"row", *wrong}}),
             proposals);
}

/// Appends tables of the first pairs alone, and a list of frequencies shorter or longer than the model's.
void propose_pairs(const Situation& situation, std::vector<Proposal>& proposals) {
  const CheckModel& model = situation.model;
  const Evidence& evidence = situation.evidence;
  Proposal found = situation.proposal();
  std::int64_t pairs = evidence.cosine.cols(), due = model.tokens.pair_count();
  const bool cut = evidence.has_tables() && pairs < due && !model.given_tables;
  if (cut) found.model.tokens.frequencies = model.tokens.frequencies.leftCols(pairs).eval();
  const ExpectedFrequencies list = find_expected_frequencies(found.model, evidence.frequencies.size());
  const bool listed = !evidence.frequencies.empty() && !list.counted;
  if (listed) found.model.listed = static_cast<std::int64_t>(evidence.frequencies.size());
  if (!cut && !listed) return;
  if (!cut) pairs = found.model.listed, due = static_cast<std::int64_t>(list.values.size());
  found.parameters = {{"pairs", static_cast<double>(pairs)}};
  found.evidence = other_pairs(pairs, due);
  found.advice = Message("check.length.advice_pairs", {{"due", due}});
  proposals.push_back(std::move(found));
}

void propose_length(const Situation& situation, std::vector<Proposal>& proposals) {
  propose_pairs(situation, proposals);
  const std::int64_t rows = situation.evidence.tensors->rows, expected = situation.model.row_count;
  if (rows == 0 || expected == 0 || situation.model.own_ids) return;
  propose_repeated(situation, proposals);
  if (rows != expected && situation.reference.layout != nullptr) propose_layouts(situation, proposals);
  propose_sizes(situation, proposals);
  if (rows == expected) return;
  if (rows < expected) {
    add_length(situation, cut_rows(situation.model, 0, rows), Message("check.length.evidence_first"), proposals);
    add_length(situation, cut_rows(situation.model, expected - rows, rows), Message("check.length.evidence_last"),
               proposals);
    propose_slices(situation, proposals);
    for (const char* part : {"text", "image", "reference", "audio"}) {
      CheckModel only = situation.model;
      const bool has_part = std::any_of(only.tokens.blocks.begin(), only.tokens.blocks.end(),
                                        [&](const auto& block) { return block.part.rfind(part, 0) == 0; });
      if (!has_part) continue;
      const CheckRows of_part = find_part_rows(only.tokens, part);
      only.rows = of_part.stretches;
      only.row_count = of_part.count;
      add_length(situation, std::move(only), Message("check.length.evidence_part", {{"part", part_words(part)}}),
                 proposals);
    }
  }
  propose_longer(situation, proposals);
  // Given tables end with their rows.
  if (situation.model.given_tables && rows > expected) return;
  if (rows > expected) {
    propose_padding(situation, expected, proposals);
    propose_padding(situation, 0, proposals);
  }
  propose_inside(situation, proposals);
}

}  // namespace

std::string part_of_rows(const CheckModel& model, const TokenLayout& reference) {
  for (const char* part : {"all", "text", "image", "reference"}) {
    const bool some = std::any_of(reference.blocks.begin(), reference.blocks.end(),
                                  [&](const TokenBlock& block) { return is_in_part(block, part); });
    if (some && find_part_rows(reference, part).stretches == model.rows) return part;
  }
  return "";
}

const TokenBlock* find_block_of_part(const TokenLayout& tokens, std::string_view part) {
  const auto found = std::ranges::find(tokens.blocks, part, &TokenBlock::part);
  return found == tokens.blocks.end() ? nullptr : &*found;
}

std::optional<TokenLayout> arranged(const Situation& situation, const LayoutRequest& request) {
  try {
    return arrange(*situation.reference.layout, request);
  } catch (const InputError&) {
    return std::nullopt;
  }
}

std::optional<CheckModel> arrange_as_requested(const Situation& situation, const LayoutRequest& request,
                                               const std::string& part) {
  auto tokens = arranged(situation, request);
  if (!tokens) return std::nullopt;
  try {
    CheckModel model = situation.model;
    model.tokens.blocks = std::move(tokens->blocks);
    const CheckRows rows = find_part_rows(model.tokens, part);
    model.rows = rows.stretches;
    model.row_count = rows.count;
    if (model.row_count != situation.evidence.tensors->rows) return std::nullopt;
    return model;
  } catch (const InputError&) {
    // A request without rows of the part explains nothing.
    return std::nullopt;
  }
}

/// Another number of tokens, or of pairs.
constinit const Cause kLength{.name = "length",
                              .group = CauseGroup::ids,
                              .seen_in = "vllm-project/vllm-omni#6130",
                              .changes_rows = true,
                              .propose = propose_length};

}  // namespace ropescope
