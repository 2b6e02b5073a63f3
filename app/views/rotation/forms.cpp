// The forms of the rotation in numbers, and the weights before it.
//
// Contents: Forms; Weights.

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <numbers>

#include "app/figure/figure.h"
#include "app/views/rotation/view.h"
#include "app/views/shared/cards.h"
#include "app/views/shared/figures.h"
#include "core/rotary/rotation.h"

namespace ropescope {

// --- Forms ---------------------------------------------------------------------------------------------------------

namespace {

/// Returns the pair of each channel, which is its colour in every form.
std::vector<int> pair_of_channels(const RotationForms& forms) {
  std::vector<int> pairs(static_cast<std::size_t>(2 * forms.pairs));
  for (int pair = 0; pair < forms.pairs; ++pair) {
    const auto [first, second] = pair_channels(forms.pairing, pair, forms.pairs);
    pairs[static_cast<std::size_t>(first)] = pairs[static_cast<std::size_t>(second)] = pair;
  }
  return pairs;
}

/// Adds a column of numbers in brackets, one per channel, in the colours of the pairs.
void add_vector(Sheet& sheet, double column, const Eigen::VectorXd& values, const RotationForms& forms,
                double half_width = 0.5) {
  const std::vector<int> pairs = pair_of_channels(forms);
  const auto count = static_cast<int>(values.size());
  for (int channel = 0; channel < count; ++channel) {
    sheet.number(column, channel, values[channel], pairs[static_cast<std::size_t>(channel)]);
  }
  sheet.brackets(column - half_width, column + half_width, 0, count - 1);
}

/// Returns the row in the middle, for the signs between columns.
double middle_row(const RotationForms& forms) {
  return forms.pairs - 0.5;
}

std::string complex_text(double real, double imaginary) {
  return readable_fixed(real, 2) + (imaginary < 0 ? " − " : " + ") + readable_fixed(std::abs(imaginary), 2) + "i";
}

std::string title_of_forms(const char* form, const Text& text) {
  return text[std::string("view.rotation.forms.") + form];
}

struct NamedColumn {
  std::string name;
  const Eigen::VectorXd& values;
};

/// Draws a ⊗ b + c ⊗ d = x′ with a column of channels each.
Figure products_figure(const char* name, const RotationForms& forms, const Text& text,
                       const std::array<NamedColumn, 5>& columns) {
  constexpr double kFirst = 0.79, kApart = 1.9, kHalfWidth = 0.75;
  Sheet sheet(name, title_of_forms(name, text), 2 * forms.pairs, 9.18);
  sheet.text_size = 0.86;
  const std::string times = text["view.rotation.forms.times"];
  const std::string signs[] = {times, "+", times, "="};
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const double at = kFirst + kApart * static_cast<double>(i);
    sheet.header(at, columns[i].name);
    add_vector(sheet, at, columns[i].values, forms, kHalfWidth);
    if (i + 1 < columns.size()) sheet.words(at + kApart / 2, middle_row(forms), signs[i]);
  }
  return sheet.figure;
}

// --- Weights -------------------------------------------------------------------------------------------------------

// Equation 13 in numbers: a token in two channels, W before the rotation, and R_m after it.

/// The colours of x, W x and R_m W x.
constexpr int kTokenSlot = 2, kProjectedSlot = 1, kTurnedSlot = 0;

/// Writes out matrix · from: "0.80 · 1.00 − 0.60 · 0.50".
std::string product_words(const Eigen::RowVector2d& row, const Eigen::Vector2d& from) {
  const auto factor = [](double number) {
    const std::string words = readable_fixed(number, 2);
    return number < 0 ? "(" + words + ")" : words;
  };
  return factor(row[0]) + " · " + factor(from[0]) + " + " + factor(row[1]) + " · " + factor(from[1]);
}

/// A row of the sheet: matrix · from = written-out products = result.
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

/// Returns the angle from one vector to another, in degrees within ±180.
double degrees_between(const Eigen::Vector2d& from, const Eigen::Vector2d& to) {
  const double cross = from.x() * to.y() - from.y() * to.x();
  return std::atan2(cross, from.dot(to)) * 180 / std::numbers::pi;
}

}  // namespace

