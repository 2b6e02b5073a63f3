#include "app/commands/sweep_table.h"

#include <utility>

#include "app/commands/commands.h"
#include "app/figure/number_text.h"
#include "app/figure/table_maps.h"
#include "app/resources/files.h"
#include "core/error.h"
#include "core/formats/json_reader.h"

namespace ropescope {

namespace {

FigureAxis axis_of(const ShownNumber& number) {
  FigureAxis axis;
  axis.whole = number.as == ShownNumber::As::whole;
  return axis;
}

std::string csv_cell(const std::vector<ShownNumber>& numbers) {
  std::string cell;
  for (const ShownNumber& shown : numbers) cell += (cell.empty() ? "" : " ") + cell_of(axis_of(shown), shown.value);
  return cell;
}

Json json_cell(const std::vector<ShownNumber>& numbers) {
  Json list = Json::array();
  for (const ShownNumber& shown : numbers) list.push_back(number(axis_of(shown), shown.value));
  if (numbers.empty()) return nullptr;
  return numbers.size() == 1 ? list.front() : list;
}

std::string header_of_sweep_table(const SweepGrid& grid) {
  std::string header;
  for (const KnobValues& knob : grid.over) header += quoted(knob.key) + ",";
  for (const std::string& name : grid.readouts) header += quoted(name) + ",";
  header.back() = '\n';
  return header;
}

Json json_value(const KnobValues& knob, double value) {
  if (knob.kind == KnobValues::Kind::number) return value;
  if (knob.kind == KnobValues::Kind::toggle) return knob.text(value) == "true";
  return knob.text(value);
}

std::string json_header(const SweepGrid& grid) {
  Json over = Json::array();
  for (const KnobValues& knob : grid.over) {
    Json values = Json::array();
    for (const double value : knob.values) values.push_back(json_value(knob, value));
    over.push_back({{"key", knob.key}, {"values", std::move(values)}});
  }
  return "{\n \"over\": " + over.dump() + ",\n \"readouts\": " + Json(grid.readouts).dump() + ",\n \"points\": [\n";
}

std::string knob_cells(const SweepGrid& grid, std::size_t point) {
  std::string cells;
  const std::vector<double> values = grid.values(point);
  for (std::size_t i = 0; i < values.size(); ++i) cells += quoted(grid.over[i].text(values[i])) + ",";
  return cells;
}

/// A row of somebody's file in a message.
std::string said_row(std::string row) {
  if (!row.empty() && row.back() == '\n') row.pop_back();
  return in_quotes(row);
}

}  // namespace

SweepTable::SweepTable(const SweepGrid& grid, bool json)
    : grid_(grid), json_(json), header_(json ? json_header(grid) : header_of_sweep_table(grid)) {}

std::string SweepTable::row_of(std::size_t point, const SweptPoint& swept) const {
  if (json_) {
    Json row = Json::object();
    const std::vector<double> values = grid_.values(point);
    for (std::size_t i = 0; i < values.size(); ++i) row[grid_.over[i].key] = json_value(grid_.over[i], values[i]);
    for (std::size_t i = 0; i < swept.cells.size(); ++i) row[grid_.readouts[i]] = json_cell(swept.cells[i]);
    return (point == 0 ? "  " : ",\n  ") + row.dump();
  }
  std::string row = knob_cells(grid_, point);
  for (const auto& numbers : swept.cells) row += csv_cell(numbers) + ",";
  row.back() = '\n';
  return row;
}

std::string SweepTable::name_of(std::size_t point) const {
  std::string name;
  const std::vector<double> values = grid_.values(point);
  for (std::size_t i = 0; i < values.size(); ++i) {
    name += (i == 0 ? "" : ", ") + grid_.over[i].key + "=" + grid_.over[i].text(values[i]);
  }
  return name;
}

void SweepTable::add(std::size_t point, const SweptPoint& swept) {
  text_ += row_of(point, swept);
  ++rows_;
  ++added_;
  if (!swept.fault.empty() && failures_++ == 0) first_failure_ = name_of(point) + ": " + swept.fault;
}

std::string SweepTable::content() const {
  return header_ + text_ + (json_ ? "\n ]\n}\n" : "");
}

void SweepTable::require_any() const {
  if (added_ == grid_.points() && failures_ == added_) throw InputError(first_failure_);
}

void SweepTable::notice_failures() const {
  if (failures_ == 0) return;
  put_notice(std::to_string(failures_) + " of " + std::to_string(grid_.points()) +
             " points could not be computed and have empty cells; the first is " + first_failure_);
}

void SweepTable::resume(const std::filesystem::path& path, const Text& text, Store& store) {
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) return;
  const std::string name = path.string(), content = read_file(path);
  if (!content.starts_with(header_)) {
    throw InputError(name + ": --resume is given, but the file does not begin with " + said_row(header_));
  }
  const auto row_at = [&content](std::size_t begin) {
    return content.substr(begin, content.find('\n', begin) + 1 - begin);
  };
  std::size_t begin = header_.size(), last = begin;
  // A row without an end was torn.
  for (std::size_t end = content.find('\n', begin); end != std::string::npos; end = content.find('\n', begin)) {
    if (rows_ == grid_.points() ||
        content.compare(begin, knob_cells(grid_, rows_).size(), knob_cells(grid_, rows_)) != 0) {
      throw InputError(name + ": --resume is given, but row " + std::to_string(rows_ + 1) + " is " +
                       said_row(row_at(begin)) + "; " +
                       (rows_ == grid_.points() ? "no more rows" : "one of " + name_of(rows_)) + " was expected");
    }
    last = begin;
    begin = end + 1;
    ++rows_;
  }
  if (rows_ == 0) return;
  for (const auto& [point, at] : {std::pair(std::size_t{0}, header_.size()), std::pair(rows_ - 1, last)}) {
    const std::string now = row_of(point, swept_point(grid_, point, text, store));
    if (row_at(at) == now) continue;
    throw InputError(name + ": --resume is given, but row " + std::to_string(point + 1) + " is " +
                     said_row(row_at(at)) + ", and " + said_row(now) +
                     " is computed now; the same model and settings were expected");
  }
  text_ = content.substr(header_.size(), begin - header_.size());
}

}  // namespace ropescope
