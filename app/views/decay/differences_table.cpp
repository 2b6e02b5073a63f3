#include <algorithm>
#include <utility>

#include "app/figure/line_starts.h"
#include "app/figure/number_text.h"
#include "app/resources/models.h"
#include "app/views/decay/differences.h"
#include "app/views/shared/cards.h"
#include "app/views/shared/counted.h"
#include "app/views/shared/marks.h"
#include "app/views/shared/messages.h"

namespace ropescope {

namespace {

/// Columns in hundredths of the width: words from the left edge, numbers up to their right ends.
constexpr double kDifferencesTableWidth = 100, kDifferencesTableLeft = 0.4, kChange = 79, kDifferencesTableFirst = 99.6;
/// Letters in a line: the table stands beside the controls, or in a narrow window at large text alone. Ideographs are
/// twice as wide.
constexpr int kDifferencesTableLetters = 90;
/// Fewer lines than these stand at the top; for more there is no room.
constexpr double kFewestLines = 5, kDifferencesTableGap = 0.35;
constexpr std::size_t kMostRows = 4;

struct DifferencesTableRow {
  std::string head, change, first;    ///< cause and numbers; empty: a sentence alone
  std::vector<std::string> sentence;  ///< in lines
};

/// Letters that a text is wide.
int letters_of_differences_table(const std::string& text) {
  int letters = 0;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if ((byte & 0xc0) != 0x80) letters += byte >= 0xe3 ? 2 : 1;
  }
  return letters;
}

/// Broken where a line may begin.
std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines(1);
  std::vector<std::size_t> starts = line_starts(text);
  starts.push_back(text.size());
  std::size_t from = 0;
  for (const std::size_t start : starts) {
    const std::string piece = text.substr(from, start - from);
    if (!lines.back().empty() && letters_of_differences_table(lines.back() + piece) > kDifferencesTableLetters)
      lines.emplace_back();
    lines.back() += piece;
    from = start;
  }
  return lines;
}

DifferencesTableRow row_of(const ModelDifference& difference, bool several, const Text& text) {
  DifferencesTableRow row;
  row.head = cause_words(difference.cause, text);
  if (several) {
    row.head = text.format("view.decay.differences.of_profile",
                           {{"cause", row.head}, {"profile", profile_label(text, difference.profile)}});
  }
  const ScoreChange& change = difference.change;
  row.change = text.format("view.decay.differences.change",
                           {{"change", readable_number(change.largest, 3)}, {"distance", counted(change.at)}});
  row.first = change.first ? readable_integer(*change.first) : text["view.decay.differences.nowhere"];
  row.sentence = lines_of(text.say(difference.text));
  return row;
}

/// Differences first; of those beyond what there is room for the number is said.
std::vector<DifferencesTableRow> rows_of_differences_table(const ModelComparison& found, const Text& text) {
  std::vector<DifferencesTableRow> rows;
  const auto& differences = found.differences;
  const bool several = std::any_of(differences.begin(), differences.end(), [&](const ModelDifference& each) {
    return each.profile != differences.front().profile;
  });
  for (std::size_t i = 0; i < std::min(kMostRows, differences.size()); ++i) {
    rows.push_back(row_of(differences[i], several, text));
  }
  const auto say = [&rows](const std::string& sentence) { rows.push_back({{}, {}, {}, lines_of(sentence)}); };
  if (differences.size() > kMostRows) {
    say(text.format("view.decay.differences.more", {{"count", counted(differences.size() - kMostRows)}}));
  }
  if (found.agrees) say(text["view.decay.differences.none"]);
  std::vector<std::string> notes;
  for (const ModelDifference& note : found.notes) notes.push_back(text.say(note.text));
  for (const Words& remark : found.remarks) notes.push_back(text.say(remark));
  for (std::size_t i = 0; i < notes.size() && rows.size() <= kMostRows; ++i) say(notes[i]);
  return rows;
}

double lines_in(const DifferencesTableRow& row) {
  return static_cast<double>(row.sentence.size()) + (row.head.empty() ? 0 : 1) + kDifferencesTableGap;
}

double lines_in(const std::vector<DifferencesTableRow>& rows) {
  double lines = 0;
  for (const DifferencesTableRow& row : rows) lines += lines_in(row);
  return lines;
}

Label words_at_differences_table(double x, double line, const std::string& words, Role role, bool right) {
  Label label = label_at(x, line, words, role);
  label.anchor_x = right ? 1 : 0;
  return label;
}

void add_row_differences_table(Figure& figure, double line, const DifferencesTableRow& row) {
  if (!row.head.empty()) {
    for (Label label : {words_at_differences_table(kDifferencesTableLeft, line, row.head, Role::text, false),
                        words_at_differences_table(kChange, line, row.change, Role::text, true),
                        words_at_differences_table(kDifferencesTableFirst, line, row.first, Role::text, true)}) {
      label.semibold = true;
      figure.labels.push_back(std::move(label));
    }
    ++line;
  }
  for (const std::string& words : row.sentence) {
    figure.labels.push_back(words_at_differences_table(kDifferencesTableLeft, line++, words, Role::secondary, false));
  }
}

void add_header(Figure& figure, const Text& text) {
  const std::string limit = readable_number(kNoticedChange);
  figure.labels.push_back(
      words_at_differences_table(kChange, -1.2, text["view.decay.differences.largest"], Role::secondary, true));
  figure.labels.push_back(words_at_differences_table(kDifferencesTableFirst, -1.2,
                                                     text.format("view.decay.differences.first", {{"limit", limit}}),
                                                     Role::secondary, true));
}

}  // namespace

double difference_lines(const DifferencesShown& shown) {
  if (!shown.found || !shown.found->fault.empty()) return kFewestLines;
  return std::max(kFewestLines, lines_in(rows_of_differences_table(shown.found->found, shown.text)));
}

Figure differences_figure(const DifferencesShown& shown) {
  const Text& text = shown.text;
  Figure figure = empty_figure("differences", "table_column", "line");
  figure.bare = true;
  figure.x.range = figure.x.fit = {0, kDifferencesTableWidth};
  figure.y.range = figure.y.fit = {-1.8, difference_lines(shown) - 0.3};
  figure.y.reversed = true;
  if (shown.a.empty()) {
    figure.empty_is_hint = true;
    figure.empty_message = text["view.decay.differences.nothing_pinned"];
    return figure;
  }
  figure.title = text.format("view.decay.differences.title", {{"a", shown.a}, {"b", shown.b}});
  figure.stale = !shown.current;
  if (!shown.found) return figure;
  if (!shown.found->fault.empty()) {
    figure.empty_message = text.say(shown.found->fault);
    return figure;
  }
  if (!shown.found->found.differences.empty()) add_header(figure, text);
  double line = 0;
  for (const DifferencesTableRow& row : rows_of_differences_table(shown.found->found, text)) {
    add_row_differences_table(figure, line, row);
    line += lines_in(row);
  }
  return figure;
}

}  // namespace ropescope
