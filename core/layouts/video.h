#pragma once

#include "core/layouts/parts.h"

namespace ropescope {

/// A video of the request as (frame, row, column), each from 0.
inline void add_video(const Layout& layout, const LayoutRequest& request, TokenLayout& arranged) {
  const TokenGrid grid = image_grid(layout, request);
  add_block(arranged, "image", grid, request.frames,
            {counted_ids(Along::frame), counted_ids(Along::row), counted_ids(Along::column)});
}

}  // namespace ropescope
