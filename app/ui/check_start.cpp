// The start of Check. Read check_start.h first.
//
// Contents: Pictures; Cards; Start.

#include "app/ui/check_start.h"

#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "app/figure/palette.h"
#include "app/figure/scene/scene.h"
#include "app/resources/files.h"
#include "app/ui/dialogs.h"
#include "app/ui/drawing/screen.h"
#include "app/ui/drawing/style.h"
#include "app/ui/ui.h"
#include "app/ui/widgets.h"
#include "core/check/reading/stored_tensor.h"
#include "core/message.h"

namespace ropescope::ui {

// --- Pictures ------------------------------------------------------------------------------------------------------

namespace {

constexpr std::int64_t kMaxPictureRows = 16, kMaxPictureColumns = 32;

/// Returns the smallest step that selects at most `most` of `count` places.
std::int64_t step_of(std::int64_t count, std::int64_t most) {
  return std::max<std::int64_t>(1, (count + most - 1) / most);
}

/// Returns evenly spaced rows and columns of a tensor as a table.
ExamplePicture picture_of(const StoredTensor& stored) {
  const std::int64_t columns = stored.shape.empty() ? 1 : stored.shape.back();
  const std::int64_t rows = columns > 0 ? stored.count() / columns : 0;
  if (rows == 0 || columns < 2) return {};
  std::vector<double> values(static_cast<std::size_t>(rows * columns));
  read_rows(stored, 0, stored.shape.size() > 1 ? stored.shape.front() : columns, values.data());
  ExamplePicture picture;
  const std::int64_t down = step_of(rows, kMaxPictureRows),
                     across = rows > 1 ? step_of(columns, kMaxPictureColumns) : 1;
  for (std::int64_t row = 0; row < rows; row += down) {
    ++picture.rows;
    for (std::int64_t column = 0; column < columns; column += across) {
      picture.values.push_back(values[static_cast<std::size_t>(row * columns + column)]);
    }
  }
  picture.columns = picture.values.size() / picture.rows;
  return picture;
}

/// Draws a table as a map: tokens from top to bottom, columns from left to right.
void add_table(Scene& scene, const ExamplePicture& picture, const Rect& rect, const Palette& palette) {
  const ColourTable colours = colour_table(MapColours::signed_value, palette);
  const auto [least, most] = std::minmax_element(picture.values.begin(), picture.values.end());
  const Range range = *least < *most ? Range{*least, *most} : Range{*least - 1, *least + 1};
  const double across = rect.width / static_cast<double>(picture.columns);
  const double down = rect.height / static_cast<double>(picture.rows);
  for (std::size_t row = 0; row < picture.rows; ++row) {
    for (std::size_t column = 0; column < picture.columns; ++column) {
      const double left = std::floor(rect.left + static_cast<double>(column) * across);
      const double top = std::floor(rect.top + static_cast<double>(row) * down);
      const double right = std::floor(rect.left + static_cast<double>(column + 1) * across);
      const double bottom = std::floor(rect.top + static_cast<double>(row + 1) * down);
      const double value = picture.values[row * picture.columns + column];
      scene.items.emplace_back(
          RectItem{{left, top, right - left, bottom - top}, colour_at(colours, {false, range}, value)});
    }
  }
}

/// Draws frequencies on a logarithmic scale as a curve.
void add_ladder(Scene& scene, const ExamplePicture& picture, const Rect& rect, const Palette& palette, double unit) {
  constexpr double kSmallest = 1e-7;
  PathItem path{{}, palette.accent, 2 * unit};
  for (std::size_t i = 0; i < picture.columns; ++i) {
    const double share = std::log(std::clamp(picture.values[i], kSmallest, 1.0)) / std::log(kSmallest);
    path.points.push_back({rect.left + rect.width * static_cast<double>(i) / static_cast<double>(picture.columns - 1),
                           rect.top + share * rect.height});
  }
  scene.items.emplace_back(std::move(path));
}

/// Returns the picture of an example's table, frequencies or rotated vectors, which its arguments name; an empty one if
/// they cannot be read.
ExamplePicture example_picture(const std::vector<std::string>& arguments) {
  constexpr std::string_view kShown[] = {"--cos", "--frequencies", "--after"};
  const auto option = std::find_first_of(arguments.begin(), arguments.end(), std::begin(kShown), std::end(kShown));
  if (option == arguments.end() || option + 1 == arguments.end()) return {};
  try {
    return picture_of(load_tensor(option[1]).tensor);
  } catch (const InputError&) {
    return {};  // opening the example says why
  }
}

// --- Cards ---------------------------------------------------------------------------------------------------------

// Sizes at 100 %.
constexpr double kExampleGap = 12, kExamplePad = 10, kExamplePicture = 72, kExampleLine = 18, kZonePad = 16,
                 kExamplesTitle = 26, kZoneButton = 32;
constexpr double kNarrowestCard = 170, kTallestPicture = 170;
/// Share of spare height that the pictures get; the rest is for the place to drop files.
constexpr double kPicturesShare = 0.6;
constexpr std::size_t kMaxExampleLines = 3, kMaxExampleColumns = 3;

/// Returns the height of a card without its picture.
double example_words_height(const Ui& ui, std::size_t lines) {
  return ui.px(3 * kExamplePad + static_cast<double>(lines) * kExampleLine);
}

void draw_example_card(App& app, const ListedExample& example, const Rect& rect, double picture_height) {
  Ui& ui = app.ui;
  const Press press = press_area(ui, "example." + example.name, rect, 8);
  const bool lit = press.hovered || press.focused;
  fill_rect(rect, lit ? mixed(ui.palette.panel, ui.palette.raised, 0.7) : ui.palette.panel, ui.px(8));
  outline_rect(ui, rect, lit ? ui.palette.accent : ui.palette.line, ui.px(8));
  const double pad = ui.px(kExamplePad);
  const Rect picture{rect.left + pad, rect.top + pad, rect.width - 2 * pad, picture_height};
  fill_rect(picture, ui.palette.canvas, ui.px(5));
  Scene scene;
  if (example.picture.rows > 1) {
    add_table(scene, example.picture, picture, ui.palette);
  } else if (example.picture.columns > 1) {
    add_ladder(scene, example.picture, grown(picture, -pad), ui.palette, ui.px(1));
  }
  draw_scene(ImGui::GetWindowDrawList(), ui, scene);
  bool cut = false;
  double centre = picture.bottom() + pad + ui.px(kExampleLine / 2);
  for (const std::string& line :
       wrapped_lines(ui.fonts.small, example.title, rect.width - 2 * pad, kMaxExampleLines, cut)) {
    draw_line({ui.fonts.small, ui.palette.text, rect.left + pad, centre}, line);
    centre += ui.px(kExampleLine);
  }
  if (press.clicked) app.pending = {PendingOpen::Kind::path, example.path, {}};
}

/// Draws the place to drop files: the message, and the button under it.
void draw_drop_zone(App& app, const std::vector<std::string>& lines, const Rect& rect) {
  Ui& ui = app.ui;
  dashed_rect(ui, rect, ui.palette.secondary, ui.px(8));
  const double button_height = ui.px(kZoneButton), words = static_cast<double>(lines.size()) * ui.px(kExampleLine);
  double top = rect.top + (rect.height - words - ui.px(kExamplePad) - button_height) / 2;
  for (const std::string& line : lines) {
    LineOfText place{ui.fonts.small, ui.palette.secondary, rect.left + ui.px(kZonePad), top + ui.px(kExampleLine / 2)};
    draw_line_within(place, rect.width - 2 * ui.px(kZonePad), 0.5, line);
    top += ui.px(kExampleLine);
  }
  const double width = button_width(ui, app.text["shell.open"]);
  ImGui::SetCursorScreenPos(point(rect.left + (rect.width - width) / 2, top + ui.px(kExamplePad)));
  if (button(ui, "shell.open_here", app.text["shell.open"])) open_dialog(app, DialogKind::open);
}

}  // namespace

// --- Start ---------------------------------------------------------------------------------------------------------

void load_check_examples(App& app) {
  app.examples.clear();
  app.examples_language = app.text.language();
  try {
    for (const CheckExample& example : load_examples(app.places.assets)) {
      const std::filesystem::path file = app.places.assets / "examples" / (example.name + ".safetensors");
      std::error_code ignored;
      if (!std::filesystem::exists(file, ignored)) continue;
      const auto title = example.titles.find(app.text.language());
      const auto& shown = title == example.titles.end() ? example.titles.at(kEnglish) : title->second;
      app.examples.push_back({example.name, shown, file.string(), example_picture(example.arguments)});
    }
  } catch (const InputError& error) {
    app.messages.push_back({app.text.render(error.words())});
  }
}

bool draw_check_start(App& app, const Figure& figure, const Rect& outer) {
  Ui& ui = app.ui;
  if (app.examples_language != app.text.language()) load_check_examples(app);
  const Rect area = grown(outer, -ui.px(kExamplePad));
  if (app.examples.empty() || area.width <= 0) return false;
  const double gap = ui.px(kExampleGap), pad = ui.px(kExamplePad);
  const auto fitting = static_cast<std::size_t>((area.width + gap) / (ui.px(kNarrowestCard) + gap));
  const std::size_t columns = std::min({fitting, kMaxExampleColumns, app.examples.size()});
  if (columns < 2) return false;
  const double width = std::floor((area.width - gap * static_cast<double>(columns - 1)) / static_cast<double>(columns));
  std::size_t lines = 1;
  bool cut = false;
  for (const ListedExample& example : app.examples) {
    lines =
        std::max(lines, wrapped_lines(ui.fonts.small, example.title, width - 2 * pad, kMaxExampleLines, cut).size());
  }
  const std::size_t rows = (app.examples.size() + columns - 1) / columns;
  std::vector<std::string> message =
      wrapped_lines(ui.fonts.small, figure.empty_message, area.width - 2 * ui.px(kZonePad), 12, cut);
  const double in_rows = static_cast<double>(rows), words = example_words_height(ui, lines);
  const double least = ui.px(kExamplesTitle) + in_rows * (words + ui.px(kExamplePicture) + gap);
  const double zone =
      static_cast<double>(message.size()) * ui.px(kExampleLine) + pad + ui.px(kZoneButton) + 2 * ui.px(kZonePad);
  if (least + zone > area.height) return false;
  const double spare = kPicturesShare * (area.height - least - zone) / in_rows;
  const double picture = std::floor(std::min<double>(ui.px(kExamplePicture) + spare, ui.px(kTallestPicture)));
  const double height = words + picture, cards = ui.px(kExamplesTitle) + in_rows * (height + gap);
  draw_line_within({ui.fonts.semibold, ui.palette.text, area.left, area.top + ui.px(kExamplesTitle / 2 - 3)},
                   area.width, 0, app.text["shell.examples_title"]);
  for (std::size_t i = 0; i < app.examples.size(); ++i) {
    const std::size_t row = i / columns, column = i % columns;
    const double left = area.left + static_cast<double>(column) * (width + gap);
    const double top = area.top + ui.px(kExamplesTitle) + static_cast<double>(row) * (height + gap);
    draw_example_card(app, app.examples[i], {left, top, width, height}, picture);
  }
  draw_drop_zone(app, message, {area.left, area.top + cards, area.width, area.height - cards});
  return true;
}

}  // namespace ropescope::ui
