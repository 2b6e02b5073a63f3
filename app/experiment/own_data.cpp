// Reads files of somebody's own numbers.

#include "app/experiment/own_data.h"

#include <filesystem>

#include "app/resources/files.h"
#include "core/rotary/spec.h"
#include "core/words.h"

namespace ropescope {

bool names_ladder_file(const std::string& text) {
  return text.ends_with(".csv") || text.ends_with(".npy") || text.ends_with(".txt");
}

std::string ladder_of_file(const std::string& text) {
  if (!names_ladder_file(text)) return text;
  const std::shared_ptr<const MappedFile> file = map_file(text);
  const std::vector<double> numbers = parse_numbers(file->bytes(), file, text, kLargestDimension / 2);
  file->check_unchanged();
  return joined(numbers, ",", number_text);
}

void take_ladder_file(std::string& text) {
  try {
    text = ladder_of_file(text);
  } catch (const InputError&) {
    // Said where the rope is read.
  }
}

CurveFile load_curve(const std::string& path) {
  const std::shared_ptr<const MappedFile> file = map_file(path);
  CurveFile curve = parse_curve(file->bytes(), file, path);
  file->check_unchanged();
  return curve;
}

void take_curve_file(OwnFields& own, const std::string& path) {
  own = {};
  own.file = path;
  if (path.empty()) return;
  const CurveFile curve = load_curve(path);
  own.data = curve_csv(curve);
  own.title = curve.title;
  own.name = curve.title.empty() ? std::filesystem::path(path).stem().string() : curve.title;
}

std::optional<CurveFile> curve_of(const OwnFields& own) {
  if (!own.data.empty()) return parse_curve(own.data, "own.data");
  return own.file.empty() ? std::nullopt : std::optional(load_curve(own.file));
}

}  // namespace ropescope