Figure matrix_figure(const RotationForms& forms, const Text& text) {
  const int d = 2 * forms.pairs;
  const char* title = forms.pairing == Pairing::interleaved ? "matrix" : "matrix_half";
  // In cells, which are narrower if there are more of them: a vector's brackets, and the space between two vectors.
  constexpr double kGap = 0.2;
  const double wide = 0.8 + 0.08 * d, apart = 0.3 + 0.03 * d;
  const double x_at = d + kGap + wide / 2, turned_at = x_at + wide + apart;
  Sheet sheet(
      "matrix",
      text.format(std::string("view.rotation.forms.") + title, {{"position", counted(std::floor(forms.position))}}), d,
      d + kGap + 2 * wide + apart + 0.05);
  sheet.text_size = d > 6 ? 0.92 : d > 4 ? 1 : 1.15;
  Map map;
  map.key = "matrix";
  map.colours = MapColours::signed_value;
  map.x = {0, static_cast<double>(d)};
  map.y = {-0.5, d - 0.5};
  map.range = {-1, 1};
  map.bar = false;
  auto cells = std::make_shared<MapCells>();
  cells->columns = cells->rows = static_cast<std::size_t>(d);
  for (int row = 0; row < d; ++row) {
    for (int column = 0; column < d; ++column) {
      const double value = forms.matrix(row, column);
      cells->values.push_back(static_cast<float>(value));
      // Cells that are always empty are distinguished from those that happen to be 0.
      const std::vector<int> pairs = pair_of_channels(forms);
      const bool inside = pairs[static_cast<std::size_t>(row)] == pairs[static_cast<std::size_t>(column)];
      Label label =
          label_at(column + 0.5, row, inside ? readable_fixed(value, 2) : "0", inside ? Role::text : Role::faint);
      label.size = d > 6 ? 0.85 : sheet.text_size;
      sheet.figure.labels.push_back(label);
    }
  }
  map.cells = cells;
  sheet.figure.maps.push_back(map);
  sheet.header(d / 2.0, text["view.rotation.forms.r_m"]);
  sheet.header(x_at, "x");
  sheet.header(turned_at, "x′");
  add_vector(sheet, x_at, forms.x, forms, wide / 2);
  sheet.words((x_at + turned_at) / 2, middle_row(forms), "=");
  add_vector(sheet, turned_at, forms.by_matrix, forms, wide / 2);
  return sheet.figure;
}

Figure complex_figure(const RotationForms& forms, const Text& text) {
  // A pair has two rows: the factors, and the product below.
  constexpr double kAngle = 0.65, kZ = 2.6, kTurnsAt = 5.65, kTimes = 4.125, kEquals = 1.0;
  Sheet sheet("complex", title_of_forms("complex", text), 2 * forms.pairs, 7.6);
  sheet.text_size = 0.9;
  sheet.header(kAngle, text["view.rotation.forms.angle"]);
  sheet.header(kZ, text["view.rotation.forms.z"]);
  sheet.header(kTimes, "·");
  sheet.header(kTurnsAt, text["view.rotation.forms.turn"]);
  for (int pair = 0; pair < forms.pairs; ++pair) {
    const auto [first, second] = pair_channels(forms.pairing, pair, forms.pairs);
    const double row = 2 * pair, angle = forms.position * forms.frequencies[pair];
    sheet.number(kAngle, row, angle, -1);
    sheet.words(kZ, row, "(" + complex_text(forms.x[first], forms.x[second]) + ")", pair);
    sheet.words(kTimes, row, "·");
    sheet.words(kTurnsAt, row, "(" + complex_text(std::cos(angle), std::sin(angle)) + ")");
    sheet.words(kEquals, row + 1, "=");
    sheet.words(kZ, row + 1, complex_text(forms.by_complex[first], forms.by_complex[second]), pair);
  }
  return sheet.figure;
}

Figure elements_figure(const RotationForms& forms, const Text& text) {
  const bool halves = forms.pairing == Pairing::half_split;
  return products_figure(
      "elements", forms, text,
      {{{"x", forms.x},
        {text["view.rotation.forms.cosines"], forms.cosine},
        {text[halves ? "view.rotation.forms.companion_half" : "view.rotation.forms.companion"], forms.companion},
        {text["view.rotation.forms.sines"], forms.sine},
        {"x′", forms.by_elements}}});
}

Figure columns_figure(const RotationForms& forms, const Text& text) {
  const bool halves = forms.pairing == Pairing::half_split;
  Eigen::VectorXd column0(forms.x.size()), column1(forms.x.size()), even(forms.x.size()), odd(forms.x.size());
  for (int pair = 0; pair < forms.pairs; ++pair) {
    const auto [first, second] = pair_channels(forms.pairing, pair, forms.pairs);
    const Eigen::Matrix2d& block = forms.blocks[static_cast<std::size_t>(pair)];
    column0[first] = block(0, 0);
    column0[second] = block(1, 0);
    column1[first] = block(0, 1);
    column1[second] = block(1, 1);
    even[first] = even[second] = forms.x[first];
    odd[first] = odd[second] = forms.x[second];
  }
  Figure figure =
      products_figure("columns", forms, text,
                      {{{text["view.rotation.forms.column0"], column0},
                        {text[halves ? "view.rotation.forms.first_half" : "view.rotation.forms.even"], even},
                        {text["view.rotation.forms.column1"], column1},
                        {text[halves ? "view.rotation.forms.second_half" : "view.rotation.forms.odd"], odd},
                        {"x′", forms.by_columns}}});
  if (halves) figure.title = title_of_forms("columns_half", text);  // FLUX's code has adjacent channels as pairs
  return figure;
}

