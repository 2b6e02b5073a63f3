// Equation 13 in numbers: a token in two channels, W before the rotation, and R_m after it.

#include <algorithm>
#include <cmath>
#include <numbers>

#include "app/figure/number_text.h"
#include "app/views/rotation/figures.h"
#include "app/views/rotation/plane_parts.h"
#include "app/views/rotation/sheet.h"
#include "app/views/shared/cards.h"
#include "app/views/shared/counted.h"

namespace ropescope {

namespace {

/// Of x, W x and R_m W x.
constexpr int kTokenSlot = 2, kProjectedSlot = 1, kTurnedSlot = 0;

/// matrix · from, written out: "0.80 · 1.00 − 0.60 · 0.50".
std::string product_words(const Eigen::RowVector2d& row, const Eigen::Vector2d& from) {
  const auto factor = [](double number) {
    const std::string words = readable_fixed(number, 2);
    return number < 0 ? "(" + words + ")" : words;
  };
  return factor(row[0]) + " · " + factor(from[0]) + " + " + factor(row[1]) + " · " + factor(from[1]);
}

/// A row of the sheet: matrix · from = what is multiplied = result.
struct WeightsProduct {
  int top;
  std::string matrix_name, from_name, result_name;
  const Eigen::Matrix2d& matrix;
  const Eigen::Vector2d &from, &result;
  int from_slot, result_slot;
};

void add_product(Sheet& sheet, const WeightsProduct& product) {
  constexpr double kFirst = 0.75, kSecond = 2.05, kFrom = 3.5, kWords = 6.55, kResult = 9.55, kHalf = 0.65;
  const double middle = product.top + 0.5, header = product.top - 1;
  sheet.words((kFirst + kSecond) / 2, header, product.matrix_name);
  sheet.words(kFrom, header, product.from_name, product.from_slot);
  sheet.words(kResult, header, product.result_name, product.result_slot);
  for (int channel = 0; channel < 2; ++channel) {
    const int row = product.top + channel;
    sheet.number(kFirst, row, product.matrix(channel, 0), -1);
    sheet.number(kSecond, row, product.matrix(channel, 1), -1);
    sheet.number(kFrom, row, product.from[channel], product.from_slot);
    sheet.words(kWords, row, product_words(product.matrix.row(channel), product.from));
    sheet.number(kResult, row, product.result[channel], product.result_slot);
  }
  sheet.brackets(kFirst - kHalf, kSecond + kHalf, product.top, product.top + 1);
  for (const double column : {kFrom, kResult}) {
    sheet.brackets(column - kHalf, column + kHalf, product.top, product.top + 1);
  }
  sheet.words((kFrom + kWords) / 2 - 0.75, middle, "=");
  sheet.words((kWords + kResult) / 2 + 0.28, middle, "=");
}

/// The angle from one vector to another, in degrees within ±180.
double degrees_between(const Eigen::Vector2d& from, const Eigen::Vector2d& to) {
  const double cross = from.x() * to.y() - from.y() * to.x();
  return std::atan2(cross, from.dot(to)) * 180 / std::numbers::pi;
}

}  // namespace

RotationWeights rotation_weights(const RotationState& state) {
  const RotationKnobs& knobs = state.knobs;
  RotationWeights result;
  result.weights << knobs.w11, knobs.w12, knobs.w21, knobs.w22;
  const double angle = state.query_position * state.frequency, amplitude = state.ladder.amplitude;
  result.turn << std::cos(angle), -std::sin(angle), std::sin(angle), std::cos(angle);
  result.turn *= amplitude;
  result.x = {knobs.x1, knobs.x2};
  result.projected = result.weights * result.x;
  result.turned = result.turn * result.projected;
  return result;
}

Figure products_of_weights_figure(const RotationWeights& weights, const RotationState& state, const Text& text) {
  Sheet sheet("weights",
              text.format("view.rotation.weights.title",
                          {{"position", counted(std::floor(state.query_position))}, {"pair", counted(state.pair)}}),
              7, 10.3);
  sheet.text_size = 1.05;
  add_product(sheet, {0, "W", "x", "W x", weights.weights, weights.x, weights.projected, kTokenSlot, kProjectedSlot});
  add_product(sheet, {4, text["view.rotation.forms.r_m"], "W x", text["view.rotation.weights.f"], weights.turn,
                      weights.projected, weights.turned, kProjectedSlot, kTurnedSlot});
  return sheet.figure;
}

Figure plane_of_weights_figure(const RotationWeights& weights, const RotationState& state, const Text& text) {
  Figure figure;
  figure.name = "plane";
  figure.equal_axes = figure.bare = true;
  const double longest = std::max({weights.x.norm(), weights.projected.norm(), weights.turned.norm()});
  // In steps, so that dragging the arrow does not make the picture tremble.
  const double reach = longest <= 1.15 ? 1.4 : std::ceil(2.4 * longest + 0.5) / 2;
  figure.title = text["view.rotation.weights.plane"];
  figure.x.name = "first";
  figure.y.name = "second";
  figure.x.range = figure.x.fit = figure.y.range = figure.y.fit = {-reach, reach};
  add_circle(figure, reach);
  const double angle = state.query_position * state.frequency;
  Path turn = spiral("turn", weights.projected, angle, {0.2 * reach, 0.32 * reach});
  turn.style = {kTurnedSlot, false};
  figure.paths.push_back(turn);
  figure.labels.push_back(corner_label({-reach, reach}, 0, angle_words(angle, "view.rotation.query_angle", text).angle,
                                       {kTurnedSlot, false}));
  figure.arrows.push_back(arrow_to("x", weights.x, "x", {kTokenSlot, false}));
  figure.arrows.push_back(arrow_to("projected", weights.projected, "W x", {kProjectedSlot, false}));
  figure.arrows.push_back(
      arrow_to("turned", weights.turned, text["view.rotation.weights.turned"], {kTurnedSlot, false}));
  figure.handles.push_back({"x", weights.x.x(), weights.x.y(), 0, true, vector_tip("x", weights.x, text)});
  return figure;
}

std::vector<Readout> weights_readouts(const RotationWeights& weights, const Text& text) {
  Readout projected = start_card("rotation.projected", text), turned = start_card("rotation.projected_turned", text),
          order = start_card("rotation.weights_order", text);
  projected.value = Quantity{with_decimals(weights.projected.norm(), 4)};
  projected.note = text.format("readout.rotation.projected.note",
                               {{"length", readable_fixed(weights.x.norm(), 4)},
                                {"degrees", readable_fixed(degrees_between(weights.x, weights.projected), 1)}});
  turned.value = Quantity{with_decimals(weights.turned.norm(), 4)};
  turned.note = text.format("readout.rotation.projected_turned.note",
                            {{"degrees", readable_fixed(degrees_between(weights.projected, weights.turned), 1)}});
  const Eigen::Vector2d other = weights.weights * (weights.turn * weights.x);
  order.value = Quantity{with_digits((weights.turned - other).norm(), 4)};
  order.note = text["readout.rotation.weights_order.note"];
  return {projected, turned, order};
}

}  // namespace ropescope
