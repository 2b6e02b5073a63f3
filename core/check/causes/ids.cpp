// Causes among the positions themselves: swapped, centred, colliding, in another format. One block each: what it
// proposes, in which words. To add one, write its block and its name in the list of registry.cpp.
//
// Contents: Axes swapped; Centring; Collisions; Format of positions; Index of references; Start of
// text; Sections.

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/check/causes/cause.h"
#include "core/check/causes/sizes.h"
#include "core/check/evidence/positions.h"
#include "core/check/evidence/rows.h"
#include "core/check/model/model.h"
#include "core/words.h"

namespace ropescope {

// --- Axes swapped --------------------------------------------------------------------------------------------------

namespace {

std::size_t along(const CheckModel& model, Along wanted) {
  for (const TokenBlock& block : model.tokens.blocks) {
    for (std::size_t axis = 0; axis < block.ids.size(); ++axis) {
      if (block.ids[axis].along == wanted) return axis;
    }
  }
  return model.tokens.axes.size();
}

Proposal exchanged(const Situation& situation, std::size_t a, std::size_t b) {
  Proposal found = situation.proposal();
  const std::vector<LayoutAxis>& axes = situation.model.tokens.axes;
  found.parameters = {{"kind", named_value("columns")}};
  const Words::Named first("first", axes[a].name), second("second", axes[b].name);
  found.evidence = Words("check.axes-swapped.evidence", {first, second});
  found.advice = Words("check.axes-swapped.advice", {first, second});
  return found;
}

void exchange_columns(const Situation& situation, std::size_t a, std::size_t b, std::vector<Proposal>& proposals) {
  Proposal found = exchanged(situation, a, b);
  for (TokenBlock& block : found.model.tokens.blocks) std::swap(block.ids[a], block.ids[b]);
  proposals.push_back(std::move(found));
}

/// The pairs of the two axes, where they are equally many, take each other's ladders with their ids.
void exchange_pairs(const Situation& situation, std::size_t a, std::size_t b, std::vector<Proposal>& proposals) {
  const Eigen::MatrixXd& old = situation.model.tokens.frequencies;
  const auto row_a = static_cast<Eigen::Index>(a), row_b = static_cast<Eigen::Index>(b);
  std::vector<Eigen::Index> of_a, of_b;
  for (Eigen::Index pair = 0; pair < old.cols(); ++pair) {
    if (old(row_a, pair) != 0 && old(row_b, pair) != 0) return;
    if (old(row_a, pair) != 0) of_a.push_back(pair);
    if (old(row_b, pair) != 0) of_b.push_back(pair);
  }
  if (of_a.size() != of_b.size()) return;
  Proposal found = exchanged(situation, a, b);
  Eigen::MatrixXd& frequencies = found.model.tokens.frequencies;
  for (std::size_t i = 0; i < of_a.size(); ++i) {
    frequencies(row_a, of_a[i]) = frequencies(row_b, of_b[i]) = 0;
    frequencies(row_b, of_a[i]) = old(row_b, of_b[i]);
    frequencies(row_a, of_b[i]) = old(row_a, of_a[i]);
  }
  proposals.push_back(std::move(found));
}

/// The tokens laid out as if the sides of the image, or of all images, were exchanged.
void exchange_sides(const Situation& situation, bool references, std::vector<Proposal>& proposals) {
  const CheckReference& reference = situation.reference;
  if (reference.layout == nullptr || !reference.request.image) return;
  LayoutRequest request = reference.request;
  const auto turn = [](ImageSize& size) { std::swap(size.rows, size.columns); };
  turn(*request.image);
  if (references) std::for_each(request.references.begin(), request.references.end(), turn);
  Proposal found = situation.proposal();
  auto turned = arranged(situation, request);
  if (!turned || turned->row_count() != situation.model.tokens.row_count()) return;
  found.model.tokens.blocks = std::move(turned->blocks);
  found.parameters = {{"kind", named_value("height-width")}};
  found.evidence = Words("check.axes-swapped.evidence_sides");
  found.advice = Words("check.axes-swapped.advice_sides");
  proposals.push_back(std::move(found));
}

void propose_axes_swapped(const Situation& situation, std::vector<Proposal>& proposals) {
  const std::size_t axes = situation.model.tokens.axes.size();
  if (axes < 2 || situation.model.own_ids) return;
  const std::size_t row = along(situation.model, Along::row), column = along(situation.model, Along::column);
  if (row < axes && column < axes) {
    exchange_columns(situation, row, column, proposals);
    exchange_pairs(situation, row, column, proposals);
  }
  exchange_sides(situation, false, proposals);
  if (!situation.reference.request.references.empty()) exchange_sides(situation, true, proposals);
  for (std::size_t a = 0; a < axes; ++a) {
    for (std::size_t b = a + 1; b < axes; ++b) {
      if ((a == row && b == column) || (a == column && b == row)) continue;
      exchange_columns(situation, a, b, proposals);
      exchange_pairs(situation, a, b, proposals);
    }
  }
}

}  // namespace

/// Rows and columns exchanged: the two columns of ids, or the sides of the grid (invisible on a square one).
constinit const Cause kAxesSwapped{.name = "axes-swapped",
                                   .group = CauseGroup::ids,
                                   .seen_in = "huggingface/pytorch-image-models#2541",
                                   .propose = propose_axes_swapped};

// --- Centring ------------------------------------------------------------------------------------------------------

namespace {

/// Whether a shift lies between two ways of placing 0 on a side: at its first token, below or above its middle, in it.
bool is_of_centring(double shift, double side) {
  const std::array<double, 4> zeros = {0, std::floor(side / 2), std::ceil(side / 2), (side - 1) / 2};
  for (const double a : zeros) {
    for (const double b : zeros) {
      if (a - b == shift) return true;
    }
  }
  return false;
}

/// From one id of a side to the next; 0 where there is one only.
double step_of_centring(const AxisIds& ids, std::int64_t count) {
  return count > 1 ? (ids.at(count - 1) - ids.at(0)) / static_cast<double>(count - 1) : 0;
}

bool is_grid_axis(const AxisIds& ids) {
  return ids.along == Along::row || ids.along == Along::column;
}

/// Whether the model's own ids stand on both sides of 0.
bool is_centred(const TokenBlock& block) {
  return std::any_of(block.ids.begin(), block.ids.end(), [&](const AxisIds& ids) {
    return is_grid_axis(ids) && ids.at(0) < 0 && ids.at(block.count(ids.along) - 1) >= 0;
  });
}

/// A shift of an axis as a difference of two centrings, in units of the steps between its ids; none: it is no such one.
std::optional<double> centring_shift(const TokenBlock& block, std::size_t axis, double shift) {
  const AxisIds& ids = block.ids[axis];
  if (shift == 0) return 0.0;
  const std::int64_t side = block.count(ids.along);
  const double step = step_of_centring(ids, side);
  if (!is_grid_axis(ids) || step == 0) return std::nullopt;
  // Where ids are fractions the shift was recovered with an error.
  const double halves = std::nearbyint(2 * shift / step), reach = step == std::floor(step) ? 1e-9 : 1e-3;
  if (std::abs(2 * shift / step - halves) > reach || !is_of_centring(halves / 2, static_cast<double>(side))) {
    return std::nullopt;
  }
  return halves / 2 * step;
}

}  // namespace

std::optional<BlockShifts> centring_shifts(const CheckModel& model, const BlockShifts& shifts) {
  const std::vector<TokenBlock>& blocks = model.tokens.blocks;
  BlockShifts found = shifts;
  bool centred = false, image = false;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    const bool of_image = blocks[i].part == "image";
    if (!of_image && !is_reference(blocks[i])) {
      std::fill(found[i].begin(), found[i].end(), 0.0);
      continue;
    }
    centred = centred || is_centred(blocks[i]);
    for (std::size_t axis = 0; axis < shifts[i].size(); ++axis) {
      const auto shift = centring_shift(blocks[i], axis, shifts[i][axis]);
      if (!shift) return std::nullopt;
      found[i][axis] = *shift;
    }
    image = image || (of_image && is_shifted(found[i]));
  }
  if (!centred || !image) return std::nullopt;
  return found;
}

