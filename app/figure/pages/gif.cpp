// Palette selection for all frames of a GIF, and encoding.
//
// Contents: Palette; GIF.

#include "app/figure/pages/gif.h"

#include <gif_lib.h>

#include <cairo.h>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <new>
#include <stdexcept>

namespace ropescope {

// --- Palette -------------------------------------------------------------------------------------------------------

namespace {

constexpr std::size_t kEvery = std::size_t{1} << 24;
/// Colours that fill this share of all pixels are kept exactly while the palette has space.
constexpr std::uint64_t kShareOfArea = 2000;
constexpr std::size_t kMaxKept = 63;

struct Counted {
  std::uint32_t pixel = 0, count = 0;
};

int channel_of(std::uint32_t pixel, int channel) {
  return static_cast<int>(pixel >> (8 * channel) & 0xFF);
}

/// A range of the list of colours, and the box around them.
struct ColourBox {
  std::size_t begin = 0, end = 0;
  int channel = 0, side = 0;  ///< the longest
  int middle = 0;             ///< middle of that side
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

/// Halves the box with the longest side until there are `most` boxes or each contains one colour.
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

/// A palette of up to 255 colours for all pictures: exact if they have no more. Index 255 is reserved for "unchanged".
class GifPalette {
 public:
  static constexpr std::size_t kMax = 255;
  GifPalette();
  /// Counts the pixels (0xRRGGBB) of a picture.
  void add(const std::vector<std::uint32_t>& pixels);
  /// Chooses the colours; afterwards add() must not be called.
  void choose();
  const std::vector<Colour>& colours() const { return colours_; }
  /// Returns the palette index for a pixel that was counted.
  std::uint8_t index_of(std::uint32_t pixel) const { return indices_[pixel]; }

