// Layouts of multimodal language models (M-RoPE and its variants), written as those of images.cpp. Read parts.h first.
//
// Contents: Sections; Sequences; Qwen2-VL; Qwen3-VL; Qwen-Omni; GLM-4.xV; ERNIE 4.5 VL; HunYuan-VL; All layouts.

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "core/layouts/parts.h"
#include "core/rotary/spec.h"

namespace ropescope {

// --- Sections ------------------------------------------------------------------------------------------------------

using namespace layout_settings;

namespace {

/// How the pairs of one ladder are assigned to the axes.
enum class Dealing {
  contiguous,   ///< the first section to the first axis, and so on
  interleaved,  ///< pair i to row if i % 3 = 1, to column if i % 3 = 2, while i < 3·section; else to t
  alternating   ///< row and column alternate as long as they last, then t
};

/// Returns the number of pairs per axis, in the order of the axes.
std::vector<int> sections_of(const Layout& layout, const LayoutRequest& request, Dealing dealing) {
  std::vector<int> sections = request.sections;
  if (sections.empty()) {
    for (const AxisDefault& axis : layout.axes) sections.push_back(axis.rotary_dim / 2);
  }
  bool fits = sections.size() == layout.axes.size() &&
              std::ranges::all_of(sections, [](int pairs) { return pairs >= 1 && pairs <= 1024; });
  if (fits && dealing == Dealing::alternating && sections[1] != sections[2]) {
    reject(layout, "layouts.sections_differ", {{"row", sections[1]}, {"column", sections[2]}});
  }
  if (!fits) reject(layout, "layouts.sections", {{"count", sections.size()}, {"axes", layout.axes.size()}});
  return sections;
}

std::size_t owner_of_pair(int pair, const std::vector<int>& sections, Dealing dealing) {
  std::size_t owner = 0;
  switch (dealing) {
    case Dealing::contiguous:
      for (int end = sections[0]; pair >= end; end += sections[owner]) ++owner;
      break;
    case Dealing::interleaved:
      if (const auto turn = static_cast<std::size_t>(pair % 3); pair < 3 * sections[turn]) owner = turn;
      break;
    case Dealing::alternating:
      if (pair < 2 * sections[1]) owner = static_cast<std::size_t>(1 + pair % 2);
      break;
  }
  return owner;
}

/// Returns an empty arrangement with one ladder over Σ 2·section channels.
TokenLayout begin_assigned(const Layout& layout, const LayoutRequest& request, Dealing dealing) {
  TokenLayout arranged = begin_layout(layout, request);
  const std::vector<int> sections = sections_of(layout, request, dealing);
  arranged.axes = equal_axes(layout, request, 0);
  int pairs = 0;
  for (const int section : sections) pairs += section;
  const Eigen::VectorXd ladder = plain_frequencies(2 * pairs, arranged.axes[0].base);
  arranged.frequencies = Eigen::MatrixXd::Zero(std::ssize(arranged.axes), pairs);
  for (int pair = 0; pair < pairs; ++pair) {
    const std::size_t owner = owner_of_pair(pair, sections, dealing);
    arranged.frequencies(static_cast<Eigen::Index>(owner), pair) = ladder[pair];
    arranged.axes[owner].rotary_dim += 2;
  }
  return arranged;
}

constexpr std::string_view kContiguousLadder =
    R"(owner = numpy.repeat([0, 1, 2], [{s0}, {s1}, {s2}])  # the axis that turns each pair
frequency = ladder({channels}, {base}) * (owner == numpy.arange(3)[:, None])
)";
constexpr std::string_view kInterleavedLadder =
    R"(owner = numpy.array([i % 3 if i < 3 * [{s0}, {s1}, {s2}][i % 3] else 0 for i in range({pairs})]))"
    R"(  # the axis that turns each pair
frequency = ladder({channels}, {base}) * (owner == numpy.arange(3)[:, None])
)";

// --- Sequences -----------------------------------------------------------------------------------------------------

/// Appends to a sequence and tracks its ids: text has equal ids on all axes; other parts start at the next free id.
struct Sequence {
  TokenLayout& arranged;
  double next = 0;

