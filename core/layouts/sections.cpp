#include "core/layouts/sections.h"

#include <algorithm>
#include <cmath>

#include "core/rotary/frequencies.h"

namespace ropescope {

using namespace layout_settings;

namespace {

std::vector<int> sections_of(const Layout& layout, const LayoutRequest& request) {
  std::vector<int> sections = request.sections;
  if (sections.empty()) {
    for (const AxisDefault& axis : layout.axes) sections.push_back(axis.rotary_dim / 2);
  }
  const bool fits = sections.size() == 3 && std::all_of(sections.begin(), sections.end(),
                                                        [](int pairs) { return pairs >= 1 && pairs <= 1024; });
  if (!fits) {
    reject(layout, "layouts.sections", {{"count", sections.size()}});
  }
  return sections;
}

std::size_t owner_of_sections(int pair, const std::vector<int>& sections, Dealing dealing) {
  if (dealing == Dealing::contiguous) return pair < sections[0] ? 0 : pair < sections[0] + sections[1] ? 1 : 2;
  const int turn = pair % 3;
  return turn != 0 && pair < 3 * sections[static_cast<std::size_t>(turn)] ? static_cast<std::size_t>(turn) : 0;
}

void set_dealt_ladder(TokenLayout& arranged, const std::vector<int>& sections, Dealing dealing) {
  const int pairs = sections[0] + sections[1] + sections[2];
  const Eigen::VectorXd ladder = plain_frequencies(2 * pairs, arranged.axes[0].base);
  arranged.frequencies = Eigen::MatrixXd::Zero(3, pairs);
  for (LayoutAxis& axis : arranged.axes) axis.rotary_dim = 0;
  for (int pair = 0; pair < pairs; ++pair) {
    const std::size_t owner = owner_of_sections(pair, sections, dealing);
    arranged.frequencies(static_cast<Eigen::Index>(owner), pair) = ladder[pair];
    arranged.axes[owner].rotary_dim += 2;
  }
}

/// Ids of t of the video: one by one, or as Qwen2.5-VL counts its seconds.
AxisIds frame_ids(const LayoutRequest& request, double start, TokenLayout& arranged) {
  AxisIds ids = counted_ids(Along::frame, start);
  if (!request.tokens_per_second) {
    if (request.frame_rate) {
      arranged.notes.emplace_back("layouts.note.frames_count");
    }
    return ids;
  }
  constexpr double kFramesPerFrameOfTokens = 2, kFrameRate = 2;
  const double seconds = kFramesPerFrameOfTokens / request.frame_rate.value_or(kFrameRate);
  // In float32 and in this order, as released: another rounding could cut to the whole number below.
  for (int frame = 0; frame < request.frames; ++frame) {
    const float time = static_cast<float>(frame) * static_cast<float>(seconds);
    ids.listed.push_back(start + std::floor(time * static_cast<float>(*request.tokens_per_second)));
  }
  if (request.frames > 1 && seconds != std::floor(seconds)) {
    arranged.notes.emplace_back("layouts.note.parts_of_seconds");
  }
  return ids;
}

}  // namespace

TokenLayout arrange_sections(const Layout& layout, const LayoutRequest& request, Dealing dealing) {
  TokenLayout arranged = begin_layout(layout);
  arranged.axes = equal_axes(layout, request, 0);
  set_dealt_ladder(arranged, sections_of(layout, request), dealing);
  std::int64_t next = 0;
  const auto add_text = [&](std::int64_t count) {
    const AxisIds ids = counted_ids(Along::token, static_cast<double>(next));
    add_line(arranged, "text", count, {ids, ids, ids});
    next += count;
  };
  const auto add_image = [&](std::string part, TokenGrid grid, int frames, const AxisIds& times) {
    const auto start = static_cast<double>(next);
    add_block(arranged, std::move(part), grid, frames,
              {times, counted_ids(Along::row, start), counted_ids(Along::column, start)});
    const auto lasting = static_cast<std::int64_t>(times.at(frames - 1)) + 1 - next;
    next += std::max({lasting, std::int64_t{grid.rows}, std::int64_t{grid.columns}});
  };
  add_text(request.text);
  add_image("image", image_grid(layout, request), request.frames,
            frame_ids(request, static_cast<double>(next), arranged));
  for (std::size_t i = 0; i < request.references.size(); ++i) {
    add_image(reference_name(i), reference_grid(layout, request, i), 1,
              counted_ids(Along::frame, static_cast<double>(next)));
  }
  add_text(request.text_after);
  return arranged;
}

}  // namespace ropescope
