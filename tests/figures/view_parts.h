#pragma once

#include "app/experiment/fields.h"
#include "app/resources/text.h"
#include "app/store/store.h"
#include "app/views/shared/cards.h"
#include "app/views/shared/ropes.h"
#include "app/views/view.h"
#include "app/views/views.h"
#include "tests/places.h"
#include "tests/test.h"

/// What tests of views start from and look up. A missing part fails the test with its name.
namespace ropescope {

inline const fs::path kAssets = fs::path(source_folder()) / "assets";

inline const Readout& readout(const std::vector<Readout>& readouts, const std::string& name) {
  for (const Readout& one : readouts) {
    if (one.name == name) return one;
  }
  throw std::runtime_error("no card is called " + name);
}
inline const Readout& readout(const ViewResult& result, const std::string& name) {
  return readout(result.readouts, name);
}

/// As draw_view() hands them out.
inline std::vector<Readout> in_words(std::vector<Readout> readouts, const Text& text) {
  for (Readout& one : readouts) one.text = value_text(one.value, text);
  return readouts;
}

/// What every view is drawn from; draw() draws the view of the experiment.
class ViewTest : public testing::Test {
 protected:
  ViewTest() = default;
  /// With a store that several tests share.
  explicit ViewTest(Store& shared) : store(shared) {}

  Store own_store{Store::Mode::synchronous};
  Text text = Text::load(kAssets);
  Store& store = own_store;
  Experiment experiment;

  ViewResult draw() { return draw_view(find_view(experiment.view), experiment, text, store); }
  /// What a card of the view shows.
  std::string value(const std::string& name) { return readout(draw(), name).text; }

  /// An encoding as the views evaluate it.
  std::shared_ptr<const EncodingModel> model(const std::string& name) const {
    const Encoding& encoding = find_encoding(name);
    return make_model(encoding, collect_encoding_settings(experiment.rope, experiment.encoding, encoding));
  }
};

/// A view's own tests start from it.
template <const View& kView>
class TestOfView : public ViewTest {
 protected:
  TestOfView() { experiment.view = kView.id; }
  explicit TestOfView(Store& shared) : ViewTest(shared) { experiment.view = kView.id; }
  void react(FigureEvent::Kind kind, const std::string& figure, double x, double y, const std::string& handle = {}) {
    kView.react(experiment, {kind, figure, handle, x, y});
  }
};

inline const Figure& figure(const ViewResult& result, const std::string& name) {
  for (const Panel& panel : result.panels) {
    if (panel.figure.name == name) return panel.figure;
  }
  const std::string empty = result.panels.empty() ? "no panels" : result.panels.front().figure.empty_message;
  throw std::runtime_error("no figure " + name + ": " + empty);
}

/// Lines, paths, arrows: whatever has a key.
template <class Parts>
const auto& with_key(const Parts& parts, const std::string& key) {
  for (const auto& part : parts) {
    if (part.key == key) return part;
  }
  throw std::runtime_error("nothing is called " + key);
}

inline const Line& line(const Figure& of, const std::string& key) {
  return with_key(of.lines, key);
}

/// The keys of the fields that have a control.
struct Controls {
  explicit Controls(const FieldList& fields) {
    for (const std::string& key : keys_of_controls(fields)) {
      if (!keys.insert(key).second) twice.insert(key);
    }
  }
  std::set<std::string, std::less<>> keys;
  std::set<std::string, std::less<>> twice;
};

/// Looks at one number among the controls of a view, and moves it where `to` is given, as a hand would.
struct NumberControl {
  NumberControl(const View& view, Experiment& experiment, std::string_view key, std::optional<double> to = {}) {
    const Experiment before = experiment;
    for (Field& field : panel_fields(view, experiment)) {
      if (field.key != key) continue;
      minimum = field.lowest;
      maximum = field.highest;
      control = field.control;
      unit = field.unit;
      value = shown_number(field);
      if (to && clamp_to(field, *to) != value) field.as<double>() = value = clamp_to(field, *to);
    }
    if (view.settle) view.settle(before, experiment);
  }
  double minimum = 0, maximum = 0, value = 0;
  bool control = false;
  std::string unit;
};

/// The field by which a picture of a view is chosen: `show`, or `values`; none where it has one picture.
inline Field* picture_field(FieldList& fields, const View& view) {
  for (const char* name : {".show", ".values"}) {
    if (Field* found = find_field(fields, std::string(view.id) + name)) return found;
  }
  return nullptr;
}
/// The pictures that a view has to choose from; a single one without a name where there is nothing to choose.
inline std::vector<std::string> pictures_of(const View& view, Experiment experiment) {
  FieldList fields = fields_of(view, experiment);
  const Field* field = picture_field(fields, view);
  return field ? field->options : std::vector<std::string>{""};
}
inline void choose_picture(const View& view, Experiment& experiment, const std::string& picture) {
  FieldList fields = fields_of(view, experiment);
  if (Field* field = picture_field(fields, view)) field->set_word(picture);
}

/// A few tokens, positions and distances: the laws do not depend on how many there are.
inline Experiment small_experiment() {
  Experiment experiment;
  experiment.decay.span = 2048;
  experiment.precision.span = 1024;
  experiment.limits.context = 512;
  experiment.atlas.positions = 32;
  experiment.compare.span = 32;
  experiment.compare.size = 8;
  experiment.attention.tokens = 16;
  experiment.attention.longest = 256;
  experiment.layout.width = experiment.layout.height = 128;
  return experiment;
}

}  // namespace ropescope
