// Loads the formulas and puts them in place of their TeX; escapes text for XML.
//
// Contents: XML; Formulas.

#include "app/resources/formulas.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>

#include "app/resources/files.h"
#include "core/formats/json.h"
#include "core/utf8.h"
#include "core/words.h"

namespace ropescope {

// --- XML -----------------------------------------------------------------------------------------------------------

namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

std::string_view entity_of(char c) {
  switch (c) {
    case '&':
      return "&amp;";
    case '<':
      return "&lt;";
    case '>':
      return "&gt;";
    case '"':
      return "&quot;";
    default:
      return {};
  }
}

}  // namespace

std::string xml_escaped(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const auto [code, bytes] = character_at(text, at);
    const std::string_view entity = entity_of(text[at]);
    const bool is_control = code < 0x20 && code != '\t' && code != '\n' && code != '\r';
    const bool is_none = bytes == 0 || is_control || code == 0xFFFE || code == 0xFFFF;
    if (is_none) {
      out += kReplacement;
    } else {
      out += entity.empty() ? text.substr(at, bytes) : entity;
    }
    at += is_none ? 1 : bytes;
  }
  return out;
}

// --- Formulas ------------------------------------------------------------------------------------------------------

namespace {

// Supplementary private use area A: U+F0000 and on, in UTF-8 F3 B0 80 80. Neither fonts nor files have them.
constexpr char32_t kFirstSign = 0xF0000;
constexpr std::size_t kMostFormulas = 0x1000;  // one leading pair of bytes is enough

std::string sign_of(std::size_t index) {
  std::string bytes;
  append_utf8(bytes, kFirstSign + static_cast<char32_t>(index));
  return bytes;
}

/// A piece of a text: words, or a formula's source.
struct FormulasPiece {
  std::string text;
  bool tex = false;
};

/// Where the formula that begins after this dollar has its closing dollar; npos where it has none.
std::size_t closing_dollar(std::string_view text, std::size_t at) {
  for (; at < text.size(); ++at) {
    if (text[at] == '$') return at;
    if (text[at] == '\\') ++at;
  }
  return std::string_view::npos;
}

std::vector<FormulasPiece> pieces_of(std::string_view text) {
  std::vector<FormulasPiece> pieces{{}};
  std::size_t at = 0;
  while (at < text.size()) {
    if (text.substr(at, 2) == "\\$") {
      pieces.back().text += '$';
      at += 2;
      continue;
    }
    const std::size_t end = text[at] == '$' ? closing_dollar(text, at + 1) : std::string_view::npos;
    if (end == std::string_view::npos) {
      pieces.back().text += text[at++];
      continue;
    }
    pieces.push_back({std::string(text.substr(at + 1, end - at - 1)), true});
    pieces.push_back({});
    at = end + 1;
  }
  return pieces;
}

}  // namespace

bool begins_with_formula_sign(std::string_view text) {
  return text.size() >= kFormulaSignBytes && text.starts_with("\xF3\xB0");
}

std::vector<std::string> tex_of(std::string_view text) {
  std::vector<std::string> found;
  for (const FormulasPiece& piece : pieces_of(text)) {
    if (piece.tex) found.push_back(piece.text);
  }
  return found;
}

std::shared_ptr<const Formulas> Formulas::load(const std::filesystem::path& assets, bool pictures) {
  const std::filesystem::path folder = assets / "formulas", index = folder / "index.json";
  const auto loaded = std::make_shared<Formulas>();
  try {
    const nlohmann::json json = parse_json_object(read_file(index, kLargestJsonBytes), index.string());
    for (const nlohmann::json& entry : json.at("formulas")) {
      Formula formula{entry.at("tex"), entry.at("plain"), entry.at("width"), entry.at("height"), entry.at("depth"), {}};
      if (pictures) formula.svg = read_file(folder / entry.at("file").get<std::string>(), kLargestJsonBytes);
      loaded->formulas_.push_back(std::move(formula));
    }
  } catch (const nlohmann::json::exception& error) {
    throw InputError(index.string() + ": " + error.what());
  }
  const auto by_source = [](const Formula& a, const Formula& b) { return a.tex < b.tex; };
  std::sort(loaded->formulas_.begin(), loaded->formulas_.end(), by_source);
  if (loaded->formulas_.size() > kMostFormulas) loaded->formulas_.resize(kMostFormulas);
  return loaded;
}

const Formula* Formulas::find(std::string_view tex) const {
  const auto found =
      std::lower_bound(formulas_.begin(), formulas_.end(), tex,
                       [](const Formula& formula, std::string_view source) { return formula.tex < source; });
  return found != formulas_.end() && found->tex == tex ? &*found : nullptr;
}

const Formula* Formulas::at_start(std::string_view text) const {
  if (!begins_with_formula_sign(text)) return nullptr;
  const std::size_t index = character_at(text, 0).code - kFirstSign;
  return index < formulas_.size() ? &formulas_[index] : nullptr;
}

std::string Formulas::replaced(std::string_view text, bool signs) const {
  std::string result;
  for (const FormulasPiece& piece : pieces_of(text)) {
    const Formula* formula = piece.tex ? find(piece.text) : nullptr;
    if (formula) {
      result += signs ? sign_of(static_cast<std::size_t>(formula - formulas_.data())) : formula->plain;
    } else {
      result += piece.tex ? "$" + piece.text + "$" : piece.text;
    }
  }
  return result;
}

std::string Formulas::plain(std::string_view text) const {
  std::string result;
  while (!text.empty()) {
    const Formula* formula = at_start(text);
    result += formula ? formula->plain : std::string(text.substr(0, 1));
    text.remove_prefix(formula ? kFormulaSignBytes : 1);
  }
  return result;
}

std::string plain_text(const Formulas* formulas, std::string_view text) {
  return formulas ? formulas->plain(text) : std::string(text);
}

}  // namespace ropescope
