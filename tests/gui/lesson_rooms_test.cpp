// Every step of every lesson in presentation mode, in three languages at 1280×720, 1920×1080 and 3840×2160, in both
// themes: nothing is cut off, covered, too small, scrolled out of view or without its glyph, a page appears in one
// frame, and the next-step key reaches all of it.

#include "app/figure/scene/scene_parts.h"
#include "app/figure/text_flow.h"
#include "app/lessons/lesson.h"
#include "app/lessons/step_page.h"
#include "app/ui/drawing/screen.h"
#include "app/ui/lesson/lesson_play.h"
#include "tests/gui/large_window.h"
#include "tests/sampled.h"

namespace ropescope::ui {
namespace {

struct PresentationWindow : LargeWindow {
  explicit PresentationWindow(const std::string& language, const Room& size = {1280, 720, 100},
                              const std::string& theme = "dark")
      : LargeWindow(size, language) {
    app->settings.motion = false;
    app->settings.theme = theme;
    apply_theme(*app);
  }
  LessonPlay& play() { return *app->lesson; }
  /// Until the words have found their parts and the fonts their size.
  void settle_presentation() {
    for (int i = 0; i < 12; ++i) {
      const PresentationCut before = play().cut;
      settle();
      if (before == play().cut) return;
    }
  }
};

struct LanguageAndSize {
  std::string language;
  Room size;
  std::string theme;
};

class InPresentation : public testing::TestWithParam<std::size_t> {};

/// Every language in every size, in an order in which cells that are three apart differ in both.
std::vector<LanguageAndSize> languages_and_sizes() {
  const char* const languages[] = {"en", "ja", "ko"};
  const Room sizes[] = {{1280, 720, 100}, {1920, 1080, 100}, {3840, 2160, 100}};
  std::vector<LanguageAndSize> all;
  for (std::size_t size = 0; size < 3; ++size) {
    for (std::size_t i = 0; i < 3; ++i)
      all.push_back({languages[(i + size) % 3], sizes[size], (i + size) % 2 == 0 ? "dark" : "light"});
  }
  return all;
}

std::string without_spaces(std::string text) {
  std::erase(text, ' ');
  return text;
}

/// What is too small to be read from the last row, and the words of figures that are left out.
void read_figures(const App& app, double least, const std::string& where, std::set<std::string>& small,
                  std::set<std::string>& lost) {
  for (const Panel& panel : app.result.panels) {
    const auto scene = app.plot.scenes.find(panel.figure.name);
    if (scene == app.plot.scenes.end()) continue;
    std::multiset<std::string> drawn;
    std::string all;  // a long one stands in two lines
    for (const SceneItem& item : scene->second.items) {
      const auto* text = std::get_if<TextItem>(&item);
      if (!text) continue;
      drawn.insert(text->text);
      all += without_spaces(text->text);
      if (text->style.size < least - 0.01) {
        small.insert(where + ", " + panel.figure.name + ": " + text->text + " of " + std::to_string(text->style.size));
      }
    }
    const auto names_line = [&](const Label& label) {
      return label.role == Role::curve &&
             std::any_of(panel.figure.lines.begin(), panel.figure.lines.end(),
                         [&](const Line& line) { return line.style.slot == label.style.slot; });
    };
    for (const Label& label : panel.figure.labels) {
      // Fractions of a turn on a circle may give way.
      if (label.text.empty() || label.role == Role::faint || names_line(label)) continue;
      const auto found = drawn.find(label.text);
      if (found != drawn.end()) {
        drawn.erase(found);
      } else if (all.find(without_spaces(label.text)) == std::string::npos) {
        lost.insert(where + ", " + panel.figure.name + ": " + label.text);
      }
    }
    int names = 0, placed = 0;
    for (const Points& points : panel.figure.points) {
      for (std::size_t i = 0; i < points.names.size(); ++i) {
        const bool seen = panel.figure.x.range.low <= points.xs[i] && points.xs[i] <= panel.figure.x.range.high;
        if (!seen || points.names[i].empty()) continue;
        ++names;
        // A name without a place gives way to the curve, but not all of them may.
        if (all.find(without_spaces(points.names[i])) != std::string::npos) ++placed;
      }
    }
    if (3 * placed < names) lost.insert(where + ", " + panel.figure.name + ": most names of points");
  }
}

/// Words of the window, cards included, that are too small to be read from the last row; those of figures are measured
/// in their scenes. Formulas stand here as squeezed text.
void read_sizes(const App& app, double least, const std::string& where, std::set<std::string>& small) {
  // Formulas are drawn in pieces, in the words and in figures.
  std::vector<Rect> with_formulas;
  if (const Rect* words = app.record.find("lesson.words")) with_formulas.push_back(*words);
  for (const Panel& panel : app.result.panels) {
    if (const Rect* frame = app.record.find("frame." + panel.figure.name)) with_formulas.push_back(*frame);
  }
  for (const DrawnLine& line : DrawnText().lines()) {
    const double em = line.share * app.ui.fonts.em_of(line.font) * static_cast<double>(app.ui.scale);
    const bool sign = line.text.size() <= 3;  // of a button: ‹ × ▴
    const Vec2 middle{line.box.left + line.box.width / 2, line.box.top + line.box.height / 2};
    const bool piece =
        line.text.size() <= 10 && std::any_of(with_formulas.begin(), with_formulas.end(),
                                              [middle](const Rect& rect) { return rect.contains(middle); });
    // The size of a line is that of its first letter, here the exponent before "x, or".
    const bool after_formula = line.text.size() > 2 && line.text[1] == ',';
    const bool formula = after_formula || line.text.find_first_of("^_=()|/") != std::string::npos ||
                         line.text.find("θ") != std::string::npos || line.text.find("⟨") != std::string::npos;
    if (em < least - 0.6 && !sign && !piece && !formula && !line.upright)
      small.insert(where + ": " + line.text + " of " + std::to_string(em));
  }
}

/// Words of figures that a line crosses or a dot hides. The grid is behind them, and an opaque sheet keeps them clear.
void read_crossings(const App& app, const std::string& where, std::set<std::string>& crossed) {
  const MeasureText measure = screen_measure(app.ui);
  for (const auto& [name, scene] : app.plot.scenes) {
    if (name == "reported") continue;  // its values stand at bars, and may touch them
    for (std::size_t i = 0; i < scene.items.size(); ++i) {
      const auto* text = std::get_if<TextItem>(&scene.items[i]);
      if (!text || text->text.empty()) continue;
      Rect box = box_of(*text, measure);
      // The letters without the air of their line.
      const double air_x = text->vertical ? 0.25 * box.width : 1, air_y = text->vertical ? 1 : 0.25 * box.height;
      box = {box.left + air_x, box.top + air_y, box.width - 2 * air_x, box.height - 2 * air_y};
      for (std::size_t k = 0; k < scene.items.size(); ++k) {
        const auto hides = [&](const SceneItem& item) {
          const auto* sheet = std::get_if<RectItem>(&item);
          return sheet && sheet->fill.alpha == 255 && is_inside(box, sheet->rect);
        };
        if (k < i && std::any_of(scene.items.begin() + static_cast<std::ptrdiff_t>(k),
                                 scene.items.begin() + static_cast<std::ptrdiff_t>(i), hides)) {
          continue;
        }
        bool meets = false;
        if (const auto* path = std::get_if<PathItem>(&scene.items[k])) {
          // Thin lines behind words are the grid and marks that their backdrop softens.
          if (k < i && path->width < 1.3 * static_cast<double>(app.ui.px(1))) continue;
          if (path->colour.alpha < 100 || hex(path->colour) == hex(app.ui.palette.line)) continue;
          for (std::size_t at = 1; at < path->points.size() && !meets; ++at) {
            meets = crosses({path->points[at - 1], path->points[at]}, box);
          }
        } else if (const auto* disc = std::get_if<DiscItem>(&scene.items[k])) {
          meets = disc->radius > 0 && box.contains(disc->centre);
        }
        if (meets) crossed.insert(where + ", " + name + ": " + text->text);
      }
    }
  }
}

/// Words that run past what is seen of the panel, which does not scroll in a room.
void read_foot(const App& app, const std::string& where, std::set<std::string>& past) {
  const Rect* words = app.record.find("lesson.words");
  ASSERT_TRUE(words) << where;
  for (const DrawnLine& line : DrawnText().lines()) {
    const bool inside = line.box.left < words->right() && line.clip.top >= words->top - 2;
    if (inside && line.box.bottom() > line.clip.bottom() + 1) past.insert(where + ": " + line.text);
  }
}

/// Reads the frames of steps, part by part.
struct StepReader {
  explicit StepReader(PresentationWindow& of) : window(of) {}