Proposal centred_otherwise(const Situation& situation, const BlockShifts& shifts) {
  const std::vector<TokenBlock>& blocks = situation.model.tokens.blocks;
  std::vector<double> of_image, due, start;
  bool from_zero = true, rounded = true;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    if (blocks[i].part != "image" || !is_shifted(shifts[i])) continue;
    of_image = shifts[i];
    due.clear(), start.clear();
    for (std::size_t axis = 0; axis < of_image.size(); ++axis) {
      const AxisIds& ids = blocks[i].ids[axis];
      const std::int64_t side = blocks[i].count(ids.along);
      due.push_back(ids.at(0)), start.push_back(ids.at(0) + of_image[axis]);
      if (of_image[axis] == 0) continue;
      const double step = step_of_centring(ids, side);
      from_zero = from_zero && std::abs(start.back()) < 1e-3 * step;
      rounded = rounded && side % 2 == 1 && std::abs(of_image[axis]) == step;
    }
  }
  Proposal found = situation.proposal();
  shift_blocks(found.model, shifts);
  found.parameters = {{"offset", of_image}};
  found.evidence = Words(from_zero ? "check.centring.evidence_from_zero"
                         : rounded ? "check.centring.evidence_rounded"
                                   : "check.centring.evidence",
                         {{"offset", list_text(of_image)}, {"start", list_text(start)}});
  found.advice = Words("check.centring.advice", {{"due", list_text(due)}});
  return found;
}