 private:
  std::vector<std::uint32_t> counts_;  // for every possible colour
  std::vector<std::uint8_t> indices_;  // for every possible colour
  std::vector<Colour> colours_;
};

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
  while (kept < std::min(colours.size(), kMaxKept) && colours[kept].count * kShareOfArea >= all) take(colours[kept++]);
  colours.erase(colours.begin(), colours.begin() + static_cast<std::ptrdiff_t>(kept));
  for (const ColourBox& box : boxes_of(colours, kMax - kept)) {
    const auto first = colours.begin() + static_cast<std::ptrdiff_t>(box.begin);
    const auto last = colours.begin() + static_cast<std::ptrdiff_t>(box.end);
    // A colour that occurs, not a mean that no picture contains.
    const Counted most = *std::min_element(first, last, more_frequent);
    std::for_each(first, last, [this](const Counted& colour) {
      indices_[colour.pixel] = static_cast<std::uint8_t>(colours_.size());
    });
    take(most);
  }
}

// --- GIF -----------------------------------------------------------------------------------------------------------

constexpr int kTransparent = 255;  ///< index of "unchanged"
constexpr int kLongestDelay = 65535;

struct Picture32 {
  int width = 0, height = 0;
  std::vector<std::uint32_t> pixels;  ///< 0xRRGGBB
};

Picture32 decode(const std::string& png) {
  struct Source {
    std::string_view rest;
  } source{png};
  const auto read = [](void* closure, unsigned char* data, unsigned length) {
    auto& rest = static_cast<Source*>(closure)->rest;
    if (length > rest.size()) return CAIRO_STATUS_READ_ERROR;
    std::memcpy(data, rest.data(), length);
    rest.remove_prefix(length);
    return CAIRO_STATUS_SUCCESS;
  };
  const std::unique_ptr<cairo_surface_t, decltype(&cairo_surface_destroy)> surface(
      cairo_image_surface_create_from_png_stream(read, &source), cairo_surface_destroy);
  if (cairo_surface_status(surface.get()) == CAIRO_STATUS_NO_MEMORY) throw std::bad_alloc();
  if (cairo_surface_status(surface.get()) != CAIRO_STATUS_SUCCESS) throw std::invalid_argument("encode_gif: no PNG");
  Picture32 picture{cairo_image_surface_get_width(surface.get()), cairo_image_surface_get_height(surface.get()), {}};
  const auto width = static_cast<std::size_t>(picture.width), height = static_cast<std::size_t>(picture.height);
  const auto stride = static_cast<std::size_t>(cairo_image_surface_get_stride(surface.get()));
  const unsigned char* data = cairo_image_surface_get_data(surface.get());
  picture.pixels.resize(width * height);
  for (std::size_t row = 0; row < height; ++row) {
    std::memcpy(picture.pixels.data() + row * width, data + row * stride, width * sizeof(std::uint32_t));
  }
  for (std::uint32_t& pixel : picture.pixels) pixel &= 0xFFFFFF;
  return picture;
}

/// A rectangle in whole pixels; empty if width is 0.
struct GifPart {
  int left = 0, top = 0, width = 0, height = 0;
};

using Indices = std::vector<GifByteType>;

/// Returns the smallest rectangle outside of which two pictures are equal.
GifPart difference(const Indices& a, const Indices& b, int width, int height) {
  int left = width, right = -1, top = height, bottom = -1;
  for (int y = 0; y < height; ++y) {
    const auto row = static_cast<std::ptrdiff_t>(y) * width;
    const auto begin = a.begin() + row, end = begin + width;
    const auto first = std::mismatch(begin, end, b.begin() + row).first;
    if (first == end) continue;
    int last = width - 1;
    while (a[static_cast<std::size_t>(row + last)] == b[static_cast<std::size_t>(row + last)]) --last;
    left = std::min(left, static_cast<int>(first - begin));
    right = std::max(right, last);
    top = std::min(top, y);
    bottom = y;
  }
  return right < 0 ? GifPart{} : GifPart{left, top, right - left + 1, bottom - top + 1};
}

/// Writes to memory through giflib; an error is a lack of memory or a bug in this file.
class Writer {
 public:
  Writer(int width, int height, const std::vector<Colour>& colours) {
    int error = 0;
    gif_ = EGifOpen(&bytes_, put, &error);
    if (!gif_) throw std::bad_alloc();
    EGifSetGifVersion(gif_, true);
    const std::unique_ptr<ColorMapObject, decltype(&GifFreeMapObject)> map(GifMakeMapObject(256, nullptr),
                                                                           GifFreeMapObject);
    if (!map) throw std::bad_alloc();
    for (std::size_t i = 0; i < colours.size(); ++i) {
      map->Colors[i] = {colours[i].red, colours[i].green, colours[i].blue};
    }
    check(EGifPutScreenDesc(gif_, width, height, 8, 0, map.get()));
  }
  ~Writer() {
    int error = 0;
    if (gif_) EGifCloseFile(gif_, &error);
  }
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

  /// Repeats the animation `times` more after the first; 0: forever.
  void repeat(int times) {
    const unsigned char count[3] = {1, static_cast<unsigned char>(times & 0xFF),
                                    static_cast<unsigned char>(times >> 8 & 0xFF)};
    check(EGifPutExtensionLeader(gif_, APPLICATION_EXT_FUNC_CODE));
    check(EGifPutExtensionBlock(gif_, 11, "NETSCAPE2.0"));
    check(EGifPutExtensionBlock(gif_, 3, count));
    check(EGifPutExtensionTrailer(gif_));
  }

  /// Writes a part of the picture, row by row; `delay`: hundredths of a second until the next one.
  void frame(const GifPart& part, Indices& indices, int delay, bool over_another) {
    const GraphicsControlBlock control{DISPOSE_DO_NOT, false, delay,
                                       over_another ? kTransparent : NO_TRANSPARENT_COLOR};
    GifByteType bytes[4];
    EGifGCBToExtension(&control, bytes);
    check(EGifPutExtension(gif_, GRAPHICS_EXT_FUNC_CODE, sizeof(bytes), bytes));
    check(EGifPutImageDesc(gif_, part.left, part.top, part.width, part.height, false, nullptr));
    for (int row = 0; row < part.height; ++row) {
      check(EGifPutLine(gif_, indices.data() + static_cast<std::ptrdiff_t>(row) * part.width, part.width));
    }
  }

