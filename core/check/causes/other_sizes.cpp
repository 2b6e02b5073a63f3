#include "core/check/causes/other_sizes.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/check/compare/all_rows.h"
#include "core/check/search/shifts.h"
#include "core/error.h"

namespace ropescope {

namespace {

/// Another size in a request: of the image with its frames, or of a reference.
struct OtherSize {
  LayoutRequest request;
  ImageSize size;  ///< in tokens
  int frames = 1;
  std::size_t reference = 0;  ///< 0: the image; else which reference
  double unlike = 0;          ///< how far its aspect is from the asked one
};

int pixels_per_side(const Situation& situation) {
  return pixels_per_token(*situation.reference.layout, situation.reference.request);
}

std::string in_pixels(const ImageSize& tokens, int pixels) {
  return std::to_string(static_cast<std::int64_t>(tokens.columns) * pixels) + "x" +
         std::to_string(static_cast<std::int64_t>(tokens.rows) * pixels);
}

Words other_sizes_in_words(const ImageSize& tokens, int frames, int pixels) {
  return Words(frames > 1 ? "check.length.size_frames" : "check.length.size",
               {{"width", static_cast<std::int64_t>(tokens.columns) * pixels},
                {"height", static_cast<std::int64_t>(tokens.rows) * pixels},
                {"rows", tokens.rows},
                {"columns", tokens.columns},
                {"frames", frames}});
}

/// The size of a block of the reference.
ImageSize size_of_other_sizes(const TokenBlock& block) {
  return ImageSize::tokens(block.rows, static_cast<int>(block.columns));
}

const TokenBlock* block_of_other_sizes(const TokenLayout& tokens, const std::string& part) {
  const auto found = std::find_if(tokens.blocks.begin(), tokens.blocks.end(),
                                  [&](const TokenBlock& block) { return block.part == part; });
  return found == tokens.blocks.end() ? nullptr : &*found;
}

/// Calls `act` with every grid of `count` tokens.
template <class Act>
void each_grid(std::int64_t count, const Act& act) {
  constexpr std::int64_t kLongest = 1 << 14;
  for (std::int64_t rows = 1; rows <= std::min(count, kLongest); ++rows) {
    if (count % rows != 0 || count / rows > kLongest) continue;
    act(ImageSize::tokens(static_cast<int>(rows), static_cast<int>(count / rows)));
  }
}

/// How many rows go on from the first by the step between the first two, as ids or as angles of all pairs.
std::int64_t steady_rows(const Evidence& evidence, const CheckModel& model) {
  constexpr double kTurn = 2 * std::numbers::pi, kErrors = 8, kLeast = 2e-3;
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
      const double allowed = kErrors * (noise(row, i) + noise(row + 1, i) + noise(0, i) + noise(1, i));
      if (std::abs(by) > std::max(allowed, kLeast)) return row + 1;
    }
  }
  return rows;
}

/// Which other requests give the rows of the tensors.
class Sizes {
 public:
  explicit Sizes(const Situation& situation)
      : situation_(situation), part_(part_of_rows(situation.model, situation.reference.tokens)) {}

  std::vector<OtherSize> all() {
    const LayoutRequest& asked = situation_.reference.request;
    const TokenBlock* image = block_of_other_sizes(situation_.reference.tokens, "image");
    if (part_.empty() || part_ == "text" || image == nullptr || !asked.image) return {};
    if (part_ != "reference") add_images(*image);
    const bool others = situation_.evidence.tensors->rows != situation_.model.row_count;
    for (std::size_t i = 0; i < asked.references.size() && part_ != "image" && others; ++i) add_references(i);
    std::stable_sort(sizes_.begin(), sizes_.end(),
                     [](const OtherSize& a, const OtherSize& b) { return a.unlike < b.unlike; });
    return std::move(sizes_);
  }
  const std::string& part() const { return part_; }

 private:
  std::int64_t rows() const { return situation_.evidence.tensors->rows; }

