// Tokens as words: the map of weights, the order of tokens, and the pictures "shift" and "shuffle" of the view
// Attention. inputs.h computes what they show.
#pragma once

#include <Eigen/Core>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/experiment/experiment.h"
#include "app/figure/figure.h"
#include "app/resources/text.h"
#include "core/encodings/encoding.h"

namespace ropescope {

struct AttentionShown;

// --- Map -----------------------------------------------------------------------------------------------------------

/// Attention weights as a map needs them: keys to the right, queries downwards.
struct WeightsPicture {
  std::shared_ptr<const RowMatrix<float>> weights;  ///< [queries × keys]
  std::shared_ptr<const MapCells> cells;            ///< NaN where a key is left out; reduced beyond MapCells::kMost
  double shown = 1;                                 ///< the colours end at this size
  bool is_signed = false;                           ///< some weights are negative
  bool causal = false;
};

/// Share of the weights whose size the colours tell apart: a few large ones would leave all others dark.
inline constexpr double kShownShare = 0.995;

/// Prepares the cells. Of a causal matrix the keys after the query are left empty: they are no weights.
WeightsPicture picture_of(std::shared_ptr<const RowMatrix<float>> weights, bool causal);

/// The map with its axes. `name` is the figure's; ranges are all of the data.
Figure weights_figure(const WeightsPicture& picture, const std::string& name, const Text& text);

// --- Order ---------------------------------------------------------------------------------------------------------

/// Tokens that the picture "shuffle" has at most.
inline constexpr Eigen::Index kMostShuffled = 256;
/// More tokens than this are not dragged: they would be too small.
inline constexpr Eigen::Index kMostDragged = 40;

/// Which token stands at each place: that of the field, from which what is no token is left out, a number that stands
/// twice counts once, and those that it lacks follow in their own order; where it is empty one dealt from the seed.
/// Throws InputError where the field is no list of whole numbers.
std::vector<Eigen::Index> shuffled_order(const AttentionFields& fields, Eigen::Index tokens);
/// An order in the form that the field takes: "2,1,0".
std::string order_text(const std::vector<Eigen::Index>& order);

/// What the tokens are called: their words, or where there are none their numbers.
std::vector<std::string> token_words(std::vector<std::string> words, Eigen::Index tokens);

/// The handle of a token of the lower line, and of how many there are: "token.3/8".
std::string token_handle(Eigen::Index token, Eigen::Index tokens);
struct TokenHandle {
  Eigen::Index token = 0, tokens = 0;
};
std::optional<TokenHandle> read_token_handle(std::string_view handle);

/// Where the words of a line stand, left to right: their middles, and the end of the last one. In letters.
struct LineOfWords {
  std::vector<double> middles, widths;
  double end = 0;
};
LineOfWords line_of_words(const std::vector<std::string>& words);

/// The order with one of its tokens taken out and put where `x` is in the line that they make.
std::vector<Eigen::Index> order_with(std::vector<Eigen::Index> order, Eigen::Index token, double x,
                                     const std::vector<std::string>& words);

// --- Pictures ------------------------------------------------------------------------------------------------------

/// The pictures "shift" and "shuffle" of AttentionFields::show. Where nothing has been computed yet they are empty and
/// stale; what cannot be computed is a message in their place.
ViewResult attention_shift(const AttentionShown& shown);
ViewResult attention_shuffle(const AttentionShown& shown);

}  // namespace ropescope
