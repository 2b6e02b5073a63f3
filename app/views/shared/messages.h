// Messages in place of figures, words of a sentence as vectors, and curves related to one of them. Every view says by
// this why it shows nothing. Read app/figure/figure.h before.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "app/experiment/figure_file.h"
#include "app/experiment/rope_spec.h"
#include "app/figure/figure.h"
#include "app/resources/text.h"
#include "app/store/store.h"
#include "app/views/view.h"

namespace ropescope {

// --- Missing files -------------------------------------------------------------------------------------------------

/// The files that the shown view reads, that are known by their names alone and are not there: a figure that was
/// restored says no more of them.
std::vector<FileField> missing_files(const Experiment& experiment);

// --- Messages ------------------------------------------------------------------------------------------------------

/// A figure over these axes without anything in it.
Figure empty_figure(const std::string& name, const std::string& x, const std::string& y);

/// The figure alone, with a sentence in place of numbers. `stale`: these are still being computed.
ViewResult message_result(Figure figure, const std::string& words, bool stale = false);
/// The figure alone, with a sentence that tells a hand at the screen what it may do; no file holds it.
ViewResult hint_result(Figure figure, const std::string& words);
/// The figure alone, with a sentence that says what is wrong, of which no file is made. `stale`: it is still being
/// computed.
ViewResult fault_result(Figure figure, const std::string& words, bool stale = false);

// --- Sentences -----------------------------------------------------------------------------------------------------

/// The words of a sentence, as typed: whatever white space parts. At most kMostWords of them.
std::vector<std::string> words_of(std::string_view sentence);
inline constexpr std::size_t kMostWords = 512;

/// Whether two words are the same but for capitals A–Z and punctuation at both ends.
bool same_word(std::string_view one, std::string_view other);

/// The content of a word: `dim` standard normal numbers from the seed and the word, so that the same word has the same
/// vector wherever it stands. Capitals A–Z and punctuation at both ends make no difference.
Eigen::VectorXd word_vector(std::string_view word, int dim, std::uint64_t seed);

// --- Relations -----------------------------------------------------------------------------------------------------

/// The experiment with its reference (CurveFields::relative_to) among the ropes that are not hidden: what a view is to
/// be asked for, so that its curves are there to relate to.
Experiment with_reference(Experiment experiment);

/// Puts differences from the reference or ratios to it in the place of the curves of a result of with_reference(): of
/// every line "pin2.envelope" and that of the reference, "current.envelope". Values are related where both curves have
/// one at the same x, and nothing is interpolated; elsewhere, and where the reference is 0 in a ratio or changes its
/// sign, there is a gap. The y axis shows what ratios usually are, without the tops of their poles, and keeps a zoomed
/// range in the field of the figure's own y axis. The reference's own curves go, and so do lines that it has no
/// counterpart of, and what marks values of y. Figures whose lines are not those of ropes stay as they are; where there
/// are no others the result says so (undone). Precondition: relates(experiment).
void relate_curves(ViewResult& result, const Experiment& experiment, const Text& text, Store& store);

/// a − b, or a / b, over the x that both have; NaN where one of them is, or b is 0 in a ratio. Where b changes its sign
/// between two of these x, the ratio has a pole: NaN at that of the two where |b| is smaller.
std::shared_ptr<const Series> related_series(const Series& a, const Series& b, bool ratio);

/// The range of the finite values but for what lies more than half the distance of the 2nd and 98th percentile beyond
/// them; low above high where there is none.
Range usual_range(std::vector<double> values);

}  // namespace ropescope
