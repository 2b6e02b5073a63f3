// The figures of the view Check: maps and curves of how far tensors are from the reference, as the store computes
// them. Read view.h and core/check/check.h before.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/figure/figure.h"
#include "app/views/check/view.h"
#include "app/views/shared/layouts.h"
#include "app/views/view.h"
#include "core/check/compare/sides.h"

namespace ropescope {

// --- Maps ----------------------------------------------------------------------------------------------------------

/// Rows of the tensors that are patches of the image, as they are seen.
struct CheckImage {
  FrameTiles tiles;
  std::int64_t first_row = 0;  ///< row of the tensors of the first token of the first frame
  std::int64_t frame_size() const { return tiles.frames.front().count; }
  bool operator==(const CheckImage& other) const;
};
/// The patches of the image that are seen; none where the reference is a rope or the tensors hold no patches. The frame
/// `frame` and that of the row `token` of the tensors, both counted from 1, are among those that are seen.
std::optional<CheckImage> image_of(const CheckOutcome& outcome, double frame, double token);

/// The cells of tokens (to the right) × pairs (downwards), and those of the frames of the image that are seen; without
/// an image there are none.
struct CheckCells {
  std::shared_ptr<const MapCells> map;
  std::vector<std::shared_ptr<const MapCells>> frames;
};

/// How far every number is from the reference.
struct CheckDifferenceMap {
  std::shared_ptr<const CheckOutcome> outcome;  ///< what it was made of
  std::string applied;                          ///< to the reference
  std::string which;                            ///< "tables", "table", "after", "ids"
  bool by_tolerance = true;                     ///< cells are margins, else |differences|; so are all numbers below
  std::int64_t rows = 0, pairs = 0;
  std::int64_t step = 1;  ///< rows in a cell: of several, the worst is shown
  CheckCells cells;
  std::optional<CheckImage> image;
  double worst = 0;  ///< largest |difference|, or its ratio to the tolerance
  std::int64_t worst_row = 0, worst_pair = 0;
  std::shared_ptr<const Series> over_tokens, tolerance_over_tokens;  ///< worst of each cell; its tolerance
  std::shared_ptr<const Series> over_pairs, tolerance_over_pairs;
  std::shared_ptr<const Series> over_frames, tolerance_over_frames;  ///< of a video, frames from 1; null of an image
  std::size_t bytes() const { return bytes_in(cells.map, cells.frames) + sizeof(double) * 2 * MapCells::kMost; }
};

/// log₁₀ (tolerance ÷ |difference|) as it is drawn: below 0 the difference is too large. At most kMostMargin: how much
/// better than needed it is does not matter.
inline constexpr double kMostMargin = 1;

/// What is looked at of an outcome that has rows.
struct CheckedRows {
  std::shared_ptr<const CheckOutcome> outcome;
  std::string applied;       ///< see CheckOutcome::applied
  bool by_tolerance = true;  ///< of differences
  std::optional<CheckImage> image;
  std::int64_t pair = 0;  ///< of values: the one that the image shows
  bool operator==(const CheckedRows&) const = default;
};
CheckDifferenceMap check_difference_map(const CheckedRows& of, const Work& work);

/// The numbers of both sides.
struct CheckValueMap {
  CheckCells mine, reference;  ///< the image shows one pair
  std::int64_t step = 1;       ///< rows in a cell: of several, the mean is shown
  std::int64_t pair = 0;
  Range range;  ///< of both sides
  std::size_t bytes() const { return bytes_in(mine.map, mine.frames, reference.map, reference.frames); }
};
CheckValueMap check_value_map(const CheckedRows& of, const Work& work);

// --- Figures -------------------------------------------------------------------------------------------------------

// Parts of the Check view. Not for others.

/// The numbers of one token on both sides.
struct CheckedRow {
  std::shared_ptr<const CheckOutcome> outcome;
  std::string applied;
  std::int64_t row = 0;
  bool operator==(const CheckedRow&) const = default;
};
CheckValues check_row(const CheckedRow& of, const Work& work);
std::size_t bytes_of(const CheckValues& values);

/// What is shown of a check.
struct CheckShown {
  const CheckFields& fields;
  const Text& text;
  std::shared_ptr<const CheckOutcome> outcome;
  std::string applied;                               ///< of the fields, where there is such a cause; else empty
  std::shared_ptr<const CheckDifferenceMap> map;     ///< of the reference with `applied`
  std::shared_ptr<const CheckDifferenceMap> before;  ///< of the reference as it is, where something is applied
  std::shared_ptr<const CheckValueMap> values;       ///< where they are shown in place of the differences
  Store::Answer<CheckValues> row;                    ///< of the picked token; may be missing

  bool reference_side() const { return fields.show == CheckShow::reference; }
  std::int64_t token() const;  ///< picked, or the worst
  std::int64_t pair() const;
  bool of_ids() const { return map->which == "ids"; }
};

/// A tolerance in words; where only the same number will do, they say that there is none.
std::string tolerance_words(double tolerance, int digits, const Text& text);

Figure check_map_figure(const CheckShown& shown);
Figure check_image_figure(const CheckShown& shown);
Figure check_profile_figure(const CheckShown& shown);
/// The figure of the worst of each frame of a video; the frame of the picked token is marked.
Figure check_frames_figure(const CheckShown& shown);
Figure check_pairs_figure(const CheckShown& shown);
Figure check_row_figure(const CheckShown& shown);
/// The frequencies of both sides, where nothing but frequencies was given.
Figure check_frequencies_figure(const CheckOutcome& outcome, const std::string& applied, const CheckFields& fields,
                                const Text& text);

}  // namespace ropescope