  void add_line_of(std::string_view part, std::int64_t count) {
    add_line(arranged, std::string(part), count,
             std::vector<AxisIds>(arranged.axes.size(), counted_ids(Along::token, next)));
    next += static_cast<double>(count);
  }
  void add_text(std::int64_t count) { add_line_of("text", count); }
  /// Adds frames with ids (times, row, column), rows and columns from `start` on.
  void add_frames(std::string part, const TokenGrid& grid, const AxisIds& times, double start, int frames) {
    add_block(arranged, std::move(part), grid, frames,
              {times, counted_ids(Along::row, start), counted_ids(Along::column, start)});
  }
  /// Adds frames from the next free id on; the sequence continues after the largest of their ids.
  void add_image(std::string part, const TokenGrid& grid, const AxisIds& times, int frames = 1) {
    add_frames(std::move(part), grid, times, next, frames);
    next = std::max({times.at(frames - 1) + 1, next + grid.rows, next + grid.columns});
  }
  void add_references(const Layout& layout, const LayoutRequest& request) {
    for (std::size_t i = 0; i < request.references.size(); ++i) {
      add_image(reference_name(i), reference_grid(layout, request, i), fixed_id(next));
    }
  }
};

/// Returns start + floor(frame · seconds per frame · ids per second), in float32 and in this order, as released: other
/// rounding could change the floor. Not `whole`: without the floor, the sum in float32 too.
AxisIds ids_of_seconds(int frames, double frame_rate, double ids_a_second, double start, bool whole) {
  constexpr double kFramesPerFrameOfTokens = 2;
  const auto seconds = static_cast<float>(kFramesPerFrameOfTokens / frame_rate);
  AxisIds ids{Along::frame, start, {}};
  for (int frame = 0; frame < frames; ++frame) {
    const float time = static_cast<float>(frame) * seconds * static_cast<float>(ids_a_second);
    ids.listed.push_back(whole ? start + std::floor(time) : time + static_cast<float>(start));
  }
  return ids;
}

/// Number of text tokens before and after each frame of a video.
struct FrameText {
  std::int64_t before = 0, after = 0;
};

/// Arranges text, then frames as separate images with text between them, references, text.
template <Dealing kDealing, FrameText (*kTextAbout)(double seconds, std::int64_t between)>
TokenLayout arrange_stamped(const Layout& layout, const LayoutRequest& request) {
  TokenLayout arranged = begin_assigned(layout, request, kDealing);
  Sequence sequence{arranged};
  const TokenGrid grid = image_grid(layout, request);
  const double rate = request.frame_rate.value_or(layout.frame_rate);
  const auto given = request.numbers.find("text_between");
  const auto between = given == request.numbers.end() ? 0 : static_cast<std::int64_t>(given->second);
  const bool video = request.frames > 1 || request.frame_rate || between > 0;
  std::int64_t text = request.text;
  for (int frame = 0; frame < request.frames; ++frame) {
    // Two frames are merged: the mean of their times.
    const double seconds = (2 * frame / rate + (2 * frame + 1) / rate) / 2;
    const FrameText about = video ? kTextAbout(seconds, between) : FrameText{};
    sequence.add_text(text + about.before);
    sequence.add_image("image", grid, fixed_id(sequence.next));
    text = about.after;
  }
  if (request.references.empty()) {
    sequence.add_text(text + request.text_after);
    return arranged;
  }
  sequence.add_text(text);
  sequence.add_references(layout, request);
  sequence.add_text(request.text_after);
  return arranged;
}

// clang-format off
constexpr LayoutField kTextBetween{{.key = "layout.text_between", .maximum = 1 << 16, .whole = true, .highest = 64,
     .unit = "unit.tokens", .zero = "unit.own", .symbol = "B", .order = 13}};
// clang-format on

// --- Qwen2-VL ------------------------------------------------------------------------------------------------------

constexpr AxisDefault kQwen2VlAxes[] = {{"t", 32, 1e6}, {"row", 48, 1e6}, {"column", 48, 1e6}};
// clang-format off
constexpr LayoutField kTokensPerSecond{{.key = "layout.tokens_per_second", .minimum = 1e-3, .maximum = 1e6, .lowest = 0,
     .highest = 240, .linear = true, .symbol = "T", .order = 4}, &LayoutRequest::tokens_per_second, {}, kOfModel};
constexpr LayoutField kQwen2VlFields[] = {kImage, kText, kTextAfter, kReferences, kFrames,
    only_with(kFrameRate, kTokensPerSecond.name), kTokensPerSecond, kBase, kPatch, kSections};
// clang-format on

