#include <algorithm>
#include <cmath>
#include <utility>

#include "app/figure/number_text.h"
#include "app/views/decay/phasors.h"
#include "app/views/shared/axes.h"
#include "app/views/shared/cards.h"
#include "app/views/shared/counted.h"
#include "app/views/shared/marks.h"

namespace ropescope {

namespace {

constexpr LineStyle kBar{0, false};
constexpr double kChainThick = 0.38;  ///< of a bar, its row being 1
constexpr double kBelow = 0.14;       ///< how much lower in its row it lies: its formula stands above it

struct ChainBar {
  const char* key;
  double value;
};

std::vector<ChainBar> bars_of(const AbelChain& chain) {
  return {{"score", chain.score},
          {"size", chain.size},
          {"abel", chain.transformed},
          {"terms", chain.terms},
          {"bound", chain.bound}};
}

void add_bar_chain(Figure& figure, const ChainBar& bar, double row, const Text& text) {
  Box box;
  box.x = {std::min(bar.value, 0.0), std::max(bar.value, 0.0)};
  box.y = {row + kBelow - kChainThick / 2, row + kBelow + kChainThick / 2};
  box.style = kBar;
  for (const bool filled : {true, true, false}) {
    box.filled = filled;
    figure.boxes.push_back(box);
  }
  Label name;
  name.x = figure.x.range.low;
  name.y = box.y.low;
  name.anchor_x = -0.02;
  name.anchor_y = 1.15;
  name.text = text[std::string("view.decay.chain.") + bar.key];
  figure.labels.push_back(name);
  Label number;
  number.x = box.x.high;
  number.y = row + kBelow;
  number.anchor_x = -0.15;
  number.text = readable_number(bar.value, 3, true);
  number.semibold = true;
  figure.labels.push_back(number);
}

}  // namespace

Figure chain_figure(const PhasorState& state, const Text& text) {
  const std::vector<ChainBar> bars = bars_of(state.chain);
  Figure figure;
  figure.name = "chain";
  figure.title = text[state.random ? "view.decay.chain.random" : "view.decay.chain.aligned"];
  double least = 0, most = 1;
  for (const ChainBar& bar : bars)
    std::tie(least, most) = std::pair(std::min(least, bar.value), std::max(most, bar.value));
  // Beyond the longest bar stands its number.
  const double decades = std::max(1.0, std::ceil(std::log10(most)));
  figure.x = named_axis("decay", "share", text, AxisScale::symlog);
  figure.x = fixed_axis(figure.x, {least < 0 ? -1.0 : 0.0, std::max(std::pow(10, decades), 4 * most)});
  const double rows = static_cast<double>(bars.size());
  figure.y.name = "row";
  figure.y.reversed = true;
  figure.y.names = std::vector<std::string>(bars.size());  // their formulas stand above the bars
  figure.y.range = figure.y.fit = {-0.5, rows - 0.5};
  for (std::size_t i = 0; i < bars.size(); ++i) add_bar_chain(figure, bars[i], static_cast<double>(i), text);
  Points ends;
  ends.key = "chain";
  ends.style = kBar;
  for (std::size_t i = 0; i < bars.size(); ++i) {
    ends.xs.push_back(bars[i].value);
    ends.ys.push_back(static_cast<double>(i) + kBelow);
  }
  figure.points.push_back(ends);
  add_rule(figure, 0, "", Role::line).dashed = false;
  add_rule(figure, 1, "");
  return figure;
}

std::vector<Readout> phasor_readouts(const PhasorState& state, const Text& text) {
  std::vector<Readout> readouts;
  const TextValue pairs = counted(state.pairs());
  const auto add = [&](const std::string& key, ShownNumber number, bool aside = false) {
    Readout readout = start_card("decay." + key, text);
    readout.value = Quantity{number};
    readout.note = text.format("readout.decay." + key + ".note", {{"pairs", pairs}});
    readout.aside = aside;
    readouts.push_back(std::move(readout));
  };
  const PhasorSums& sums = state.sums;
  const AbelChain& chain = state.chain;
  add("phasor_similarity", with_decimals(sums.similarity, 3));
  add("phasor_length", with_decimals(sums.length, 3));
  add("phasor_mean", with_digits(sums.mean_distance, 4));
  add("chain_score", with_decimals(chain.score, 3));
  // Their bars say them.
  add("chain_size", with_decimals(chain.size, 3), true);
  add("chain_abel", with_decimals(chain.transformed, 3), true);
  add("chain_terms", with_digits(chain.terms, 4), true);
  add("chain_bound", with_digits(chain.bound, 4));
  return readouts;
}

}  // namespace ropescope
