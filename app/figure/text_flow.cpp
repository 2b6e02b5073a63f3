// Line breaking, formula measurement and paragraph setting.
//
// Contents: Where lines begin; Ink of formulas; Flow.

#include "app/figure/text_flow.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <initializer_list>
#include <iterator>

#include "core/utf8.h"

namespace ropescope {

// --- Where lines begin ---------------------------------------------------------------------------------------------

namespace {

std::vector<std::string_view> lines_of(std::string_view text,
                                       const std::function<std::size_t(std::string_view)>& fitting, std::size_t most,
                                       bool by_phrases) {
  std::vector<std::string_view> lines;
  std::vector<std::size_t> phrases, starts;
  for (std::size_t begin = 0; begin < text.size() && lines.size() < most;) {
    const std::string_view rest = text.substr(begin);
    const auto without_spaces = [rest](std::size_t end) {
      while (end > 0 && rest[end - 1] == ' ') --end;
      return end;
    };
    const std::size_t fits = fitting(rest), feed = std::min(rest.find('\n'), rest.size());
    std::size_t end = feed, next = feed + 1;
    // The last of these places that fits in the line.
    const auto breaks_at = [&](const std::vector<std::size_t>& places) {
      for (auto start = std::upper_bound(places.begin(), places.end(), begin + feed);
           start != places.begin() && *--start > begin;) {
        const std::size_t length = without_spaces(*start - begin);
        if (length == 0 || length > fits) continue;
        end = length, next = *start - begin;
        return true;
      }
      return false;
    };
    if (feed > fits) {
      if (starts.empty()) {
        starts = line_starts(std::string(text));
        if (by_phrases) phrases = phrase_starts(std::string(text));
      }
      end = next = std::max(fits, next_character(rest, 0));
      if (!breaks_at(phrases)) breaks_at(starts);
      while (next < rest.size() && rest[next] == ' ') ++next;
    }
    lines.push_back(rest.substr(0, without_spaces(end)));
    begin += next;
  }
  return lines;
}

// --- Ink of formulas -----------------------------------------------------------------------------------------------

/// MathJax's letters are lower and thinner than Inter's: at this size they look equally tall, with thicker strokes.
constexpr double kFormulaEm = 1.14;
constexpr double kGrowth = 0.014, kSemiboldGrowth = 0.028;

// --- Flow ----------------------------------------------------------------------------------------------------------

/// A stretch of the whole text that stays in one line, all from one FlowWords.
struct FlowPiece {
  std::size_t words = 0;  ///< index of its FlowWords
  std::string text;
  bool may_begin = false;  ///< a line may begin with it
  double share = 1;        ///< share of the size, if it would be wider than a line
};

/// Splits the text wherever a line may begin and its style changes. `fits`: returns whether these words fit in a line.
std::vector<FlowPiece> pieces_of(const std::vector<FlowWords>& words,
                                 const std::function<bool(const FlowWords&)>& fits) {
  std::string whole;
  for (const FlowWords& part : words) whole += part.text;
  const std::vector<std::size_t> all = line_starts(whole), phrases = phrase_starts(whole);
  std::vector<std::size_t> starts = phrases.empty() ? all : phrases;
  for (std::size_t k = 0, begin = 0; !phrases.empty() && k <= phrases.size(); ++k) {
    const std::size_t end = k < phrases.size() ? phrases[k] : whole.size();
    // A phrase that is wider than a line is split.
    if (!fits({whole.substr(begin, end - begin), words.front().weight})) {
      std::copy_if(all.begin(), all.end(), std::back_inserter(starts),
                   [&](std::size_t at) { return at > begin && at < end; });
    }
    begin = end;
  }
  std::sort(starts.begin(), starts.end());
  std::vector<FlowPiece> pieces;
  std::size_t at = 0;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::size_t end = at + words[i].text.size();
    const bool unbroken = words[i].whole && fits(words[i]);
    while (at < end) {
      const auto next = unbroken ? starts.end() : std::upper_bound(starts.begin(), starts.end(), at);
      const std::size_t until = next == starts.end() ? end : std::min(end, *next);
      pieces.push_back({i, whole.substr(at, until - at), std::binary_search(starts.begin(), starts.end(), at)});
      at = until;
    }
  }
  return pieces;
}

std::string trim_trailing_spaces(std::string text) {
  while (!text.empty() && text.back() == ' ') text.pop_back();
  return text;
}

/// Puts pieces into lines.
class Setter {
 public:
  Setter(const std::vector<FlowWords>& words, const FlowStyle& style, const Formulas* formulas,
         const MeasureText& measure)
      : words_(words), style_(style), formulas_(formulas), measure_(measure) {}