/// Returns the ids of t of the video: one by one, or in seconds as in Qwen2.5-VL.
AxisIds frame_ids(const Layout& layout, const LayoutRequest& request, double start, TokenLayout& arranged) {
  if (!request.tokens_per_second) {
    if (request.frame_rate) arranged.notes.emplace_back("layouts.note.frames_count");
    return counted_ids(Along::frame, start);
  }
  const double rate = request.frame_rate.value_or(layout.frame_rate), seconds = 2 / rate;
  if (request.frames > 1 && seconds != std::floor(seconds)) {
    arranged.notes.emplace_back("layouts.note.parts_of_seconds");
  }
  return ids_of_seconds(request.frames, rate, *request.tokens_per_second, start, true);
}

/// Arranges text, an image or a video, references, text.
template <Dealing kDealing>
TokenLayout arrange_around_image(const Layout& layout, const LayoutRequest& request) {
  TokenLayout arranged = begin_assigned(layout, request, kDealing);
  Sequence sequence{arranged};
  sequence.add_text(request.text);
  sequence.add_image("image", image_grid(layout, request), frame_ids(layout, request, sequence.next, arranged),
                     request.frames);
  sequence.add_references(layout, request);
  sequence.add_text(request.text_after);
  return arranged;
}

// --- Qwen3-VL ------------------------------------------------------------------------------------------------------

constexpr AxisDefault kQwen3VlAxes[] = {{"t", 48, 5e6}, {"row", 40, 5e6}, {"column", 40, 5e6}};
constexpr LayoutField kStampedFields[] = {kImage,     kText, kTextAfter, kReferences, kFrames,
                                          kFrameRate, kBase, kPatch,     kSections,   kTextBetween};

/// Returns the tokens around a frame: "<2.5 seconds>" and the start token before, the end token after it. The tokenizer
/// has one token each for <, every digit, the point, " seconds" and >.
FrameText about_qwen3_frame(double seconds, std::int64_t between) {
  if (between > 0) return {between - 1, 1};
  std::array<char, 32> number{};
  const auto written =
      std::to_chars(number.data(), number.data() + number.size(), std::min(seconds, 1e9), std::chars_format::fixed, 1);
  return {(written.ptr - number.data()) + 4, 1};
}

// --- Qwen-Omni -----------------------------------------------------------------------------------------------------

constexpr AxisDefault kQwen3OmniAxes[] = {{"t", 48, 1e6}, {"row", 40, 1e6}, {"column", 40, 1e6}};
constexpr LayoutField kAudio{{.key = "layout.audio",
                              .maximum = 1 << 24,
                              .whole = true,
                              .highest = 1 << 16,
                              .unit = "unit.tokens",
                              .symbol = "A",
                              .order = 14}};
constexpr LayoutField kOmniFields[] = {kImage,     kText, kTextAfter, kReferences, kFrames,
                                       kFrameRate, kBase, kPatch,     kSections,   kAudio};

std::int64_t audio_tokens(const LayoutRequest& request) {
  return static_cast<std::int64_t>(*value_of(request, kAudio));
}

/// Adds frames first … end − 1 of the video, at their own times.
void add_some_frames(Sequence& sequence, const TokenGrid& grid, const AxisIds& times, double start, int first,
                     int end) {
  if (first == end) return;
  AxisIds some{Along::frame, 0, {times.listed.begin() + first, times.listed.begin() + end}};
  sequence.add_frames("image", grid, some, start, end - first);
}

/// Returns the next id after a range of frames that ends a video, with its last frame at `time`.
double after_frames(const TokenGrid& grid, double start, double time) {
  return std::max({time, start + grid.rows - 1, start + grid.columns - 1}) + 1;
}

/// Qwen2.5-Omni: adds frames and audio in alternating chunks of two seconds; both have 25 ids per second.
void add_chunks(Sequence& sequence, const TokenGrid& grid, const AxisIds& times, std::int64_t audio) {
  constexpr std::int64_t kIdsOfChunk = 50;
  const double start = sequence.next;
  const auto frames = static_cast<int>(times.listed.size());
  double after = start;
  std::int64_t heard = 0;
  for (int shown = 0; shown < frames || heard < audio;) {
    const auto chunk = static_cast<double>(
        (shown < frames ? static_cast<std::int64_t>(times.at(shown) - start) : heard) / kIdsOfChunk);
    const double end = start + (chunk + 1) * kIdsOfChunk;
    int next_shown = shown;
    while (next_shown < frames && times.at(next_shown) < end) ++next_shown;
    if (next_shown > shown) {
      add_some_frames(sequence, grid, times, start, shown, next_shown);
      after = after_frames(grid, start, times.at(next_shown - 1));
      shown = next_shown;
    }
    if (const std::int64_t some = std::min(kIdsOfChunk, audio - heard); some > 0) {
      sequence.next = start + static_cast<double>(heard);
      sequence.add_line_of("audio", some);
      after = sequence.next;
      heard += some;
    }
  }
  sequence.next = after;
}

