// Positions and names of tokens, cards of anchors and targets, and frames of videos side by side.
//
// Contents: Patches; Cards; Frames.

#include "app/views/shared/patches.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <utility>

#include "app/figure/figure.h"
#include "app/views/shared/cards.h"
#include "app/views/shared/figures.h"
#include "core/layouts/similarity.h"

namespace ropescope {

// --- Patches -------------------------------------------------------------------------------------------------------

namespace {

std::string name_in(const std::string& part, const char* reference, const Text& text) {
  constexpr std::string_view kReference = "reference";
  if (part.rfind(kReference, 0) != 0) return text["view.layout.part." + part];
  return text.format(reference, {{"number", part.substr(kReference.size())}});
}

/// Returns the text key, with {number}, for names of tokens.
std::string token_name_key(const TokenLayout& layout) {
  return layout.blocks[main_block(layout)].is_image() ? "view.layout.patch" : "view.layout.token";
}

// --- Cards ---------------------------------------------------------------------------------------------------------

/// Returns the way between two tokens: "63 columns right", "2 rows below, 5 columns left", "3 frames later, one row
/// below"; along a text "63 tokens later".
std::string way_text(const TokenLayout& layout, std::int64_t from, std::int64_t to, const Text& text) {
  const TokenBlock& block = layout.blocks[main_block(layout)];
  const std::string kind = block.is_image() ? "view.layout.way." : "view.layout.way.token_";
  std::vector<std::string> parts;
  const auto column = [&](std::int64_t token) { return token % block.columns; };
  const auto row = [&](std::int64_t token) { return token / block.columns % block.rows; };
  const auto frame = [&](std::int64_t token) { return token / block.columns / block.rows; };
  const auto add = [&](std::int64_t difference, const std::string& later, const std::string& earlier) {
    if (difference == 0) return;
    parts.push_back(text.format(difference > 0 ? later : earlier, {{"count", counted(std::llabs(difference))}}));
  };
  add(frame(to) - frame(from), "view.layout.way.later", "view.layout.way.earlier");
  add(row(to) - row(from), "view.layout.way.below", "view.layout.way.above");
  add(column(to) - column(from), kind + "right", kind + "left");
  return parts.empty() ? text["view.layout.way.itself"] : joined(parts, text["list.between"]);
}

constexpr std::size_t kMaxTargetCards = 2;
/// Similarities that differ by less are equal up to rounding.
constexpr double kSimilarityTie = 1e-12;

struct Answer {
  std::int64_t target = 0;
  TokenSimilarity here;
  std::optional<TokenSimilarity> there;
};

std::string number_of(std::int64_t token) {
  return readable_integer(static_cast<double>(token + 1));
}

/// Returns the decimals that distinguish all similarities of a layout: three, or as many more as needed, up to six.
int decimals_of(const std::vector<double>& similarities) {
  constexpr int kMin = 3, kMax = 6;
  for (int decimals = kMin; decimals < kMax; ++decimals) {
    const auto looks_alike = [decimals](double one, double other) {
      return std::abs(one - other) > kSimilarityTie && readable_fixed(one, decimals) == readable_fixed(other, decimals);
    };
    bool alike = false;
    for (std::size_t i = 0; i < similarities.size(); ++i) {
      // 1 is the anchor's own similarity.
      alike = alike || looks_alike(similarities[i], 1);
      for (std::size_t k = 0; k < i; ++k) alike = alike || looks_alike(similarities[i], similarities[k]);
    }
    if (!alike) return decimals;
  }
  return kMax;
}

/// Returns the difference as text, for a single axis without its sign.
std::string apart_text(const TokenSimilarity& similarity) {
  const std::vector<double>& difference = similarity.difference;
  return ids_text(difference.size() == 1 ? std::vector<double>{std::abs(difference.front())} : difference);
}

/// Decimals of the similarities in each layout.
struct Decimals {
  int here = 3, there = 3;
};
Decimals decimals_of(const std::vector<Answer>& answers) {
  std::vector<double> here, there;
  for (std::size_t i = 0; i < std::min(answers.size(), kMaxTargetCards); ++i) {
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

/// Returns the card of target `index` of the answers: the similarity of two patches; its note says how one gets from
/// one to the other, and the same of the other layout.
Readout target_readout(const PatchQuestion& question, const std::vector<Answer>& answers, std::size_t index,
                       const Text& text) {
  const Answer& answer = answers[index];
  const Decimals decimals = decimals_of(answers);
  Readout readout = start_card("patch.target" + std::to_string(index + 1), text, "patch.target");
  readout.label = text.format("readout.patch.target.label",
                              {{"anchor", number_of(question.anchor)}, {"target", number_of(answer.target)}});
  readout.value = Quantity{with_decimals(answer.here.total, decimals.here)};
  readout.note = text.format("readout.patch.target.note",
                             {{"way", way_text(question.layout, question.anchor, answer.target, text)},
                              {"difference", ids_text(answer.here.difference)}});
  if (answer.there) {
    readout.note += "\n" + text.format("readout.patch.target.other",
                                       {{"layout", question.other_title},
                                        {"difference", apart_text(*answer.there)},
                                        {"similarity", readable_fixed(answer.there->total, decimals.there)}});
  }
  return readout;
}

/// Returns the target with the largest similarity; null if several share it.
const Answer* nearest(const std::vector<Answer>& answers, bool other) {
  const auto similarity = [other](const Answer& answer) { return other ? answer.there->total : answer.here.total; };
  const Answer* best = &answers.front();
  for (const Answer& answer : answers) {
    if (similarity(answer) > similarity(*best)) best = &answer;
  }
  const auto ties = std::count_if(answers.begin(), answers.end(), [&](const Answer& answer) {
    return similarity(*best) - similarity(answer) <= kSimilarityTie;
  });
  return ties > 1 ? nullptr : best;
}

/// Returns whether a target with a nearer token number is less similar, as is possible along a line of tokens.
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
  readout.value = Message("readout.patch.nearer.neither");
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

/// Returns the target with the nearest token number, independent of the layout; none if two are equally near.
Readout nearer_index_readout(const PatchQuestion& question, const std::vector<Answer>& answers, const Text& text) {
  Readout readout = start_card("patch.nearer_index", text);
  readout.label =
      text.format("readout.patch.nearer_index.label", {{"anchor", token_name(question.layout, question.anchor, text)}});
  const auto distance = [&](const Answer& answer) { return std::llabs(answer.target - question.anchor); };
  const auto nearer = [&](const Answer& a, const Answer& b) { return distance(a) < distance(b); };
  const auto best = std::min_element(answers.begin(), answers.end(), nearer);
  const auto as_far = std::count_if(answers.begin(), answers.end(),
                                    [&](const Answer& answer) { return distance(answer) == distance(*best); });
  readout.value = Message("readout.patch.nearer.neither");
  if (as_far == 1) readout.value = Quantity{as_whole(best->target + 1), "patch"};
  readout.note = text.format("readout.patch.nearer_index.note", {{"count", counted(distance(*best))}});
  readout.aside = true;
  return readout;
}

/// Returns the card of the other layout, which exists if there is one target.
Readout other_readout(const PatchQuestion& question, const Answer& answer, const Text& text) {
  Readout readout = start_card("patch.other", text);
  readout.label = text.format(
      "readout.patch.other.label",
      {{"anchor", number_of(question.anchor)}, {"target", number_of(answer.target)}, {"layout", question.other_title}});
  readout.value = Quantity{with_decimals(answer.there->total, decimals_of(std::vector<double>{answer.there->total}))};
  const bool line = question.other->name == kRaster;
  readout.note = text.format(line ? "readout.patch.other.note_line" : "readout.patch.other.note",
                             {{"difference", apart_text(*answer.there)}});
  readout.tooltip = text["readout.patch.target.tooltip"];
  return readout;
}

Readout waiting_readout(const PatchQuestion& question, const Text& text) {
  Readout readout =
      make_card("patch.waiting", Quantity{as_whole(question.anchor + 1), "patch", token_name_key(question.layout)},
                text, text["readout.patch.waiting.note"]);
  readout.note_is_hint = true;
  return readout;
}

/// Returns the place of the text; nullopt if no text is rotated.
std::optional<Readout> text_readout(const PatchQuestion& question, const Text& text) {
  const TokenLayout& layout = question.layout;
  const auto is_text = [](const TokenBlock& block) { return block.is_text(); };
  const auto block = std::find_if(layout.blocks.begin(), layout.blocks.end(), is_text);
  const bool image = layout.blocks[main_block(layout)].is_image();
  if (!image || (block == layout.blocks.end() && !question.unrotated_text)) return std::nullopt;
  Readout readout = start_card("patch.text", text);
  if (block == layout.blocks.end()) {
    readout.value = Message("readout.patch.text.absent");
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

// --- Frames --------------------------------------------------------------------------------------------------------

/// The maximum number of tiles; more would be too small to read.
constexpr int kMaxTiles = 9;
/// The gap between frames and the height of a caption, in units of a frame's longer side, and the preferred aspect
/// ratio (width over height) of all frames together.
constexpr double kFramesGap = 0.06, kCaption = 0.2, kShape = 1.2;

struct Pitch {
  double x = 0, y = 0, caption = 0;
};

/// Returns the spacing of the frames.
Pitch pitch_of(const FrameTiles& tiles) {
  const auto columns = static_cast<double>(tiles.frames.front().columns),
             rows = static_cast<double>(tiles.frames.front().rows);
  const double unit = std::max(columns, rows);
  return {columns + kFramesGap * unit, rows + (kCaption + kFramesGap) * unit, kCaption * unit};
}

}  // namespace

std::optional<std::int64_t> SeenBlock::token_at(double x, double y) const {
  const double column = std::round(x), row = std::round(y);
  if (!(column >= 0 && row >= 0) || column >= static_cast<double>(columns) || row >= static_cast<double>(rows)) {
    return std::nullopt;
  }
  const std::int64_t token = static_cast<std::int64_t>(row) * columns + static_cast<std::int64_t>(column);
  if (token >= count) return std::nullopt;
  return first() + token;
}

bool SeenBlock::shows(std::int64_t token) const {
  return token >= first() && token < first() + count;
}

std::size_t main_block(const TokenLayout& layout) {
  for (std::size_t i = 0; i < layout.blocks.size(); ++i) {
    if (layout.blocks[i].is_image()) return i;
  }
  return 0;
}

SeenBlock find_seen_block(const TokenLayout& layout, std::size_t index, int frame) {
  const TokenBlock& block = layout.blocks[index];
  SeenBlock seen;
  seen.block = index;
  if (block.rows > 1 || block.frames > 1 || block.is_image() || block.is_reference()) {
    seen.frame = std::clamp(frame, 0, block.frames - 1);
    seen.rows = block.rows;
    seen.columns = block.columns;
    seen.count = seen.rows * seen.columns;
    return seen;
  }
  // Lines are wrapped at a power of two, about twice as wide as high.
  seen.count = block.columns;
  seen.columns = 1;
  while (seen.columns * seen.columns < 2 * seen.count && seen.columns < seen.count) seen.columns *= 2;
  seen.columns = std::min(seen.columns, seen.count);
  seen.rows = (seen.count + seen.columns - 1) / seen.columns;
  return seen;
}

std::int64_t table_row(const TokenLayout& layout, std::int64_t token) {
  return layout.blocks[main_block(layout)].first_row + token;
}

std::string part_name(const std::string& part, const Text& text) {
  return name_in(part, "view.layout.part.reference", text);
}

std::string short_part_name(const std::string& part, const Text& text) {
  return name_in(part, "view.layout.part_short", text);
}

std::string token_name(const TokenLayout& layout, std::int64_t token, const Text& text) {
  return text.format(token_name_key(layout), {{"number", counted(token + 1)}});
}

std::string place_text(const TokenLayout& layout, std::int64_t token, const Text& text) {
  const TokenBlock& block = layout.blocks[main_block(layout)];
  const std::string place = text.format("view.layout.place", {{"row", counted(token / block.columns % block.rows)},
                                                              {"column", counted(token % block.columns)}});
  if (block.frames == 1) return place;
  return text.format("view.layout.place_in_frame",
                     {{"place", place}, {"frame", counted(token / block.columns / block.rows + 1)}});
}

std::string anchor_text(const TokenLayout& layout, std::int64_t anchor, const Text& text) {
  const std::string name = token_name(layout, anchor, text);
  const bool image = layout.blocks[main_block(layout)].is_image();
  return image ? name + " · " + place_text(layout, anchor, text) : name;
}

void set_patch_axes(Figure& figure, const std::string& view, const TokenLayout& layout, const SeenBlock& seen,
                    const Text& text) {
  const std::string label = layout.blocks[seen.block].is_image() ? "view.layout." : "view.layout.line_";
  const auto axis_of = [&](const char* name, std::int64_t count) {
    FigureAxis axis = named_axis(view, name, text);
    axis.label = text[label + name];
    return cell_axis(std::move(axis), cell_range(count), {});
  };
  figure.x = axis_of("column", seen.columns);
  figure.y = axis_of("row", seen.rows);
  figure.y.reversed = true;
}

Map patch_map(const TokenLayout& layout, const SeenBlock& seen, std::shared_ptr<const MapCells> cells,
              const CellPlace& place, std::function<double(std::int64_t token)> value,
              std::function<PlaceWords(std::int64_t token)> words) {
  Map map;
  map.key = layout.blocks[seen.block].part;
  map.cells = std::move(cells);
  reach_cells(map, place);
  const auto token_at = [seen, place](double x, double y) {
    return seen.token_at((x - place.x) / place.scale, (y - place.y) / place.scale);
  };
  map.exact = [token_at, value = std::move(value)](double x, double y) {
    const auto token = token_at(x, y);
    return token ? value(*token) : std::nan("");
  };
  map.words = [token_at, words = std::move(words)](double x, double y) {
    const auto token = token_at(x, y);
    return token ? words(*token) : PlaceWords{};
  };
  return map;
}

void add_patch_frame(Figure& figure, const SeenBlock& seen, std::int64_t token, Role role, const CellPlace& place) {
  if (!seen.shows(token)) return;
  const double shown = std::max(figure.x.range.high - figure.x.range.low, figure.y.range.high - figure.y.range.low);
  const double half = std::max(0.5, 0.008 * shown), gap = 0.0045 * shown;
  // A frame at the edge of the image would lose two of its sides.
  const auto inside = [half](double at, const Range& fit) {
    const double least = fit.low + half, most = fit.high - half;
    return least < most ? std::clamp(at, least, most) : at;
  };
  const double x = inside(place.x + place.scale * static_cast<double>(seen.column_of(token)), figure.x.fit);
  const double y = inside(place.y + place.scale * static_cast<double>(seen.row_of(token)), figure.y.fit);
  for (const auto& [reach, colour] : {std::pair{half + gap, Role::inverse}, std::pair{half, role}}) {
    figure.boxes.push_back({around(x, reach), around(y, reach), {kTargetSlot, false}, colour});
  }
}

std::vector<Readout> patch_readouts(const PatchQuestion& question, const Text& text) {
  std::vector<Readout> readouts;
  const std::vector<Answer> answers = answers_of(question);
  if (answers.empty()) readouts.push_back(waiting_readout(question, text));
  for (std::size_t i = 0; i < std::min(answers.size(), kMaxTargetCards); ++i) {
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

CellPlace FrameTiles::place(std::size_t tile) const {
  if (!several()) return {};
  const Pitch pitch = pitch_of(*this);
  return {pitch.x * static_cast<double>(tile % across), pitch.y * static_cast<double>(tile / across), 1};
}

double FrameTiles::width() const {
  const auto columns = static_cast<double>(frames.front().columns);
  return several() ? columns + pitch_of(*this).x * static_cast<double>(across - 1) : columns;
}

double FrameTiles::height() const {
  const auto rows = static_cast<double>(frames.front().rows);
  if (!several()) return rows;
  const Pitch pitch = pitch_of(*this);
  const std::size_t tile_rows = (frames.size() + across - 1) / across;
  return rows + pitch.caption + pitch.y * static_cast<double>(tile_rows - 1);
}

std::optional<std::int64_t> FrameTiles::token_at(double x, double y) const {
  for (std::size_t i = 0; i < frames.size(); ++i) {
    const CellPlace at = place(i);
    if (const auto token = frames[i].token_at(x - at.x, y - at.y)) return token;
  }
  return std::nullopt;
}

std::optional<std::size_t> FrameTiles::tile_of(std::int64_t token) const {
  for (std::size_t i = 0; i < frames.size(); ++i) {
    if (frames[i].shows(token)) return i;
  }
  return std::nullopt;
}

FrameTiles frame_tiles(const TokenLayout& layout, std::size_t block, const std::vector<int>& frames) {
  FrameTiles tiles;
  tiles.all = layout.blocks[block].frames;
  for (const int frame : frames) tiles.frames.push_back(find_seen_block(layout, block, frame));
  if (tiles.frames.empty()) tiles.frames.push_back(find_seen_block(layout, block, 0));
  double best = HUGE_VAL;
  FrameTiles tried = tiles;
  for (tried.across = 1; tried.across <= tiles.frames.size(); ++tried.across) {
    const double off = std::abs(std::log(tried.width() / tried.height() / kShape));
    if (off >= best) continue;
    best = off;
    tiles.across = tried.across;
  }
  return tiles;
}

std::vector<int> shown_frames(int count, const std::vector<int>& wanted) {
  std::vector<int> frames;
  const int tiles = std::min(count, kMaxTiles);
  for (int i = 0; i < tiles; ++i) {
    frames.push_back(tiles == 1 ? 0
                                : static_cast<int>(std::lround(static_cast<double>(i) * (count - 1) / (tiles - 1))));
  }
  for (const int each : wanted) {
    const int frame = std::clamp(each, 0, count - 1);
    if (std::find(frames.begin(), frames.end(), frame) != frames.end()) continue;
    // Replaces the nearest selected frame between the ends, which stay.
    const auto away = [&](int other) {
      const bool kept = std::find(wanted.begin(), wanted.end(), other) != wanted.end();
      return std::abs(other - frame) + (kept ? count : 0);
    };
    const auto nearest =
        std::min_element(frames.begin() + 1, frames.end() - 1, [&away](int a, int b) { return away(a) < away(b); });
    *nearest = frame;
    std::sort(frames.begin(), frames.end());
  }
  return frames;
}

std::string add_frame_count(const std::string& title, const FrameTiles& tiles, const Text& text) {
  if (static_cast<int>(tiles.frames.size()) == tiles.all) return title;
  return text.format("view.layout.some_frames",
                     {{"title", title}, {"shown", counted(tiles.frames.size())}, {"frames", counted(tiles.all)}});
}

void add_captions(Figure& figure, const FrameTiles& tiles, std::int64_t token, const Text& text) {
  if (!tiles.several()) return;
  const Pitch pitch = pitch_of(tiles);
  const auto chosen = tiles.tile_of(token);
  for (std::size_t i = 0; i < tiles.frames.size(); ++i) {
    const SeenBlock& frame = tiles.frames[i];
    const CellPlace at = tiles.place(i);
    Label label = label_at(at.x + 0.5 * static_cast<double>(frame.columns) - 0.5,
                           at.y + static_cast<double>(frame.rows) - 0.5 + 0.5 * pitch.caption,
                           text.format("view.layout.frame_name", {{"frame", counted(frame.frame + 1)}}),
                           i == chosen ? Role::text : Role::secondary);
    label.semibold = i == chosen;
    figure.labels.push_back(label);
  }
}

void fit_tiles(Figure& figure, const FrameTiles& tiles) {
  if (!tiles.several()) return;
  figure.x.counted = figure.x.fit;
  figure.y.counted = figure.y.fit;
  figure.x.fit.high = tiles.width() - 0.5;
  figure.y.fit.high = tiles.height() - 0.5;
  figure.x.range = figure.x.fit;
  figure.y.range = figure.y.fit;
}

void add_tile_frame(Figure& figure, const FrameTiles& tiles, std::int64_t token, Role role) {
  const auto tile = tiles.tile_of(token);
  if (tile) add_patch_frame(figure, tiles.frames[*tile], token, role, tiles.place(*tile));
}

}  // namespace ropescope
