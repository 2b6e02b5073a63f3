#pragma once

#include <gif_lib.h>
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "app/figure/palette.h"

namespace ropescope {

/// A GIF as a player shows it: every frame whole, whatever part of it is stored.
struct DecodedGif {
  struct Frame {
    std::vector<Colour> pixels;
    int delay = 0;           ///< hundredths of a second
    std::size_t stored = 0;  ///< pixels of the part that the file holds
  };
  int width = 0, height = 0;
  int repeats = -1;  ///< after the first time; 0: for ever; −1: none
  std::vector<Frame> frames;
};

inline DecodedGif decoded_gif(const std::string& bytes) {
  struct Source {
    const std::string& bytes;
    std::size_t at = 0;
  } source{bytes, 0};
  const auto read = [](GifFileType* gif, GifByteType* data, int count) {
    auto* from = static_cast<Source*>(gif->UserData);
    const std::size_t some = std::min(static_cast<std::size_t>(count), from->bytes.size() - from->at);
    std::memcpy(data, from->bytes.data() + from->at, some);
    from->at += some;
    return static_cast<int>(some);
  };
  int error = 0;
  GifFileType* gif = DGifOpen(&source, read, &error);
  DecodedGif decoded;
  if (!gif || DGifSlurp(gif) != GIF_OK) {
    ADD_FAILURE() << "no GIF: " << GifErrorString(gif ? gif->Error : error);
    return decoded;
  }
  decoded.width = gif->SWidth;
  decoded.height = gif->SHeight;
  std::vector<Colour> canvas(static_cast<std::size_t>(gif->SWidth * gif->SHeight));
  for (int i = 0; i < gif->ImageCount; ++i) {
    const SavedImage& image = gif->SavedImages[i];
    for (int block = 0; block < image.ExtensionBlockCount; ++block) {
      const ExtensionBlock& extension = image.ExtensionBlocks[block];
      if (extension.Function == CONTINUE_EXT_FUNC_CODE && extension.ByteCount == 3) {
        decoded.repeats = extension.Bytes[1] | extension.Bytes[2] << 8;
      }
    }
    GraphicsControlBlock control{};
    EXPECT_EQ(DGifSavedExtensionToGCB(gif, i, &control), GIF_OK) << "frame " << i;
    EXPECT_EQ(control.DisposalMode, DISPOSE_DO_NOT);
    const GifImageDesc& part = image.ImageDesc;
    for (int y = 0; y < part.Height; ++y) {
      for (int x = 0; x < part.Width; ++x) {
        const int index = image.RasterBits[y * part.Width + x];
        if (index == control.TransparentColor) continue;
        const GifColorType& colour = gif->SColorMap->Colors[index];
        canvas[static_cast<std::size_t>((part.Top + y) * gif->SWidth + part.Left + x)] = {colour.Red, colour.Green,
                                                                                          colour.Blue, 255};
      }
    }
    decoded.frames.push_back({canvas, control.DelayTime, static_cast<std::size_t>(part.Width * part.Height)});
  }
  DGifCloseFile(gif, &error);
  return decoded;
}

/// How far two pictures of equal size are apart.
struct PictureDifference {
  int largest = 0;  ///< of a channel
  double mean = 0;  ///< of all channels
  double same = 0;  ///< share of the pixels that are just the same
};

inline PictureDifference difference_of(const std::vector<Colour>& a, const std::vector<Colour>& b) {
  EXPECT_EQ(a.size(), b.size());
  PictureDifference difference;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    const int off[] = {std::abs(a[i].red - b[i].red), std::abs(a[i].green - b[i].green),
                       std::abs(a[i].blue - b[i].blue)};
    for (const int channel : off) {
      difference.largest = std::max(difference.largest, channel);
      difference.mean += channel / (3.0 * static_cast<double>(a.size()));
    }
    if (off[0] + off[1] + off[2] == 0) difference.same += 1.0 / static_cast<double>(a.size());
  }
  return difference;
}

}  // namespace ropescope
