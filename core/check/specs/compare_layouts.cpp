#include "core/check/specs/compare_layouts.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "core/check/phrases.h"
#include "core/layouts/similarity.h"
#include "core/layouts/tables.h"

namespace ropescope {

namespace {

constexpr int kCompareLayoutsRows = 24, kColumns = 40, kLayoutText = 16, kLayoutFrames = 3;

struct Arranged {
  TokenLayout a, b;
  ScoreChange change;
};

TokenLayout compare_layouts_arranged(const FixedLayout& of, bool text, bool frames) {
  LayoutRequest request = of.request;
  request.image = ImageSize::tokens(kCompareLayoutsRows, kColumns);
  if (text) request.text = kLayoutText;
  if (frames) request.frames = kLayoutFrames;
  return arrange(*of.layout, request);
}

const TokenBlock& block_of_compare_layouts(const TokenLayout& tokens, std::string_view part) {
  const auto found =
      std::find_if(tokens.blocks.begin(), tokens.blocks.end(), [&](const TokenBlock& one) { return one.part == part; });
  return found == tokens.blocks.end() ? tokens.blocks.front() : *found;
}

bool has_block(const TokenLayout& tokens, std::string_view part) {
  return std::any_of(tokens.blocks.begin(), tokens.blocks.end(),
                     [&](const TokenBlock& one) { return one.part == part; });
}

/// What turns the tokens of a part: ids times scale plus offset, [tokens × axes].
Eigen::MatrixXd positions_of(const TokenLayout& tokens, std::string_view part) {
  const TokenBlock& block = block_of_compare_layouts(tokens, part);
  Eigen::MatrixXd positions = id_rows(tokens, block.first_row, block.count());
  for (std::size_t i = 0; i < tokens.axes.size(); ++i) {
    auto column = positions.col(static_cast<Eigen::Index>(i));
    column = column.array() * tokens.axes[i].id_scale + tokens.axes[i].id_offset;
  }
  return positions;
}

void note_compare_layouts(ScoreChange& change, double size, double distance) {
  if (size > change.largest) {
    change.largest = size;
    change.at = distance;
  }
  if (size > kNoticedChange && (!change.first || distance < *change.first)) change.first = distance;
}

ScoreChange change_between(const TokenLayout& a, const TokenLayout& b) {
  ScoreChange change;
  const std::int64_t from_a = block_of_compare_layouts(a, "image").first_row,
                     from_b = block_of_compare_layouts(b, "image").first_row;
  const Eigen::VectorXd before = similarity_from(LayoutTables(a), from_a).total;
  const Eigen::VectorXd after = similarity_from(LayoutTables(b), from_b).total;
  for (const char* part : {"image", "text"}) {
    if (!has_block(a, part) || !has_block(b, part)) continue;
    const TokenBlock &of_a = block_of_compare_layouts(a, part), &of_b = block_of_compare_layouts(b, part);
    for (std::int64_t i = 0; i < std::min(of_a.count(), of_b.count()); ++i) {
      const TokenPlace place = place_of(a, of_a.first_row + i);
      const double distance = static_cast<double>(std::max<std::int64_t>(place.row, place.column));
      note_compare_layouts(change, std::abs(after[of_b.first_row + i] - before[of_a.first_row + i]), distance);
    }
  }
  return change;
}

using Differences = std::vector<SpecDifference>;

void add_compare_layouts(Differences& found, const char* cause, const char* key, const Arranged& of,
                         const std::string& a, const std::string& b) {
  found.push_back({cause, Words(key, {{"a", a}, {"b", b}}), as_it_is(a), as_it_is(b), false, of.change});
}

std::string compare_layouts_plain_name(const std::string& name) {
  return name == "y" ? "row" : name == "x" ? "column" : name;
}

std::string compare_layouts_axes_text(const TokenLayout& tokens) {
  std::string text;
  for (const LayoutAxis& axis : tokens.axes) {
    text += (text.empty() ? "" : ", ") + compare_layouts_plain_name(axis.name) + " " + std::to_string(axis.rotary_dim);
  }
  return text;
}

std::string bases_text(const TokenLayout& tokens) {
  std::vector<double> bases;
  for (const LayoutAxis& axis : tokens.axes) bases.push_back(axis.base);
  return list_text(bases);
}

bool near(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b) {
  constexpr double kSame = 1e-9;
  return a.rows() == b.rows() && a.cols() == b.cols() && (a - b).cwiseAbs().maxCoeff() <= kSame;
}

/// One ladder dealt to other axes, or another ladder.
void add_ladders(const Arranged& of, Differences& found) {
  const TokenLayout &a = of.a, &b = of.b;
  if (near(a.frequencies, b.frequencies)) return;
  const bool dealt = a.frequencies.cols() == b.frequencies.cols() &&
                     near(a.frequencies.colwise().sum(), b.frequencies.colwise().sum());
  add_compare_layouts(found, dealt ? "section-layout" : "frequency-ladder",
                      dealt ? "compare.sections" : "compare.layout_ladder", of, a.name, b.name);
}

/// What made ids of ids: a shift of the image, a factor, or something else.
const char* cause_of_ids(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b) {
  if (a.rows() != b.rows() || a.cols() != b.cols()) return "unknown";
  const Eigen::MatrixXd shift = (b - a).rowwise() - (b - a).row(0);
  if (shift.cwiseAbs().maxCoeff() == 0) return "centring";
  for (Eigen::Index axis = 0; axis < a.cols(); ++axis) {
    const double reach_a = a.col(axis).maxCoeff() - a.col(axis).minCoeff();
    const double reach_b = b.col(axis).maxCoeff() - b.col(axis).minCoeff();
    if ((reach_a == 0) != (reach_b == 0)) return "unknown";
  }
  return "position-scale";
}

void add_ids(const Arranged& of, Differences& found) {
  const Eigen::MatrixXd a = positions_of(of.a, "image"), b = positions_of(of.b, "image");
  if (!near(a, b)) add_compare_layouts(found, cause_of_ids(a, b), "compare.ids", of, of.a.name, of.b.name);
  if (!has_block(of.a, "text") || !has_block(of.b, "text")) return;
  if (!near(positions_of(of.a, "text"), positions_of(of.b, "text"))) {
    add_compare_layouts(found, "text-start", "compare.text_ids", of, of.a.name, of.b.name);
  }
}

void add_patches(const FixedLayout& a, const FixedLayout& b, Differences& found) {
  const int of_a = pixels_per_token(*a.layout, a.request), of_b = pixels_per_token(*b.layout, b.request);
  if (of_a == of_b) return;
  found.push_back({"",
                   Words("compare.pixels", {{"a", of_a}, {"b", of_b}}),
                   static_cast<double>(of_a),
                   static_cast<double>(of_b),
                   true,
                   {}});
}

const char* pairing_name(const TokenLayout& tokens) {
  return tokens.pairing == Pairing::interleaved ? "interleaved" : "half-split";
}

}  // namespace

Differences compare_layouts(const FixedLayout& a, const FixedLayout& b) {
  const auto both = [&](std::string_view setting) { return takes(*a.layout, setting) && takes(*b.layout, setting); };
  Arranged of{compare_layouts_arranged(a, both("text"), both("frames")),
              compare_layouts_arranged(b, both("text"), both("frames")),
              {}};
  of.change = change_between(of.a, of.b);
  Differences found;
  const bool same_axes = compare_layouts_axes_text(of.a) == compare_layouts_axes_text(of.b);
  if (!same_axes) {
    add_compare_layouts(found, "axis-dimensions", "compare.axes", of, compare_layouts_axes_text(of.a),
                        compare_layouts_axes_text(of.b));
  } else if (bases_text(of.a) != bases_text(of.b)) {
    add_compare_layouts(found, "base", "compare.base", of, bases_text(of.a), bases_text(of.b));
  } else {
    add_ladders(of, found);
  }
  if (of.a.pairing != of.b.pairing) {
    add_compare_layouts(found, "pairing", "compare.layout_pairing", of, pairing_name(of.a), pairing_name(of.b));
  }
  if (of.a.table_mismatch != of.b.table_mismatch) {
    add_compare_layouts(found, "table-rotation-mismatch", "compare.mismatch", of, of.a.name, of.b.name);
  }
  if (same_axes) add_ids(of, found);
  add_patches(a, b, found);
  return found;
}

}  // namespace ropescope