/// Qwen3-Omni: adds each frame before the first audio token that is not earlier than the frame.
void add_by_time(Sequence& sequence, const TokenGrid& grid, const AxisIds& times, std::int64_t audio) {
  const double start = sequence.next;
  const auto frames = static_cast<int>(times.listed.size());
  std::int64_t heard = 0;
  const auto hear_until = [&](std::int64_t end) {
    sequence.next = start + static_cast<double>(heard);
    sequence.add_line_of("audio", end - heard);
    heard = end;
  };
  for (int shown = 0; shown < frames;) {
    const double due = std::ceil(times.at(shown) - start);
    if (due > static_cast<double>(heard)) hear_until(std::min(audio, static_cast<std::int64_t>(due)));
    int end = shown + 1;
    while (end < frames && (heard == audio || times.at(end) <= start + static_cast<double>(heard))) ++end;
    add_some_frames(sequence, grid, times, start, shown, end);
    shown = end;
  }
  if (heard < audio) {
    hear_until(audio);
  } else {
    sequence.next = after_frames(grid, start, times.at(frames - 1));
  }
}

/// Adds the two start or end tokens, with a single id, of a video with audio in Qwen2.5-Omni.
void add_paired_tokens(Sequence& sequence, std::int64_t before, std::int64_t after) {
  sequence.add_text(before);
  sequence.next -= 1;
  sequence.add_text(after);
}

/// Arranges text, an image or a video with audio among its frames, references, text.
template <Dealing kDealing, int kIdsPerSecond>
TokenLayout arrange_omni(const Layout& layout, const LayoutRequest& request) {
  TokenLayout arranged = begin_assigned(layout, request, kDealing);
  Sequence sequence{arranged};
  const TokenGrid grid = image_grid(layout, request);
  const double rate = request.frame_rate.value_or(layout.frame_rate);
  const std::int64_t audio = audio_tokens(request);
  const bool chunks = kDealing == Dealing::contiguous;
  if (chunks && audio > 0 && rate < 1) {
    reject(layout, "layouts.value",
           {{"what", Message("layouts.value.frame_rate")},
            {"found", rate},
            {"expected", Message("expected.number", {{"least", 1}, {"most", 1e6}})}});
  }
  const bool paired_tokens = chunks && audio > 0;
  if (paired_tokens && request.text > 1) {
    add_paired_tokens(sequence, request.text - 1, 1);
  } else {
    sequence.add_text(request.text);
  }
  const AxisIds times = ids_of_seconds(request.frames, rate, kIdsPerSecond, sequence.next, chunks);
  if (audio == 0) {
    sequence.add_image("image", grid, times, request.frames);
  } else if (chunks) {
    add_chunks(sequence, grid, times, audio);
  } else {
    add_by_time(sequence, grid, times, audio);
  }
  sequence.add_references(layout, request);
  if (paired_tokens && request.text_after > 1) {
    add_paired_tokens(sequence, 1, request.text_after - 1);
  } else {
    sequence.add_text(request.text_after);
  }
  return arranged;
}

// --- GLM-4.xV ------------------------------------------------------------------------------------------------------

constexpr AxisDefault kGlm4VAxes[] = {{"t", 16, 10000}, {"row", 24, 10000}, {"column", 24, 10000}};
constexpr LayoutField kGlm4VFields[] = {kImage,     kText, kTextAfter, kReferences, kFrames,     kPairing,
                                        kFrameRate, kBase, kPatch,     kSections,   kTextBetween};

/// Returns the tokens around a frame: a start token before, an end token and its second as one number after it.
FrameText about_glm_frame(double, std::int64_t between) {
  constexpr std::int64_t kOwn = 3;
  return {1, (between > 0 ? between : kOwn) - 1};
}

// --- ERNIE 4.5 VL --------------------------------------------------------------------------------------------------

