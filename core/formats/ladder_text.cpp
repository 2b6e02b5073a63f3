// Parsing of ladders from lists of numbers, and from formulas with muParser. Read ladder_text.h first.

#include "core/formats/ladder_text.h"

#include <muParser.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numbers>
#include <string_view>

#include "core/formats/json.h"
#include "core/message.h"

namespace ropescope {

namespace {

bool is_frequency(double value) {
  return std::isfinite(value) && value >= 0;
}

std::string_view trim_tabs_and_spaces(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t") + 1 - begin);
}

std::vector<double> read_ladder_numbers(const std::string& text, const std::string& source) {
  std::vector<double> numbers;
  std::string_view rest = text;
  for (bool more = true; more;) {
    const std::size_t comma = rest.find(',');
    more = comma != std::string_view::npos;
    const std::string_view cell = trim_tabs_and_spaces(rest.substr(0, comma));
    double number = 0;
    const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), number);
    if (error != std::errc() || end != cell.data() + cell.size() || !is_frequency(number)) {
      throw InputError(source, "ladder.number", {{"number", numbers.size() + 1}, {"found", in_quotes(cell)}});
    }
    numbers.push_back(number);
    if (more) rest.remove_prefix(comma + 1);
  }
  return numbers;
}

[[noreturn]] void refuse_formula(const std::string& source, std::size_t place, const Message& problem) {
  throw InputError(source, "ladder.formula", {{"character", place + 1}, {"problem", problem}});
}

/// Checks the limits before parsing, so that nothing takes long.
void check_bounds(const std::string& formula, const std::string& source) {
  if (formula.size() > kLongestFormula) {
    throw InputError(source, "ladder.long", {{"characters", formula.size()}, {"most", kLongestFormula}});
  }
  int depth = 0;
  for (std::size_t i = 0; i < formula.size(); ++i) {
    const char c = formula[i];
    depth += c == '(' ? 1 : c == ')' ? -1 : 0;
    if (depth > kDeepestFormula) refuse_formula(source, i, {"ladder.deep", {{"most", kDeepestFormula}}});
    // A formula reads i, d and b; it changes none of them.
    const auto at = [&](std::size_t k) { return k < formula.size() ? formula[k] : ' '; };
    const bool compares =
        at(i + 1) == '=' || (i > 0 && std::string_view("=<>!").find(formula[i - 1]) != std::string_view::npos);
    if (c == '=' && !compares) refuse_formula(source, i, Message("ladder.assigns"));
  }
}

/// Describes the part that the parser did not accept.
Message problem_of(const mu::Parser::exception_type& error) {
  switch (error.GetCode()) {
    case mu::ecUNASSIGNABLE_TOKEN:
      return {"ladder.unknown", {{"found", in_quotes(error.GetToken())}}};
    case mu::ecUNEXPECTED_EOF:
    case mu::ecMISSING_PARENS:
      return Message("ladder.ends");
    default:
      return error.GetToken().empty() ? Message("ladder.unreadable")
                                      : Message("ladder.unexpected", {{"found", in_quotes(error.GetToken())}});
  }
}

std::vector<double> read_formula(const std::string& formula, const std::string& source, int d, double b) {
  check_bounds(formula, source);
  std::vector<double> frequencies;
  try {
    mu::Parser parser;
    double pair = 0;
    parser.DefineVar("i", &pair);
    parser.DefineConst("d", d);
    parser.DefineConst("b", b);
    parser.DefineConst("_pi", std::numbers::pi);  // muParser's own has twelve decimals
    parser.SetExpr(formula);
    for (int i = 0; i < d / 2; ++i) {
      pair = i;
      int values = 0;
      const double* found = parser.Eval(values);
      if (values != 1) throw InputError(source, "ladder.several", {{"values", values}});
      if (!is_frequency(found[0])) {
        const double value = std::isnan(found[0]) ? std::abs(found[0]) : found[0];  // no "-nan"
        throw InputError(source, "ladder.value", {{"pair", i}, {"found", value}, {"d", d}, {"b", b}});
      }
      frequencies.push_back(found[0]);
    }
  } catch (const mu::Parser::exception_type& error) {
    const auto place =
        static_cast<std::size_t>(std::max<std::ptrdiff_t>(0, static_cast<std::ptrdiff_t>(error.GetPos())));
    refuse_formula(source, std::min(place, formula.size()), problem_of(error));
  }
  return frequencies;
}

}  // namespace

bool is_ladder_of_numbers(const std::string& text) {
  return text.find_first_of("0123456789") != std::string::npos &&
         text.find_first_not_of("0123456789+-.eE, \t") == std::string::npos;
}

void give_ladder(RotarySpec& spec, const std::string& text, const std::string& source) {
  std::vector<double> numbers;
  if (is_ladder_of_numbers(text)) {
    if (text.size() > kLongestLadder) {
      throw InputError(source, "ladder.long", {{"characters", text.size()}, {"most", kLongestLadder}});
    }
    numbers = read_ladder_numbers(text, source);
    const auto pairs = static_cast<std::size_t>(total_rotary_dim(spec) / 2);
    if (numbers.size() != pairs) {
      throw InputError(source, "ladder.count", {{"numbers", numbers.size()}, {"pairs", pairs}});
    }
  }
  auto next = numbers.begin();
  for (RotaryAxis& axis : spec.axes) {
    axis.ladder = Ladder::given;
    if (numbers.empty()) {
      axis.frequencies = read_formula(text, source, axis.rotary_dim, axis.base);
    } else {
      axis.frequencies.assign(next, next + axis.rotary_dim / 2);
      next += axis.rotary_dim / 2;
    }
  }
}

std::string ladder_numbers(const RotarySpec& spec) {
  std::vector<double> numbers;
  for (const RotaryAxis& axis : spec.axes) {
    if (axis.ladder == Ladder::given) numbers.insert(numbers.end(), axis.frequencies.begin(), axis.frequencies.end());
  }
  return joined(numbers, ",", number_text);
}

}  // namespace ropescope
