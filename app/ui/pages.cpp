// Panels in pages that fit the window.

#include "app/ui/pages.h"

#include <imgui.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "app/figure/cells.h"
#include "app/ui/drawing/screen.h"
#include "app/ui/drawing/style.h"

namespace ropescope::ui {

namespace {

/// The minimum size of a readable plot: its height if it has the largest share of a page, and its width.
constexpr double kMinHeight = 170, kMinShare = 0.45, kMinWidth = 240;
constexpr double kLegendLine = 18;
constexpr double kTickText = 13;
constexpr double kDot = 3.5, kDotWidth = 22, kTouchedDotWidth = 40;

/// Panels in one row.
using PagesRow = Page;

/// Returns the lines that a figure needs beyond the minimum plot: for a legend above it with about two names per row
/// (one or two fit inside), or for a drawing of words.
double legend_lines(const Figure& figure) {
  const auto names = std::count_if(figure.lines.begin(), figure.lines.end(),
                                   [](const Line& line) { return line.in_legend && !line.label.empty(); });
  // A drawing of words needs its lines, set a little smaller if space is short.
  constexpr double kDrawnLine = 13;
  const double words = (kDrawnLine * figure.least_lines - kMinHeight) / kLegendLine;
  return figure.legend && names > 2 ? std::min(3.0, static_cast<double>(names) / 2) : std::max(0.0, words);
}

std::vector<PagesRow> rows_of(const std::vector<Panel>& panels) {
  std::vector<PagesRow> rows;
  for (std::size_t i = 0; i < panels.size(); ++i) {
    if (rows.empty() || !panels[i].beside) rows.emplace_back();
    const double share = std::max(0.0, panels[i].height_share), legend = legend_lines(panels[i].figure);
    rows.back().push_back({i, !rows.back().empty(), share, legend});
    rows.back().front().legend = std::max(rows.back().front().legend, legend);
  }
  return rows;
}

/// Returns whether all panels of a row are wide enough; narrow ones by design (a key, a scale) are exempt.
bool is_wide_enough(const Ui& ui, const std::vector<Panel>& panels, const PagesRow& row, double width) {
  double least = 1e9, shares = 0;
  for (const PagePanel& each : row) {
    const double share = std::max(0.01, panels[each.index].width_share);
    least = std::min(least, share);
    shares += share;
  }
  const double needed = static_cast<double>(ui.px(kMinWidth));
  const double narrowest = width * least / shares, mean = width / static_cast<double>(row.size());
  return row.size() == 1 || (mean >= needed && narrowest >= needed * kMinShare);
}

/// Returns whether a single row leaves an upright area empty: a figure of fixed shape grows with its width alone.
bool wastes_height(const std::vector<Panel>& panels, const std::vector<PagesRow>& rows, const Rect& room) {
  constexpr double kUpright = 1.3;
  return rows.size() == 1 && room.height > kUpright * room.width &&
         std::any_of(rows[0].begin(), rows[0].end(),
                     [&](const PagePanel& each) { return panels[each.index].figure.equal_axes; });
}

/// Returns the rows of panels, splitting a row whose panels are too narrow, or that leaves the area empty.
std::vector<PagesRow> wide_enough(const Ui& ui, const std::vector<Panel>& panels, const Rect& room) {
  std::vector<PagesRow> result;
  const std::vector<PagesRow> rows = rows_of(panels);
  const bool upright = wastes_height(panels, rows, room);
  for (const PagesRow& row : rows) {
    const bool fits = is_wide_enough(ui, panels, row, room.width);
    if (fits && !upright) {
      result.push_back(row);
      continue;
    }
    for (const PagePanel& each : row) {
      const double share = fits ? panels[each.index].width_share : row.front().height_share;
      result.push_back({{each.index, false, share, each.legend}});
    }
  }
  return result;
}

bool fits(const Ui& ui, const std::vector<PagesRow>& rows, double height) {
  double most = 0, sum = 0;
  for (const PagesRow& row : rows) {
    most = std::max(most, row.front().height_share);
    sum += row.front().height_share;
  }
  if (rows.size() < 2 || most <= 0) return true;
  return std::all_of(rows.begin(), rows.end(), [&](const PagesRow& row) {
    const double share = row.front().height_share;
    const double least = std::max(kMinShare, share / most) * kMinHeight + kLegendLine * row.front().legend;
    return height * share / sum >= static_cast<double>(ui.px(least));
  });
}

/// Returns the pages of small multiples, laid out as in a picture in a file.
std::vector<Page> pages_of_cells(const Ui& ui, const std::vector<Panel>& panels, const Rect& room) {
  const double rest = room.height - static_cast<double>(ui.px(kDots));
  std::vector<Page> pages;
  for (const CellPage& cells :
       cell_pages(panels, {room.width, room.height, ui.px(kTickText), ui.px(kPanelGap), ui.px(kPanelPadding)}, rest)) {
    Page& page = pages.emplace_back();
    for (const CellBox& place : cells) {
      page.push_back({place.panel.value_or(kGap), place.beside, place.height_share});
    }
  }
  return pages;
}

}  // namespace

std::vector<Page> pages_of(const Ui& ui, const std::vector<Panel>& panels, const Rect& room) {
  if (are_cells(panels)) return pages_of_cells(ui, panels, room);
  const std::vector<PagesRow> rows = wide_enough(ui, panels, room);
  const bool all = rows.size() == rows_of(panels).size() && fits(ui, rows, room.height);
  const double height = room.height - (all ? 0 : static_cast<double>(ui.px(kDots)));
  std::vector<Page> pages;
  std::vector<PagesRow> together;
  const auto turn = [&] {
    Page page;
    for (const PagesRow& row : together) page.insert(page.end(), row.begin(), row.end());
    if (!page.empty()) pages.push_back(page);
    together.clear();
  };
  for (const PagesRow& row : rows) {
    together.push_back(row);
    if (all || fits(ui, together, height)) continue;
    together.pop_back();
    turn();
    together.push_back(row);
  }
  turn();
  return pages;
}

std::vector<Panel> panels_of(const std::vector<Panel>& panels, const Page& page) {
  if (are_cells(panels)) {
    CellPage cells;
    for (const PagePanel& each : page) {
      const bool gap = each.index == kGap;
      cells.push_back({gap ? std::nullopt : std::optional(each.index), each.beside, each.height_share});
    }
    return panels_on(panels, cells);
  }
  std::vector<Panel> shown;
  for (const PagePanel& each : page) {
    shown.push_back(panels[each.index]);
    shown.back().beside = each.beside;
    shown.back().height_share = each.height_share;
  }
  return shown;
}

std::size_t draw_dots(Ui& ui, const Rect& row, std::size_t pages, std::size_t shown) {
  const double width =
      std::min<double>(ui.px(ui.touch ? kTouchedDotWidth : kDotWidth), row.width / static_cast<double>(pages));
  double left = row.left + (row.width - width * static_cast<double>(pages)) / 2;
  std::size_t chosen = shown;
  for (std::size_t i = 0; i < pages; ++i, left += width) {
    const Press press = press_area(ui, "page." + std::to_string(i + 1), {left, row.top, width, row.height}, 4);
    const Colour colour = i == shown || press.hovered ? ui.palette.accent : ui.palette.faint;
    ImDrawList* list = ImGui::GetWindowDrawList();
    const ImVec2 centre = point(left + width / 2, row.top + row.height / 2);
    if (i == shown) {
      list->AddCircleFilled(centre, ui.px(kDot + 0.5), colour32(colour));
    } else {
      list->AddCircle(centre, ui.px(kDot), colour32(colour), 0, ui.px(1.5));
    }
    tooltip_after_rest(ui, "page." + std::to_string(i + 1), press.hovered, (*ui.text)["shell.tip.page"]);
    if (press.clicked) chosen = i;
  }
  return chosen;
}

}  // namespace ropescope::ui
