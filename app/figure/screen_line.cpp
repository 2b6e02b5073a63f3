#include "app/figure/screen_line.h"

#include <algorithm>
#include <array>
#include <cfloat>
#include <cmath>

#include "app/gpu/gpu.h"
#include "app/ui/imgui_compat.h"
#include "app/ui/widgets.h"

namespace ropescope::ui {

namespace {

ScreenWriting* writing() {
  return static_cast<ScreenWriting*>(ImGui::GetIO().UserData);
}

const Formulas* known_formulas() {
  const ScreenWriting* with = writing();
  return with && with->ui && with->ui->text ? with->ui->text->formulas().get() : nullptr;
}

/// The em of a font at a size, which is the height of its line.
float em_of(const ImFont* font, float size) {
  const Ui& ui = *writing()->ui;
  return size * static_cast<float>(ui.fonts.em_of(font)) * ui.scale / font_size(font);
}

ImVec2 words_size(const ImFont* font, float size, std::string_view words) {
  want_glyphs(font, words);
  return const_cast<ImFont*>(font)->CalcTextSizeA(size, FLT_MAX, 0, words.data(), words.data() + words.size());
}

/// A formula's box in whole pixels.
struct WholeBox {
  float width = 0, ascent = 0, descent = 0;
};
WholeBox whole_box(const Formula& formula, float em) {
  const FormulaBox box = formula_box(formula, static_cast<double>(em));
  const auto whole = [](double length) { return static_cast<float>(std::ceil(length)); };
  return {whole(box.width), whole(box.ascent), whole(box.descent)};
}

float baseline_of(const ImFont* font, float size) {
  return std::round(font_ascent(font, size));
}

/// Draws the parts of one line.
struct LinePen {
  ImDrawList* list;
  const ScreenLine& line;
  ImVec4 clip;

  ImU32 colour() const {
    const Colour c = line.colour;
    return IM_COL32(c.red, c.green, c.blue, c.alpha);
  }
  void words(float x, float y, float size, std::string_view text) const {
    want_glyphs(line.font, text);
    const_cast<ImFont*>(line.font)->RenderText(list, size, {x, y}, colour(), clip, text.data(),
                                               text.data() + text.size());
  }
  /// In plain characters, as wide as it should be at most, where there is no card to draw it.
  void plain(float x, const Formula& formula, float width) const {
    const float natural = words_size(line.font, line.size, formula.plain).x;
    const float size = line.size * std::min(1.0f, width / std::max(1.0f, natural));
    const float lower = baseline_of(line.font, line.size) - baseline_of(line.font, size);
    words(x, line.at.y + lower, size, formula.plain);
  }
  void formula(float x, const TextRun& run, float width) const {
    ScreenWriting& with = *writing();
    const bool semibold =
        line.font == with.ui->fonts.semibold || line.font == with.ui->fonts.label || line.font == with.ui->fonts.number;
    const FormulaPixels drawn = kept_pixels(with, *run.formula, run.words, em_of(line.font, line.size),
                                            formula_ink(with.ui->palette, line.colour, semibold));
    const std::uintptr_t texture = with.ui->gpu && drawn.pixels ? with.ui->gpu->picture(drawn.pixels) : 0;
    if (texture == 0) return plain(x, *run.formula, width);
    const float top = line.at.y + baseline_of(line.font, line.size) - static_cast<float>(drawn.ascent);
    list->AddImage(texture_id(texture), {x, top},
                   {x + static_cast<float>(drawn.pixels->columns), top + static_cast<float>(drawn.pixels->rows)});
  }
};

}  // namespace

bool ScreenWriting::Key::operator<(const Key& other) const {
  const auto packed = [](const Key& key) {
    std::array<std::uint8_t, 12> bytes{};
    for (std::size_t i = 0; i < 3; ++i) {
      const Colour c = key.colours[i];
      std::copy_n(std::array{c.red, c.green, c.blue, c.alpha}.begin(), 4, bytes.begin() + static_cast<long>(4 * i));
    }
    return bytes;
  };
  return std::make_tuple(sign, em, packed(*this), growth) <
         std::make_tuple(other.sign, other.em, packed(other), other.growth);
}

FormulaPixels kept_pixels(ScreenWriting& with, const Formula& formula, std::string_view sign, float em,
                          const FormulaInk& ink) {
  const ScreenWriting::Key key{std::string(sign), em, {ink.text, ink.query, ink.key}, ink.growth};
  auto found = with.formulas.find(key);
  if (found == with.formulas.end()) {
    if (with.formulas.size() >= kMostFormulasKept) {
      const auto older = [](const auto& a, const auto& b) { return a.second.used < b.second.used; };
      with.formulas.erase(std::min_element(with.formulas.begin(), with.formulas.end(), older));
    }
    found =
        with.formulas.emplace(key, ScreenWriting::Kept{formula_pixels(formula, static_cast<double>(em), ink), 0}).first;
  }
  found->second.used = ++with.uses;
  return found->second.drawn;
}

LineExtent line_extent(const ImFont* font, float size, std::string_view text) {
  const std::vector<TextRun> runs = runs_of(text, known_formulas());
  if (runs.empty()) return {};
  if (runs.size() == 1 && !runs.front().formula) return {words_size(font, size, text).x, 0, 0};
  LineExtent extent;
  const float ascent = baseline_of(font, size);
  for (const TextRun& run : runs) {
    if (!run.formula) {
      extent.width += std::ceil(words_size(font, size, run.words).x);
      continue;
    }
    const WholeBox box = whole_box(*run.formula, em_of(font, size));
    extent.width += box.width;
    extent.over = std::max(extent.over, box.ascent - ascent);
    extent.under = std::max(extent.under, box.descent - (size - ascent));
  }
  return extent;
}

namespace {

void draw_runs(const LinePen& pen, std::string_view text) {
  const ScreenLine& line = pen.line;
  float x = line.at.x;
  for (const TextRun& run : runs_of(text, known_formulas())) {
    const float width = run.formula ? whole_box(*run.formula, em_of(line.font, line.size)).width
                                    : std::ceil(words_size(line.font, line.size, run.words).x);
    if (run.formula) {
      pen.formula(x, run, width);
    } else {
      pen.words(x, line.at.y, line.size, run.words);
    }
    x += width;
  }
}

}  // namespace

void draw_screen_line(ImDrawList* list, const ScreenLine& line, std::string_view text) {
  const ImVec2 low = list->GetClipRectMin(), high = list->GetClipRectMax();
  const ScreenLine whole{line.font, line.size, {std::floor(line.at.x), std::floor(line.at.y)}, line.colour};
  draw_runs({list, whole, {low.x, low.y, high.x, high.y}}, text);
}

void draw_upright_line(ImDrawList* list, const ScreenLine& line, std::string_view text) {
  // Written from left to right at the origin, then every vertex is turned: (x, y) → (y, −x), up from the bottom.
  const int first = list->VtxBuffer.Size;
  const ScreenLine lying{line.font, line.size, {0, 0}, line.colour};
  draw_runs({list, lying, {-1e6f, -1e6f, 1e6f, 1e6f}}, text);
  const float left = std::round(line.at.x), bottom = std::round(line.at.y);
  for (int i = first; i < list->VtxBuffer.Size; ++i) {
    ImVec2& at = list->VtxBuffer[i].pos;
    at = {left + at.y, bottom - at.x};
  }
}

}  // namespace ropescope::ui
