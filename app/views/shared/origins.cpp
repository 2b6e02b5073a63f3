#include "app/views/shared/origins.h"

#include <string_view>

#include "app/figure/number_text.h"
#include "app/views/shared/model_sides.h"
#include "core/number_text.h"

namespace ropescope {

namespace {

/// "Llama 3.1 8B; base 500000; llama3 (factor 8); d 128", and "Llama 3.1 8B, changed; …" with other values.
std::string origin_of(const RopeKnobs& rope, const std::string& name, bool plain) {
  std::string text = name.empty() ? rope.label : name;
  if (name.empty() && !text.empty() && is_changed(rope)) text += ", changed";
  const auto add = [&text](const std::string& part) { text += (text.empty() ? "" : "; ") + part; };
  if (!rope.axes.empty() && !rope.axis.empty()) add("axis " + rope.axis);
  add("base " + number_text(rope.base));
  const std::string extension =
      plain ? std::string() : extension_text(extension_of(rope.scaling), rope.trained_length, rope.scaling.length);
  if (!extension.empty()) add(extension);
  add("d " + shortest_number(rope.rotary_dim));
  return text;
}

}  // namespace

void name_origins(ViewResult& result, const Experiment& experiment) {
  for (Panel& panel : result.panels) {
    for (Line& line : panel.figure.lines) {
      const std::string_view key = line.key;
      const std::string_view of = key.substr(0, key.find('.'));
      const bool plain = key.ends_with(".plain");  // the ladder as it is without its extension
      if (of == "current") line.origin = origin_of(experiment.rope, {}, plain);
      for (std::size_t i = 0; i < experiment.pins.size(); ++i) {
        const Pin& pin = experiment.pins[i];
        if (of == pin_key(i)) line.origin = origin_of(pin.rope, pin.name, plain);
      }
    }
  }
}

}  // namespace ropescope
