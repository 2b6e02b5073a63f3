#include <algorithm>
#include <array>
#include <limits>

#include "app/figure/gif.h"

namespace ropescope {

namespace {

constexpr std::size_t kEvery = std::size_t{1} << 24;
/// Colours that fill this share of all pixels are kept as they are, as far as there is room.
constexpr std::uint64_t kShareOfArea = 2000;
constexpr std::size_t kMostKept = 63;

struct Counted {
  std::uint32_t pixel = 0, count = 0;
};

int channel_of(std::uint32_t pixel, int channel) {
  return static_cast<int>(pixel >> (8 * channel) & 0xFF);
}

/// A stretch of the list of colours, and the box around them.
struct ColourBox {
  std::size_t begin = 0, end = 0;
  int channel = 0, side = 0;  ///< the longest
  int middle = 0;             ///< of that side
};

ColourBox box_around(const std::vector<Counted>& colours, std::size_t begin, std::size_t end) {
  ColourBox box{begin, end};
  for (int channel = 0; channel < 3; ++channel) {
    int low = 255, high = 0;
    for (std::size_t i = begin; i < end; ++i) {
      low = std::min(low, channel_of(colours[i].pixel, channel));
      high = std::max(high, channel_of(colours[i].pixel, channel));
    }
    if (high - low > box.side) box = {begin, end, channel, high - low, low + (high - low) / 2};
  }
  return box;
}

/// The box with the longest side is halved until there are so many or each holds one colour.
std::vector<ColourBox> boxes_of(std::vector<Counted>& colours, std::size_t most) {
  std::vector<ColourBox> boxes;
  if (colours.empty()) return boxes;
  boxes.push_back(box_around(colours, 0, colours.size()));
  while (boxes.size() < most) {
    const auto longest = std::max_element(boxes.begin(), boxes.end(),
                                          [](const ColourBox& a, const ColourBox& b) { return a.side < b.side; });
    const ColourBox whole = *longest;
    if (whole.side == 0) break;
    const auto first = colours.begin() + static_cast<std::ptrdiff_t>(whole.begin);
    const auto last = colours.begin() + static_cast<std::ptrdiff_t>(whole.end);
    const auto parted = std::partition(
        first, last, [&whole](const Counted& c) { return channel_of(c.pixel, whole.channel) <= whole.middle; });
    const auto middle = static_cast<std::size_t>(parted - colours.begin());
    *longest = box_around(colours, whole.begin, middle);
    boxes.push_back(box_around(colours, middle, whole.end));
  }
  return boxes;
}

Colour colour_of_pixel(std::uint32_t pixel) {
  return {static_cast<std::uint8_t>(pixel >> 16), static_cast<std::uint8_t>(pixel >> 8),
          static_cast<std::uint8_t>(pixel), 255};
}

bool more_frequent(const Counted& a, const Counted& b) {
  return a.count != b.count ? a.count > b.count : a.pixel < b.pixel;
}

}  // namespace

GifPalette::GifPalette() : counts_(kEvery), indices_(kEvery) {}

void GifPalette::add(const std::vector<std::uint32_t>& pixels) {
  constexpr std::uint32_t kFull = std::numeric_limits<std::uint32_t>::max();
  for (const std::uint32_t pixel : pixels) {
    std::uint32_t& count = counts_[pixel];
    if (count != kFull) ++count;
  }
}

void GifPalette::choose() {
  std::vector<Counted> colours;
  std::uint64_t all = 0;
  for (std::size_t pixel = 0; pixel < kEvery; ++pixel) {
    if (counts_[pixel] == 0) continue;
    colours.push_back({static_cast<std::uint32_t>(pixel), counts_[pixel]});
    all += counts_[pixel];
  }
  counts_ = {};
  const auto take = [this](const Counted& colour) {
    indices_[colour.pixel] = static_cast<std::uint8_t>(colours_.size());
    colours_.push_back(colour_of_pixel(colour.pixel));
  };
  std::sort(colours.begin(), colours.end(), more_frequent);
  std::size_t kept = 0;
  while (kept < std::min(colours.size(), kMostKept) && colours[kept].count * kShareOfArea >= all) take(colours[kept++]);
  colours.erase(colours.begin(), colours.begin() + static_cast<std::ptrdiff_t>(kept));
  for (const ColourBox& box : boxes_of(colours, kMost - kept)) {
    const auto first = colours.begin() + static_cast<std::ptrdiff_t>(box.begin);
    const auto last = colours.begin() + static_cast<std::ptrdiff_t>(box.end);
    // The one that is there, not a mean that nobody drew.
    const Counted most = *std::min_element(first, last, more_frequent);
    std::for_each(first, last, [this](const Counted& colour) {
      indices_[colour.pixel] = static_cast<std::uint8_t>(colours_.size());
    });
    take(most);
  }
}

}  // namespace ropescope
