// Loading of formulas and substitution for their TeX; setting of others with MathJax; XML escaping.
//
// Contents: XML; Formulas.

#include "app/resources/formulas.h"

#include <algorithm>
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <optional>

#include "app/resources/files.h"
#include "app/resources/mathjax.h"
#include "app/resources/result_cache.h"
#include "core/formats/json.h"
#include "core/formats/nlohmann.h"
#include "core/message.h"
#include "core/utf8.h"

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

// --- Formulas ------------------------------------------------------------------------------------------------------

// Supplementary private use area A: U+F0000 and on, in UTF-8 F3 B0 80 80. Neither fonts nor files have them.
constexpr char32_t kFirstSign = 0xF0000;
constexpr std::size_t kMaxFormulas = 0x1000 - kMaxUserFormulas;  // one leading pair of bytes must suffice

std::string sign_of(std::size_t index) {
  std::string bytes;
  append_utf8(bytes, kFirstSign + static_cast<char32_t>(index));
  return bytes;
}

/// A piece of a text: words, or a formula's source.
struct FormulaPiece {
  std::string text;
  bool tex = false;
};

/// Returns the place of the dollar that closes the formula after this one; npos if there is none.
std::size_t closing_dollar(std::string_view text, std::size_t at) {
  for (; at < text.size(); ++at) {
    if (text[at] == '$') return at;
    if (text[at] == '\\') ++at;
  }
  return std::string_view::npos;
}

