// Breaks text in lines by ICU's rules, measures and draws formulas by librsvg, and sets paragraphs.
//
// Contents: Where lines begin; Ink of formulas; Flow.

#include "app/figure/text_flow.h"

#include <librsvg/rsvg.h>
#include <unicode/brkiter.h>
#include <unicode/uchar.h>
#include <unicode/uscript.h>
#include <unicode/utext.h>
#include <unicode/utf8.h>

#include <cairo.h>
#include <algorithm>
#include <cmath>
#include <cstring>
#include <initializer_list>
#include <iterator>

#include "core/utf8.h"

namespace ropescope {

// --- Where lines begin ---------------------------------------------------------------------------------------------

namespace {

bool is_of(UChar32 character, std::initializer_list<UScriptCode> scripts) {
  UErrorCode ignored = U_ZERO_ERROR;
  return character >= 0 && std::count(scripts.begin(), scripts.end(), uscript_getScript(character, &ignored)) > 0;
}

bool is_hangul(UChar32 character) {
  return is_of(character, {USCRIPT_HANGUL});
}

bool is_digit(UChar32 character) {
  return character >= '0' && character <= '9';
}

/// Within "2つ" or "図3": a number stays with its counter, and with what is numbered. Other words before a number would
/// be parted to keep their end with it.
bool is_in_count(UChar32 before, UChar32 after) {
  constexpr std::u32string_view kNumbered = U"図表式第章節";
  return (is_digit(before) && is_of(after, {USCRIPT_HAN, USCRIPT_HIRAGANA})) ||
         (kNumbered.find(static_cast<char32_t>(before)) != std::u32string_view::npos && is_digit(after));
}

/// Whether a place is within a number such as "−1.1 × 10⁻¹⁶" or "≈ 5", which stays in one line.
bool is_in_number(std::string_view text, std::size_t at) {
  return text.substr(at).starts_with("× 10") ||
         (text.substr(0, at).ends_with("× ") && text.substr(at).starts_with("10")) ||
         (text.substr(0, at).ends_with("≈ ") && at < text.size() && is_digit(text[at]));
}

/// Right after the hyphens of "--scaling", which its letters follow.
bool is_in_option(std::string_view text, std::size_t at) {
  const std::size_t word = text.find_last_not_of('-', at - 1);
  const bool hyphens = text[at - 1] == '-';
  return hyphens &&
         (word == std::string_view::npos || std::string_view(" `(\"'").find(text[word]) != std::string_view::npos);
}

struct CloseText {
  void operator()(UText* text) const { utext_close(text); }
};

}  // namespace

namespace {

/// Where ICU's line breaks in this locale begin a line, but for places that its rules do not know of.
std::vector<std::size_t> starts_in(const std::string& text, const char* locale) {
  std::vector<std::size_t> starts;
  UErrorCode status = U_ZERO_ERROR;
  const std::unique_ptr<UText, CloseText> source(
      utext_openUTF8(nullptr, text.data(), static_cast<std::int64_t>(text.size()), &status));
  const std::unique_ptr<icu::BreakIterator> breaks(icu::BreakIterator::createLineInstance(icu::Locale(locale), status));
  if (U_FAILURE(status)) return starts;  // without ICU's data lines break where they are full
  breaks->setText(source.get(), status);
  if (U_FAILURE(status)) return starts;
  for (std::int32_t at = breaks->next(); at != icu::BreakIterator::DONE; at = breaks->next()) {
    const UChar32 before = utext_previous32From(source.get(), at), after = utext_char32At(source.get(), at);
    // Korean words are parted by spaces alone: a particle stays with what is before it, be that a word, a number, a
    // formula or a closing quotation mark, and so does a parenthesis right after a word.
    const bool inside = (is_hangul(after) && u_isUWhiteSpace(before) == 0) || (is_hangul(before) && after == '(') ||
                        is_in_count(before, after);
    if (is_in_number(text, static_cast<std::size_t>(at)) || is_in_option(text, static_cast<std::size_t>(at))) continue;
    if (!inside && static_cast<std::size_t>(at) < text.size()) starts.push_back(static_cast<std::size_t>(at));
  }
  return starts;
}

/// The character that begins at a byte; negative past the end.
UChar32 character_at(const std::string& text, std::size_t at) {
  UChar32 character = U_SENTINEL;
  auto next = static_cast<std::int32_t>(at);
  const auto size = static_cast<std::int32_t>(text.size());
  if (next < size) U8_NEXT(text.data(), next, size, character);
  return character;
}

/// Right after a closing bracket no particle begins a line.
bool is_before_particle(const std::string& text, std::size_t at) {
  constexpr std::string_view kClosing[] = {"」", "』", "）", ")"};
  const std::string_view before = std::string_view(text).substr(0, at);
  const auto closes = [&](std::string_view mark) { return before.ends_with(mark); };
  return is_of(character_at(text, at), {USCRIPT_HIRAGANA}) &&
         std::any_of(std::begin(kClosing), std::end(kClosing), closes);
}

}  // namespace

std::vector<std::size_t> line_starts(const std::string& text) {
  return starts_in(text, "ja@lb=strict");
}

std::vector<std::size_t> phrase_starts(const std::string& text) {
  // In longer texts ragged lines would look worse than parted words.
  constexpr std::size_t kMostBytes = 160;
  bool kana = false;
  for (std::size_t at = 0; at < text.size() && text.size() <= kMostBytes && !kana; at = next_character(text, at)) {
    kana = is_of(character_at(text, at), {USCRIPT_HIRAGANA, USCRIPT_KATAKANA});
  }
  if (!kana) return {};
  std::vector<std::size_t> starts = starts_in(text, "ja@lb=strict;lw=phrase");
  std::erase_if(starts, [&](std::size_t at) { return is_before_particle(text, at); });
  return starts;
}

std::vector<std::string_view> text_lines(std::string_view text,
                                         const std::function<std::size_t(std::string_view)>& fitting,
                                         std::size_t most) {
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
    // The last of these places that the line reaches.
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
        phrases = phrase_starts(std::string(text));
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

namespace {

/// MathJax's letters are lower and thinner than Inter's: so much larger they look equally tall, and their strokes grow.
constexpr double kFormulaEm = 1.14;
constexpr double kGrowth = 0.014, kSemiboldGrowth = 0.028;

struct Unref {
  void operator()(RsvgHandle* handle) const { g_object_unref(handle); }
};

std::string css_colour(Colour colour) {
  const auto part = [](int value) { return std::to_string(value) + ","; };
  // A part of 1 in thousandths: no locale writes a comma into it.
  const std::string opacity = std::to_string(1000 + std::lround(1000 * colour.alpha / 255.0)).substr(1);
  return "rgba(" + part(colour.red) + part(colour.green) + part(colour.blue) +
         (colour.alpha == 255 ? "1)" : "0." + opacity + ")");
}

std::string style_sheet(const FormulaInk& ink) {
  const auto rule = [](const char* selector, Colour colour) {
    const std::string css = css_colour(colour);
    return std::string(selector) + "{fill:" + css + ";stroke:" + css + "}";
  };
  const auto thousandths = static_cast<int>(std::lround(1000 * ink.growth));
  // Translucent strokes over translucent letters would be seen twice.
  const int growth = ink.text.alpha == 255 ? thousandths : 0;
  return rule("svg", ink.text) + rule(".query", ink.query) + rule(".key", ink.key) +
         "path{stroke-width:" + std::to_string(growth) + "}rect{stroke-width:0}";
}

/// 0xAARRGGBB, colours times alpha, as red, green, blue, alpha.
void append_straight(std::uint32_t word, std::vector<std::uint8_t>& values) {
  const std::uint32_t alpha = word >> 24;
  const auto straight = [&](int shift) {
    const std::uint32_t channel = word >> shift & 0xFF;
    return static_cast<std::uint8_t>(alpha == 0 ? 0
                                                : std::min<std::uint32_t>(255, (channel * 255 + alpha / 2) / alpha));
  };
  values.insert(values.end(), {straight(16), straight(8), straight(0), static_cast<std::uint8_t>(alpha)});
}

}  // namespace

FormulaInk formula_ink(const Palette& palette, Colour text, bool semibold) {
  const auto like_text = [&text](Colour colour) {
    colour.alpha = text.alpha;
    return colour;
  };
  return {text, like_text(palette.curves[0]), like_text(palette.curves[1]), semibold ? kSemiboldGrowth : kGrowth};
}

FormulaBox formula_box(const Formula& formula, double em) {
  const double scale = kFormulaEm * em;
  return {scale * formula.width, scale * formula.height, scale * formula.depth};
}

void draw_formula(cairo_t* cairo, const Formula& formula, double em, const FormulaInk& ink) {
  const std::unique_ptr<RsvgHandle, Unref> handle(
      rsvg_handle_new_from_data(reinterpret_cast<const guint8*>(formula.svg.data()), formula.svg.size(), nullptr));
  if (!handle) return;
  const std::string style = style_sheet(ink);
  rsvg_handle_set_stylesheet(handle.get(), reinterpret_cast<const guint8*>(style.data()), style.size(), nullptr);
  const FormulaBox box = formula_box(formula, em);
  const RsvgRectangle place{0, -box.ascent, box.width, box.ascent + box.descent};
  rsvg_handle_render_document(handle.get(), cairo, &place, nullptr);
}

FormulaPixels formula_pixels(const Formula& formula, double em, const FormulaInk& ink) {
  const FormulaBox box = formula_box(formula, em);
  const int width = static_cast<int>(std::ceil(box.width)), ascent = static_cast<int>(std::ceil(box.ascent));
  const int height = ascent + static_cast<int>(std::ceil(box.descent));
  if (width <= 0 || height <= 0) return {};
  cairo_surface_t* surface = cairo_image_surface_create(CAIRO_FORMAT_ARGB32, width, height);
  cairo_t* cairo = cairo_create(surface);
  cairo_translate(cairo, (width - box.width) / 2, ascent);
  draw_formula(cairo, formula, em, ink);
  cairo_destroy(cairo);
  cairo_surface_flush(surface);
  const auto pixels = std::make_shared<Pixels>();
  pixels->columns = static_cast<std::size_t>(width);
  pixels->rows = static_cast<std::size_t>(height);
  const unsigned char* data = cairo_image_surface_get_data(surface);
  const int stride = cairo_image_surface_get_stride(surface);
  for (int y = 0; data && y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      std::uint32_t word = 0;
      std::memcpy(&word, data + y * stride + 4 * x, sizeof word);
      append_straight(word, pixels->values);
    }
  }
  cairo_surface_destroy(surface);
  if (pixels->values.empty()) return {};
  return {pixels, ascent};
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

// --- Flow ----------------------------------------------------------------------------------------------------------

namespace {

/// A stretch of the whole text that stays in one line, of one kind of words.
struct TextFlowPiece {
  std::size_t words = 0;  ///< which of them
  std::string text;
  bool may_begin = false;  ///< a line may begin with it
  double share = 1;        ///< of the size, where it would be wider than a line
};

/// Cut wherever a line may begin and wherever the kind of words changes. `fits`: whether these words fit in a line.
std::vector<TextFlowPiece> pieces_of(const std::vector<FlowWords>& words,
                                     const std::function<bool(const FlowWords&)>& fits) {
  std::string whole;
  for (const FlowWords& part : words) whole += part.text;
  const std::vector<std::size_t> all = line_starts(whole), phrases = phrase_starts(whole);
  std::vector<std::size_t> starts = phrases.empty() ? all : phrases;
  for (std::size_t k = 0, begin = 0; !phrases.empty() && k <= phrases.size(); ++k) {
    const std::size_t end = k < phrases.size() ? phrases[k] : whole.size();
    // A phrase that is wider than a line is parted.
    if (!fits({whole.substr(begin, end - begin), words.front().weight})) {
      std::copy_if(all.begin(), all.end(), std::back_inserter(starts),
                   [&](std::size_t at) { return at > begin && at < end; });
    }
    begin = end;
  }
  std::sort(starts.begin(), starts.end());
  std::vector<TextFlowPiece> pieces;
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
