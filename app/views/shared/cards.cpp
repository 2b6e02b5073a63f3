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

std::string value_text(const ReadoutValue& value, const Text& text) {
  if (const auto* words = std::get_if<Words>(&value)) return text.say(*words);
  if (const auto* position = std::get_if<Position>(&value)) return ids_text(position->ids);
  const Quantity& quantity = std::get<Quantity>(value);
  if (std::isnan(quantity.number.value)) return text["readout.undefined"];
  const TextValue number{readable(quantity.number), quantity.number.value};
  if (quantity.form.empty()) return number.shown;
  const ShownNumber other = quantity.other.value_or(ShownNumber{});
  return text.format(quantity.form, {{"number", number}, {"other", {readable(other), other.value}}});
}

void compare_with_pin(Readout& readout, const ReadoutValue& pinned, const Text& text) {
  readout.note = text.format("readout.pinned", {{"value", value_text(pinned, text)}}) + " " + readout.note;
}

}  // namespace ropescope
