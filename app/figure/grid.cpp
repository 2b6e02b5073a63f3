// Tables as text, CSV, JSON, Markdown and LaTeX.

#include "app/figure/grid.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "app/figure/table.h"
#include "app/resources/formulas.h"
#include "core/formats/nlohmann.h"
#include "core/message.h"
#include "core/utf8.h"

namespace ropescope {

namespace {

using Texts = std::vector<std::vector<std::string>>;

/// The TeX form of a character; any other character outside the ASCII letters is unchanged.
constexpr std::pair<std::string_view, std::string_view> kTex[] = {{"\\", "\\textbackslash{}"},
                                                                  {"&", "\\&"},
                                                                  {"%", "\\%"},
                                                                  {"$", "\\$"},
                                                                  {"#", "\\#"},
                                                                  {"_", "\\_"},
                                                                  {"{", "\\{"},
                                                                  {"}", "\\}"},
                                                                  {"~", "\\textasciitilde{}"},
                                                                  {"^", "\\textasciicircum{}"},
                                                                  {"<", "$<$"},
                                                                  {">", "$>$"},
                                                                  {"|", "$|$"},
                                                                  {"\u202f", "\\,"},
                                                                  {"\u2009", "\\,"},
                                                                  {"\u2212", "$-$"},
                                                                  {"×", "$\\times$"},
                                                                  {"·", "$\\cdot$"},
                                                                  {"∞", "$\\infty$"},
                                                                  {"≈", "$\\approx$"},
                                                                  {"≤", "$\\le$"},
                                                                  {"≥", "$\\ge$"},
                                                                  {"±", "$\\pm$"},
                                                                  {"…", "\\dots{}"},
                                                                  {"–", "--"},
                                                                  {"θ", "$\\theta$"},
                                                                  {"Δ", "$\\Delta$"},
                                                                  {"λ", "$\\lambda$"},
                                                                  {"α", "$\\alpha$"},
                                                                  {"β", "$\\beta$"},
                                                                  {"γ", "$\\gamma$"},
                                                                  {"π", "$\\pi$"}};
constexpr std::string_view kRaised[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹", "⁻"};

/// Escapes character by character; successive superscript digits become one exponent.
std::string tex_of(const std::string& text) {
  std::string tex, exponent;
  const auto end_exponent = [&] {
    if (!exponent.empty()) tex += "$^{" + std::exchange(exponent, {}) + "}$";
  };
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t next = next_character(text, at);
    const std::string_view letter = std::string_view(text).substr(at, next - at);
    at = next;
    const auto raised = std::find(std::begin(kRaised), std::end(kRaised), letter);
    if (raised != std::end(kRaised)) {
      const auto digit = raised - std::begin(kRaised);
      exponent += digit < 10 ? static_cast<char>('0' + digit) : '-';
      continue;
    }
    end_exponent();
    const auto known =
        std::find_if(std::begin(kTex), std::end(kTex), [&](const auto& one) { return one.first == letter; });
    tex += known == std::end(kTex) ? letter : known->second;
  }
  end_exponent();
  return tex;
}

/// Escapes what GitHub's Markdown would interpret as a mark with a backslash.
std::string markdown_of(const std::string& text) {
  std::string escaped;
  for (const char c : text) {
    if (std::string_view("\\`*_{}[]<>#|~$").find(c) != std::string_view::npos) escaped += '\\';
    escaped += c;
  }
  return escaped;
}

Texts texts_of(const Figure& figure, const Formulas* formulas, std::string (*escaped)(const std::string&)) {
  Texts texts;
  for (const auto& row : figure.grid) {
    std::vector<std::string>& cells = texts.emplace_back();
    for (const GridCell& cell : row) {
      std::string text = plain_text(formulas, cell.text);
      std::replace(text.begin(), text.end(), '\n', ' ');
      cells.push_back(escaped ? escaped(text) : text);
    }
  }
  return texts;
}

/// Returns columns padded to equal width, numbers right-aligned.
std::string aligned(const Figure& figure, const Texts& texts, std::string_view begin, std::string_view between,
                    std::string_view end, const std::string& under_head) {
  std::vector<std::size_t> widths(figure.grid.front().size());
  for (const auto& row : texts) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], screen_width(row[i]));
  }
  std::string out;
  for (std::size_t r = 0; r < texts.size(); ++r) {
    std::string line(begin);
    for (std::size_t i = 0; i < texts[r].size(); ++i) {
      const std::string pad(widths[i] - screen_width(texts[r][i]), ' ');
      line += (i == 0 ? "" : std::string(between));
      line += is_column_of_numbers(figure, i) ? pad + texts[r][i] : texts[r][i] + pad;
    }
    line += end;
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + "\n";
    if (r == 0) out += under_head;
  }
  return out;
}

std::string markdown(const Figure& figure, const Formulas* formulas) {
  std::string rule = "|";
  for (std::size_t i = 0; i < figure.grid.front().size(); ++i) {
    rule += is_column_of_numbers(figure, i) ? " ---: |" : " --- |";
  }
  return aligned(figure, texts_of(figure, formulas, markdown_of), "| ", " | ", " |", rule + "\n");
}

std::string latex(const Figure& figure, const Formulas* formulas) {
  std::string columns;
  for (std::size_t i = 0; i < figure.grid.front().size(); ++i) columns += is_column_of_numbers(figure, i) ? 'r' : 'l';
  return "\\begin{tabular}{" + columns + "}\n\\toprule\n" +
         aligned(figure, texts_of(figure, formulas, tex_of), "", " & ", " \\\\", "\\midrule\n") +
         "\\bottomrule\n\\end{tabular}\n";
}

/// Returns whether a column contains words; else its cells for machines have all digits.
bool is_words(const Figure& figure, std::size_t column) {
  return column == 0 || !is_column_of_numbers(figure, column);
}

std::string csv(const Figure& figure) {
  std::string out = joined(figure.grid_names, ",", quote_cell) + "\n";
  for (std::size_t r = 1; r < figure.grid.size(); ++r) {
    for (std::size_t i = 0; i < figure.grid[r].size(); ++i) {
      const GridCell& cell = figure.grid[r][i];
      out += (i == 0 ? "" : ",") + (is_words(figure, i) ? quote_cell(cell.text) : cell_of(cell.numbers));
    }
    out += "\n";
  }
  return out;
}

std::string json(const Figure& figure) {
  Json rows = Json::array();
  for (std::size_t r = 1; r < figure.grid.size(); ++r) {
    Json row = Json::object();
    for (std::size_t i = 0; i < figure.grid[r].size(); ++i) {
      const GridCell& cell = figure.grid[r][i];
      row[figure.grid_names[i]] = is_words(figure, i) ? Json(cell.text) : number(cell.numbers);
    }
    rows.push_back(row);
  }
  return rows.dump(1) + "\n";
}

}  // namespace

bool is_column_of_numbers(const Figure& figure, std::size_t column) {
  return std::any_of(figure.grid.begin() + 1, figure.grid.end(),
                     [column](const auto& row) { return !row[column].numbers.empty(); });
}

std::string grid_text(const Figure& figure, GridFormat format, const Formulas* formulas) {
  switch (format) {
    case GridFormat::csv:
      return csv(figure);
    case GridFormat::json:
      return json(figure);
    case GridFormat::markdown:
      return markdown(figure, formulas);
    case GridFormat::latex:
      return latex(figure, formulas);
    case GridFormat::text:
      break;
  }
  return aligned(figure, texts_of(figure, formulas, nullptr), "", "  ", "", "");
}

}  // namespace ropescope
