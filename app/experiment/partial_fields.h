#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/experiment/fields.h"

namespace ropescope {

/// For visitors that look at some kinds of knobs alone: the others pass by.
class PartialFields : public Fields {
 public:
  void number(const NumberField&, double&) override {}
  void choice(const ChoiceField&, std::string&) override {}
  void toggle(const ToggleField&, bool&) override {}
  void text(const TextField&, std::string&) override {}
  void range(const RangeField&, std::optional<Range>&) override {}
  void names(const NamesField&, std::vector<std::string>&) override {}
};

}  // namespace ropescope