Figure stack_figure(const RotationForms& forms, const Text& text) {
  constexpr double kColumns[] = {0.79, 2.57, 4.35, 6.13}, kTurned = 7.91, kOut = 9.85, kHalfWidth = 0.75;
  const bool halves = forms.pairing == Pairing::half_split;
  Sheet sheet("stack", title_of_forms(halves ? "stack_half" : "stack", text), 2 * forms.pairs, 10.64);
  sheet.text_size = 0.85;
  const auto column = [&](double at, const Eigen::VectorXd& values, int top) {
    for (int pair = 0; pair < forms.pairs; ++pair) sheet.number(at, top + pair, values[pair], pair);
    sheet.brackets(at - kHalfWidth, at + kHalfWidth, top, top + forms.pairs - 1);
  };
  const Eigen::VectorXd &cosine = forms.pair_cosine, &sine = forms.pair_sine;
  const Eigen::VectorXd* lines[2][5] = {{&forms.even, &cosine, &forms.odd, &sine, &forms.turned_even},
                                        {&forms.even, &sine, &forms.odd, &cosine, &forms.turned_odd}};
  for (int line = 0; line < 2; ++line) {
    const int top = line * forms.pairs;
    const double middle = top + (forms.pairs - 1) / 2.0;
    const std::string times = text["view.rotation.forms.times"];
    const std::string signs[] = {times, line == 0 ? "−" : "+", times, "="};
    for (int i = 0; i < 4; ++i) {
      column(kColumns[i], *lines[line][i], top);
      sheet.words(kColumns[i] + (kColumns[1] - kColumns[0]) / 2, middle, signs[i]);
    }
    column(kTurned, *lines[line][4], top);
  }
  sheet.header(kColumns[0], text[halves ? "view.rotation.forms.first_half" : "view.rotation.forms.even"]);
  // On a line of their own: the names are wider than the columns.
  sheet.figure.y.range.low = sheet.figure.y.fit.low = -2.1;
  sheet.words(kColumns[1], -1.75, text["view.rotation.forms.cosines_first"]);
  sheet.header(kColumns[2], text[halves ? "view.rotation.forms.second_half" : "view.rotation.forms.odd"]);
  sheet.words(kColumns[3], -1.75, text["view.rotation.forms.sines_first"]);
  sheet.words((kTurned + kOut) / 2, middle_row(forms), "→");
  sheet.header(kOut, "x′");
  add_vector(sheet, kOut, forms.by_stack, forms, kHalfWidth);
  return sheet.figure;
}

Figure blocks_figure(const RotationForms& forms, const Text& text) {
  Sheet sheet("blocks", title_of_forms("blocks", text), 2 * forms.pairs, 6.2);
  sheet.text_size = 0.85;
  sheet.header(1.4, text["view.rotation.forms.block"]);
  sheet.header(3.5, "x");
  sheet.header(5.45, "x′");
  for (int pair = 0; pair < forms.pairs; ++pair) {
    const auto [first, second] = pair_channels(forms.pairing, pair, forms.pairs);
    const Eigen::Matrix2d& block = forms.blocks[static_cast<std::size_t>(pair)];
    const int channels[] = {first, second};
    for (int i = 0; i < 2; ++i) {
      const double row = 2 * pair + i;
      sheet.number(0.75, row, block(i, 0), pair);
      sheet.number(2.05, row, block(i, 1), pair);
      sheet.number(3.5, row, forms.x[channels[i]], pair);
      sheet.number(5.45, row, forms.by_blocks[channels[i]], pair);
    }
    sheet.brackets(0.1, 2.7, 2 * pair, 2 * pair + 1);
    sheet.brackets(2.85, 4.15, 2 * pair, 2 * pair + 1);
    sheet.words(4.475, 2 * pair + 0.5, "=");
    sheet.brackets(4.8, 6.1, 2 * pair, 2 * pair + 1);
  }
  return sheet.figure;
}

RotationWeights rotation_weights(const RotationState& state) {
  const RotationFields& fields = state.fields;
  RotationWeights result;
  result.weights << fields.w11, fields.w12, fields.w21, fields.w22;
  const double angle = state.query_position * state.frequency, amplitude = state.ladder.amplitude;
  result.turn << std::cos(angle), -std::sin(angle), std::sin(angle), std::cos(angle);
  result.turn *= amplitude;
  result.x = {fields.x1, fields.x2};
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
  const double reach = plane_extent(std::max({weights.x.norm(), weights.projected.norm(), weights.turned.norm()}));
  Figure figure = empty_plane(reach);
  figure.title = text["view.rotation.weights.plane"];
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