namespace {

/// Coordinates from 0 to 1 taken as they are where the model stretches them to −1 … 1 (LTX).
CheckModel not_stretched(const CheckModel& of) {
  CheckModel model = of;
  for (LayoutAxis& axis : model.tokens.axes) {
    if (axis.id_offset != 0) axis.id_scale = 1, axis.id_offset = 0;
  }
  return model;
}

void propose_not_stretched(const Situation& situation, std::vector<Proposal>& proposals) {
  const std::vector<LayoutAxis>& axes = situation.model.tokens.axes;
  if (std::all_of(axes.begin(), axes.end(), [](const LayoutAxis& axis) { return axis.id_offset == 0; })) return;
  Proposal found = situation.proposal();
  found.model = not_stretched(situation.model);
  found.again = not_stretched;
  found.parameters = {{"kind", named_value("not-stretched")}};
  found.evidence = Words("check.centring.evidence_not_stretched");
  found.advice = Words("check.centring.advice_not_stretched");
  proposals.push_back(std::move(found));
}

void propose_centring(const Situation& situation, std::vector<Proposal>& proposals) {
  if (situation.evidence.has_rotation()) propose_not_stretched(situation, proposals);
  const std::vector<TokenBlock>& blocks = situation.model.tokens.blocks;
  const BlockShifts& shifts = situation.shifts();
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    const bool grid = is_grid(blocks[i]);
    if (!grid && is_shifted(shifts[i])) return;
  }
  if (const auto found = centring_shifts(situation.model, shifts)) {
    proposals.push_back(centred_otherwise(situation, *found));
  }
}

}  // namespace

/// The grid is centred, half-centred or not, against the model's rule (seen with odd grids of Qwen-Image).
constinit const Cause kCentring{.name = "centring",
                                .group = CauseGroup::ids,
                                .seen_in = "leejet/stable-diffusion.cpp",
                                .by_shifts = true,
                                .propose = propose_centring};

// --- Collisions ----------------------------------------------------------------------------------------------------

