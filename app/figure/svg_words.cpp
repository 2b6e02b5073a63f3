#include "app/figure/svg_words.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <iterator>
#include <utility>

#include "app/figure/number_text.h"
#include "app/resources/xml.h"

namespace ropescope {

namespace {

/// Thousandths are enough.
std::string coordinate(double value) {
  return shortest_number(std::round(value * 1000) / 1000);
}

std::string hex(Colour colour) {
  constexpr const char* kDigits = "0123456789abcdef";
  std::string text = "#";
  for (const int part : {colour.red, colour.green, colour.blue}) {
    text += kDigits[part / 16];
    text += kDigits[part % 16];
  }
  return text;
}

/// Reads the TeX of the formulas that the texts use; ends at the first thing that letters do not say.
class LetterReader {
 public:
  explicit LetterReader(std::string_view tex) : tex_(tex) {}

  std::optional<std::vector<FormulaLetters>> read() {
    read_list({}, false);
    if (failed_ || letters_.empty()) return std::nullopt;
    return std::move(letters_);
  }

 private:
  using Ink = FormulaLetters::Ink;
  struct Look {
    double rise = 0, size = 1;
    bool upright = false, overlined = false;
    Ink ink = Ink::text;
  };
  static Look script(Look look, double rise) {
    look.rise += rise * look.size;
    look.size *= 0.7;
    return look;
  }

  void put(std::string_view text, bool italic, const Look& look) {
    if (!letters_.empty()) {
      FormulaLetters& last = letters_.back();
      const bool alike = last.italic == italic && last.overlined == look.overlined && last.ink == look.ink;
      if (alike && last.rise == look.rise && last.size == look.size) {
        last.text += text;
        return;
      }
    }
    letters_.push_back({std::string(text), look.rise, look.size, italic, look.overlined, look.ink});
  }
  void put_operand(std::string_view text, bool italic, const Look& look) {
    put(text, italic && !look.upright, look);
    after_operand_ = true;
  }
  /// Between two operands there are spaces around it; scripts have none.
  void put_operator(const std::string& sign, const Look& look) {
    put(after_operand_ && look.size == 1 ? " " + sign + " " : sign, false, look);
    after_operand_ = false;
  }
  /// "cos mθ", but "cos(mθ)".
  void put_function(std::string_view name, const Look& look) {
    put(name, false, look);
    while (at_ < tex_.size() && tex_[at_] == ' ') ++at_;
    if (at_ < tex_.size() && std::string_view("(_^|}").find(tex_[at_]) == std::string_view::npos) put(" ", false, look);
    after_operand_ = false;
  }

  void read_list(const Look& look, bool in_braces) {
    while (!failed_ && at_ < tex_.size()) {
      if (in_braces && tex_[at_] == '}') {
        ++at_;
        return;
      }
      read_one(look);
    }
    failed_ = failed_ || in_braces;
  }
  void read_argument(const Look& look) {
    while (at_ < tex_.size() && tex_[at_] == ' ') ++at_;
    if (at_ < tex_.size()) return read_one(look);
    failed_ = true;
  }
  void read_one(const Look& look) {
    const char c = tex_[at_++];
    const auto is_between = [c](char first, char last) { return c >= first && c <= last; };
    if (c == '\\') return read_command(look);
    if (c == '{') return read_list(look, true);
    if (c == '^') return read_argument(script(look, 0.38));
    if (c == '_') return read_argument(script(look, -0.2));
    if (c == '-' || c == '*') return put_operator(c == '-' ? "−" : "∗", look);
    if (c == '+' || c == '=' || c == '<' || c == '>') return put_operator(std::string(1, c), look);
    if (c == '\'') return put("′", false, look);
    if (c == '(' || c == '[') return put(std::string(1, c), false, look), void(after_operand_ = false);
    if (c == '|' || c == '/') return put(std::string(1, c), false, look);
    if (c == ',') return put(look.size == 1 ? ", " : ",", false, look), void(after_operand_ = false);
    if (is_between('a', 'z') || is_between('A', 'Z')) return put_operand(std::string(1, c), true, look);
    if (is_between('0', '9') || c == ')' || c == ']' || c == '.' || c == '!') {
      return put_operand(std::string(1, c), false, look);
    }
    failed_ = failed_ || c != ' ';
  }

