#include "app/views/check/positions.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>

#include "app/experiment/experiment.h"
#include "app/resources/mapped_file.h"
#include "core/check/phrases.h"
#include "core/error.h"

namespace ropescope {

namespace {

/// More than any context is long. The reference keeps them twice.
constexpr std::int64_t kMostPositions = std::int64_t{1} << 24;

constexpr std::string_view kCumulative = "cumulative:";

/// What is wrong with a tensor that is to be positions.
[[noreturn]] void reject(const StoredTensor& tensor, const std::string& option, const InputError& error) {
  throw InputError::within(tensor.name, InputError::within(option, error));
}

void require_positions(const StoredTensor& tensor, const std::string& option) {
  // Sequences and tokens; other axes have one place.
  const auto longer = [](std::int64_t side) { return side != 1; };
  if (tensor.shape.empty() || is_complex(tensor.storage) ||
      std::count_if(tensor.shape.begin(), tensor.shape.end(), longer) > 2) {
    reject(tensor, option,
           {"check.positions_shape", {{"axes", tensor.shape.size()}, {"storage", storage_name(tensor.storage)}}});
  }
  if (tensor.count() > kMostPositions) {
    reject(tensor, option, {"check.positions_count", {{"count", tensor.count()}, {"most", kMostPositions}}});
  }
}

/// Positions of sequences that end at these numbers of tokens.
std::vector<double> counted(const std::vector<double>& lengths, const std::string& option) {
  std::vector<double> positions;
  const auto reject = [&](const char* key) {
    throw InputError(option, key, {{"found", list_text(lengths)}, {"most", kMostPositions}});
  };
  if (lengths.size() < 2 || lengths[0] != 0 || !std::is_sorted(lengths.begin(), lengths.end()))
    reject("check.cumulative");
  if (lengths.back() > static_cast<double>(kMostPositions)) reject("check.cumulative_count");
  for (std::size_t i = 1; i < lengths.size(); ++i) {
    if (lengths[i] != std::nearbyint(lengths[i])) reject("check.cumulative");
    for (double position = 0; position < lengths[i] - lengths[i - 1]; ++position) positions.push_back(position);
  }
  if (positions.empty()) reject("check.cumulative");
  return positions;
}

}  // namespace

std::string positions_source(const std::string& text) {
  return text.starts_with(kCumulative) ? text.substr(kCumulative.size()) : text;
}

bool names_positions_file(const std::string& text) {
  if (text.starts_with(kCumulative)) return names_positions_file(positions_source(text));
  if (is_list(text)) return false;
  std::error_code error;
  const std::string path = read_tensor_argument(text).path;
  const std::string ending = std::filesystem::path(path).extension().string();
  return ending == ".npy" || ending == ".npz" || ending == ".safetensors" || ending == ".csv" ||
         std::filesystem::exists(path, error);
}

std::vector<double> read_positions(const std::string& text, const std::string& option) {
  if (text.starts_with(kCumulative)) return counted(read_positions(positions_source(text), option), option);
  if (!names_positions_file(text)) return parse_list(text, option, kMostPositions);
  TensorReading reading;
  reading.declared = true;
  LoadedTensor loaded = load_tensor(text, reading);
  require_positions(loaded.tensor, option);
  if (is_declared_only(loaded.tensor)) loaded = load_tensor(text);
  const StoredTensor& tensor = loaded.tensor;
  std::vector<double> positions(static_cast<std::size_t>(tensor.count()));
  if (!positions.empty()) read_rows(tensor, 0, tensor.shape[0], positions.data());
  loaded.file->check_unchanged();
  const auto odd = std::find_if(positions.begin(), positions.end(), [](double each) { return !std::isfinite(each); });
  if (odd != positions.end()) {
    reject(tensor, option, {"check.odd_number", {{"place", odd - positions.begin()}, {"found", odd_number(*odd)}}});
  }
  return positions;
}

}  // namespace ropescope
