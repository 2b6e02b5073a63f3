#include "app/views/shared/patch_cards.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <optional>

#include "app/figure/number_text.h"
#include "app/views/shared/cards.h"
#include "app/views/shared/patches.h"
#include "core/layouts/similarity.h"

namespace ropescope {

namespace {

/// "just below", "63 right", "2 below, 5 left", "3 frames later, just below": from one token of the image to another.
std::string way_text(const TokenLayout& layout, std::int64_t from, std::int64_t to, const Text& text) {
  const TokenBlock& block = layout.blocks[main_block(layout)];
  std::vector<std::string> parts;
  const auto column = [&](std::int64_t token) { return token % block.columns; };
  const auto row = [&](std::int64_t token) { return token / block.columns % block.rows; };
  const auto frame = [&](std::int64_t token) { return token / block.columns / block.rows; };
  // Along both sides the words for one step would be too long for a card: a number takes their place.
  const bool diagonal = row(from) != row(to) && column(from) != column(to);
  const auto add = [&](std::int64_t difference, const std::string& later, const std::string& earlier) {
    if (difference == 0) return;
    const std::int64_t size = std::llabs(difference);
    TextValue count = counted(size);
    if (diagonal && later != "later") count.number.reset();
    parts.push_back(text.format("view.layout.way." + (difference > 0 ? later : earlier), {{"count", count}}));
  };
  add(frame(to) - frame(from), "later", "earlier");
  add(row(to) - row(from), "below", "above");
  add(column(to) - column(from), "right", "left");
  if (parts.empty()) return text["view.layout.way.itself"];
  std::string words;
  for (const std::string& part : parts) words += (words.empty() ? "" : text["list.between"]) + part;
  return words;
}

constexpr std::size_t kMostTargetCards = 2;
/// Similarities closer than this are the same but for rounding.
constexpr double kPatchCardsSame = 1e-12;

struct Answer {
  std::int64_t target = 0;
  TokenSimilarity here;
  std::optional<TokenSimilarity> there;
};

std::string number_of(std::int64_t token) {
  return readable_integer(static_cast<double>(token + 1));
}

/// Decimals that tell all similarities of a layout apart: three, or as many more as it takes, up to six.
int decimals_of(const std::vector<double>& similarities) {
  constexpr int kLeast = 3, kMost = 6;
  for (int decimals = kLeast; decimals < kMost; ++decimals) {
    const auto looks_alike = [decimals](double one, double other) {
      return std::abs(one - other) > kPatchCardsSame &&
             readable_fixed(one, decimals) == readable_fixed(other, decimals);
    };
    bool alike = false;
    for (std::size_t i = 0; i < similarities.size(); ++i) {
      // 1 is the anchor itself.
      alike = alike || looks_alike(similarities[i], 1);
      for (std::size_t k = 0; k < i; ++k) alike = alike || looks_alike(similarities[i], similarities[k]);
    }
    if (!alike) return decimals;
  }
  return kMost;
}

/// How far apart: of a single axis without the sign.
std::string apart_text(const TokenSimilarity& similarity) {
  const std::vector<double>& difference = similarity.difference;
  return ids_text(difference.size() == 1 ? std::vector<double>{std::abs(difference.front())} : difference);
}

/// The similarities as they are said in one layout.
struct Decimals {
  int here = 3, there = 3;
};
Decimals decimals_of(const std::vector<Answer>& answers) {
  std::vector<double> here, there;
  for (std::size_t i = 0; i < std::min(answers.size(), kMostTargetCards); ++i) {
    here.push_back(answers[i].here.total);
    if (answers[i].there) there.push_back(answers[i].there->total);
  }
  return {decimals_of(here), decimals_of(there)};
}

std::vector<Answer> answers_of(const PatchQuestion& question) {
  std::vector<Answer> answers;
  for (const std::int64_t target : question.targets) {
    Answer answer;
    answer.target = target;
    answer.here = similarity_between(question.layout, table_row(question.layout, question.anchor),
                                     table_row(question.layout, target), question.content);
    if (question.other) {
      answer.there = similarity_between(*question.other, table_row(*question.other, question.anchor),
                                        table_row(*question.other, target), question.other_content);
    }
    answers.push_back(std::move(answer));
  }
  return answers;
}

/// Of target `index` of the answers. The other layout's answer comes first: what is cut off is not a number.
Readout target_readout(const PatchQuestion& question, const std::vector<Answer>& answers, std::size_t index,
                       const Text& text) {
  const Answer& answer = answers[index];
  const Decimals decimals = decimals_of(answers);
  Readout readout = start_card("patch.target" + std::to_string(index + 1), text, "patch.target");
  readout.label = text.format("readout.patch.target.label",
                              {{"anchor", number_of(question.anchor)},
                               {"target", number_of(answer.target)},
                               {"way", way_text(question.layout, question.anchor, answer.target, text)}});
  readout.value = Quantity{with_decimals(answer.here.total, decimals.here)};
  if (answer.there) {
    readout.note = text.format("readout.patch.target.other",
                               {{"layout", question.other_title},
                                {"difference", apart_text(*answer.there)},
                                {"similarity", readable_fixed(answer.there->total, decimals.there)}}) +
                   "\n";
  }
  readout.note += text.format("readout.patch.target.note", {{"difference", ids_text(answer.here.difference)}});
  return readout;
}

/// The target with the largest similarity; none where two share it.
const Answer* nearest(const std::vector<Answer>& answers, bool other) {
  const auto similarity = [other](const Answer& answer) { return other ? answer.there->total : answer.here.total; };
  const Answer* best = &answers.front();
  for (const Answer& answer : answers) {
    if (similarity(answer) > similarity(*best)) best = &answer;
  }
  const auto ties = std::count_if(answers.begin(), answers.end(), [&](const Answer& answer) {
    return similarity(*best) - similarity(answer) <= kPatchCardsSame;
  });
  return ties > 1 ? nullptr : best;
}

/// Along one line of tokens the nearer one by number may be the less similar one.
bool further_by_number(const PatchQuestion& question, const std::vector<Answer>& answers, const Answer& best) {
  const auto distance = [&](const Answer& answer) { return std::llabs(answer.target - question.anchor); };
  return std::any_of(answers.begin(), answers.end(),
                     [&](const Answer& answer) { return distance(answer) < distance(best); });
}

Readout nearer_readout(const PatchQuestion& question, const std::vector<Answer>& answers, const Text& text) {
  Readout readout = start_card("patch.nearer", text);
  readout.label =
      text.format("readout.patch.nearer.label", {{"anchor", token_name(question.layout, question.anchor, text)}});
  const Answer* here = nearest(answers, false);
  readout.value = Words("readout.patch.nearer.neither");
  if (here) readout.value = Quantity{as_whole(here->target + 1), "patch"};
  if (question.other) {
    const Answer* there = nearest(answers, true);
    const char* key =
        !there ? "readout.patch.nearer.other_same"
        : here && there->target == here->target
            ? further_by_number(question, answers, *there) ? "readout.patch.nearer.even" : "readout.patch.nearer.both"
            : "readout.patch.nearer.differs";
    readout.note =
        text.format(key, {{"layout", question.other_title}, {"target", there ? number_of(there->target) : ""}});
  }
  if (!here) readout.note += (readout.note.empty() ? "" : "\n") + text["readout.patch.nearer.same"];
  return readout;
}

/// The target fewest tokens away, whatever the layout makes of it; none where two are as far.
Readout nearer_index_readout(const PatchQuestion& question, const std::vector<Answer>& answers, const Text& text) {
  Readout readout = start_card("patch.nearer_index", text);
  readout.label =
      text.format("readout.patch.nearer_index.label", {{"anchor", token_name(question.layout, question.anchor, text)}});
  const auto distance = [&](const Answer& answer) { return std::llabs(answer.target - question.anchor); };
  const auto nearer = [&](const Answer& a, const Answer& b) { return distance(a) < distance(b); };
  const auto best = std::min_element(answers.begin(), answers.end(), nearer);
  const auto as_far = std::count_if(answers.begin(), answers.end(),
                                    [&](const Answer& answer) { return distance(answer) == distance(*best); });
  readout.value = Words("readout.patch.nearer.neither");
  if (as_far == 1) readout.value = Quantity{as_whole(best->target + 1), "patch"};
  readout.note = text.format("readout.patch.nearer_index.note", {{"count", counted(distance(*best))}});
  readout.aside = true;
  return readout;
}

/// With one target the other layout has a card of its own.
Readout other_readout(const PatchQuestion& question, const Answer& answer, const Text& text) {
  Readout readout = start_card("patch.other", text);
  readout.label = text.format(
      "readout.patch.other.label",
      {{"anchor", number_of(question.anchor)}, {"target", number_of(answer.target)}, {"layout", question.other_title}});
  readout.value = Quantity{with_decimals(answer.there->total, decimals_of(std::vector<double>{answer.there->total}))};
  const bool line = question.other->name == "raster";
  readout.note = text.format(line ? "readout.patch.other.note_line" : "readout.patch.other.note",
                             {{"difference", apart_text(*answer.there)}});
  readout.tooltip = text["readout.patch.target.tooltip"];
  return readout;
}

Readout waiting_readout(const PatchQuestion& question, const Text& text) {
  Readout readout = start_card("patch.waiting", text);
  readout.value = Quantity{as_whole(question.anchor + 1), "patch", token_name_key(question.layout)};
  readout.note = text["readout.patch.waiting.note"];
  readout.note_is_hint = true;
  return readout;
}

/// Where the text stands; none where no text is rotated.
std::optional<Readout> text_readout(const PatchQuestion& question, const Text& text) {
  const TokenLayout& layout = question.layout;
  const auto is_text = [](const TokenBlock& block) { return block.part == "text"; };
  const auto block = std::find_if(layout.blocks.begin(), layout.blocks.end(), is_text);
  const bool image = layout.blocks[main_block(layout)].part == "image";
  if (!image || (block == layout.blocks.end() && !question.unrotated_text)) return std::nullopt;
  Readout readout = start_card("patch.text", text);
  if (block == layout.blocks.end()) {
    readout.value = Words("readout.patch.text.absent");
    readout.note = text["readout.patch.text.absent_note"];
    return readout;
  }
  const std::vector<double> first = ids_of(layout, block->first_row);
  const std::vector<double> last = ids_of(layout, block->first_row + block->count() - 1);
  readout.value = Position{first};
  readout.note = text.format(first == last ? "readout.patch.text.shared" : "readout.patch.text.runs",
                             {{"count", counted(block->count())}, {"last", ids_text(last)}});
  return readout;
}

}  // namespace

std::vector<Readout> patch_readouts(const PatchQuestion& question, const Text& text) {
  std::vector<Readout> readouts;
  const std::vector<Answer> answers = answers_of(question);
  if (answers.empty()) readouts.push_back(waiting_readout(question, text));
  for (std::size_t i = 0; i < std::min(answers.size(), kMostTargetCards); ++i) {
    readouts.push_back(target_readout(question, answers, i, text));
  }
  if (answers.size() == 1 && question.other) readouts.push_back(other_readout(question, answers.front(), text));
  if (answers.size() > 1) {
    readouts.push_back(nearer_readout(question, answers, text));
    readouts.push_back(nearer_index_readout(question, answers, text));
  }
  if (auto words = text_readout(question, text)) readouts.push_back(*std::move(words));
  return readouts;
}

}  // namespace ropescope