  void read_command(Look look) {
    std::size_t end = at_;
    while (end < tex_.size() && std::isalpha(static_cast<unsigned char>(tex_[end]))) ++end;
    end = std::max(end, std::min(at_ + 1, tex_.size()));
    const std::string_view name = tex_.substr(at_, end - at_);
    at_ = end;
    struct Sign {
      std::string_view name, letters;
    };
    static constexpr Sign kLetters[] = {{"alpha", "α"},  {"gamma", "γ"}, {"zeta", "ζ"}, {"theta", "θ"},
                                        {"lambda", "λ"}, {"pi", "π"},    {"phi", "ϕ"},  {"varphi", "φ"}};
    static constexpr Sign kUpright[] = {{"Delta", "Δ"},  {"Theta", "Θ"}, {"infty", "∞"}, {"top", "⊤"},
                                        {"rangle", "⟩"}, {"rceil", "⌉"}, {"ldots", "…"}};
    static constexpr Sign kOperators[] = {{"cdot", "·"},   {"le", "≤"},     {"ge", "≥"},
                                          {"propto", "∝"}, {"approx", "≈"}, {"to", "→"},
                                          {"mapsto", "↦"}, {"otimes", "⊗"}, {"bmod", "mod"}};
    static constexpr std::string_view kFunctions[] = {"sin", "cos", "ln", "log", "exp", "max", "min"};
    static constexpr Sign kColoured[] = {{"q", "q"}, {"m", "m"}, {"k", "k"}, {"n", "n"}};
    const auto sign_in = [&name](const auto& signs) {
      return std::find_if(std::begin(signs), std::end(signs), [&](const Sign& sign) { return sign.name == name; });
    };
    if (const auto sign = sign_in(kLetters); sign != std::end(kLetters)) return put_operand(sign->letters, true, look);
    if (const auto sign = sign_in(kUpright); sign != std::end(kUpright)) return put_operand(sign->letters, false, look);
    if (const auto sign = sign_in(kOperators); sign != std::end(kOperators)) {
      return put_operator(std::string(sign->letters), look);
    }
    if (const auto sign = sign_in(kColoured); sign != std::end(kColoured)) {
      look.ink = name == "q" || name == "m" ? Ink::query : Ink::key;
      return put_operand(sign->letters, true, look);
    }
    if (std::find(std::begin(kFunctions), std::end(kFunctions), name) != std::end(kFunctions)) {
      return put_function(name, look);
    }
    if (name == "sum") return put_function("∑", look);
    if (name == "langle" || name == "lceil")
      return put(name == "langle" ? "⟨" : "⌈", false, look), void(after_operand_ = false);
    if (name == "|") return put("‖", false, look);
    if (name == "," || name == ";") return put(" ", false, look);
    if (name == "operatorname" || name == "mathrm") {
      look.upright = true;
      return read_argument(look);
    }
    if (name == "bar" || name == "overline") {
      look.overlined = true;
      return read_argument(look);
    }
    if (name == "sqrt") return read_root(look);
    failed_ = true;
  }
  /// A single letter needs no line over it.
  void read_root(const Look& look) {
    put("√", false, look);
    std::size_t before = 0, after = 0;
    for (const FormulaLetters& letters : letters_) before += letters.text.size();
    read_argument(look);
    for (const FormulaLetters& letters : letters_) after += letters.text.size();
    failed_ = failed_ || after > before + 2;
  }

  std::string_view tex_;
  std::size_t at_ = 0;
  std::vector<FormulaLetters> letters_;
  bool after_operand_ = false, failed_ = false;
};

std::string paint_svg_words(Colour colour) {
  std::string look = " fill=\"" + hex(colour) + "\"";
  if (colour.alpha < 255) look += " fill-opacity=\"" + coordinate(colour.alpha / 255.0) + "\"";
  return look;
}

/// One after the other on a line: `shift` is how far down the baseline has been moved, which an SVG keeps.
std::string spans_of(const std::vector<FormulaLetters>& formula, std::string place, double em, const FormulaInk& ink,
                     double& shift) {
  std::string spans;
  for (const FormulaLetters& letters : formula) {
    const double down = -letters.rise * em;
    spans += "<tspan" + std::exchange(place, {});
    if (std::abs(down - shift) > 1e-9) spans += " dy=\"" + coordinate(down - shift) + "\"";
    shift = down;
    if (letters.size != 1) spans += " font-size=\"" + coordinate(letters.size * em) + "\"";
    if (letters.italic) spans += " font-style=\"italic\"";
    if (letters.overlined) spans += " text-decoration=\"overline\"";
    if (letters.ink != FormulaLetters::Ink::text) {
      spans += paint_svg_words(letters.ink == FormulaLetters::Ink::query ? ink.query : ink.key);
    }
    spans += ">" + xml_escaped(letters.text) + "</tspan>";
  }
  return spans;
}

}  // namespace

std::optional<std::vector<FormulaLetters>> letters_of(std::string_view tex) {
  return LetterReader(tex).read();
}

std::string svg_text(const TextItem& item, Vec2 corner, double baseline, const std::string& fonts,
                     const std::vector<SvgRun>& runs, const FormulaInk& ink) {
  std::string place;
  const Vec2 line = item.vertical ? Vec2{} : Vec2{corner.x, corner.y + baseline};
  if (item.vertical) {
    place = "transform=\"translate(" + coordinate(corner.x + baseline) + " " + coordinate(corner.y) + ") rotate(-90)\"";
  } else {
    place = "x=\"" + coordinate(line.x) + "\" y=\"" + coordinate(line.y) + "\"";
  }
  std::string look =
      " font-family=\"" + fonts + "\" font-size=\"" + coordinate(item.style.size) + "\"" + paint_svg_words(item.colour);
  if (item.style.weight == FontWeight::semibold) look += " font-weight=\"600\"";
  std::string words;
  double shift = 0;
  for (const SvgRun& each : runs) {
    const std::string at = each.x ? " x=\"" + coordinate(line.x + *each.x) + "\"" : "";
    if (each.run.formula) {
      words += spans_of(*letters_of(each.run.formula->tex), at, item.style.size, ink, shift);
    } else if (runs.size() == 1) {
      words += xml_escaped(each.run.words);
    } else {
      words += "<tspan" + at;
      if (shift != 0) words += " dy=\"" + coordinate(-shift) + "\"";
      words += ">" + xml_escaped(each.run.words) + "</tspan>";
      shift = 0;
    }
  }
  return "<text xml:space=\"preserve\" " + place + look + ">" + words + "</text>\n";
}

void add_svg_words(std::string& svg, const std::string& words, double scale) {
  const std::size_t end = svg.rfind("</svg>");
  if (end == std::string::npos) return;
  const std::string size = scale == 1 ? "" : " transform=\"scale(" + shortest_number(scale) + ")\"";
  svg.insert(end, "<g style=\"font-feature-settings:'tnum'\"" + size + ">\n" + words + "</g>\n");
}

}  // namespace ropescope