  /// Rows of the part beside the image, without what fills it up to a multiple; none where the layout refuses the
  /// request.
  std::optional<std::int64_t> beside(const LayoutRequest& request, const std::string& of) const {
    const auto tokens = arranged(situation_, request);
    if (!tokens) return std::nullopt;
    std::int64_t count = 0;
    for (const TokenBlock& block : tokens->blocks) {
      const bool counted = part_ == "all" || block.part.rfind(part_, 0) == 0;
      if (counted && block.part != of && block.part != "padding") count += block.count();
    }
    return count;
  }

  /// Of the first rows of the tensors, or of the last ones: how many go on by the same step, as a text does.
  std::int64_t rows_in_step(bool last) const {
    constexpr std::int64_t kFew = 32, kMost = 4096;
    if (!situation_.evidence.has_ids() && !situation_.evidence.has_tables()) return 0;
    const std::int64_t most = std::min(rows(), kMost);
    for (std::int64_t count = std::min(kFew, most);; count = std::min(4 * count, most)) {
      std::vector<std::int64_t> looked(static_cast<std::size_t>(count));
      for (std::int64_t i = 0; i < count; ++i) looked[static_cast<std::size_t>(i)] = last ? rows() - 1 - i : i;
      const std::int64_t steady = steady_rows(at_rows(situation_.evidence, std::move(looked)), situation_.model);
      if (steady < count || count == most) return steady;
    }
  }

  /// Numbers of text tokens that the rows could begin or end with, and those that pipelines pad to.
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

  void add_images(const TokenBlock& image) {
    const LayoutRequest& asked = situation_.reference.request;
    const bool same_count = rows() == situation_.model.row_count;
    std::vector<std::int64_t> texts = {asked.text};
    const bool other_texts = !same_count && part_ == "all" && takes(*situation_.reference.layout, "text");
    if (other_texts) texts = likely_texts(asked.text);
    const bool pads = block_of_other_sizes(situation_.reference.tokens, "padding") != nullptr;
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
    constexpr int kMostFrames = 512;
    for (int frames = 1; frames <= (takes_frames ? kMostFrames : 1) && frames <= count; ++frames) {
      if (count % frames != 0 || (takes_frames && !other_frames && frames != image.frames)) continue;
      each_grid(count / frames, [&](const ImageSize& size) {
        const ImageSize due = size_of_other_sizes(image);
        const bool same = size == due && frames == image.frames && request.text == situation_.reference.request.text;
        const bool turned = size.rows == due.columns && size.columns == due.rows;
        // With as many rows exchanged sides are another cause.
        if (same || (turned && !other_frames)) return;
        OtherSize other{request, size, frames, 0, 0};
        other.request.image = size;
        other.request.frames = takes_frames ? frames : request.frames;
        const auto aspect = [](const ImageSize& of) { return std::log(static_cast<double>(of.columns) / of.rows); };
        other.unlike = std::min(std::abs(aspect(size) - aspect(due)), std::abs(aspect(size)));
        if (size.rows != due.rows && size.columns != due.columns) other.unlike += 0.1;
        if (frames != image.frames) other.unlike += 1;
        if (request.text != situation_.reference.request.text) other.unlike += 1;
        sizes_.push_back(std::move(other));
      });
    }
  }

  void add_references(std::size_t index) {
    const std::string name = "reference" + std::to_string(index + 1);
    const TokenBlock* block = block_of_other_sizes(situation_.reference.tokens, name);
    if (block == nullptr) return;
    const LayoutRequest& asked = situation_.reference.request;
    const auto others = beside(asked, name);
    if (!others) return;
    const std::int64_t count = rows() - *others;
    each_grid(count, [&](const ImageSize& size) {
      OtherSize other{asked, size, 1, index + 1, 0};
      other.request.references[index] = size;
      const auto aspect = [](const ImageSize& of) { return std::log(static_cast<double>(of.columns) / of.rows); };
      other.unlike = 0.5 + std::abs(aspect(size) - aspect(size_of_other_sizes(*block)));
      sizes_.push_back(std::move(other));
    });
  }

  const Situation& situation_;
  std::string part_;
  std::vector<OtherSize> sizes_;
};

