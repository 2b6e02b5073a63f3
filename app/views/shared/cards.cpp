#include "app/views/shared/cards.h"

#include <cmath>

namespace ropescope {

Readout start_card(const std::string& name, const Text& text, const std::string& texts) {
  const std::string key = "readout." + (texts.empty() ? name : texts);
  Readout readout;
  readout.name = name;
  readout.label = text[key + ".label"];
  if (text.has(key + ".tooltip")) readout.tooltip = text[key + ".tooltip"];
  return readout;
}

ReadoutValue no_number() {
  return Words("readout.none");
}

namespace {

std::string named_text(const NamedValues::One& one, const Text& text) {
  constexpr std::size_t kMost = 6;
  const std::vector<ShownNumber>& numbers = one.numbers;
  std::string shown = numbers.empty() ? text.say(one.word) : readable(numbers.front());
  if (one.range && readable(numbers.back()) != shown) {
    shown += " … " + readable(numbers.back());
  } else if (one.list) {
    for (std::size_t i = 1; i < numbers.size() && i < kMost; ++i) shown += ", " + readable(numbers[i]);
    shown = "(" + shown + (numbers.size() > kMost ? ", …)" : ")");
  }
  if (one.label.empty()) return shown;
  return text.format("readout.named_value", {{"name", text.say(one.label)}, {"value", shown}});
}

std::string named_text(const NamedValues& values, const Text& text) {
  std::string all;
  for (const NamedValues::One& one : values.list) all += (all.empty() ? "" : " · ") + named_text(one, text);
  return all;
}

}  // namespace

std::string value_text(const ReadoutValue& value, const Text& text) {
  if (const auto* words = std::get_if<Words>(&value)) return text.say(*words);
  if (const auto* position = std::get_if<Position>(&value)) return ids_text(position->ids);
  if (const auto* several = std::get_if<NamedValues>(&value)) return named_text(*several, text);
  const Quantity& quantity = std::get<Quantity>(value);
  if (std::isnan(quantity.number.value)) return text["readout.undefined"];
  const TextValue number{readable(quantity.number), quantity.number.value};
  if (quantity.form.empty()) return number.shown;
  const ShownNumber other = quantity.other.value_or(ShownNumber{});
  return text.format(quantity.form, {{"number", number}, {"other", {readable(other), other.value}}});
}

std::string cause_words(const std::string& name, const Text& text) {
  const std::string key = "view.check.cause." + name;
  return text.has(key) ? text[key] : name;
}

void compare_with_pin(Readout& readout, const ReadoutValue& pinned, const Text& text) {
  const std::string first = text.format("readout.pinned", {{"value", value_text(pinned, text)}});
  readout.note = text.format("list.sentences", {{"first", first}, {"second", readout.note}});
}

}  // namespace ropescope