namespace {

/// Part of the numbers that have to be right: where most are others something else is wrong.
constexpr double kMostlyRight = 0.4;

RowMatrixXd ids_of_model(const CheckModel& model) {
  const RowEvaluator evaluator(model);
  RowMatrixXd ids(static_cast<Eigen::Index>(model.row_count), evaluator.axes());
  for (Eigen::Index row = 0; row < ids.rows(); ++row) evaluator.ids(row, ids.row(row).data());
  return ids;
}

/// The ids of all rows, read off or recovered from the angles of those that are not the model's; null where that is not
/// possible.
std::shared_ptr<RowMatrixXd> found_ids(const Situation& situation, const RowMatrixXd& due) {
  const Evidence& evidence = situation.evidence;
  const CheckTensors& tensors = *evidence.tensors;
  auto ids = std::make_shared<RowMatrixXd>(due);
  if (tensors.ids) {
    read_rows(*tensors.ids, 0, tensors.rows, ids->data());
    return ids;
  }
  if (share_reproduced(situation.model, evidence) < kMostlyRight) return nullptr;
  const bool all_are_looked_at = static_cast<std::int64_t>(evidence.rows.size()) == tensors.rows;
  if (!all_are_looked_at) evidence.spend(tensors.rows * situation.model.tokens.pair_count());
  if (evidence.is_spent()) return nullptr;
  std::vector<std::int64_t> wrong =
      all_are_looked_at ? wrong_rows(situation.model, evidence) : all_wrong_rows(situation.model, evidence);
  if (wrong.empty() || 2 * static_cast<std::int64_t>(wrong.size()) > tensors.rows) return nullptr;
  const Evidence there = at_rows(evidence, std::move(wrong));
  ObservedCache cache(there);
  return recover_ids(Situation(situation.reference, situation.model, there, cache), *ids) ? ids : nullptr;
}

/// Part of the rows whose ids are those of the reference.
double share_kept(const RowMatrixXd& due, const RowMatrixXd& ids) {
  const auto kept = (due.array() == ids.array()).rowwise().all().count();
  return ids.rows() > 0 ? static_cast<double>(kept) / static_cast<double>(ids.rows()) : 0;
}

using TwoRows = std::pair<std::int64_t, std::int64_t>;

/// The first token that shares its id with one before it although the reference keeps them apart, among those asked
/// for: both rows.
template <class Asked>
std::optional<TwoRows> shared_id(const RowMatrixXd& due, const RowMatrixXd& ids, const Asked& asked) {
  std::vector<Eigen::Index> rows;
  for (Eigen::Index row = 0; row < ids.rows(); ++row) {
    if (asked(row)) rows.push_back(row);
  }
  const auto before = [&](Eigen::Index a, Eigen::Index b) {
    return std::lexicographical_compare(ids.row(a).begin(), ids.row(a).end(), ids.row(b).begin(), ids.row(b).end());
  };
  std::stable_sort(rows.begin(), rows.end(), before);
  std::optional<TwoRows> found;
  for (std::size_t first = 0, i = 0; i < rows.size(); ++i) {
    if (ids.row(rows[i]) != ids.row(rows[first])) first = i;
    const bool apart = due.row(rows[i]) != due.row(rows[first]);
    if (apart && (!found || rows[i] < found->second)) found = TwoRows(rows[first], rows[i]);
  }
  return found;
}

/// How the ids of one axis came to be shared: from some id on they are all the same, or begin again.
struct Stop {
  std::size_t axis = 0;
  bool begins_again = false;
  double at = 0;  ///< the last id, or how many there are
};

/// None where the rows asked for have other ids than such ones.
template <class Asked>
std::optional<Stop> stop_of(const RowMatrixXd& due, const RowMatrixXd& ids, const Asked& asked) {
  std::optional<Stop> found;
  for (Eigen::Index axis = 0; axis < ids.cols(); ++axis) {
    if (ids.col(axis) == due.col(axis)) continue;
    if (found) return std::nullopt;
    double first = 0, last = 0, wrong = std::numeric_limits<double>::infinity();
    bool some = false;
    for (Eigen::Index row = 0; row < ids.rows(); ++row) {
      if (!asked(row)) continue;
      first = some ? std::min(first, due(row, axis)) : due(row, axis);
      last = some ? std::max(last, ids(row, axis)) : ids(row, axis);
      if (ids(row, axis) != due(row, axis)) wrong = std::min(wrong, due(row, axis));
      some = true;
    }
    const double count = wrong - first;
    bool stops = true, begins_again = true;
    for (Eigen::Index row = 0; row < ids.rows(); ++row) {
      const double id = ids(row, axis), own = due(row, axis);
      stops = stops && id == (asked(row) ? std::min(own, last) : own);
      begins_again = begins_again && id == (asked(row) ? first + std::fmod(own - first, count) : own);
    }
    if (!stops && !begins_again) return std::nullopt;
    found = Stop{static_cast<std::size_t>(axis), !stops, stops ? last : count};
  }
  return found;
}

void propose_collision(const Situation& situation, std::vector<Proposal>& proposals) {
  if (!situation.evidence.has_rotation() && !situation.evidence.has_ids()) return;
  const CheckModel& model = situation.model;
  if (situation.evidence.tensors->rows != model.row_count) return;
  const RowMatrixXd due = ids_of_model(model);
  const auto ids = found_ids(situation, due);
  if (!ids || share_kept(due, *ids) < 0.5) return;
  const auto block_of = [&](std::int64_t row) -> const TokenBlock& {
    return model.tokens.blocks[place_in(model, row).block];
  };
  const auto of_image = [&](Eigen::Index row) { return is_grid(block_of(row)); };
  const auto shared = shared_id(due, *ids, of_image);
  if (!shared) return;
  Proposal found = situation.proposal();
  found.model.own_ids = ids;
  found.model.slack = 0.5;
  const std::string &first = block_of(shared->first).part, &second = block_of(shared->second).part;
  const std::vector<double> id(ids->row(shared->first).begin(), ids->row(shared->first).end());
  found.parameters = {
      {"rows", std::vector<double>{static_cast<double>(shared->first), static_cast<double>(shared->second)}},
      {"id", id}};
  const std::int64_t first_token = place_in(model, shared->first).token, token = place_in(model, shared->second).token;
  found.evidence =
      Words("check.collision.evidence", {{"first", first_token}, {"second", token}, {"id", list_text(id)}});
  if (first == second) {
    found.evidence.key = "check.collision.evidence_part";
    found.evidence.values.emplace_back("part", part_words(first));
  }
  found.advice = Words("check.collision.advice");
  if (const auto stop = stop_of(due, *ids, of_image)) {
    const Words axis = as_it_is(model.tokens.axes[stop->axis].name);
    found.parameters.push_back({"kind", named_value(stop->begins_again ? "wrapped" : "clamped")});
    found.parameters.push_back({"axis", axis});
    Words course(stop->begins_again ? "check.collision.evidence_wrapped" : "check.collision.evidence_clamped",
                 {{"axis", axis}, {"at", stop->at}});
    found.evidence = sentences(std::move(found.evidence), std::move(course));
    found.advice = Words("check.collision.advice_axis", {{"axis", axis}});
  }
  proposals.push_back(std::move(found));
}

}  // namespace

