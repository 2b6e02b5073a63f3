#include "app/views/attention/order.h"

#include <algorithm>
#include <utility>

#include "app/figure/number_text.h"
#include "app/views/shared/whole_numbers.h"
#include "core/attention/attention.h"
#include "core/short_text.h"

namespace ropescope {

namespace {

/// Letters between two words.
constexpr double kOrderBetween = 1.6;

double width_of(const std::string& word) {
  return static_cast<double>(screen_width(word)) + kOrderBetween;
}

constexpr std::string_view kToken = "token.";

}  // namespace

std::vector<std::string> token_words(std::vector<std::string> words, Eigen::Index tokens) {
  const auto count = static_cast<std::size_t>(tokens);
  if (!words.empty()) {
    words.resize(std::min(words.size(), count));
    return words;
  }
  for (std::size_t token = 0; token < count; ++token) words.push_back(readable_integer(static_cast<double>(token)));
  return words;
}

std::string token_handle(Eigen::Index token, Eigen::Index tokens) {
  return std::string(kToken) + std::to_string(token) + "/" + std::to_string(tokens);
}

std::optional<TokenHandle> read_token_handle(std::string_view handle) {
  if (!handle.starts_with(kToken)) return std::nullopt;
  handle.remove_prefix(kToken.size());
  const std::size_t slash = handle.find('/');
  if (slash == std::string_view::npos) return std::nullopt;
  const auto token = parse_number(handle.substr(0, slash)), tokens = parse_number(handle.substr(slash + 1));
  if (!token || !tokens || *token < 0 || *token >= *tokens || *tokens > kMostShuffled) return std::nullopt;
  return TokenHandle{static_cast<Eigen::Index>(*token), static_cast<Eigen::Index>(*tokens)};
}

std::vector<Eigen::Index> shuffled_order(const AttentionKnobs& knobs, Eigen::Index tokens) {
  const std::vector<std::int64_t> asked =
      whole_numbers_of(knobs.order, {"attention.order", static_cast<std::int64_t>(kMostAttentionTokens) - 1,
                                     static_cast<std::size_t>(kMostAttentionTokens)});
  if (asked.empty()) return dealt_order(tokens, static_cast<std::uint64_t>(knobs.shuffle_seed));
  std::vector<Eigen::Index> order;
  std::vector<bool> stands(static_cast<std::size_t>(tokens));
  const auto add = [&](Eigen::Index token) {
    if (token >= tokens || stands[static_cast<std::size_t>(token)]) return;
    stands[static_cast<std::size_t>(token)] = true;
    order.push_back(token);
  };
  for (const std::int64_t token : asked) add(token);
  for (Eigen::Index token = 0; token < tokens; ++token) add(token);
  return order;
}

std::string order_text(const std::vector<Eigen::Index>& order) {
  std::string text;
  for (const Eigen::Index token : order) text += (text.empty() ? "" : ",") + std::to_string(token);
  return text;
}

LineOfWords line_of_words(const std::vector<std::string>& words) {
  LineOfWords line;
  for (const std::string& word : words) {
    const double width = width_of(word);
    line.middles.push_back(line.end + width / 2);
    line.widths.push_back(width);
    line.end += width;
  }
  return line;
}

std::vector<Eigen::Index> order_with(std::vector<Eigen::Index> order, Eigen::Index token, double x,
                                     const std::vector<std::string>& words) {
  order.erase(std::remove(order.begin(), order.end(), token), order.end());
  const double own = width_of(words[static_cast<std::size_t>(token)]);
  // Behind every word whose middle its own one would pass.
  double left = 0;
  auto at = order.begin();
  for (; at != order.end(); ++at) {
    const double width = width_of(words[static_cast<std::size_t>(*at)]);
    if (left + (width + own) / 2 > x) break;
    left += width;
  }
  order.insert(at, token);
  return order;
}

}  // namespace ropescope
