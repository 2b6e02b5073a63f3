#include <cmath>

#include "app/experiment/experiment.h"
#include "app/lessons/lesson.h"
#include "app/lessons/text_cuts.h"
#include "core/error.h"

namespace ropescope {

Condition parse_condition(std::string_view text) {
  const std::size_t at = text.find_first_of("<>=");
  Condition condition;
  const auto refuse = [text] { return InputError("lesson.condition", {{"found", std::string(text)}}); };
  if (at == std::string_view::npos) throw refuse();
  condition.readout = trimmed(text.substr(0, at));
  condition.relation = text[at] == '<'   ? Condition::Relation::less
                       : text[at] == '>' ? Condition::Relation::greater
                                         : Condition::Relation::equal;
  std::string_view number = trimmed_view(text.substr(at + 1));
  constexpr std::string_view kPlusMinus = "±";
  if (const std::size_t margin = number.find(kPlusMinus); margin != std::string_view::npos) {
    condition.within = parse_number(trimmed_view(number.substr(margin + kPlusMinus.size())));
    number = trimmed_view(number.substr(0, margin));
    if (!condition.within || *condition.within < 0 || condition.relation != Condition::Relation::equal) throw refuse();
  }
  const std::optional<double> value = parse_number(number);
  if (!value || condition.readout.empty() || condition.readout.find_first_of(" \t") != std::string::npos)
    throw refuse();
  condition.value = *value;
  return condition;
}

bool holds(const Condition& condition, double number) {
  switch (condition.relation) {
    case Condition::Relation::less:
      return number < condition.value;
    case Condition::Relation::greater:
      return number > condition.value;
    case Condition::Relation::equal:
      break;
  }
  return std::abs(number - condition.value) <= condition.within.value_or(1e-9 * std::abs(condition.value));
}

}  // namespace ropescope