  TextFlow set(const std::vector<FlowPiece>& pieces) {
    for (std::size_t first = 0; first < pieces.size();) {
      std::size_t end = first + 1;
      while (end < pieces.size() && !pieces[end].may_begin) ++end;
      add_group(pieces, first, end);
      first = end;
    }
    finish_line();
    return std::move(flow_);
  }

 private:
  TextStyle style_of(std::size_t words, double share = 1) const { return {share * style_.size, words_[words].weight}; }
  double width_of(std::size_t words, const std::string& text, double share = 1) const {
    return measure_(text, style_of(words, share)).x;
  }
  bool has_formula(const std::string& text) const {
    const std::vector<TextRun> runs = runs_of(text, formulas_);
    return std::any_of(runs.begin(), runs.end(), [](const TextRun& run) { return run.formula != nullptr; });
  }

  /// Pieces that stay together.
  void add_group(const std::vector<FlowPiece>& pieces, std::size_t first, std::size_t end) {
    double needed = 0;
    for (std::size_t i = first; i < end; ++i) {
      needed += width_of(pieces[i].words, i + 1 == end ? trim_trailing_spaces(pieces[i].text) : pieces[i].text);
    }
    if (at_ > 0 && at_ + needed > style_.width) finish_line();
    for (std::size_t i = first; i < end; ++i) {
      if (needed <= style_.width) {
        add(pieces[i].words, pieces[i].text);
      } else if (has_formula(pieces[i].text)) {
        add(pieces[i].words, pieces[i].text, 0.99 * style_.width / needed);
      } else {
        add_broken(pieces[i].words, pieces[i].text);
      }
    }
  }
  /// Adds a word that is wider than a line, character by character.
  void add_broken(std::size_t words, const std::string& text) {
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t next = next_character(text, at);
      const std::string character = text.substr(at, next - at);
      if (at_ > 0 && at_ + width_of(words, character) > style_.width) finish_line();
      add(words, character);
      at = next;
    }
  }
  void add(std::size_t words, const std::string& text, double share = 1) {
    if (line_.empty() || line_.back().words != words || line_.back().share != share) {
      if (!line_.empty()) before_ += width_of(line_.back().words, line_.back().text, line_.back().share);
      line_.push_back({words, {}, false, share});
    }
    line_.back().text += text;
    at_ = before_ + width_of(words, line_.back().text, share);
  }

  /// How far formulas extend above and below the letters' line, beyond the space between lines.
  struct Reach {
    double over = 0, under = 0;
  };
  Reach reach_of_line(double plain) const {
    constexpr double kBaseline = 0.8;  // of the letters' line, in Inter and its fallback fonts
    Reach reach;
    for (const FlowPiece& piece : line_) {
      for (const TextRun& run : runs_of(piece.text, formulas_)) {
        if (!run.formula) continue;
        const FormulaBox box = formula_box(*run.formula, style_.size);
        reach.over = std::max(reach.over, box.ascent - kBaseline * plain);
        reach.under = std::max(reach.under, box.descent - (1 - kBaseline) * plain);
      }
    }
    return reach;
  }