  PresentationWindow& window;
  Faults faults{window.app->text};
  std::set<std::string> scrolled, small, lost, past, crossed;

  void read(const std::string& where) {
    App& app = *window.app;
    faults.read(where);
    // Of 720 lines 20: as large as the words beside the figures, about.
    read_figures(app, window.gui.height / 36.0, where, small, lost);
    read_sizes(app, window.gui.height / 36.0, where, small);
    read_foot(app, where, past);
    read_crossings(app, where, crossed);
    if (window.gui.shows("lesson.scrolls")) scrolled.insert(where);
  }
  void read_panels(const std::string& where) {
    const App& app = *window.app;
    EXPECT_LE(app.result.panels.size(), 2u) << where << ": one figure, or two that are compared";
    double together = 0;
    for (const Panel& panel : app.result.panels) {
      const Rect* frame = app.record.find("frame." + panel.figure.name);
      ASSERT_TRUE(frame) << where << ": " << panel.figure.name << " is on another page";
      EXPECT_TRUE(window.is_inside(*app.record.find("plot." + panel.figure.name))) << where;
      EXPECT_GE(frame->height, 0.3 * window.gui.height) << where << ": " << panel.figure.name;
      // Of 720 lines 120.
      EXPECT_GE(app.record.find("plot." + panel.figure.name)->height, window.gui.height / 6.0)
          << where << ": " << panel.figure.name;
      if (!panel.beside || together == 0) together += frame->height;
    }
    EXPECT_GE(together, 0.5 * window.gui.height) << where;
  }
  /// What is seen first after a key is what it settles to: no frame before that is shown.
  void read_first_frame(const std::string& where) {
    App& app = *window.app;
    window.play().seconds = 0;
    for (int i = 0; i < 60; ++i) {
      window.gui.frames(1);
      if (!app.holds_picture) break;
      app.store.wait();
      if (app.requests.rebuild_fonts) window.build_fonts();
    }
    EXPECT_FALSE(app.holds_picture) << where;
    const std::size_t first = window.gui.drawn();
    window.play().seconds = 0;  // the clock stands still
    window.settle_presentation();
    EXPECT_EQ(window.gui.drawn(), first) << where << ": the picture after the key changes";
  }
  /// Reads all parts of a step until the next key leaves it.
  void read_step(std::size_t step) {
    App& app = *window.app;
    const std::string lesson = window.play().source;
    go_to_step(app, step);
    for (int i = 0; i < 20; ++i) {
      window.settle_presentation();
      const LessonStep& shown = window.play().lesson.steps[step];
      const std::string where = lesson + ", " + shown.name + ", part " + std::to_string(window.play().part + 1);
      read(where);
      read_panels(where);
      if (question_is_open(app) && window.gui.shows("lesson.choice.1")) {
        // The longest that can be there: another choice than the right one.
        const auto right = right_choice(*shown.ask, window.play().whole);
        answer_choice(app, right && *right == 0 ? 1 : 0);
        window.settle_presentation();
        read(where + " answered");
      }
      const bool last = step + 1 == window.play().lesson.steps.size();
      if (last && !question_is_open(app) && window.play().part + 1 == parts_of(window.play()).size()) return;
      next_step(app, 1);
      if (window.play().passing) next_step(app, 1);  // a question that no click answers is skipped
      if (window.play().source == lesson) read_first_frame(where);
      if (window.play().source != lesson) return;
      if (window.play().step != step) {
        EXPECT_EQ(window.play().step, step + 1) << where << ": the next key leads elsewhere";
        return;
      }
    }
    ADD_FAILURE() << lesson << ": step " << step << " does not end";
  }
};

TEST_P(InPresentation, EveryStepFits) {
  const std::vector<LanguageAndSize> cells = languages_and_sizes();
  const auto& [language, size, theme] = cells[GetParam()];
  PresentationWindow window(language, size, theme);
  App& app = *window.app;
  StepReader reader(window);
  Sample sample("lesson steps × languages and sizes", 3);
  std::size_t row = 0;
  for (const LessonEntry& entry : list_lessons(find_places().assets)) {
    const std::size_t steps = load_lesson(find_places().assets, entry.id, language).steps.size();
    for (std::size_t step = 0; step < steps; ++step) {
      if (!sample.takes(row++, GetParam(), cells.size())) continue;
      if (!app.lesson || app.lesson->source != entry.id) open_lesson(app, entry.id);
      ASSERT_TRUE(app.lesson) << entry.id;
      if (!app.lesson->room) toggle_presentation(app);
      window.play().with_reserve = true;
      reader.read_step(step);
      if (HasFatalFailure()) return;
    }
  }
  // Names of an axis that the other one has whole, and a sentence on a card that unfolds.
  std::erase_if(reader.faults.cut, [](const std::string& text) {
    return text.ends_with(": co…") || text.find("slept dog the watched") != std::string::npos;
  });
  EXPECT_EQ(lines_of(reader.faults.cut), "");
  EXPECT_EQ(lines_of(reader.faults.overlapping), "");
  EXPECT_EQ(lines_of(reader.scrolled), "");
  EXPECT_EQ(lines_of(reader.past), "") << "words past the foot";
  EXPECT_EQ(lines_of(reader.small), "") << "smaller than 20 px at 720 lines";
  EXPECT_EQ(lines_of(reader.crossed), "") << "words of figures under lines and dots";
  EXPECT_EQ(lines_of(reader.lost), "") << "words of figures without a place";
  std::set<unsigned> missing;
  for (const unsigned character : app.requested_glyphs) {
    if (!has_glyph(app.ui.fonts.body, character)) missing.insert(character);
  }
  EXPECT_THAT(missing, IsEmpty()) << "characters without a glyph";
}

/// Words of 24 pixels: what stands at the axes is as large beside them as in the window.
TEST(RoomText, IsAsLargeInFiguresAsBesideThem) {
  PresentationWindow window("en");
  App& app = *window.app;
  open_lesson(app, "08-decay");
  ASSERT_TRUE(app.lesson);
  go_to_step(app, 0);
  toggle_presentation(app);
  window.settle_presentation();
  const Rect* frame = nullptr;
  for (const Panel& panel : app.result.panels) {
    if (!frame) frame = app.record.find("frame." + panel.figure.name);
  }
  ASSERT_TRUE(frame);
  int labels = 0;
  for (const DrawnLine& line : DrawnText().lines()) {
    const bool number = line.text.find_first_not_of("0123456789.") == std::string::npos;
    if (!number || line.upright || line.box.left < frame->left || line.box.right() > frame->right()) continue;
    if (line.box.top < frame->top || line.box.bottom() > frame->bottom()) continue;
    EXPECT_GE(line.box.height, 14) << line.text;
    ++labels;
  }
  EXPECT_GE(labels, 3);
}

INSTANTIATE_TEST_SUITE_P(Cells, InPresentation, testing::Range(std::size_t{0}, languages_and_sizes().size()),
                         [](const auto& one) {
                           const LanguageAndSize cell = languages_and_sizes()[one.param];
                           return cell.language + std::to_string(static_cast<int>(cell.size.width));
                         });

/// The numbers of the next step are computed while this one is on screen.
TEST(LessonNumbers, AreThereWhenTheNextStepIsEntered) {
  AppWindow window(1280, 720, Store::Mode::asynchronous);
  App& app = *window.app;
  app.settings.motion = false;
  int computed = 0;
  Sample sample("numbers of the next step", 4);
  for (const LessonEntry& lesson : sample.of(0, list_lessons(find_places().assets))) {
    open_lesson(app, lesson.id);
    ASSERT_TRUE(app.lesson);
    while (app.lesson->step + 1 < app.lesson->lesson.steps.size()) {
      for (int i = 0; i < 100 && !(app.lesson->prepared && app.lesson->ahead == app.lesson->step + 1); ++i) {
        window.gui.frames(1);
        app.store.wait();
      }
      EXPECT_TRUE(app.lesson->prepared);
      // What plays by itself begins when it is seen.
      const Player* player = find_player(app.lesson->next);
      const bool plays = player && player->playing(app.lesson->next);
      const std::int64_t before = app.store.started();
      go_to_step(app, app.lesson->step + 1);
      window.gui.frames(1);
      const std::string where = lesson.id + ", " + app.lesson->lesson.steps[app.lesson->step].name;
      if (plays) continue;
      EXPECT_FALSE(app.result.stale) << where;
      EXPECT_EQ(app.store.started(), before) << where;
      computed += app.result.readouts.empty() ? 0 : 1;
    }
  }
  EXPECT_GT(computed, 15);
}

/// A step whose glyphs are missing is drawn with boxes first.
TEST(LessonGlyphs, AreLoadedWhenTheLessonIsOpened) {
  PresentationWindow window("ja");
  open_lesson(*window.app, "12-measured");
  ASSERT_TRUE(window.app->lesson);
  window.settle();
  const int builds = window.font_builds;
  for (std::size_t step = 0; step < window.play().lesson.steps.size(); ++step) {
    go_to_step(*window.app, step);
    window.settle();
    EXPECT_EQ(window.font_builds, builds) << window.play().lesson.steps[step].name;
  }
}

/// A paragraph that is marked stands beside the formulas before it, on every page that has words of it, and each term
/// that is lit there is in a formula of the page.
TEST(RoomCuts, KeepAFormulaWithTheWordsThatNeedIt) {
  int marked = 0;
  std::map<std::string, int> lit;  // by lesson
  for (const LessonEntry& entry : list_lessons(find_places().assets)) {
    for (const char* language : {"en", "ja", "ko"}) {
      LessonPlay play;
      play.lesson = load_lesson(find_places().assets, entry.id, language);
      play.room = true;
      for (play.step = 0; play.step < play.lesson.steps.size(); ++play.step) {
        const std::vector<LessonParagraph>& text = play.lesson.steps[play.step].text;
        play.cut = {};
        play.part = 0;
        do {
          for (const auto& part : parts_of(play)) {
            std::set<int> lines;
            const std::string where = entry.id + " " + language + " " + play.lesson.steps[play.step].name;
            std::string words;
            for (const LessonParagraph& paragraph : part) {
              lines.insert(paragraph.line);
              words += text_of(paragraph) + "\n";
            }
            for (std::size_t i = 0; i < text.size(); ++i) {
              if (!text[i].with_formula || !lines.contains(text[i].line)) continue;
              ++marked;
              const auto [first, end] = find_formulas_before(text, i);
              EXPECT_LT(first, end) << where;
              for (std::size_t k = first; k < end; ++k) EXPECT_TRUE(lines.contains(text[k].line)) << where;
            }
            for (const LessonParagraph& paragraph : part) {
              for (const LessonTerm& term : paragraph.lit) {
                ++lit[entry.id];
                EXPECT_THAT(words, HasSubstr("\\class{term-" + term.name + "}")) << where;
              }
            }
          }
        } while (cut_finer(play));
      }
    }
  }
  EXPECT_GT(marked, 100);
  for (const char* lesson : {"02-absolute", "04-turn", "05-why", "08-decay"}) EXPECT_GT(lit[lesson], 0) << lesson;
}

/// The formula of a rotation is built column by column, each in the colour of what it is in the figure.
TEST(RoomLight, FollowsTheWordsInFormulaAndFigure) {
  PresentationWindow window("ja");
  App& app = *window.app;
  open_lesson(app, "04-turn", "columns");
  ASSERT_TRUE(app.lesson);
  toggle_presentation(app);
  window.settle_presentation();
  const auto terms_of_page = [&] {
    std::vector<LessonParagraph> part = parts_of(window.play()).at(window.play().part);
    light_terms(part, window.play(), *app.text.formulas());
    std::string svg;
    for (const LessonParagraph& paragraph : part) {
      const std::string text = text_of(paragraph);
      for (std::size_t i = 0; i < text.size(); ++i) {
        const Formula* formula = app.text.formulas()->at_start(std::string_view(text).substr(i));
        if (formula && paragraph.formula) svg += formula->svg;
      }
    }
    return svg;
  };
  const auto page_with = [&](const std::string& mark) {
    for (int i = 0; i < 6; ++i) {
      const std::vector<std::string> lit = find_lit_marks(window.play());
      if (std::find(lit.begin(), lit.end(), mark) != lit.end()) return true;
      next_step(app, 1);
      window.settle_presentation();
    }
    return false;
  };
  const auto width_of_mark = [&](Colour colour) {
    double width = 0;
    for (const SceneItem& item : app.plot.scenes.at("plane").items) {
      const auto* path = std::get_if<PathItem>(&item);
      if (path && path->colour == colour) width = std::max(width, path->width);
    }
    return width;
  };
  const Colour cosine = app.ui.palette.curves[2];
  ASSERT_TRUE(page_with("first"));
  const double lit = width_of_mark(cosine);
  std::string svg = terms_of_page();
  EXPECT_THAT(svg, HasSubstr("class=\"lit2\"")) << "the bar's colour";
  EXPECT_THAT(svg, Not(HasSubstr("term-"))) << "the second column comes later";
  EXPECT_THAT(svg, Not(HasSubstr("lit1")));
  ASSERT_TRUE(page_with("turned_k"));
  EXPECT_EQ(window.play().step, 0u);
  EXPECT_NEAR(width_of_mark(cosine), lit / 2, 0.01) << "only what is spoken of is wide";
  svg = terms_of_page();
  EXPECT_THAT(svg, HasSubstr("class=\"lit1\"")) << "the key's colour";
  EXPECT_THAT(svg, HasSubstr("term-first")) << "what was built stays";
}

/// The lines of a paragraph as text; formulas are "x".
std::vector<std::string> lines_of_flow(const TextFlow& flow, const Formulas& formulas) {
  std::vector<std::string> lines;
  for (const TextItem& item : flow.items) {
    if (item.at.x == 0) lines.emplace_back();
    for (const TextRun& run : runs_of(item.text, &formulas)) lines.back() += run.formula ? "x" : run.words;
  }
  return lines;
}

/// Japanese, in the panel and in presentation mode at both sizes: no line has an end of a sentence of one or two
/// characters alone, and no word is torn.
TEST(RoomLines, OfJapaneseTearNoWordAndLeaveNoEndAlone) {
  const char* const words[] = {"行列", "何千",   "埋め込み", "類似度", "ください", "反時計", "小さ",   "位置",  "距離",
                               "角度", "周波数", "単位円",   "実部",   "上界",     "です。", "ます。", "ません"};
  std::size_t read = 0;
  for (const Room& size : {Room{1280, 720, 100}, Room{1920, 1080, 100}}) {
    PresentationWindow window("ja", size);
    App& app = *window.app;
    open_lesson(app, "04-turn");
    for (const bool room : {false, true}) {
      if (room) toggle_presentation(app);
      window.settle_presentation();
      const auto unit = static_cast<double>(app.ui.px(1));
      // As draw_lesson() has it.
      const FlowStyle style{15 * unit, app.record.find("lesson.words")->width - 6 * unit, 1.42};
      const Formulas& formulas = *app.text.formulas();
      for (const LessonEntry& entry : list_lessons(find_places().assets)) {
        Lesson lesson = load_lesson(find_places().assets, entry.id, "ja");
        set_formulas(lesson, formulas, true);
        for (const LessonStep& step : lesson.steps) {
          for (const auto& part : parts_of(step, room)) {
            for (const LessonParagraph& paragraph : part) {
              const LessonParagraph said = filled(paragraph, {});
              const TextFlow flow =
                  flow_text(flow_words(said, {15, 0, 0, {}}), style, &formulas, screen_measure(app.ui));
              const std::vector<std::string> lines = lines_of_flow(flow, formulas);
              for (std::size_t i = 1; i < lines.size(); ++i) {
                ++read;
                const std::string where = entry.id + ", " + step.name + ": " + lines[i - 1] + "|" + lines[i];
                const bool ends = lines[i].ends_with("。") || lines[i].ends_with("？");
                const bool formula = lines[i].find('x') != std::string::npos;
                EXPECT_FALSE(ends && !formula && lines[i].size() <= 3 * 3) << where;
                const std::string together = lines[i - 1] + lines[i];
                for (const std::string word : words) {
                  for (std::size_t at = 0; (at = together.find(word, at)) != std::string::npos; ++at) {
                    EXPECT_FALSE(at < lines[i - 1].size() && at + word.size() > lines[i - 1].size()) << where;
                  }
                }
              }
            }
          }
        }
      }
    }
  }
  EXPECT_GT(read, 2000u);
}

TEST(RoomCuts, LoseNoWordAndKeepThePlace) {
  for (const LessonEntry& entry : list_lessons(find_places().assets)) {
    const Lesson lesson = load_lesson(find_places().assets, entry.id, "en");
    LessonPlay play;
    play.lesson = lesson;
    play.room = true;
    for (play.step = 0; play.step < lesson.steps.size(); ++play.step) {
      std::string whole;
      for (const LessonParagraph& paragraph : lesson.steps[play.step].text) whole += text_of(paragraph);
      play.cut = {};
      play.part = parts_of(play).size() - 1;
      const bool asks = lesson.steps[play.step].ask.has_value();
      do {
        std::string together;
        const auto parts = parts_of(play);
        for (const auto& part : parts) {
          for (const LessonParagraph& paragraph : part) together += paragraph.repeated ? "" : text_of(paragraph);
        }
        ASSERT_EQ(together, whole) << entry.id << " " << lesson.steps[play.step].name;
        ASSERT_LT(play.part, parts.size());
        if (asks && play.cut.question_apart) EXPECT_TRUE(parts.back().empty());
      } while (cut_finer(play));
      EXPECT_LE(play.cut.words, 12u);
    }
  }
}

}  // namespace
}  // namespace ropescope::ui