/// Two image tokens share an id; named only where nothing else explains it.
constinit const Cause kCollision{
    .name = "collision", .group = CauseGroup::ids, .seen_in = "", .propose = propose_collision};

// --- Format of positions -------------------------------------------------------------------------------------------

namespace {

void add_position_format(const Situation& situation, ShortFormat format, bool frequencies, bool angles,
                         std::vector<Proposal>& proposals) {
  Proposal found = situation.proposal();
  found.model.id_format = format;
  if (frequencies) found.model.frequency_format = format;
  if (angles) found.model.angle_format = format;
  const std::string name(format_name(format));
  found.parameters = {{"format", as_it_is(name)}};
  const char* key = angles        ? "check.position-format.evidence_angles"
                    : frequencies ? "check.position-format.evidence_frequencies"
                                  : "check.position-format.evidence";
  found.evidence = Words(key, {{"format", name}, {"from", format == ShortFormat::bfloat16 ? 256 : 2048}});
  found.advice = Words("check.position-format.advice");
  proposals.push_back(std::move(found));
}

/// Whether a format has numbers as large as the ids: beyond 65 504 float16 has infinity only, and no tables come of it.
bool reaches_ids(const Situation& situation, ShortFormat format) {
  const RowEvaluator evaluator(situation.model);
  std::vector<double> ids(static_cast<std::size_t>(evaluator.axes()));
  for (const std::int64_t row : situation.evidence.rows) {
    evaluator.ids(row, ids.data());
    for (const double id : ids) {
      if (!std::isfinite(rounded_to(format, id))) return false;
    }
  }
  return true;
}

void propose_position_format(const Situation& situation, std::vector<Proposal>& proposals) {
  if (!situation.evidence.has_rotation() && !situation.evidence.has_ids()) return;
  std::vector<ShortFormat> formats = {ShortFormat::bfloat16, ShortFormat::float16};
  std::erase_if(formats, [&](ShortFormat format) { return !reaches_ids(situation, format); });
  for (const ShortFormat format : formats) add_position_format(situation, format, false, false, proposals);
  if (!situation.evidence.has_rotation()) return;
  for (const bool angles : {false, true}) {
    for (const ShortFormat format : formats) add_position_format(situation, format, true, angles, proposals);
  }
}

}  // namespace

