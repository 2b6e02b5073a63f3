#include "app/lessons/lesson_page.h"

#include <algorithm>
#include <cmath>

#include "app/figure/page_canvas.h"
#include "app/lessons/step.h"
#include "app/views/view.h"

namespace ropescope {

namespace {

constexpr double kWordsShare = 0.37;  ///< of the width

/// Sets paragraphs one under the other from the top of a column.
class LessonPageColumn {
 public:
  LessonPageColumn(Scene& scene, const Rect& room, const ViewResult& shown, const MeasureText& measure)
      : scene_(scene), room_(room), shown_(shown), measure_(measure), at_(room.top) {}

  void add(const std::vector<FlowWords>& words, double size, double gap, double indent = 0) {
    const TextFlow flow = flow_text(words, {size, room_.width - indent, 1.32}, shown_.formulas.get(), measure_);
    at_ += gap;
    add_flow(scene_, flow, {room_.left + indent, at_});
    at_ += flow.height();
  }
  double bottom() const { return at_; }

 private:
  Scene& scene_;
  Rect room_;
  const ViewResult& shown_;
  const MeasureText& measure_;
  double at_;
};

struct StepWords {
  const Lesson& lesson;
  const LessonStep& step;
  const ViewResult& shown;
  const Text& text;
};

void add_words(LessonPageColumn& column, const StepWords& words, const Palette& colours, double size) {
  const auto plain = [&](const std::string& said, Colour colour, FontWeight weight = FontWeight::regular) {
    return std::vector<FlowWords>{{filled(said, words.shown), weight, colour}};
  };
  column.add(plain(words.lesson.title, colours.secondary), 0.8 * size, 0);
  column.add(plain(words.step.title, colours.text, FontWeight::semibold), 1.5 * size, 0.2 * size);
  double gap = 0.8 * size;
  for (const LessonParagraph& paragraph : words.step.text) {
    column.add(flow_words(paragraph, words.shown, colours.text), size, gap, paragraph.item ? 0.6 * size : 0);
    gap = 0.5 * size;
  }
  if (!words.step.ask) return;
  const LessonAsk& ask = *words.step.ask;
  column.add(plain(ask.question, colours.accent, FontWeight::semibold), size, size);
  for (std::size_t i = 0; i < ask.choices.size(); ++i) {
    const std::string number = std::to_string(i + 1) + "  ";
    column.add(plain(number + ask.choices[i].text, colours.text), size, 0.35 * size, 0.6 * size);
  }
}

/// Words as large as the column holds them, at most as large as wanted.
double fitting_size(const StepWords& words, const Rect& room, const Palette& colours, double wanted,
                    const MeasureText& measure) {
  double size = wanted;
  for (int i = 0; i < 12; ++i) {
    Scene unused;
    LessonPageColumn column(unused, room, words.shown, measure);
    add_words(column, words, colours, size);
    if (column.bottom() <= room.bottom()) break;
    size *= 0.94;
  }
  return size;
}

}  // namespace

std::string paint_step(const Lesson& lesson, std::size_t step, const std::filesystem::path& assets, const Text& text,
                       Store& store, PageFormat format, const PageSize& size, ThemeName theme) {
  const Experiment experiment = state_of(lesson, step, assets).experiment;
  const ViewResult whole = draw_view(find_view(experiment.view), experiment, text, store);
  ViewResult shown = whole;
  const LessonStep& one = lesson.steps[step];
  if (one.ask) cover(shown, *one.ask, text);
  const Palette colours = palette(theme);
  const PageSize dots = format == PageFormat::png && size.millimetres
                            ? PageSize{std::round(size.width / 25.4 * 300), std::round(size.height / 25.4 * 300), false}
                            : size;
  PageCanvas canvas(format, dots, {shown.language, shown.font, shown.formulas, colours});
  const MeasureText measure = canvas.measure();
  // As in the room: text from 24 px at 720 lines.
  const double unit = std::min(canvas.height() / 720, canvas.width() / 1280);
  const double margin = 28 * unit;
  const Rect words_room{margin, margin, kWordsShare * canvas.width() - margin, canvas.height() - 2 * margin};
  const StepWords words{lesson, one, whole, text};
  Scene scene;
  LessonPageColumn column(scene, words_room, shown, measure);
  add_words(column, words, colours, fitting_size(words, words_room, colours, 24 * unit, measure));
  FigureOptions options;
  options.text_size = 17 * unit;
  options.line_width = 2.4 * unit;
  options.column = format == PageFormat::png ? std::max(1.0, std::round(unit)) : unit;
  const double left = words_room.right() + margin;
  add_view(scene, shown,
           {{left, margin, canvas.width() - margin - left, canvas.height() - 2 * margin}, colours, options}, measure);
  canvas.fill(colours.canvas);
  canvas.draw(scene);
  return canvas.finish();
}

}  // namespace ropescope
