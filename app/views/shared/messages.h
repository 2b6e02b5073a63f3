// Messages in place of figures, words of a sentence as vectors, and curves relative to one of them. Views use these
// messages to report why they show nothing. Read app/figure/figure.h first.
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

/// Returns the files that the current view reads but that are missing and known only by name: a restored figure
/// contains no more than the names.
std::vector<FileField> missing_files(const Experiment& experiment);

// --- Messages ------------------------------------------------------------------------------------------------------

/// Returns a figure with these axes and no content.
Figure empty_figure(const std::string& name, const std::string& x, const std::string& y);

/// Returns the figure alone, with a sentence in place of numbers. `stale`: the numbers are still being computed.
ViewResult make_message_result(Figure figure, const std::string& words, bool stale = false);
/// Returns the figure alone, with a hint for interactive users on what to do; exported files omit the hint.
ViewResult hint_result(Figure figure, const std::string& words);
/// Returns the figure alone, with an error message; such a result cannot be exported. `stale`: it is still being
/// computed.
ViewResult make_error_result(Figure figure, const std::string& words, bool stale = false);

// --- Sentences -----------------------------------------------------------------------------------------------------

/// Splits a sentence into words at white space, as typed; at most kMaxSentenceWords.
std::vector<std::string> words_of(std::string_view sentence);
inline constexpr std::size_t kMaxSentenceWords = 512;

/// Returns whether two words are equal, ignoring the case of A–Z and punctuation at both ends.
bool same_word(std::string_view one, std::string_view other);

/// Returns the content of a word: `dim` standard normal numbers from the seed and the word, so equal words have equal
/// vectors at every position. Ignores the case of A–Z and punctuation at both ends.
Eigen::VectorXd word_vector(std::string_view word, int dim, std::uint64_t seed);

// --- Relations -----------------------------------------------------------------------------------------------------

/// Returns the experiment with its reference (CurveFields::relative_to) unhidden, so that a view drawn from it includes
/// the reference's curves.
Experiment show_reference(Experiment experiment);

/// Replaces the curves of a result of show_reference() by differences from the reference or ratios to it: each line
/// such as "pin2.envelope" is related to the reference's, "current.envelope". Only values at an x that both curves have
/// are related, without interpolation. All others are gaps, as are a ratio's zeros and sign changes of the reference.
/// The y axis shows the usual range of ratios without the peaks at their poles, and keeps the range_key of the figure's
/// y axis. Removes the reference's own curves, lines without a counterpart there, and marks of y values. Figures
/// without rope lines are unchanged; if there are no others, `undone` states this. Precondition: relates(experiment).
void relate_curves(ViewResult& result, const Experiment& experiment, const Text& text, Store& store);

/// Returns a − b, or a / b, over the x that both have; NaN if either is NaN, or b is 0 in a ratio. If b changes sign
/// between two of these x, the ratio has a pole: NaN at the one of the two with the smaller |b|.
std::shared_ptr<const Series> related_series(const Series& a, const Series& b, bool ratio);

/// Returns the range of the finite values, excluding those beyond the 2nd or 98th percentile by more than half the
/// distance between these two. Low is above high if there is no finite value.
Range usual_range(std::vector<double> values);

}  // namespace ropescope
