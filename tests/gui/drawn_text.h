#pragma once

#include "app/figure/scene/scene.h"
#include "core/utf8.h"
#include "tests/gui/atlas_glyphs.h"

namespace ropescope::ui {

/// A line of text as it stands on screen, read back from what ImGui drew.
struct DrawnLine {
  std::string text;  ///< spaces leave no mark: one wherever there is a gap
  Rect box;          ///< of its glyphs
  Rect clip;         ///< what is seen of the draw list there
  const void* list = nullptr;
  bool upright = false;  ///< written upwards
  ImFont* font = nullptr;
  double share = 0;  ///< the size of its first glyph, of that of the font
};

/// Reads text back from vertices: every glyph has its place in the font atlas.
class DrawnText {
 public:
  DrawnText() {
    for (const FontGlyph& each : atlas_glyphs_of_fonts()) {
      const ImFontGlyph& glyph = each.glyph;
      if (glyph.Visible) glyphs_[{glyph.U0, glyph.V0, glyph.U1, glyph.V1}] = each;
    }
  }

  /// The lines of the last frame, in the order in which they were drawn.
  std::vector<DrawnLine> lines() const {
    std::vector<DrawnLine> lines;
    const ImDrawData* data = ImGui::GetDrawData();
    for (int i = 0; data && i < data->CmdListsCount; ++i) add_lines(*data->CmdLists[i], lines);
    return lines;
  }

 private:
  struct Place {
    float u0, v0, u1, v1;
    auto operator<=>(const Place&) const = default;
  };

  void add_lines(const ImDrawList& list, std::vector<DrawnLine>& lines) const {
    bool open = false;
    for (const ImDrawCmd& command : list.CmdBuffer) {
      const ImDrawIdx* indices = list.IdxBuffer.Data + command.IdxOffset;
      for (unsigned i = 0; i + 5 < command.ElemCount; i += 3) {
        const unsigned first = indices[i] + command.VtxOffset;
        // A glyph is two triangles over four vertices in a row: this is the first of them.
        if (indices[i + 1] != indices[i] + 1 || indices[i + 2] != indices[i] + 2) continue;
        if (first + 2 >= static_cast<unsigned>(list.VtxBuffer.Size)) continue;
        const ImDrawVert& from = list.VtxBuffer[static_cast<int>(first)];
        const ImDrawVert& along = list.VtxBuffer[static_cast<int>(first + 1)];
        const ImDrawVert& to = list.VtxBuffer[static_cast<int>(first + 2)];
        const auto found = glyphs_.find({from.uv.x, from.uv.y, to.uv.x, to.uv.y});
        if (found == glyphs_.end()) continue;
        const bool upright = std::abs(along.pos.x - from.pos.x) < std::abs(along.pos.y - from.pos.y);
        const Rect box = box_of(from.pos, to.pos), clip = clip_of(command);
        const unsigned character = found->second.glyph.Codepoint;
        if (!open || !continues(lines.back(), box, upright, character)) {
          const double height = upright ? box.width : box.height;
          lines.push_back({{}, box, clip, &list, upright, found->second.font, height / found->second.height});
          open = true;
        }
        append(lines.back(), box, character);
      }
    }
  }

  static Rect box_of(const ImVec2& a, const ImVec2& b) {
    const double left = std::min(a.x, b.x), top = std::min(a.y, b.y);
    return {left, top, std::abs(static_cast<double>(b.x - a.x)), std::abs(static_cast<double>(b.y - a.y))};
  }
  static Rect clip_of(const ImDrawCmd& command) {
    const ImVec4& clip = command.ClipRect;
    return {clip.x, clip.y, static_cast<double>(clip.z - clip.x), static_cast<double>(clip.w - clip.y)};
  }

  /// Whether a glyph stands right after a line: a little way on along it, and not beside it.
  static bool continues(const DrawnLine& line, const Rect& glyph, bool upright, unsigned character) {
    if (line.upright != upright) return false;
    constexpr double kMaxGap = 14, kOff = 9;
    const double gap = upright ? line.box.top - glyph.bottom() : glyph.left - line.box.right();
    const double off = upright ? glyph.left - line.box.left : glyph.bottom() - line.box.bottom();
    // A quotation mark ends high above the line.
    const bool quotes = character >= 0x2018 && character <= 0x201F;
    const bool within = quotes && !upright && glyph.top >= line.box.top && glyph.bottom() <= line.box.bottom();
    return gap > -6 && gap < kMaxGap && (within || std::abs(off) < kOff) && !line.text.ends_with("⟧");
  }

  static void append(DrawnLine& line, const Rect& glyph, unsigned character) {
    const double right = std::max(line.box.right(), glyph.right()),
                 bottom = std::max(line.box.bottom(), glyph.bottom());
    // Between letters there is a pixel or two, and more between large ones.
    const double space = std::max(2.4, 0.2 * line.box.height);
    const double gap = line.upright ? line.box.top - glyph.bottom() : glyph.left - line.box.right();
    if (!line.text.empty() && gap > space) line.text += ' ';
    line.box.left = std::min(line.box.left, glyph.left);
    line.box.top = std::min(line.box.top, glyph.top);
    line.box.width = right - line.box.left;
    line.box.height = bottom - line.box.top;
    append_utf8(line.text, character);
  }

  std::map<Place, FontGlyph> glyphs_;
};

}  // namespace ropescope::ui
