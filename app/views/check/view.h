// The view Check: somebody's tensors against a model's own definition. A question of the experiment is judged by
// core/check on a worker; figures.h draws the outcome, drop.h takes files that are dropped. Read app/views/view.h
// before.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "app/experiment/experiment.h"
#include "app/figure/figure.h"
#include "app/resources/files.h"
#include "app/resources/text.h"
#include "app/views/view.h"
#include "core/check/check.h"

namespace ropescope {

// --- Computed ------------------------------------------------------------------------------------------------------

/// What was read and what was found. Words, not sentences: another language computes nothing anew.
struct CheckOutcome {
  CheckReference reference;  ///< of another dump: what its tables follow
  CheckInputs inputs;
  CheckReport report;
  std::vector<std::shared_ptr<const MappedFile>> files;  ///< those too large to be copied
  std::size_t copied = 0;                                ///< bytes of the others
  double seconds = 0;

  std::size_t bytes() const;
  /// Whether rows are compared: tables, vectors or ids; false where it is frequencies alone.
  bool has_rows() const;
  /// The reference with the cause of this name ("all": all of them) applied to it; null: the reference as it is.
  const CheckModel* applied(const std::string& name) const;
  /// Throws InputError where a file was changed since it was opened.
  void check_unchanged() const;
};
/// What core's checks are handed of some work.
CheckOptions check_options(const Work& work);

// --- Cards ---------------------------------------------------------------------------------------------------------

/// How the names of readouts begin that hold what to write for a cause, beside its card: `CARD.write.config`, `.ids`
/// and
/// `.numpy`. They have no cards of their own.
inline constexpr std::string_view kWritePart = ".write.";

/// The verdict, the causes, the largest difference and how far positions reach, in words. `applied` is the cause that
/// the reference is given ("all": all of them).
/// `reference`: what the check was asked with, for what to write.
std::vector<Readout> check_readouts(const CheckReport& report, const CheckReference& reference,
                                    const std::string& applied, const Text& text);

/// The report as a figure that is read: the verdict and what to do in large letters, then the lines of NumPy that mend
/// it.
Figure check_report_figure(const CheckReport& report, const CheckReference& reference, const Text& text);

// --- View ----------------------------------------------------------------------------------------------------------

/// What somebody's program computed against a model's own definition: does it agree, and if not, which known mistake
/// explains the difference? A click picks a token and a pair; the button of a card gives the reference a cause, or
/// takes it back; while R is held, mine and the reference change places (of the difference mine is shown, with Shift
/// the reference).
extern const View kCheckView;

}  // namespace ropescope
