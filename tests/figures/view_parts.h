#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>

#include "app/resources/text.h"
#include "app/store/store.h"
#include "app/views/shared/encodings.h"
#include "app/views/view.h"
#include "tests/places.h"

/// What tests of views start from and look up. A missing part fails the test with its name.
namespace ropescope {

inline const std::filesystem::path kAssets = std::filesystem::path(source_folder()) / "assets";

/// What every view is drawn from.
class ViewTest : public testing::Test {
 protected:
  Text text = Text::load(kAssets);
  Store store{Store::Mode::synchronous};
  Experiment experiment;

  /// An encoding as the views evaluate it.
  std::shared_ptr<const EncodingModel> model(const std::string& name) const {
    const Encoding& encoding = find_encoding(name);
    return make_model(encoding, encoding_settings_of(experiment, encoding));
  }
};

inline const Figure& figure(const ViewResult& result, const std::string& name) {
  for (const Panel& panel : result.panels) {
    if (panel.figure.name == name) return panel.figure;
  }
  const std::string empty = result.panels.empty() ? "no panels" : result.panels.front().figure.empty_message;
  throw std::runtime_error("no figure " + name + ": " + empty);
}

/// Lines, paths, arrows, readouts: whatever has a key.
template <class Parts>
const auto& with_key(const Parts& parts, const std::string& key) {
  for (const auto& part : parts) {
    if (part.key == key) return part;
  }
  throw std::runtime_error("nothing is called " + key);
}

inline const Readout& readout(const ViewResult& result, const std::string& key) {
  return with_key(result.readouts, key);
}
inline const Line& line(const Figure& of, const std::string& key) {
  return with_key(of.lines, key);
}

/// Looks at no field; who derives from it looks at those it is about.
class NoFields : public Fields {
 public:
  void number(const NumberField&, double&) override {}
  void choice(const ChoiceField&, std::string&) override {}
  void toggle(const ToggleField&, bool&) override {}
  void text(const TextField&, std::string&) override {}
  void range(const RangeField&, std::optional<Range>&) override {}
  void names(const NamesField&, std::vector<std::string>&) override {}
};

/// Collects the keys of the fields that have a control, each once.
class Controls : public Fields {
 public:
  std::set<std::string, std::less<>> keys;
  std::set<std::string, std::less<>> twice;
  void number(const NumberField& field, double&) override { add(field.key, field.control); }
  void choice(const ChoiceField& field, std::string&) override { add(field.key, field.control); }
  void toggle(const ToggleField& field, bool&) override { add(field.key, field.control); }
  void text(const TextField& field, std::string&) override { add(field.key, field.control); }
  void range(const RangeField&, std::optional<Range>&) override {}
  void names(const NamesField& field, std::vector<std::string>&) override { add(field.key, field.control); }

 private:
  void add(std::string_view key, bool control) {
    if (control && !keys.insert(std::string(key)).second) twice.insert(std::string(key));
  }
};

/// Looks at one number among the controls, and moves it where `to` is given, as a hand would.
class NumberControl : public NoFields {
 public:
  explicit NumberControl(std::string_view key, std::optional<double> to = {}) : key_(key), to_(to) {}
  double minimum = 0, maximum = 0, value = 0;
  bool control = false;
  std::string unit;
  void number(const NumberField& field, double& of) override {
    if (field.key != key_) return;
    minimum = field.minimum;
    maximum = field.maximum;
    control = field.control;
    unit = field.unit;
    if (to_) of = clamp_to(field, *to_);
    value = of;
  }

 private:
  std::string_view key_;
  std::optional<double> to_;
};

}  // namespace ropescope
