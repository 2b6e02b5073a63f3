#pragma once

#include <memory>
#include <optional>
#include <string>

#include "app/views/check/map_inputs.h"
#include "app/views/view.h"
#include "core/check/compare/sides.h"

namespace ropescope {

// Parts of the Check view. Not for others.

/// The numbers of one token on both sides.
struct CheckRow {
  Words fault;
  CheckValues values;
  std::size_t bytes() const { return (values.mine.size() + values.reference.size()) * sizeof(float); }
};
struct CheckRowInput {
  using Result = CheckRow;
  std::shared_ptr<const CheckOutcome> outcome;
  std::string applied;
  std::int64_t row = 0;
  bool operator==(const CheckRowInput& other) const {
    return outcome == other.outcome && applied == other.applied && row == other.row;
  }
  double cost() const { return 1e5; }
  std::shared_ptr<const CheckRow> compute(int threads, const std::stop_token& stop) const;
};

/// What is shown of a check.
struct CheckShown {
  const CheckKnobs& knobs;
  const Text& text;
  std::shared_ptr<const CheckOutcome> outcome;
  std::string applied;                               ///< of the knobs, where there is such a cause; else empty
  std::shared_ptr<const CheckDifferenceMap> map;     ///< of the reference with `applied`
  std::shared_ptr<const CheckDifferenceMap> before;  ///< of the reference as it is, where something is applied
  std::shared_ptr<const CheckValueMap> values;       ///< where they are shown in place of the differences
  std::shared_ptr<const CheckRow> row;               ///< of the picked token; may be missing

  bool reference_side() const { return knobs.show == "reference"; }
  std::int64_t token() const;  ///< picked, or the worst
  std::int64_t pair() const;
  bool of_ids() const { return map->which == "ids"; }
};

/// A tolerance as it is read; that there is none where only the same number will do.
std::string tolerance_words(double tolerance, int digits, const Text& text);

FigureAxis check_token_axis(const CheckShown& shown);
/// Over pairs, or over the axes of ids.
FigureAxis check_pair_axis(const CheckShown& shown);
/// "…, Wrong base applied" where a cause is.
std::string with_cause(const std::string& title, const std::string& applied, const Text& text);
/// A line at the picked token.
void mark_token(Figure& figure, const CheckShown& shown);

Figure check_map_figure(const CheckShown& shown);
Figure check_image_figure(const CheckShown& shown);
Figure check_profile_figure(const CheckShown& shown);
/// The worst of each frame of a video; that of the picked token is marked.
Figure check_frames_figure(const CheckShown& shown);
Figure check_pairs_figure(const CheckShown& shown);
Figure check_row_figure(const CheckShown& shown);
/// Of both sides, where nothing but frequencies was given.
Figure check_frequencies_figure(const CheckOutcome& outcome, const std::string& applied, const CheckKnobs& knobs,
                                const Text& text);

}  // namespace ropescope
