// Tokens as words: the map of weights, the order of tokens, and the pictures "shift" and "shuffle" of the view
// Attention. inputs.h computes their data. Read figures.h first.
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

/// Attention weights for a map, with keys to the right and queries downwards.
struct WeightsPicture {
  std::shared_ptr<const RowMatrix<float>> weights;  ///< [queries × keys]
  std::shared_ptr<const MapCells> cells;            ///< NaN if a key is masked; reduced beyond MapCells::kMax
  double shown = 1;                                 ///< the colour scale ends at this size
  bool is_signed = false;                           ///< some weights are negative
  bool causal = false;
};

/// Share of the weights within the colour scale: a scale up to the few largest ones would leave all others dark.
inline constexpr double kShownShare = 0.995;

/// Prepares the cells. In a causal matrix, keys after the query are left empty because they are not weights.
WeightsPicture picture_of(std::shared_ptr<const RowMatrix<float>> weights, bool causal);

/// Returns the map with its axes. `name` is the figure's name; the ranges cover all data.
Figure weights_figure(const WeightsPicture& picture, const std::string& name, const Text& text);

// --- Order ---------------------------------------------------------------------------------------------------------

/// The maximum number of tokens in the picture "shuffle".
inline constexpr Eigen::Index kMaxShuffled = 256;
/// The maximum number of tokens that can be dragged; more would be too small.
inline constexpr Eigen::Index kMaxDragged = 40;

/// Returns the token at each place, in the order of the field: unknown tokens are dropped, repeated ones count once,
/// missing ones follow in their original order. If the field is empty, the order is drawn from the seed. Throws
/// InputError if the field is not a list of integers.
std::vector<Eigen::Index> shuffled_order(const AttentionFields& fields, Eigen::Index tokens);
/// Formats an order as the field accepts it: "2,1,0".
std::string order_text(const std::vector<Eigen::Index>& order);

/// Returns the names of the tokens: their words, or their numbers if there are no words.
std::vector<std::string> token_words(std::vector<std::string> words, Eigen::Index tokens);

/// Returns the handle of a token of the lower line, including the number of tokens: "token.3/8".
std::string token_handle(Eigen::Index token, Eigen::Index tokens);
struct TokenHandle {
  Eigen::Index token = 0, tokens = 0;
};
std::optional<TokenHandle> read_token_handle(std::string_view handle);

/// Positions of the words in a line, left to right: their centres, and the end of the last one, in letters.
struct LineOfWords {
  std::vector<double> middles, widths;
  double end = 0;
};
LineOfWords line_of_words(const std::vector<std::string>& words);

/// Returns the order after moving one of its tokens to `x` in the line that the words form.
std::vector<Eigen::Index> order_with(std::vector<Eigen::Index> order, Eigen::Index token, double x,
                                     const std::vector<std::string>& words);

// --- Pictures ------------------------------------------------------------------------------------------------------

/// Draws the pictures "shift" and "shuffle" of AttentionFields::show. Until they have been computed they are empty and
/// stale; a message replaces what cannot be computed.
ViewResult attention_shift(const AttentionShown& shown);
ViewResult attention_shuffle(const AttentionShown& shown);

}  // namespace ropescope
