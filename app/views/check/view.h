// The view Check: a user's tensors compared with a model's definition. core/check judges the experiment's tensors on a
// worker thread; figures.h draws the outcome; drop.h opens dropped files. Read app/views/view.h first.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "app/experiment/experiment.h"
#include "app/figure/figure.h"
#include "app/resources/files.h"
#include "app/resources/text.h"
#include "app/views/views.h"
#include "core/check/check.h"

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

}  // namespace ropescope
