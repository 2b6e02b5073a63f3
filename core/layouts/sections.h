#pragma once

#include "core/layouts/parts.h"

namespace ropescope {

/// How M-RoPE deals the pairs of one ladder to t, row and column.
enum class Dealing {
  contiguous,  ///< the first section to t, the next to row, the rest to column
  interleaved  ///< pair i to row if i % 3 = 1, to column if i % 3 = 2, while i < 3·section; else to t
};

/// The arrangement of Qwen2-VL and its kin: one ladder over Σ 2·section channels, text with equal ids on all axes,
/// images from the next free id on. With tokens_per_second t is start + floor(frame·(2/frame rate)·tokens per second).
TokenLayout arrange_sections(const Layout& layout, const LayoutRequest& request, Dealing dealing);

}  // namespace ropescope