constexpr AxisDefault kErnieVlAxes[] = {{"t", 40, 500000}, {"row", 44, 500000}, {"column", 44, 500000}};
constexpr LayoutField kErnieVlFields[] = {kImage, kText, kTextAfter, kReferences, kFrames, kBase, kPatch, kSections};

// --- HunYuan-VL ----------------------------------------------------------------------------------------------------

/// 10000 · 1000^(128/126): the base after scaling by its alpha of 1000.
constexpr double kHunYuanVlBase = 11158839.92507748;
constexpr AxisDefault kHunYuanVlAxes[] = {{"position", 32, kHunYuanVlBase},
                                          {"column", 32, kHunYuanVlBase},
                                          {"row", 32, kHunYuanVlBase},
                                          {"t", 32, kHunYuanVlBase}};
constexpr LayoutField kHunYuanVlFields[] = {kImage, kText, kTextAfter, kReferences, kBase, kPatch};

/// Adds a start token, rows that each end in a newline token, and an end token; "position" counts all of them.
void add_lines_of_image(Sequence& sequence, std::string part, const TokenGrid& grid, double image) {
  sequence.add_text(1);
  add_block(
      sequence.arranged, std::move(part), {grid.rows, grid.columns + 1}, 1,
      {counted_ids(Along::token, sequence.next), counted_ids(Along::column), counted_ids(Along::row), fixed_id(image)});
  sequence.next += static_cast<double>(grid.rows) * (grid.columns + 1);
  sequence.add_text(1);
}

TokenLayout arrange_hunyuan_vl(const Layout& layout, const LayoutRequest& request) {
  TokenLayout arranged = begin_assigned(layout, request, Dealing::contiguous);
  Sequence sequence{arranged};
  sequence.add_text(request.text);
  add_lines_of_image(sequence, "image", image_grid(layout, request), 0);
  for (std::size_t i = 0; i < request.references.size(); ++i) {
    add_lines_of_image(sequence, reference_name(i), reference_grid(layout, request, i), static_cast<double>(i + 1));
  }
  sequence.add_text(request.text_after);
  return arranged;
}

}  // namespace

// --- All layouts ---------------------------------------------------------------------------------------------------