  std::string finish() {
    int error = 0;
    check(EGifCloseFile(std::exchange(gif_, nullptr), &error));
    return std::move(bytes_);
  }

 private:
  static int put(GifFileType* gif, const GifByteType* bytes, int count) {
    try {
      static_cast<std::string*>(gif->UserData)
          ->append(reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(count));
      return count;
    } catch (const std::bad_alloc&) {
      return 0;  // an exception must not pass through C
    }
  }
  static void check(int result) {
    if (result != GIF_OK) throw std::bad_alloc();
  }

  std::string bytes_;
  GifFileType* gif_ = nullptr;
};

/// A frame held back until the next one because it may be shown longer.
struct Waiting {
  GifPart part;
  Indices indices;
  int delay = 0;
};

/// Returns the pixels of a part, kTransparent where they are unchanged.
Indices changed(const Indices& now, const Indices& before, const GifPart& part, int width) {
  Indices indices;
  indices.reserve(static_cast<std::size_t>(part.width) * static_cast<std::size_t>(part.height));
  for (int y = part.top; y < part.top + part.height; ++y) {
    for (int x = part.left; x < part.left + part.width; ++x) {
      const auto at = static_cast<std::size_t>(y) * static_cast<std::size_t>(width) + static_cast<std::size_t>(x);
      indices.push_back(now[at] == before[at] ? kTransparent : now[at]);
    }
  }
  return indices;
}

/// Returns the delay of a frame in hundredths of a second, computed from the start so that rounding does not
/// accumulate.
int delay_of(std::size_t frame, double frames_per_second) {
  const auto until = [frames_per_second](std::size_t frames) {
    return std::lround(100 * static_cast<double>(frames) / frames_per_second);
  };
  return static_cast<int>(until(frame + 1) - until(frame));
}

}  // namespace

std::string encode_gif(const std::vector<std::string>& pngs, const GifOptions& options, const std::stop_token& stop,
                       const std::function<void(double)>& progress) {
  const auto tell = [&](std::size_t done) {
    if (progress) progress(static_cast<double>(done) / static_cast<double>(2 * pngs.size()));
  };
  GifPalette palette;
  for (std::size_t i = 0; i < pngs.size(); ++i) {
    if (stop.stop_requested()) return {};
    palette.add(decode(pngs[i]).pixels);
    tell(i);
  }
  palette.choose();
  const Picture32 first = decode(pngs.at(0));
  const int width = first.width, height = first.height;
  Writer writer(width, height, palette.colours());
  if (options.plays != 1) writer.repeat(std::max(0, options.plays - 1));
  Indices before;
  Waiting waiting;
  bool over_another = false;
  const auto write = [&] {
    writer.frame(waiting.part, waiting.indices, waiting.delay, over_another);
    over_another = true;
  };
  for (std::size_t i = 0; i < pngs.size(); ++i) {
    if (stop.stop_requested()) return {};
    const Picture32 picture = decode(pngs[i]);
    if (picture.width != width || picture.height != height) throw std::invalid_argument("encode_gif: sizes differ");
    Indices now(picture.pixels.size());
    std::transform(picture.pixels.begin(), picture.pixels.end(), now.begin(),
                   [&palette](std::uint32_t pixel) { return palette.index_of(pixel); });
    const int delay = delay_of(i, options.frames_per_second);
    const GifPart part = i == 0 ? GifPart{0, 0, width, height} : difference(now, before, width, height);
    if (part.width == 0 && waiting.delay + delay <= kLongestDelay) {
      waiting.delay += delay;
    } else {
      if (i > 0) write();
      // Shown longer than one delay can express: repeat with one pixel.
      const GifPart stored = part.width == 0 ? GifPart{0, 0, 1, 1} : part;
      waiting = {stored, i == 0 ? now : changed(now, before, stored, width), delay};
    }
    before = std::move(now);
    tell(pngs.size() + i);
  }
  write();
  return writer.finish();
}

}  // namespace ropescope