  void finish_line() {
    if (line_.empty()) return;
    line_.back().text = trim_trailing_spaces(line_.back().text);
    const double plain = measure_("", style_of(line_.front().words)).y;
    const double top = flow_.lines.empty() ? 0 : flow_.lines.back();
    // A formula that is taller than the letters moves only its own line.
    const Reach reach = reach_of_line(plain);
    const double letters = top + (style_.spacing - 1) / 2 * plain + reach.over;
    double x = 0;
    for (const FlowPiece& piece : line_) {
      // Smaller text is on the same baseline.
      const double top_of = letters + (1 - piece.share) * 0.8 * plain;
      flow_.items.push_back(TextItem{
          {x, top_of}, 0, 0, piece.text, style_of(piece.words, piece.share), words_[piece.words].colour, false, true});
      x += width_of(piece.words, piece.text, piece.share);
    }
    if (flow_.lines.empty()) flow_.lines.push_back(0);
    flow_.lines.push_back(top + style_.spacing * plain + reach.over + reach.under);
    flow_.width = std::max(flow_.width, x);
    line_.clear();
    at_ = before_ = 0;
  }

  const std::vector<FlowWords>& words_;
  FlowStyle style_;
  const Formulas* formulas_;
  const MeasureText& measure_;
  TextFlow flow_;
  std::vector<FlowPiece> line_;
  double before_ = 0, at_ = 0;  ///< width of the line without its last piece, and with it
};

}  // namespace

std::vector<std::string_view> text_lines(std::string_view text,
                                         const std::function<std::size_t(std::string_view)>& fitting,
                                         std::size_t most) {
  // Phrases stay whole only if the whole text fits that way: split words are better than lost ones.
  std::vector<std::string_view> lines = lines_of(text, fitting, most, true);
  const bool lost = !lines.empty() && lines.back().data() + lines.back().size() < text.data() + text.size();
  return lost ? lines_of(text, fitting, most, false) : lines;
}

FormulaInk formula_ink(const Palette& palette, Colour text, bool semibold) {
  const auto like_text = [&text](Colour colour) {
    colour.alpha = text.alpha;
    return colour;
  };
  FormulaInk ink{text, like_text(palette.curves[0]), like_text(palette.curves[1]),
                 semibold ? kSemiboldGrowth : kGrowth};
  for (std::size_t i = 0; i < palette.curves.size(); ++i) ink.lit[i] = like_text(palette.curves[i]);
  ink.lit[FormulaTerm::kAccent] = like_text(palette.accent);
  return ink;
}

FormulaBox formula_box(const Formula& formula, double em) {
  const double scale = kFormulaEm * em;
  return {scale * formula.width, scale * formula.height, scale * formula.depth};
}

std::vector<TextRun> runs_of(std::string_view text, const Formulas* formulas) {
  std::vector<TextRun> runs;
  std::size_t begin = 0;
  const auto end_words = [&](std::size_t end) {
    if (end > begin) runs.push_back({text.substr(begin, end - begin), nullptr});
  };
  for (std::size_t at = 0; formulas && at < text.size();) {
    const Formula* formula = formulas->at_start(text.substr(at));
    if (!formula) {
      ++at;
      continue;
    }
    end_words(at);
    runs.push_back({text.substr(at, kFormulaSignBytes), formula});
    begin = at += kFormulaSignBytes;
  }
  end_words(text.size());
  return runs;
}

TextFlow flow_text(const std::vector<FlowWords>& words, const FlowStyle& style, const Formulas* formulas,
                   const MeasureText& measure) {
  const auto fits = [&](const FlowWords& part) {
    return measure(part.text, TextStyle{style.size, part.weight}).x <= style.width;
  };
  return Setter(words, style, formulas, measure).set(pieces_of(words, fits));
}

void add_flow(Scene& scene, const TextFlow& flow, Vec2 at) {
  for (TextItem item : flow.items) {
    item.at.x += at.x;
    item.at.y += at.y;
    scene.items.push_back(std::move(item));
  }
}

}  // namespace ropescope
