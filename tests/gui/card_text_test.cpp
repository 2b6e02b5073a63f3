// The size of text on cards: at 100 % no letter is smaller than 11 px, in every view and language.

#include "app/ui/drawing/style.h"
#include "tests/gui/large_window.h"
#include "tests/sampled.h"

namespace ropescope::ui {
namespace {

/// A glyph as drawn: where, and in which em height at 100 %.
struct DrawnGlyph {
  Rect box;
  double em = 0;
  unsigned character = 0;
};

/// Reads glyphs back from vertices: a glyph's place in the atlas tells its font, and its size there its share.
class DrawnGlyphs {
 public:
  explicit DrawnGlyphs(const Ui& ui) {
#if IMGUI_VERSION_NUM < 19200
    const Fonts& fonts = ui.fonts;
    for (ImFont* font : {fonts.body, fonts.small, fonts.semibold, fonts.number, fonts.label, fonts.mono}) {
      for (const ImFontGlyph& glyph : font->Glyphs) {
        if (glyph.Visible) known_[{glyph.U0, glyph.V0, glyph.U1, glyph.V1}] = {fonts.em_of(font), glyph};
      }
    }
#else
    (void)ui;  // every size has glyphs of its own, so a share cannot be read back
#endif
  }

  std::vector<DrawnGlyph> read() const {
    std::vector<DrawnGlyph> glyphs;
    const ImDrawData* data = ImGui::GetDrawData();
    for (int i = 0; data && i < data->CmdListsCount; ++i) {
      const auto& vertices = data->CmdLists[i]->VtxBuffer;
      for (int first = 0; first + 3 < vertices.Size; ++first) {
        const ImDrawVert &a = vertices[first], &b = vertices[first + 2];
        const auto found = known_.find({a.uv.x, a.uv.y, b.uv.x, b.uv.y});
        if (found == known_.end()) continue;
        const auto& [em, glyph] = found->second;
        const double height = static_cast<double>(b.pos.y - a.pos.y);
        const double share = height / static_cast<double>(glyph.Y1 - glyph.Y0);
        glyphs.push_back(
            {{a.pos.x, a.pos.y, static_cast<double>(b.pos.x - a.pos.x), height}, em * share, glyph.Codepoint});
      }
    }
    return glyphs;
  }

 private:
  struct Known {
    double em = 0;
    ImFontGlyph glyph = {};
  };
  std::map<std::tuple<float, float, float, float>, Known> known_;
};

/// Every text on a card that is smaller than allowed, with the number of glyphs that were read on cards.
std::set<std::string> small_texts(const AppWindow& window, const std::string& where, std::size_t& count) {
  std::set<std::string> small;
  const std::vector<DrawnGlyph> glyphs = DrawnGlyphs(window.app->ui).read();
  for (const auto& [key, rect] : window.app->record.rects) {
    if (!key.starts_with("card.") && key != "cards.unfold") continue;
    std::string letters;
    double least = kLeastText;
    for (const DrawnGlyph& glyph : glyphs) {
      if (!rect.contains({glyph.box.left, glyph.box.top})) continue;
      ++count;
      // Letters of a formula are slightly smaller than their line.
      if (glyph.em > 0.97 * kLeastText) continue;
      append_utf8(letters, glyph.character);
      least = std::min(least, glyph.em);
    }
    if (!letters.empty()) small.insert(where + ", " + key + " at " + std::to_string(least) + ": " + letters);
  }
  return small;
}

class CardText : public testing::TestWithParam<const char*> {};

TEST_P(CardText, IsNeverSmallerThanElevenPixels) {
  std::set<std::string> small;
  std::size_t count = 0;
  Sample sample("text on cards: pictures of views × window sizes");
  const Room rooms[] = {{1280, 720, 100}, {1440, 900, 100}, {960, 600, 100}};
  for (std::size_t room = 0; room < std::size(rooms); ++room) {
    LargeWindow window(rooms[room], GetParam());
    std::size_t row = 0;
    for (const View* view : all_views()) {
      Experiment experiment = small_experiment();
      experiment.view = view->id;
      experiment.attention.longest = 256;
      for (const std::string& picture : pictures_of(*view, experiment)) {
        if (!sample.takes(row++, room, std::size(rooms))) continue;
        choose_picture(*view, experiment, picture);
        window.show(experiment, 3);
        small.merge(small_texts(window, std::string(view->id) + " " + picture + " " + name_of(rooms[room]), count));
      }
    }
  }
  EXPECT_EQ(lines_of(small), "");
#if IMGUI_VERSION_NUM < 19200
  EXPECT_GT(count, 1000u);
#endif
}

INSTANTIATE_TEST_SUITE_P(Languages, CardText, testing::Values("en", "ja", "ko"),
                         [](const auto& one) { return std::string(one.param); });

/// A value that is a name, such as a preset's or a policy's, is wrapped instead of shrunk.
TEST(CardNames, AreWrapped) {
  LargeWindow window({1280, 720, 100});
  Experiment experiment = small_experiment();
  experiment.view = "limits";
  window.show(experiment, 3);
  for (Readout& readout : window.app->result.readouts) {
    readout.text = "Mistral Small 24B Preview";
    readout.label = "A label of more than one line";
    readout.note = "A note that is longer than any card, but has no sentence that would end it " + std::string(90, 'n');
  }
  window.gui.frames(2);
  std::size_t count = 0;
  EXPECT_EQ(lines_of(small_texts(window, "names", count)), "");
  std::size_t whole = 0;
  for (const DrawnLine& line : DrawnText().lines()) whole += line.text.find("Preview") != std::string::npos ? 1 : 0;
  EXPECT_EQ(whole, window.app->result.readouts.size()) << "the end of every name is on screen";
}

}  // namespace
}  // namespace ropescope::ui
