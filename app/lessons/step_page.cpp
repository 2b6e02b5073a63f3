// Typesetting of a step's blocks, and 16:9 pages with figures and cards.
//
// Contents: Blocks; Pages.

#include "app/lessons/step_page.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "app/figure/pages/page.h"
#include "app/figure/pages/page_canvas.h"
#include "app/figure/text_flow.h"
#include "app/lessons/lesson.h"
#include "app/views/shared/figures.h"
#include "app/views/view.h"

namespace ropescope {

// --- Blocks --------------------------------------------------------------------------------------------------------

namespace {

using Kind = LessonBlock::Kind;

/// Returns the answer text: the right choice or the number, and the reason. The choice gets the final punctuation of
/// the words after it.
std::string answer_words(const LessonAsk& ask, const ViewResult& shown) {
  std::string after = filled(ask.after, shown);
  const std::optional<std::size_t> right = right_choice(ask, shown);
  if (!right) return after;
  const char* const stop = after.ends_with("。") ? "。" : ". ";
  return std::to_string(*right + 1) + "  " + filled(ask.choices[*right].text, shown) + stop + after;
}

// --- Pages ---------------------------------------------------------------------------------------------------------

bool has(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// Returns a figure with the axes of another one and only a message inside. The height of its curves is not revealed.
Figure hide_figure(const Figure& figure, const std::string& message) {
  Figure empty;
  empty.name = figure.name;
  empty.title = figure.title;
  empty.x = figure.x;
  empty.y = figure.y;
  empty.y.unnumbered = figure.maps.empty() && figure.y.names.empty();
  empty.bare = figure.bare;
  empty.empty_message = message;
  return empty;
}

/// Removes everything that is computed from the curve to be drawn: also its trend, its bounds and its labels. The
/// curves of pinned ropes are other ones, with which the author compares.
void clear_curves(Figure& figure) {
  std::erase_if(figure.lines, [](const Line& line) { return !line.key.starts_with("pin"); });
  std::erase_if(figure.rules, [](const Rule& rule) { return !rule.card.empty(); });
  figure.points.clear();
  figure.spans.clear();
  figure.paths.clear();
  figure.arrows.clear();
  figure.labels.clear();
}

/// Returns the style of a block on a page next to a figure with text of this size.
BlockLook choose_block_look(const LessonBlock& block, bool first, double size, const Palette& colours) {
  if (block.kind == Kind::title) return {1.5 * size, 0.2 * size, 0, colours.text, FontWeight::semibold};
  if (block.kind == Kind::question) return {size, size, 0, colours.accent, FontWeight::semibold};
  if (block.kind == Kind::choice) return {size, 0.35 * size, 0.6 * size, colours.text};
  return {size, (first ? 0.8 : 0.5) * size, block.said.item ? 0.6 * size : 0, colours.text};
}

// At 720 lines: the maximum and minimum text size of a page with a figure, and the spacing around it.
constexpr double kLargestWords = 24, kMinWords = 20, kPageMargin = 28, kCardPadding = 12, kCardValue = 30;

/// Returns the blocks of a page: without the answer a step's words and question; with it, the answer.
std::vector<LessonBlock> blocks_on(const LessonSlide& page) {
  std::vector<LessonBlock> blocks = blocks_of(page.step, page.step.text, page.whole);
  std::erase_if(blocks, [&](const LessonBlock& block) {
    const bool left_out = block.kind == (page.answered ? Kind::words : Kind::answer);
    return left_out || block.kind == Kind::figure;
  });
  return blocks;
}

/// Sets blocks from the top of an area with this em; returns where they end.
double set_words(Scene& scene, const LessonSlide& page, const std::vector<LessonBlock>& blocks, const Rect& room,
                 double em, const SlideLook& look) {
  LessonColumn column{room, kPaperSpacing, page.shown.formulas.get(), look.measure};
  column.add(paragraph_of(filled(numbered_title(page.lesson.id, page.lesson.title), page.whole)),
             {std::max(0.8 * em, kMinWords * look.unit()), 0, 0, look.colours.secondary});
  bool first = true;
  for (const LessonBlock& block : blocks) {
    column.add(numbered(block), choose_block_look(block, first && block.kind != Kind::title, em, look.colours));
    first = first && block.kind == Kind::title;
  }
  scene = std::move(column.scene);
  return column.bottom;
}

/// Returns the cards that the step points to, and those that give its answer.
std::vector<const Readout*> cards_on(const LessonSlide& page) {
  std::vector<const Readout*> cards;
  for (const Readout& card : page.shown.readouts) {
    const bool told = page.answered && page.step.ask && has(covered(*page.step.ask), card.name);
    if (!card.aside && (told || has(page.step.points, card.name))) cards.push_back(&card);
  }
  return cards;
}

/// Draws cards in a row at the bottom of an area; returns their height.
double add_cards(Scene& scene, const std::vector<const Readout*>& cards, const Rect& room, const SlideLook& look) {
  if (cards.empty()) return 0;
  const double unit = look.unit(), gap = kCardPadding * unit, count = static_cast<double>(cards.size());
  const double width = (room.width - gap * (count - 1)) / count, inside = width - 2 * gap;
  const TextStyle small{kMinWords * unit, FontWeight::regular};
  TextStyle large{kCardValue * unit, FontWeight::semibold};
  // Equal value sizes on all cards, broken into lines if even the minimum size is too wide.
  const auto is_wide = [&](const Readout* card) { return look.measure(card->text, large).x > inside; };
  while (large.size > small.size && std::any_of(cards.begin(), cards.end(), is_wide)) {
    large.size = std::max(small.size, 0.96 * large.size);
  }
  const double line = look.measure("0", small).y, value = look.measure("0", large).y;
  std::vector<std::vector<std::string>> labels, values, notes;
  std::size_t most = 0, most_labels = 0, most_values = 1;
  for (const Readout* card : cards) {
    labels.push_back(wrapped(card->label, small, inside, look.measure));
    values.push_back(wrapped(card->text, large, inside, look.measure));
    // With several cards in a row only the numbers are read.
    notes.push_back(cards.size() > 2 ? std::vector<std::string>() : wrapped(card->note, small, inside, look.measure));
    if (notes.back().size() > 3) notes.back().clear();
    most = std::max(most, notes.back().size());
    most_labels = std::max(most_labels, labels.back().size());
    most_values = std::max(most_values, values.back().size());
  }
  const double height =
      2 * gap + line * static_cast<double>(most_labels + most) + value * static_cast<double>(most_values);
  for (std::size_t i = 0; i < cards.size(); ++i) {
    const double left = room.left + (width + gap) * static_cast<double>(i);
    double top = room.bottom() - height;
    scene.items.push_back(RectItem{{left, top, width, height}, look.colours.raised, 0.5 * gap});
    top += gap;
    const auto say = [&](const std::string& words, const TextStyle& style, Colour colour, double step) {
      scene.items.push_back(
          TextItem{{left + gap, top}, 0, 0, elided(words, style, inside, look.measure), style, colour});
      top += step;
    };
    for (const std::string& each : labels[i]) say(each, small, look.colours.secondary, line);
    for (const std::string& each : values[i]) say(each, large, look.colours.text, value);
    for (const std::string& each : notes[i]) say(each, small, look.colours.secondary, line);
  }
  return height + gap;
}

/// Adds the figures of a page next to its words, with the cards below them.
void add_figures(Scene& scene, const LessonSlide& page, Rect room, const SlideLook& look) {
  room.height -= add_cards(scene, cards_on(page), room, look);
  FigureOptions options;
  options.text_size = 1.04 * kMinWords * look.unit();
  options.least_text = kMinWords * look.unit();
  options.clear_words = true;
  options.line_width = 2.4 * look.unit();
  options.column = look.dots ? std::max(1.0, std::round(look.unit())) : look.unit();
  add_view(scene, page.shown, {room, look.colours, options}, look.measure);
}

}  // namespace

std::vector<LessonBlock> blocks_of(const LessonStep& step, const std::vector<LessonParagraph>& words,
                                   const ViewResult& shown, const ViewResult* solved) {
  std::vector<LessonBlock> blocks{{Kind::title, paragraph_of(filled(step.title, shown))}};
  for (const LessonParagraph& paragraph : words) blocks.push_back({Kind::words, filled(paragraph, shown)});
  blocks.push_back({Kind::figure});
  if (!step.ask) return blocks;
  blocks.push_back({Kind::question, paragraph_of(filled(step.ask->question, shown))});
  for (const LessonAsk::Choice& choice : step.ask->choices) {
    const std::size_t number = blocks.back().number + 1;
    blocks.push_back({Kind::choice, paragraph_of(filled(choice.text, shown)), number});
  }
  blocks.push_back({Kind::answer, paragraph_of(answer_words(*step.ask, solved ? *solved : shown))});
  return blocks;
}

std::vector<FlowWords> flow_words(const LessonParagraph& paragraph, const BlockLook& look, std::optional<Colour> code) {
  std::vector<FlowWords> words;
  if (paragraph.item) {
    const std::string sign = paragraph.number > 0 ? std::to_string(paragraph.number) + ". " : "• ";
    words.push_back({sign, look.weight, look.colour});
  }
  int column = paragraph.words.empty() ? 0 : paragraph.words.front().column;
  for (const LessonWords& part : paragraph.words) {
    if (std::exchange(column, part.column) != part.column) words.push_back({"  ·  ", look.weight, look.colour});
    words.push_back({part.text, part.strong ? FontWeight::semibold : look.weight,
                     part.code ? code.value_or(look.colour) : look.colour, part.code});
  }
  return words;
}

void LessonColumn::add(const LessonParagraph& said, const BlockLook& look) {
  const TextFlow flow =
      flow_text(flow_words(said, look), {look.size, room.width - look.indent, spacing}, formulas, measure);
  bottom += look.gap;
  add_flow(scene, flow, {room.left + look.indent, bottom});
  bottom += flow.height();
}

LessonParagraph numbered(const LessonBlock& block, const std::string& sign) {
  LessonParagraph said = block.said;
  if (block.kind == Kind::choice) said.words.front().text.insert(0, sign + std::to_string(block.number) + "  ");
  return said;
}

void cover(ViewResult& shown, const LessonAsk& ask, const Text& text) {
  const std::vector<std::string> names = covered(ask);
  for (Panel& panel : shown.panels) {
    std::erase_if(panel.figure.rules, [&](const Rule& rule) { return has(names, rule.card); });
    if (has(names, panel.figure.name)) panel.figure = hide_figure(panel.figure, text["lesson.covered"]);
    if (ask.kind != LessonAsk::Kind::draw || panel.figure.name != ask.figure) continue;
    clear_curves(panel.figure);
  }
  // Numbers below would reveal the course of a curve.
  const bool all = ask.kind == LessonAsk::Kind::draw;
  std::erase_if(shown.readouts, [&](const Readout& readout) { return all || has(names, readout.name); });
}

double SlideLook::unit() const {
  return std::min(size.y / 720, size.x / 1280);
}

std::vector<Scene> slides_of(const LessonSlide& page, const SlideLook& look, bool in_one) {
  constexpr double kShares[] = {0.37, 0.42, 0.47};  // share of the width for the words
  const double unit = look.unit(), margin = kPageMargin * unit, least = kMinWords * unit;
  const auto words_in = [&](double share) {
    return Rect{margin, margin, share * look.size.x - margin, look.size.y - 2 * margin};
  };
  std::vector<Scene> slides;
  // The words as large as fits in the column, which widens before they shrink; at `smallest` in any case.
  const auto add = [&](const std::vector<LessonBlock>& blocks, double smallest, bool anyway) {
    for (double em = kLargestWords * unit;; em = std::max(0.96 * em, smallest)) {
      for (const double share : kShares) {
        const Rect words = words_in(share);
        Scene scene;
        const bool fits = set_words(scene, page, blocks, words, em, look) <= words.bottom();
        if (!fits && !(anyway && em <= smallest && share == std::end(kShares)[-1])) continue;
        const double left = words.right() + margin;
        add_figures(scene, page, {left, margin, look.size.x - margin - left, words.height}, look);
        slides.push_back(std::move(scene));
        return true;
      }
      if (em <= smallest) return false;
    }
  };
  const auto add_at_any_rate = [&](const std::vector<LessonBlock>& blocks) {
    if (!add(blocks, least, false)) add(blocks, 0.5 * least, true);
  };
  const std::vector<LessonBlock> all = blocks_on(page);
  if (in_one || add(all, least, false)) {
    if (in_one) add_at_any_rate(all);
    return slides;
  }
  // The question is on a separate page, and if even that is too small, every paragraph.
  std::vector<LessonBlock> part;
  for (const LessonBlock& block : all) {
    std::vector<LessonBlock> more = part;
    more.push_back(block);
    Scene unseen;
    const Rect widest = words_in(std::end(kShares)[-1]);
    const bool full = set_words(unseen, page, more, widest, least, look) > widest.bottom();
    if (part.size() > 1 && (full || block.kind == Kind::question)) {
      add_at_any_rate(part);
      more = {all.front(), block};
    }
    part = std::move(more);
  }
  add_at_any_rate(part);
  return slides;
}

std::string paint_step(const Lesson& lesson, std::size_t step, const std::filesystem::path& assets, const Text& text,
                       Store& store, PageFormat format, const PageSize& size, ThemeName theme) {
  const Experiment experiment = state_of(lesson, step, assets).experiment;
  const ViewResult whole = draw_view(find_view(experiment.view), experiment, text, store);
  ViewResult shown = whole;
  const LessonStep& one = lesson.steps[step];
  keep_pointed(shown, one, false);
  if (one.ask) cover(shown, *one.ask, text);
  const Palette colours = palette(theme);
  const bool dots = format == PageFormat::png;
  const PageSize page = dots && size.millimetres
                            ? PageSize{std::round(size.width / 25.4 * 300), std::round(size.height / 25.4 * 300), false}
                            : size;
  PageCanvas canvas(format, page, {shown.language, shown.font, shown.formulas, colours});
  const ThousandsMark mark(shown.thousands);
  canvas.fill(colours.canvas);
  const SlideLook look{{canvas.width(), canvas.height()}, colours, canvas.measure(), dots};
  canvas.draw(slides_of({lesson, one, whole, shown, false}, look, true).front());
  return canvas.finish();
}

}  // namespace ropescope
