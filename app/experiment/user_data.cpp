// Reading of user files with curves and ladders. Read user_data.h first.

#include "app/experiment/user_data.h"

#include <algorithm>
#include <filesystem>

#include "app/resources/files.h"
#include "core/message.h"
#include "core/rotary/spec.h"

namespace ropescope {

namespace {

CurveTable load_table(const std::string& path) {
  const std::shared_ptr<const MappedFile> file = map_file(path);
  CurveTable table = parse_curve_table(file->bytes(), file, path);
  file->check_unchanged();
  return table;
}

std::string default_name(const std::string& title, const std::string& path) {
  return title.empty() ? std::filesystem::path(path).stem().string() : title;
}

/// Returns the title in the numbers of a curve; empty if they cannot be read.
std::string title_of(const std::string& data, CurveColumns columns) {
  try {
    return curve_in(parse_curve_table(data, "own.data"), columns, "own.data").title;
  } catch (const InputError&) {
    return {};
  }
}

}  // namespace

bool names_ladder_file(const std::string& text) {
  return text.ends_with(".csv") || text.ends_with(".npy") || text.ends_with(".txt");
}

std::string load_ladder(const std::string& text) {
  if (!names_ladder_file(text)) return text;
  const std::shared_ptr<const MappedFile> file = map_file(text);
  const std::vector<double> numbers = parse_numbers(file->bytes(), file, text, kLargestDimension / 2);
  file->check_unchanged();
  return joined(numbers, ",", number_text);
}

void take_ladder_file(std::string& text) {
  try {
    text = load_ladder(text);
  } catch (const InputError&) {
    // The error is reported when the rope is read.
  }
}

void take_curve_file(UserCurveFields& own, const std::string& path) {
  const std::string old_name = default_name(own.title, own.file);
  UserCurveFields taken = own;
  own.file = path;
  taken.file = path;
  taken.data.clear();
  if (path.empty()) {
    own = {};
    return;
  }
  const CurveTable table = load_table(path);
  taken.data = curve_csv(table);
  const std::string title = table.is_unclear(own.columns) ? std::string() : curve_in(table, own.columns, path).title;
  // A title or name from the file before belongs to that file.
  const bool had_data = !own.data.empty();
  if (own.title.empty() || (had_data && own.title == title_of(own.data, own.columns))) taken.title = title;
  if (own.name.empty() || (had_data && own.name == old_name)) taken.name = default_name(title, path);
  own = std::move(taken);
}

std::size_t add_curve_file(UserCurves& curves, const std::string& path) {
  const auto same = [&path](const UserCurveFields& own) { return own.file == path; };
  auto place = std::find_if(curves.begin(), curves.end(), same);
  if (place == curves.end()) {
    place = std::find_if(curves.begin(), curves.end(), [](const UserCurveFields& own) { return !own.any(); });
  }
  if (place == curves.end()) throw InputError(path, "curve.too_many", {{"most", kMaxUserCurves}});
  take_curve_file(*place, path);
  return static_cast<std::size_t>(place - curves.begin());
}

std::optional<CurveFile> curve_of(const UserCurveFields& own, const std::string& key) {
  if (!own.any()) return std::nullopt;
  const std::string source = own.data.empty() ? own.file : key + ".data";
  const CurveTable table = own.data.empty() ? load_table(own.file) : parse_curve_table(own.data, source);
  return curve_in(table, own.columns, own.file.empty() ? source : own.file);
}

}  // namespace ropescope