Proposal proposal_of_other_sizes(const Situation& situation, const OtherSize& other, CheckModel model) {
  Proposal found = situation.proposal();
  found.model = std::move(model);
  const int pixels = pixels_per_side(situation);
  const TokenLayout& reference = situation.reference.tokens;
  const std::string part = other.reference == 0 ? "image" : "reference" + std::to_string(other.reference);
  const TokenBlock* due = block_of_other_sizes(reference, part);
  const std::int64_t rows = situation.evidence.tensors->rows;
  found.parameters = {{"length", static_cast<double>(rows)}, {"size", as_it_is(in_pixels(other.size, pixels))}};
  if (due->frames != other.frames) found.parameters.push_back({"frames", static_cast<double>(other.frames)});
  if (other.reference > 0) found.parameters.push_back({"part", part_words(part)});
  const std::int64_t text = situation.reference.request.text;
  const bool other_text = other.request.text != text;
  if (other_text) found.parameters.push_back({"text", static_cast<double>(other.request.text)});
  const bool of_image = other.reference == 0;
  const char* key = !of_image    ? "check.length.evidence_reference"
                    : other_text ? "check.length.evidence_size_text"
                                 : "check.length.evidence_size";
  found.evidence = Words(key, {{"rows", rows},
                               {"due", situation.model.row_count},
                               {"part", part_words(part)},
                               {"size", other_sizes_in_words(other.size, other.frames, pixels)},
                               {"due_size", other_sizes_in_words(size_of_other_sizes(*due), due->frames, pixels)},
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
      of_image ? Words("check.length.advice_size", {{"option", options}}) : Words("check.length.advice_reference");
  // As many latents as tokens are due: those of one token have each become one.
  const int patch = situation.reference.layout->vae_factor > 1 ? situation.reference.layout->patch : 1;
  const bool unpacked = of_image && patch > 1 && other.frames == due->frames && other.size.rows == patch * due->rows &&
                        other.size.columns == patch * due->columns;
  if (unpacked) {
    const Words::Named latents("patch", patch);
    found.evidence = sentences(std::move(found.evidence), Words("check.length.evidence_unpacked", {latents}));
    found.advice = Words("check.length.advice_unpacked", {latents});
  }
  return found;
}

}  // namespace

std::string part_of_rows(const CheckModel& model, const TokenLayout& reference) {
  for (const char* part : {"all", "text", "image", "reference"}) {
    const bool some = std::any_of(reference.blocks.begin(), reference.blocks.end(), [&](const TokenBlock& block) {
      return std::string_view(part) == "all" || block.part.rfind(part, 0) == 0;
    });
    if (some && rows_of_part(reference, part).stretches == model.rows) return part;
  }
  return "";
}

std::optional<TokenLayout> arranged(const Situation& situation, const LayoutRequest& request) {
  try {
    return arrange(*situation.reference.layout, request);
  } catch (const InputError&) {
    return std::nullopt;
  }
}

std::optional<CheckModel> arranged_as(const Situation& situation, const LayoutRequest& request,
                                      const std::string& part) {
  auto tokens = arranged(situation, request);
  if (!tokens) return std::nullopt;
  try {
    CheckModel model = situation.model;
    model.tokens.blocks = std::move(tokens->blocks);
    const CheckRows rows = rows_of_part(model.tokens, part);
    model.rows = rows.stretches;
    model.row_count = rows.count;
    if (model.row_count != situation.evidence.tensors->rows) return std::nullopt;
    return model;
  } catch (const InputError&) {
    // A request without rows of the part explains nothing.
    return std::nullopt;
  }
}

void propose_sizes(const Situation& situation, std::vector<Proposal>& proposals) {
  if (situation.reference.layout == nullptr || situation.reference.rope) return;
  Sizes sizes(situation);
  constexpr std::size_t kFew = 3;
  std::vector<Proposal> likely;
  for (const OtherSize& other : sizes.all()) {
    auto model = arranged_as(situation, other.request, sizes.part());
    if (!model) continue;
    if (reproduces_all(*model, situation.evidence, inputs_of(situation.evidence))) {
      proposals.push_back(proposal_of_other_sizes(situation, other, std::move(*model)));
      return;
    }
    if (likely.size() < kFew) likely.push_back(proposal_of_other_sizes(situation, other, std::move(*model)));
  }
  if (situation.evidence.tensors->rows == situation.model.row_count) return;
  std::move(likely.begin(), likely.end(), std::back_inserter(proposals));
}

}  // namespace ropescope
