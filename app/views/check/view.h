// The view Check: a user's tensors compared with a model's definition. core/check judges the experiment's tensors on a
// worker thread; maps and curves of the differences are computed in the store; drop.h opens dropped files. Read
// app/views/view.h and core/check/check.h first.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/experiment/experiment.h"
#include "app/figure/figure.h"
#include "app/resources/files.h"
#include "app/resources/text.h"
#include "app/views/shared/layouts.h"
#include "app/views/view.h"
#include "app/views/views.h"
#include "core/check/check.h"
#include "core/check/compare/sides.h"

namespace ropescope {

// --- Computed ------------------------------------------------------------------------------------------------------

/// Named in place of a cause: all of them.
inline constexpr const char* kAllCauses = "all";

/// The inputs and the report of a check. It contains no sentences, so changing the language recomputes nothing.
struct CheckOutcome {
  CheckReference reference;  ///< for a second dump: the specification its tables follow
  CheckInputs inputs;
  CheckReport report;
  std::vector<std::shared_ptr<const MappedFile>> files;  ///< files too large to copy
  std::size_t copied = 0;                                ///< bytes of the copied ones
  double seconds = 0;

  std::size_t bytes() const;
  /// Returns whether rows are compared: tables, vectors or ids; false for frequencies alone.
  bool has_rows() const;
  /// Returns the reference with the named cause applied (or kAllCauses); null if it is unchanged.
  const CheckModel* applied(const std::string& name) const;
  /// Throws InputError if a file was changed since it was opened.
  void check_unchanged() const;
};
/// Returns the options for core's checks from the store's work.
CheckOptions check_options(const Work& work);

// --- Cards ---------------------------------------------------------------------------------------------------------

/// Infix in the names of readouts that contain the fix of a cause: `CARD.write.config`, `.ids` and `.numpy`. They have
/// no cards of their own.
inline constexpr std::string_view kWritePart = ".write.";

/// Returns the cards on the verdict, the causes, the largest difference and the range of positions. `applied` is the
/// cause applied to the reference, or kAllCauses. `reference`: the input of the check, for writing the fixes.
std::vector<Readout> check_readouts(const CheckReport& report, const CheckReference& reference,
                                    const std::string& applied, const Text& text);

/// Draws the report as text: the verdict and the remedy in large letters, then the NumPy lines that fix it.
Figure check_report_figure(const CheckReport& report, const CheckReference& reference, const Text& text);

// --- Maps ----------------------------------------------------------------------------------------------------------

/// The rows of the tensors that are image patches, as shown on screen.
struct CheckImage {
  FrameTiles tiles;
  std::int64_t first_row = 0;  ///< row in the tensors of the first frame's first token
  std::int64_t frame_size() const { return tiles.frames.front().count; }
  bool operator==(const CheckImage& other) const;
};
/// Returns the visible image patches; nullopt if the reference is a rope or the tensors contain no patches. The frame
/// `frame` and that of the row `token` of the tensors, both counted from 1, are always visible.
std::optional<CheckImage> image_of(const CheckOutcome& outcome, double frame, double token);

/// The cells of tokens (to the right) × pairs (downwards), and those of the visible image frames; without an image
/// `frames` is empty.
struct CheckCells {
  std::shared_ptr<const MapCells> map;
  std::vector<std::shared_ptr<const MapCells>> frames;
};

/// The input for maps of an outcome that has rows.
struct CheckedRows {
  std::shared_ptr<const CheckOutcome> outcome;
  std::string applied;       ///< see CheckOutcome::applied
  bool by_tolerance = true;  ///< for differences
  std::optional<CheckImage> image;
  std::int64_t pair = 0;  ///< for values: the pair that the image shows
  bool operator==(const CheckedRows&) const = default;
};

/// The difference of every number from the reference.
struct CheckDifferenceMap {
  CheckedRows input;  ///< by_tolerance: cells are margins, else |differences|, as for ids; so are the members below
  std::string which;  ///< "tables", "table", "after", "ids"
  std::int64_t rows = 0, pairs = 0;
  std::int64_t step = 1;  ///< rows per cell; a cell shows the worst of them
  CheckCells cells;
  double worst = 0;  ///< largest |difference|, or its ratio to the tolerance
  std::int64_t worst_row = 0, worst_pair = 0;
  std::shared_ptr<const Series> over_tokens, tolerance_over_tokens;  ///< worst of each cell; its tolerance
  std::shared_ptr<const Series> over_pairs, tolerance_over_pairs;
  std::shared_ptr<const Series> over_frames, tolerance_over_frames;  ///< of a video, frames from 1; null for an image
  bool of_ids() const { return which == "ids"; }
  std::size_t bytes() const { return bytes_in(cells.map, cells.frames) + sizeof(double) * 2 * MapCells::kMax; }
};

/// Upper limit of the drawn margin log₁₀ (tolerance ÷ |difference|), which is negative if the difference is too large.
/// Larger margins look the same.
inline constexpr double kMaxMargin = 1;

CheckDifferenceMap check_difference_map(const CheckedRows& of, const Work& work);

/// The numbers of both sides.
struct CheckValueMap {
  CheckCells mine, reference;  ///< the image shows one pair
  std::int64_t step = 1;       ///< rows per cell; a cell shows their mean
  std::int64_t pair = 0;
  Range range;  ///< of both sides
  std::size_t bytes() const { return bytes_in(mine.map, mine.frames, reference.map, reference.frames); }
};
CheckValueMap check_value_map(const CheckedRows& of, const Work& work);

// --- Figures -------------------------------------------------------------------------------------------------------

// Internal parts of the Check view.

/// The input for the numbers of one token on both sides.
struct CheckedRow {
  std::shared_ptr<const CheckOutcome> outcome;
  std::string applied;
  std::int64_t row = 0;
  bool operator==(const CheckedRow&) const = default;
};
CheckValues check_row(const CheckedRow& of, const Work& work);
std::size_t count_bytes(const CheckValues& values);

/// The state of a check that the figures show.
struct CheckShown {
  const CheckFields& fields;
  const Text& text;
  std::shared_ptr<const CheckOutcome> outcome;
  std::string applied;                               ///< cause selected in the fields, if it exists; else empty
  std::shared_ptr<const CheckDifferenceMap> map;     ///< differences from the reference with `applied`
  std::shared_ptr<const CheckDifferenceMap> before;  ///< differences from the unchanged reference, if one is applied
  std::shared_ptr<const CheckValueMap> values;       ///< if they are shown in place of the differences
  Store::Answer<CheckValues> row;                    ///< of the selected token; may be empty

  bool reference_side() const { return fields.show == CheckShow::reference; }
  std::int64_t token() const;  ///< the selected one, or the worst
  std::int64_t pair() const;
  bool of_ids() const { return map->of_ids(); }
};

Figure check_map_figure(const CheckShown& shown);
Figure check_image_figure(const CheckShown& shown);
Figure check_profile_figure(const CheckShown& shown);
/// Draws the worst difference in each frame of a video; the frame of the selected token is marked.
Figure check_frames_figure(const CheckShown& shown);
Figure check_pairs_figure(const CheckShown& shown);
Figure check_row_figure(const CheckShown& shown);
/// Draws the frequencies of both sides, for a check of frequencies alone.
Figure check_frequencies_figure(const CheckOutcome& outcome, const std::string& applied, const CheckFields& fields,
                                const Text& text);

}  // namespace ropescope
