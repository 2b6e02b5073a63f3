#pragma once

#include "core/layouts/layout.h"
#include "tests/figures/view_parts.h"

/// What the tests of both views of image tokens look at.
namespace ropescope {

/// The map over the patches of the image.
inline const Map& image_map(const ViewResult& result, const std::string& name) {
  return with_key(figure(result, name).maps, "image");
}

/// The value of a row of the card.
inline std::string said(const PlaceWords& words, const std::string& label) {
  for (const auto& [name, value] : words.rows) {
    if (name == label) return value;
  }
  return "nothing is called " + label;
}

/// Is patch 65 nearer to patch 1 than patch 64 is? What FLUX.1 of 64 × 64 patches says, and a raster.
inline void expect_raster_answer(const ViewResult& result) {
  EXPECT_EQ(readout(result, "patch.target1").text, "0.794");
  EXPECT_EQ(readout(result, "patch.target2").label, "Similarity of 1 and 65");
  EXPECT_EQ(readout(result, "patch.target2").text, "0.985");
  EXPECT_THAT(readout(result, "patch.target2").note,
              AllOf(HasSubstr("(0, 1, 0)"), HasSubstr("0.477"), HasSubstr("64")));
  EXPECT_EQ(readout(result, "patch.nearer").text, "65");
  EXPECT_EQ(readout(result, "patch.text").text, "(0, 0, 0)");
}

/// Tokens of a layout that are seen at once: of a video one frame.
inline std::int64_t tokens_at_once(const TokenLayout& layout) {
  std::int64_t count = 0;
  for (const TokenBlock& block : layout.blocks) count += block.count() / block.frames;
  return count;
}

/// Cells of maps that show a token.
inline std::int64_t filled_cells(const std::vector<Map>& maps) {
  std::int64_t count = 0;
  for (const Map& map : maps) {
    count += std::count_if(map.cells->values.begin(), map.cells->values.end(),
                           [](float value) { return !std::isnan(value); });
  }
  return count;
}

/// Presses the button that asks whether the next row is nearer.
inline void press_ask(const View& view, Experiment& experiment) {
  for (const Field& field : fields_of(view, experiment)) {
    if (field.key == "layout.ask") return std::get<std::function<void()>>(field.value)();
  }
  throw std::runtime_error("nothing asks");
}

}  // namespace ropescope