/// Ids rounded by a short format: repeats and steps.
constinit const Cause kPositionFormat{.name = "position-format",
                                      .group = CauseGroup::values,
                                      .seen_in = "huggingface/candle#3520, NVIDIA/Megatron-LM#535",
                                      .propose = propose_position_format};

// --- Index of references -------------------------------------------------------------------------------------------

namespace {

/// The first ids of each reference image, all axes: (1, 0, 0), (2, 0, 0).
Words::List starts_in(const CheckModel& model) {
  Words::List starts;
  for (const TokenBlock& block : model.tokens.blocks) {
    if (!is_reference(block) || !is_looked_at(model, block)) continue;
    std::vector<double> first;
    for (const AxisIds& ids : block.ids) first.push_back(ids.at(0));
    starts.push_back(as_it_is(list_text(first)));
  }
  return starts;
}

void propose_reference_index(const Situation& situation, std::vector<Proposal>& proposals) {
  const std::vector<TokenBlock>& blocks = situation.model.tokens.blocks;
  const BlockShifts& shifts = situation.shifts();
  bool some = false;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    if (!is_shifted(shifts[i])) continue;
    if (!is_reference(blocks[i])) return;
    some = true;
  }
  if (!some) return;
  Proposal found = situation.proposal();
  shift_blocks(found.model, shifts);
  const auto indices_of = [](const CheckModel& model) {
    std::vector<double> indices;
    for (const TokenBlock& block : model.tokens.blocks) {
      if (is_reference(block) && is_looked_at(model, block)) indices.push_back(block.ids[0].at(0));
    }
    return indices;
  };
  const std::vector<double> indices = indices_of(found.model), due = indices_of(situation.model);
  found.parameters = {{"indices", indices}};
  const bool by_index = indices != due;
  const auto of = [&](const CheckModel& model) {
    return by_index ? Words::List{as_it_is(list_text(indices_of(model)))} : starts_in(model);
  };
  const Words::Named wanted("due", of(situation.model));
  found.evidence = Words(by_index ? "check.reference-index.evidence" : "check.reference-index.evidence_starts",
                         {{"found", of(found.model)}, wanted});
  found.advice = Words(by_index ? "check.reference-index.advice" : "check.reference-index.advice_starts", {wanted});
  proposals.push_back(std::move(found));
}

}  // namespace

/// Reference images on another index.
constinit const Cause kReferenceIndex{.name = "reference-index",
                                      .group = CauseGroup::ids,
                                      .seen_in = "huggingface/diffusers#13811",
                                      .by_shifts = true,
                                      .propose = propose_reference_index};

// --- Start of text -------------------------------------------------------------------------------------------------

