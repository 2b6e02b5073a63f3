#include "app/views/layout/inputs.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <numbers>
#include <span>
#include <string_view>

#include "app/resources/mapped_file.h"
#include "app/views/shared/axes.h"
#include "core/error.h"

namespace ropescope {

namespace {

constexpr double kLayoutTurn = 2 * std::numbers::pi;

double wrapped(double angle) {
  const double turned = std::fmod(angle, kLayoutTurn);
  return turned < 0 ? turned + kLayoutTurn : turned;
}

/// What one axis adds to the value of a token: factor · id + offset.
struct Term {
  const AxisIds* ids = nullptr;
  double factor = 1, offset = 0;
  double at(std::int64_t value) const {
    return factor * (ids->along == Along::none ? ids->at(0) : ids->at(value)) + offset;
  }
};

std::vector<Term> terms_of(const TokenColouring& colouring, const TokenLayout& layout, const TokenBlock& block) {
  std::vector<Term> terms;
  for (std::size_t axis = 0; axis < layout.axes.size(); ++axis) {
    if (colouring.by == TokenColouring::By::axis && axis != colouring.axis) continue;
    Term term{&block.ids[axis], 1, 0};
    if (colouring.by == TokenColouring::By::angle) {
      const double frequency = layout.frequencies(static_cast<Eigen::Index>(axis), colouring.pair);
      if (frequency == 0) continue;
      term.factor = frequency * layout.axes[axis].id_scale;
      term.offset = frequency * layout.axes[axis].id_offset;
    }
    terms.push_back(term);
  }
  return terms;
}

/// The values of one block; of more than MapCells::kMost cells a side every cell stands for the one in its middle.
std::shared_ptr<const MapCells> cells_of_layout(const TokenColouring& colouring, const TokenLayout& layout,
                                                const SeenBlock& seen, const std::stop_token& stop) {
  const TokenBlock& block = layout.blocks[seen.block];
  const std::int64_t row_step = items_per_cell(seen.rows), column_step = items_per_cell(seen.columns);
  auto cells = std::make_shared<MapCells>(cells_over(seen.columns, seen.rows, "middle"));
  cells->values.resize(cells->rows * cells->columns);
  const bool index = colouring.by == TokenColouring::By::index;
  const std::vector<Term> terms = index ? std::vector<Term>{} : terms_of(colouring, layout, block);
  float* out = cells->values.data();
  for (std::size_t cell_row = 0; cell_row < cells->rows; ++cell_row) {
    if (stop.stop_requested()) return nullptr;
    const std::int64_t row = std::min(static_cast<std::int64_t>(cell_row) * row_step + row_step / 2, seen.rows - 1);
    for (std::size_t cell_column = 0; cell_column < cells->columns; ++cell_column, ++out) {
      const std::int64_t column =
          std::min(static_cast<std::int64_t>(cell_column) * column_step + column_step / 2, seen.columns - 1);
      const std::int64_t within = row * seen.columns + column, token = seen.first() + within;
      if (within >= seen.count) {
        *out = std::numeric_limits<float>::quiet_NaN();
        continue;
      }
      double value = index ? static_cast<double>(block.first_token + token) : 0;
      for (const Term& term : terms) {
        const Along along = term.ids->along;
        // The only row of a wrapped line is seen as several.
        const bool line = block.rows == 1 && block.frames == 1;
        const std::int64_t at = along == Along::row      ? (line ? 0 : row)
                                : along == Along::column ? (line ? within : column)
                                : along == Along::frame  ? seen.frame
                                                         : token;
        value += term.at(at);
      }
      // Angles are not wrapped: neighbours are to tell how fast they turn.
      *out = static_cast<float>(value);
    }
  }
  return cells;
}

/// Extends the range by the ids of a block.
void add_ids(Range& range, const TokenBlock& block, std::size_t axis) {
  const AxisIds& ids = block.ids[axis];
  if (!ids.listed.empty()) {
    for (const double id : ids.listed) include(range, id);
    return;
  }
  include(range, ids.at(0));
  if (ids.along != Along::none) include(range, ids.at(block.count(ids.along) - 1));
}

/// Of the image, where its ids differ: beside a long text its own colours would all look the same.
Range id_range(const TokenLayout& layout, std::size_t axis) {
  Range range = kNoRange;
  add_ids(range, layout.blocks[main_block(layout)], axis);
  if (range.low < range.high) return range;
  for (const TokenBlock& block : layout.blocks) add_ids(range, block, axis);
  return range.low < range.high ? range : Range{range.low - 0.5, range.high + 0.5};
}

Range range_of(const TokenColouring& colouring, const TokenLayout& layout) {
  if (colouring.by == TokenColouring::By::angle) return {0, kLayoutTurn};
  if (colouring.by == TokenColouring::By::axis) return id_range(layout, colouring.axis);
  const TokenBlock& last = layout.blocks.back();
  const auto first = static_cast<double>(layout.blocks.front().first_token);
  return {first, std::max(first + 1, static_cast<double>(last.first_token + last.count() - 1))};
}

std::string_view characters_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace

TokenColouring colouring_of(const LayoutKnobs& knobs, const TokenLayout& layout) {
  TokenColouring colouring;
  if (knobs.colours == "angle") {
    colouring.by = TokenColouring::By::angle;
    colouring.pair = std::min(static_cast<Eigen::Index>(knobs.pair), layout.pair_count() - 1);
    return colouring;
  }
  if (knobs.colours != "axis") return colouring;
  colouring.by = TokenColouring::By::axis;
  const auto named = std::find_if(layout.axes.begin(), layout.axes.end(),
                                  [&](const LayoutAxis& axis) { return axis.name == knobs.axis; });
  colouring.axis = named == layout.axes.end() ? 0 : static_cast<std::size_t>(named - layout.axes.begin());
  return colouring;
}

double colour_value(const TokenColouring& colouring, const TokenLayout& layout, std::int64_t table_row) {
  if (colouring.by == TokenColouring::By::index) return static_cast<double>(place_of(layout, table_row).token);
  const std::vector<double> ids = ids_of(layout, table_row);
  if (colouring.by == TokenColouring::By::axis) return ids[colouring.axis];
  double angle = 0;
  for (std::size_t axis = 0; axis < ids.size(); ++axis) {
    const LayoutAxis& each = layout.axes[axis];
    angle += layout.frequencies(static_cast<Eigen::Index>(axis), colouring.pair) *
             (each.id_scale * ids[axis] + each.id_offset);
  }
  return wrapped(angle);
}

std::size_t LayoutCells::bytes() const {
  std::size_t count = 0;
  for (const auto& block : cells) count += block->values.size();
  return count * sizeof(float);
}

double LayoutCellsInput::cost() const {
  double count = 0;
  const TokenLayout& layout = arranged->tables->layout();
  for (const TokenBlock& block : layout.blocks) count += static_cast<double>(block.count() / block.frames);
  return (colouring.by == TokenColouring::By::angle ? 20 : 4) * count;
}

std::shared_ptr<const LayoutCells> LayoutCellsInput::compute(int, const std::stop_token& stop) const {
  const auto start = std::chrono::steady_clock::now();
  const TokenLayout& layout = arranged->tables->layout();
  auto result = std::make_shared<LayoutCells>();
  result->arranged = arranged;
  result->colouring = colouring;
  for (std::size_t i = 0; i < layout.blocks.size(); ++i) {
    result->blocks.push_back(seen_block(layout, i, frame));
    result->cells.push_back(cells_of_layout(colouring, layout, result->blocks.back(), stop));
    if (!result->cells.back()) return nullptr;
  }
  result->range = range_of(colouring, layout);
  result->seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return result;
}

std::shared_ptr<const Photograph> PhotographInput::compute(int, const std::stop_token& stop) const {
  auto result = std::make_shared<Photograph>();
  try {
    const std::shared_ptr<const MappedFile> mapped = map_file(file.path);
    result->pixels = decode_photograph(characters_of(mapped->bytes()), file.path, stop);
    mapped->check_unchanged();
  } catch (const InputError& error) {
    if (stop.stop_requested()) return nullptr;
    result->fault = error.words();
  }
  return result;
}

PhotographSize size_of_photograph(const std::string& path) {
  const std::shared_ptr<const MappedFile> mapped = map_file(path);
  const PhotographSize size = photograph_size(characters_of(mapped->bytes()), path);
  mapped->check_unchanged();
  return size;
}

}  // namespace ropescope
