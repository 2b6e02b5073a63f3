#include "app/figure/text_flow.h"

#include <algorithm>

#include "app/figure/formula_ink.h"
#include "app/figure/line_starts.h"

namespace ropescope {

namespace {

/// A stretch of the whole text that stays in one line, of one kind of words.
struct TextFlowPiece {
  std::size_t words = 0;  ///< which of them
  std::string text;
  bool may_begin = false;  ///< a line may begin with it
  double share = 1;        ///< of the size, where it would be wider than a line
};

/// Where the next character begins; a formula is one character.
std::size_t after_character(const std::string& text, std::size_t at) {
  ++at;
  while (at < text.size() && (static_cast<unsigned char>(text[at]) & 0xc0) == 0x80) ++at;
  return at;
}

/// Cut wherever a line may begin and wherever the kind of words changes.
std::vector<TextFlowPiece> pieces_of(const std::vector<FlowWords>& words) {
  std::string whole;
  for (const FlowWords& part : words) whole += part.text;
  const std::vector<std::size_t> starts = line_starts(whole);
  std::vector<TextFlowPiece> pieces;
  std::size_t at = 0;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::size_t end = at + words[i].text.size();
    while (at < end) {
      const auto next = std::upper_bound(starts.begin(), starts.end(), at);
      const std::size_t until = next == starts.end() ? end : std::min(end, *next);
      pieces.push_back({i, whole.substr(at, until - at), std::binary_search(starts.begin(), starts.end(), at)});
      at = until;
    }
  }
  return pieces;
}

std::string without_last_space(std::string text) {
  while (!text.empty() && text.back() == ' ') text.pop_back();
  return text;
}

/// Puts pieces into lines.
class Setter {
 public:
  Setter(const std::vector<FlowWords>& words, const FlowStyle& style, const Formulas* formulas,
         const MeasureText& measure)
      : words_(words), style_(style), formulas_(formulas), measure_(measure) {}

  TextFlow set(const std::vector<TextFlowPiece>& pieces) {
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
  void add_group(const std::vector<TextFlowPiece>& pieces, std::size_t first, std::size_t end) {
    double needed = 0;
    for (std::size_t i = first; i < end; ++i) {
      needed += width_of(pieces[i].words, i + 1 == end ? without_last_space(pieces[i].text) : pieces[i].text);
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
  /// What is wider than a line, character by character.
  void add_broken(std::size_t words, const std::string& text) {
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t next = after_character(text, at);
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

  /// How far formulas reach over and under the letters' line, beyond the space between lines.
  struct Reach {
    double over = 0, under = 0;
  };
  Reach reach_of_line(double plain) const {
    constexpr double kBaseline = 0.8;  // of the letters' line, in Inter and the fonts beside it
    Reach reach;
    for (const TextFlowPiece& piece : line_) {
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
    line_.back().text = without_last_space(line_.back().text);
    const double plain = measure_("", style_of(line_.front().words)).y;
    const double top = flow_.lines.empty() ? 0 : flow_.lines.back();
    // A formula that is taller than the letters moves its own line only.
    const Reach reach = reach_of_line(plain);
    const double letters = top + (style_.spacing - 1) / 2 * plain + reach.over;
    double x = 0;
    for (const TextFlowPiece& piece : line_) {
      // What is set smaller stands on the same line.
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
  std::vector<TextFlowPiece> line_;
  double before_ = 0, at_ = 0;  ///< width of the line without its last piece, and with it
};

}  // namespace

TextFlow flow_text(const std::vector<FlowWords>& words, const FlowStyle& style, const Formulas* formulas,
                   const MeasureText& measure) {
  return Setter(words, style, formulas, measure).set(pieces_of(words));
}

void add_flow(Scene& scene, const TextFlow& flow, Vec2 at) {
  for (TextItem item : flow.items) {
    item.at.x += at.x;
    item.at.y += at.y;
    scene.items.push_back(std::move(item));
  }
}

}  // namespace ropescope