namespace {

bool has_text_and_more(const CheckModel& model) {
  bool text = false, more = false;
  for (const TokenBlock& block : model.tokens.blocks) {
    if (!is_looked_at(model, block)) continue;
    (block.part == "text" ? text : more) = true;
  }
  return text && more;
}

/// Where the ids of a text begin: one number where all running axes agree, else one for each axis.
std::variant<double, std::vector<double>, Words> start_of(const TokenBlock& block) {
  std::vector<double> all, running;
  for (const AxisIds& ids : block.ids) {
    all.push_back(ids.at(0));
    if (ids.along == Along::token) running.push_back(ids.at(0));
  }
  const std::vector<double>& telling = running.empty() ? all : running;
  const bool same = std::all_of(telling.begin(), telling.end(), [&](double start) { return start == telling[0]; });
  if (same) return telling[0];
  return all;
}

std::string text_of(const std::variant<double, std::vector<double>, Words>& start) {
  const double* number = std::get_if<double>(&start);
  return number != nullptr ? number_for_people(*number) : list_text(std::get<std::vector<double>>(start));
}

/// A text whose ids differ, and what it is called.
struct MovedText {
  const TokenBlock *there, *due;
  Words name;
};

bool starts_alike(const TokenBlock& a, const TokenBlock& b) {
  return std::equal(a.ids.begin(), a.ids.end(), b.ids.begin(), [](const AxisIds& of_a, const AxisIds& of_b) {
    return of_a.along == of_b.along && of_a.at(0) == of_b.at(0);
  });
}

/// The texts that start elsewhere or run on other axes; of several texts it is said which ones.
std::vector<MovedText> moved_texts(const CheckModel& model, const CheckModel& reference) {
  const std::vector<TokenBlock>&there = model.tokens.blocks, &due = reference.tokens.blocks;
  std::vector<MovedText> moved;
  Words name("check.text-start.text");
  for (std::size_t i = 0; i < std::min(there.size(), due.size()); ++i) {
    if (!is_looked_at(reference, due[i])) continue;
    if (due[i].part != "text") {
      name = is_reference(due[i]) ? Words("check.text-start.text_after_reference")
                                  : Words("check.text-start.text_after", {{"part", part_words(due[i].part)}});
      continue;
    }
    if (!starts_alike(there[i], due[i])) moved.push_back({&there[i], &due[i], name});
  }
  return moved;
}

/// Axes that a text runs on: as a parameter ("row", "all", "none"), and in words; no name: those of the model.
struct RunningAxes {
  Words name, words;
};

RunningAxes running_axes(const CheckModel& model, const std::vector<bool>& axes) {
  const auto running = static_cast<std::size_t>(std::count(axes.begin(), axes.end(), true));
  if (running == 0) return {named_value("none"), Words("check.text-start.no_axis")};
  if (running == axes.size()) return {named_value("all"), Words("check.text-start.all_axes")};
  Words::List listed;
  for (std::size_t axis = 0; axis < axes.size(); ++axis) {
    if (!axes[axis]) continue;
    listed.push_back(as_it_is(model.tokens.axes[axis].name));
  }
  const Words names = list_of(std::move(listed));
  return {names, Words("check.text-start.axes", {{"axes", names}, {"count", running}})};
}

/// Those of one text.
RunningAxes running_axes(const CheckModel& model, const TokenBlock& text) {
  std::vector<bool> axes;
  for (const AxisIds& ids : text.ids) axes.push_back(ids.along == Along::token || ids.along == Along::column);
  return running_axes(model, axes);
}

Proposal text_as_in(const Situation& situation, const CheckModel& model, const RunningAxes& axes) {
  Proposal found = situation.proposal();
  found.model = model;
  for (const MovedText& moved : moved_texts(model, situation.model)) {
    const auto start = start_of(*moved.there);
    const Words running = running_axes(situation.model, *moved.due).words;
    const Words::Named text("text", moved.name), due("due", text_of(start_of(*moved.due))),
        due_axes("due_axes", running);
    const bool still = running.key == "check.text-start.no_axis";
    Words evidence(axes.name.empty() ? "check.text-start.evidence" : "check.text-start.evidence_axis",
                   {text, {"start", text_of(start)}, {"axes", axes.words}, due, due_axes});
    Words advice(still ? "check.text-start.advice_still" : "check.text-start.advice", {text, due, due_axes});
    const bool first = found.parameters.empty();
    if (first) found.parameters = {{"start", start}};
    found.evidence = first ? std::move(evidence) : sentences(std::move(found.evidence), std::move(evidence));
    found.advice = first ? std::move(advice) : sentences(std::move(found.advice), std::move(advice));
  }
  if (!axes.name.empty()) found.parameters.push_back({"axis", axes.name});
  return found;
}

/// The texts shifted by what the evidence says; false where something else is shifted too.
bool shift_texts(const Situation& situation, CheckModel& model, bool only_texts) {
  const Situation now = situation.about(model);
  BlockShifts shifts = now.shifts();
  for (std::size_t i = 0; i < shifts.size(); ++i) {
    const bool text = model.tokens.blocks[i].part == "text";
    if (!text && is_shifted(shifts[i]) && only_texts) return false;
    if (!text) std::fill(shifts[i].begin(), shifts[i].end(), 0.0);
  }
  shift_blocks(model, shifts);
  return true;
}

/// The texts counting on the axes given, all others at 0.
CheckModel running_on(const CheckModel& model, const std::vector<bool>& axes) {
  CheckModel other = model;
  for (TokenBlock& block : other.tokens.blocks) {
    if (block.part != "text") continue;
    for (std::size_t axis = 0; axis < axes.size(); ++axis) {
      block.ids[axis] = AxisIds{axes[axis] ? Along::token : Along::none, 0, {}};
    }
  }
  return other;
}

/// Axes that a text could run on: one, all, none, or all but one.
std::vector<std::vector<bool>> likely_axes(std::size_t count) {
  std::vector<std::vector<bool>> likely;
  for (std::size_t axis = 0; axis < count; ++axis) likely.emplace_back(count, false)[axis] = true;
  likely.emplace_back(count, true);
  likely.emplace_back(count, false);
  for (std::size_t axis = 0; axis < count && count > 2; ++axis) likely.emplace_back(count, true)[axis] = false;
  return likely;
}

void propose_text_start(const Situation& situation, std::vector<Proposal>& proposals) {
  const CheckModel& model = situation.model;
  if (!has_text_and_more(model) || model.own_ids) return;
  CheckModel shifted = model;
  if (!shift_texts(situation, shifted, true)) return;
  proposals.push_back(text_as_in(situation, shifted, {}));
  const std::size_t count = model.tokens.axes.size();
  for (const std::vector<bool>& axes : likely_axes(count)) {
    CheckModel other = running_on(model, axes);
    if (!shift_texts(situation, other, false)) continue;
    proposals.push_back(text_as_in(situation, other, running_axes(model, axes)));
  }
}

}  // namespace