std::vector<FormulaPiece> pieces_of(std::string_view text) {
  std::vector<FormulaPiece> pieces{{}};
  std::size_t at = 0;
  while (at < text.size()) {
    if (text.substr(at).starts_with("\\$")) {
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

/// Returns where the group that begins at `begin` ends, after its closing tag.
std::size_t end_of_group(std::string_view svg, std::size_t begin) {
  int depth = 0;
  for (std::size_t at = begin; at < svg.size(); at = svg.find('<', at + 1)) {
    if (svg.substr(at).starts_with("<g")) ++depth;
    if (svg.substr(at).starts_with("</g") && --depth == 0) return svg.find('>', at) + 1;
  }
  return svg.size();
}

/// Returns how an SVG names a term, without its first quote: MathJax puts a space before some classes.
std::string named_in_svg(const FormulaTerm& term) {
  return std::string(kTermClass) + term.name + '"';
}

/// Lights a term of an SVG, or removes it.
void set_term(std::string& svg, const FormulaTerm& term) {
  const std::string named = named_in_svg(term);
  for (std::size_t at = 0; (at = svg.find(named, at)) != std::string::npos;) {
    const std::size_t begin = svg.rfind('<', at), quote = svg.rfind('"', at);
    if (term.colour == FormulaTerm::kUnseen) {
      svg.erase(begin, end_of_group(svg, begin) - begin);
    } else {
      svg.replace(quote + 1, at + named.size() - 2 - quote, "lit" + std::to_string(term.colour));
    }
    at = begin;
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

bool begins_with_formula_sign(std::string_view text) {
  return text.size() >= kFormulaSignBytes && text.starts_with(kFormulaSignBegin);
}

std::vector<std::string> tex_of(std::string_view text) {
  std::vector<std::string> found;
  for (const FormulaPiece& piece : pieces_of(text)) {
    if (piece.tex) found.push_back(piece.text);
  }
  return found;
}

/// The formulas made by typeset(): never moved because pictures being drawn reference them.
struct Formulas::Own {
  std::filesystem::path script;
  std::mutex mutex;
  std::shared_ptr<ResultCache> shelf;
  std::optional<MathJax> engine;
  std::deque<Formula> list;
  std::map<std::string, std::size_t, std::less<>> places;  // indices in the list
  std::map<std::string, nlohmann::json, std::less<>> kept;
  bool has_read_cache = false, unkept = false;
  static constexpr int kMaxSpent = 3;
  int spent = 0;  // formulas that cost too much; after too many no other is tried

  const Formula& add(std::string_view tex, const nlohmann::json& said) {
    list.push_back(
        {std::string(tex), said.at("plain"), said.at("width"), said.at("height"), said.at("depth"), said.at("source")});
    places.emplace(tex, list.size() - 1);
    return list.back();
  }
  void read_formula_cache() {
    if (has_read_cache || !shelf) return;
    has_read_cache = true;
    try {
      if (const std::optional<std::string> text = shelf->read(kName)) {
        const nlohmann::json json = parse_json_object(*text, kName);
        if (json.at("script") == state_of(script.string()).size) kept = json.at("formulas").get<decltype(kept)>();
      }
    } catch (const std::exception&) {
      kept.clear();  // they are set again
    }
  }
  static constexpr const char* kName = "formulas.json";
};

std::shared_ptr<const Formulas> Formulas::load(const std::filesystem::path& assets, bool pictures) {
  const std::filesystem::path folder = assets / "formulas", index = folder / "index.json";
  const auto loaded = std::make_shared<Formulas>();
  loaded->own_ = std::make_shared<Own>();
  loaded->own_->script = folder / "mathjax.js";
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
  if (loaded->formulas_.size() > kMaxFormulas) loaded->formulas_.resize(kMaxFormulas);
  return loaded;
}

std::size_t Formulas::index_of(std::string_view tex) const {
  const auto found =
      std::lower_bound(formulas_.begin(), formulas_.end(), tex,
                       [](const Formula& formula, std::string_view source) { return formula.tex < source; });
  if (found != formulas_.end() && found->tex == tex) return static_cast<std::size_t>(found - formulas_.begin());
  const std::lock_guard lock(own_->mutex);
  const auto own = own_->places.find(tex);
  return own == own_->places.end() ? std::string_view::npos : formulas_.size() + own->second;
}

const Formula* Formulas::at(std::size_t index) const {
  if (index < formulas_.size()) return &formulas_[index];
  const std::lock_guard lock(own_->mutex);
  return index - formulas_.size() < own_->list.size() ? &own_->list[index - formulas_.size()] : nullptr;
}

const Formula* Formulas::find(std::string_view tex) const {
  return at(index_of(tex));
}

const Formula* Formulas::at_start(std::string_view text) const {
  return begins_with_formula_sign(text) ? at(character_at(text, 0).code - kFirstSign) : nullptr;
}

const Formula& Formulas::typeset(std::string_view tex) const {
  if (const Formula* known = find(tex)) return *known;
  const std::lock_guard lock(own_->mutex);
  Own& own = *own_;
  if (own.list.size() >= kMaxUserFormulas) throw InputError("formulas.too_many", {{"most", kMaxUserFormulas}});
  if (own.spent >= Own::kMaxSpent) throw InputError("formulas.costly", {});
  own.read_formula_cache();
  try {
    if (const auto kept = own.kept.find(tex); kept != own.kept.end()) return own.add(tex, kept->second);
    if (!own.engine) own.engine.emplace(own.script);
    nlohmann::json said;
    try {
      said = parse_own_json(own.engine->typeset(tex));
    } catch (const InputError&) {
      if (own.engine->spent()) {
        own.engine.reset();
        ++own.spent;
      }
      throw;
    }
    const Formula& formula = own.add(tex, said);
    own.kept.emplace(tex, std::move(said));
    own.unkept = true;
    return formula;
  } catch (const nlohmann::json::exception& error) {
    throw InputError(error.what());
  }
}

void Formulas::keep_on(std::shared_ptr<ResultCache> shelf) const {
  const std::lock_guard lock(own_->mutex);
  own_->shelf = std::move(shelf);
  own_->has_read_cache = false;
}

void Formulas::keep() const {
  const std::lock_guard lock(own_->mutex);
  if (!own_->unkept || !own_->shelf) return;
  own_->unkept = false;
  while (own_->kept.size() > kMaxUserFormulas) own_->kept.erase(own_->kept.begin());
  try {
    const std::string text =
        nlohmann::json{{"script", state_of(own_->script.string()).size}, {"formulas", own_->kept}}.dump();
    const std::string_view pieces[] = {text};
    own_->shelf->write(Own::kName, pieces);
  } catch (const std::exception&) {
    return;  // they are set again
  }
}

std::string Formulas::replaced(std::string_view text, bool signs) const {
  std::string result;
  for (const FormulaPiece& piece : pieces_of(text)) {
    const std::size_t index = piece.tex ? index_of(piece.text) : std::string_view::npos;
    if (const Formula* formula = at(index)) {
      result += signs ? sign_of(index) : formula->plain;
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

std::string Formulas::with_terms(std::string_view text, const std::vector<FormulaTerm>& terms) const {
  std::string result;
  while (!text.empty()) {
    const Formula* formula = at_start(text);
    std::string sign(text.substr(0, formula ? kFormulaSignBytes : 1));
    text.remove_prefix(sign.size());
    std::vector<FormulaTerm> found;
    std::string name = formula ? formula->tex : std::string();
    for (const FormulaTerm& term : terms) {
      if (!formula || formula->svg.find(named_in_svg(term)) == std::string::npos) continue;
      found.push_back(term);
      name += "\n" + term.name + " " + std::to_string(term.colour);
    }
    if (!found.empty()) {
      const std::lock_guard lock(own_->mutex);
      auto place = own_->places.find(name);
      if (place == own_->places.end() && own_->list.size() < kMaxUserFormulas) {
        Formula changed = *formula;
        for (const FormulaTerm& term : found) set_term(changed.svg, term);
        own_->list.push_back(std::move(changed));
        place = own_->places.emplace(name, own_->list.size() - 1).first;
      }
      if (place != own_->places.end()) sign = sign_of(formulas_.size() + place->second);
    }
    result += sign;
  }
  return result;
}

std::string plain_text(const Formulas* formulas, std::string_view text) {
  return formulas ? formulas->plain(text) : std::string(text);
}

}  // namespace ropescope
