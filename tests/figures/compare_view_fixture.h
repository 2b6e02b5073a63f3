#pragma once

#include "app/views/compare.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "app/resources/models.h"
#include "app/views/compare_inputs.h"
#include "app/views/encodings.h"
#include "app/views/sentence.h"
#include "core/error.h"
#include "tests/figures/view_parts.h"

namespace ropescope {

inline const std::filesystem::path kAssets = std::filesystem::path(ROPESCOPE_SOURCE_DIR) / "assets";

class CompareView : public testing::Test {
 protected:
  Text text = Text::load(kAssets);
  Store store{Store::Mode::synchronous};
  Experiment experiment;
  CompareKnobs& knobs = experiment.compare;

  void SetUp() override {
    experiment.view = "compare";
    experiment.rope.rotary_dim = 32;
    experiment.rope.head_dim = 32;
  }
  ViewResult draw() { return compare_figures(experiment, text, store); }
  std::shared_ptr<const EncodingModel> model(const std::string& name) {
    const Encoding& encoding = find_encoding(name);
    return make_model(encoding, encoding_settings_of(experiment, encoding));
  }
  QueryAndKey content() { return query_and_key({knobs.content == "random", 1}, 32); }
};

inline std::vector<std::string> all_names() {
  std::vector<std::string> names;
  for (const Encoding& encoding : all_encodings()) names.emplace_back(encoding.name);
  return names;
}

}  // namespace ropescope