Proposal text_started_at(const Situation& situation, const BlockShifts& shifts) {
  CheckModel model = situation.model;
  shift_blocks(model, shifts);
  return text_as_in(situation, model, {});
}

/// The ids of the text start elsewhere or run on another axis.
constinit const Cause kTextStart{.name = "text-start",
                                 .group = CauseGroup::ids,
                                 .seen_in = "huggingface/diffusers#13574",
                                 .by_shifts = true,
                                 .propose = propose_text_start};

// --- Sections ------------------------------------------------------------------------------------------------------

namespace {

/// Which of t, row and column turns each pair, dealt by turns or in contiguous sections (theory: M-RoPE).
std::vector<Eigen::Index> owners_of_section_layout(const std::vector<int>& sections, Eigen::Index pairs,
                                                   bool by_turns) {
  std::vector<Eigen::Index> owners;
  for (Eigen::Index pair = 0; pair < pairs; ++pair) {
    if (by_turns) {
      const auto turn = pair % 3;
      owners.push_back(turn != 0 && pair < 3 * sections[static_cast<std::size_t>(turn)] ? turn : 0);
    } else {
      owners.push_back(pair < sections[0] ? 0 : pair < sections[0] + sections[1] ? 1 : 2);
    }
  }
  return owners;
}

void propose_section_layout(const Situation& situation, std::vector<Proposal>& proposals) {
  const Layout* layout = situation.reference.layout;
  if (layout == nullptr || !takes(*layout, "sections") || situation.model.tokens.axes.size() != 3) return;
  std::vector<int> sections = situation.reference.request.sections;
  if (sections.empty()) {
    for (const AxisDefault& axis : layout->axes) sections.push_back(axis.rotary_dim / 2);
  }
  const Eigen::MatrixXd& old = situation.model.tokens.frequencies;
  for (const bool by_turns : {false, true}) {
    Proposal found = situation.proposal();
    Eigen::MatrixXd& frequencies = found.model.tokens.frequencies;
    frequencies.setZero();
    const std::vector<Eigen::Index> owners = owners_of_section_layout(sections, old.cols(), by_turns);
    for (Eigen::Index pair = 0; pair < old.cols(); ++pair) {
      frequencies(owners[static_cast<std::size_t>(pair)], pair) = old.col(pair).sum();
    }
    if (frequencies == old) continue;
    found.parameters = {{"kind", by_turns ? Words("check.value.section.interleaved") : named_value("contiguous")}};
    found.evidence =
        Words(by_turns ? "check.section-layout.evidence_by_turns" : "check.section-layout.evidence_contiguous");
    found.advice = Words(by_turns ? "check.section-layout.advice_contiguous" : "check.section-layout.advice_by_turns");
    proposals.push_back(std::move(found));
  }
}

}  // namespace

/// M-RoPE's sections contiguous where they are interleaved, or the reverse.
constinit const Cause kSectionLayout{.name = "section-layout",
                                     .group = CauseGroup::channels,
                                     .seen_in = "alibaba/MNN#4133",
                                     .propose = propose_section_layout};

}  // namespace ropescope