// clang-format off
constexpr Layout kAllMultimodalLayouts[] = {
  // One ladder over the head in three contiguous sections; tokens are patches of 14 pixels merged 2×2. Qwen2.5-VL is
  // this layout with tokens_per_second; PaddleOCR-VL has another base.
  // The formula of t is in float32, as released: other rounding could change the floor.
  {.name = "qwen2-vl", .place = 160,
   .source = "huggingface/transformers modeling_qwen2_vl.py, modeling_qwen2_5_vl.py get_rope_index, "
     "apply_multimodal_rotary_pos_emb", .axes = kQwen2VlAxes, .pairing = Pairing::half_split, .patch = 28,
   .frame_rate = 2, .settings = kQwen2VlFields, .classes = {{"qwen2_vl"}, {"qwen2_5_vl"}, {"paddleocr_vl"}},
   .config = {.holds = ConfigHolds::sections},
   .formulas = {{"image", Along::frame,
     "{first} + numpy.floor(t.astype(\"f4\") * numpy.float32(2 / {frame_rate}) * numpy.float32({tokens_per_second}))",
     true}}, .ladder = kContiguousLadder, .arrange = arrange_around_image<Dealing::contiguous>},
  // One ladder over the head, interleaved; tokens are patches of 16 pixels merged 2×2. A video is a series of images
  // with the time of each as text between them, so t does not count frames.
  {.name = "qwen3-vl", .place = 170,
   .source = "huggingface/transformers modeling_qwen3_vl.py get_rope_index, apply_interleaved_mrope; "
     "processing_qwen3_vl.py (videos)", .axes = kQwen3VlAxes, .pairing = Pairing::half_split, .patch = 32,
   .frame_rate = 2, .settings = kStampedFields,
   .classes = {{"qwen3_vl"}, {"qwen3_vl_moe"}, {"qwen3_5"}, {"qwen3_5_moe"}},
   .config = {.holds = ConfigHolds::sections}, .ladder = kInterleavedLadder,
   .arrange = arrange_stamped<Dealing::interleaved, about_qwen3_frame>},
  // Qwen2-VL's sections; t has 25 ids per second. In a video with audio, the two start tokens share an id, as do the
  // two end tokens.
  {.name = "qwen2.5-omni", .place = 171,
   .source = "huggingface/transformers modeling_qwen2_5_omni.py get_rope_index (TMRoPE)", .has_quirk = true,
   .axes = kQwen2VlAxes, .pairing = Pairing::half_split, .patch = 28, .frame_rate = 2, .settings = kOmniFields,
   .classes = {{"qwen2_5_omni"}, {"qwen2_5_omni_thinker"}}, .config = {.holds = ConfigHolds::sections},
   .formulas = {{"image", Along::frame,
     "{first} + numpy.floor(t.astype(\"f4\") * numpy.float32(2 / {frame_rate}) * numpy.float32(25))", true}},
   .ladder = kContiguousLadder, .arrange = arrange_omni<Dealing::contiguous, 25>},
  // Qwen3-VL's assignment of pairs; t has 13 ids per second, which may be fractional.
  {.name = "qwen3-omni", .place = 172,
   .source = "huggingface/transformers modeling_qwen3_omni_moe.py get_rope_index (TMRoPE)", .axes = kQwen3OmniAxes,
   .pairing = Pairing::half_split, .patch = 32, .frame_rate = 1, .settings = kOmniFields,
   .classes = {{"qwen3_omni_moe"}, {"qwen3_omni_moe_thinker"}}, .config = {.holds = ConfigHolds::sections},
   .formulas = {{"image", Along::frame,
     "t.astype(\"f4\") * numpy.float32(2 / {frame_rate}) * numpy.float32(13) + numpy.float32({first})", true}},
   .ladder = kInterleavedLadder, .arrange = arrange_omni<Dealing::interleaved, 13>},
  // Half of the head is rotated: interleaved in GLM-4.1V and GLM-OCR, half split in GLM-4.5V. Video frames are images.
  {.name = "glm-4v", .place = 173,
   .source = "huggingface/transformers modeling_glm4v.py, modeling_glm4v_moe.py get_rope_index, "
     "Glm4vTextRotaryEmbedding; processing_glm4v.py (videos)", .has_quirk = true, .axes = kGlm4VAxes, .patch = 28,
   .frame_rate = 2, .settings = kGlm4VFields, .classes = {{"glm4v"}, {"glm4v_moe"}, {"glm46v"}, {"glm_ocr"}},
   .config = {.holds = ConfigHolds::sections}, .ladder = kContiguousLadder,
   .arrange = arrange_stamped<Dealing::contiguous, about_glm_frame>},
  // Rows and columns alternate over the fast pairs, t has the slow ones; a frame of tokens is two of the video.
  {.name = "ernie-4.5-vl", .place = 174,
   .source = "huggingface/transformers modeling_ernie4_5_vl_moe.py get_rope_index, Ernie4_5_VLMoeTextRotaryEmbedding",
   .axes = kErnieVlAxes, .patch = 28, .settings = kErnieVlFields, .classes = {{"ernie4_5_vl_moe"}},
   .config = {.holds = ConfigHolds::sections},
   .ladder = R"(owner = numpy.array([1 + i % 2 if i < 2 * {s1} else 0 for i in range({pairs})])  # the axis of each pair
frequency = ladder({channels}, {base}) * (owner == numpy.arange(3)[:, None])
)", .arrange = arrange_around_image<Dealing::alternating>},
  // XD-RoPE: four axes; the first also counts tokens within images. A newline token is one more column.
  {.name = "hunyuan-vl", .place = 175,
   .source = "vllm-project/vllm rotary_embedding/xdrope.py XDRotaryEmbedding; huggingface/transformers "
     "modeling_hunyuan_vl.py get_rope_index", .has_quirk = true, .axes = kHunYuanVlAxes, .pairing = Pairing::half_split,
   .patch = 32, .settings = kHunYuanVlFields, .classes = {{"hunyuan_vl"}}, .config = {.holds = ConfigHolds::sections},
   .ladder = R"(owner = numpy.repeat([0, 1, 2, 3], [{s0}, {s1}, {s2}, {s3}])  # the axis that turns each pair
frequency = ladder({channels}, {base}) * (owner == numpy.arange(4)[:, None])
)", .arrange = arrange_hunyuan_vl},
};
// clang-format on

extern constinit const std::span<const Layout> kMultimodalLayouts = kAllMultimodalLayouts;

}  // namespace ropescope
