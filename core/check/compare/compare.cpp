#include "core/check/compare/compare.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "core/error.h"
#include "core/layouts/tables.h"

namespace ropescope {

namespace {

/// 2^⌊log2 |value|⌋; 0 for 0.
double power_below(double value) {
  return std::bit_cast<double>(std::bit_cast<std::uint64_t>(value) & 0x7ff0000000000000u);
}

double half_unit_of_float32() {
  StoredTensor single;
  single.storage = Storage::float32;
  return half_unit(single, 1);
}

/// Whatever is stored as float64 may have been computed in float32.
StoredTensor as_computed(const StoredTensor& tensor) {
  StoredTensor computed = tensor;
  if (tensor.storage == Storage::float64) computed.storage = Storage::float32;
  if (tensor.storage == Storage::complex128) computed.storage = Storage::complex64;
  return computed;
}

/// cos and sin of released code in float32 are up to a whole unit off (torch's vectorised ones), not half of one.
StorageUnit with_function_error(StorageUnit unit) {
  unit.scale += half_unit_of_float32();
  return unit;
}

/// A whole unit, and one of float32 where that is another.
StorageUnit whole_unit(StorageUnit unit) {
  const double of_function = unit.scale == half_unit_of_float32() ? 0 : 2 * half_unit_of_float32();
  unit.scale = 2 * unit.scale + of_function;
  unit.least *= 2;
  return unit;
}

StoredTensor rows_of_compare(const StoredTensor& tensor, std::int64_t first, std::int64_t count) {
  StoredTensor part = tensor;
  part.shape[0] = count;
  const std::size_t bytes = static_cast<std::size_t>(first * tensor.strides[0]) * storage_bytes(tensor.storage);
  part.bytes = tensor.bytes.subspan(std::min(bytes, tensor.bytes.size()));
  return part;
}

}  // namespace

CheckTensors rows_of(const CheckTensors& tensors, std::int64_t first, std::int64_t count) {
  CheckTensors part = tensors;
  part.frequencies.reset();
  part.rows = count;
  if (!part.tables.planes.empty()) part.tables.rows = count;
  for (TablePlane& plane : part.tables.planes) plane.numbers = rows_of_compare(plane.numbers, first, count);
  if (part.heads) {
    part.heads->before = rows_of_compare(part.heads->before, first, count);
    part.heads->after = rows_of_compare(part.heads->after, first, count);
    part.heads->rows = count;
  }
  if (part.ids) part.ids = rows_of_compare(*part.ids, first, count);
  return part;
}

double StorageUnit::at(double value) const {
  const double binary = std::max(power_below(value) * scale, least);
  if (!printed) return binary;
  StoredTensor text;
  text.storage = Storage::float64;
  text.printed = printed;
  return std::max(binary, half_unit(text, value));
}

StorageUnit unit_of(const StoredTensor& tensor) {
  StoredTensor binary = tensor;
  binary.printed.reset();
  return {half_unit(binary, 1), half_unit(binary, 0), tensor.printed};
}

StorageUnit usual_unit_of(const StoredTensor& tensor) {
  return with_function_error(unit_of(as_computed(tensor)));
}

StorageUnit usual_unit_of(ShortFormat format) {
  return with_function_error(unit_of(format));
}

StorageUnit loose_unit_of(const StoredTensor& tensor) {
  return whole_unit(unit_of(as_computed(tensor)));
}

StorageUnit loose_unit_of(ShortFormat format) {
  return whole_unit(unit_of(format));
}

StorageUnit with_amplitude(StorageUnit unit, double amplitude) {
  constexpr double kHalfUnits = 3, kPart = 1e-3;
  // One that differs from 1 by next to nothing was fitted to noise: it must not loosen what it is judged by.
  unit.scale += std::min(kHalfUnits * half_unit_of_float32(), kPart * std::abs(std::abs(amplitude) - 1));
  return unit;
}

StorageUnit coarser(const StorageUnit& of_format, const StorageUnit& of_file) {
  // Where the file is the coarser one it rounds once more: less than its unit twice.
  return {std::max(of_format.scale, of_file.scale), std::max(of_format.least, 2 * of_file.least), of_file.printed};
}

StorageUnit unit_of(ShortFormat format) {
  StoredTensor tensor;
  tensor.storage = format == ShortFormat::bfloat16  ? Storage::bfloat16
                   : format == ShortFormat::float16 ? Storage::float16
                                                    : Storage::float64;
  return unit_of(tensor);
}

ExpectedRows::ExpectedRows(const CheckModel& model) : model_(model), evaluator_(model) {
  const auto none = ShortFormat::none;
  const bool by_layout = !model.own_ids && !model.given_tables && model.order == TokenOrder::row_major &&
                         model.strides.empty() && model.id_factor == 1 && model.id_format == none &&
                         model.frequency_format == none && model.angle_format == none;
  if (by_layout) tables_ = std::make_shared<LayoutTables>(model.tokens);
}

void ExpectedRows::rows(std::int64_t first, std::int64_t count, double* cosine, double* sine, double* size) const {
  const Eigen::Index pairs = evaluator_.pairs();
  if (!tables_) {
    for (std::int64_t i = 0; i < count; ++i) {
      evaluator_.row(first + i, cosine + i * pairs, sine + i * pairs, size + i * pairs);
    }
    return;
  }
  for (std::int64_t done = 0; done < count;) {
    const auto [from, left] = rest_of_stretch(model_, first + done);
    const std::int64_t run = std::min(left, count - done);
    tables_->table_rows<double>(from, run, cosine + done * pairs, sine + done * pairs);
    done += run;
  }
  if (size != nullptr) evaluator_.sizes(first, count, size);
  const double of_cosine = model_.amplitude * model_.cosine_factor;
  const double of_sine = (model_.conjugate ? -1 : 1) * model_.amplitude * model_.sine_factor;
  for (std::int64_t i = 0; i < count * pairs && (of_cosine != 1 || of_sine != 1); ++i) {
    cosine[i] *= of_cosine;
    sine[i] *= of_sine;
  }
  if (model_.exchanged) std::swap_ranges(cosine, cosine + count * pairs, sine);
}

const Difference* Comparison::find(std::string_view which) const {
  const auto found =
      std::find_if(inputs.begin(), inputs.end(), [which](const auto& input) { return input.first == which; });
  return found == inputs.end() ? nullptr : &found->second;
}

Comparison compare_all(const CheckModel& model, const CheckTensors& tensors, const CheckOptions& options) {
  Comparison comparison;
  comparison.cancelled = !compare_planes(model, tensors.tables, options, comparison) ||
                         (tensors.heads && !compare_heads(model, *tensors.heads, options, comparison)) ||
                         (tensors.ids && !compare_ids(model, *tensors.ids, options, comparison));
  if (tensors.frequencies) compare_frequencies(model, *tensors.frequencies, comparison);
  return comparison;
}

bool Comparison::agrees() const {
  return std::all_of(inputs.begin(), inputs.end(), [](const auto& input) { return input.second.agrees(); });
}

}  // namespace ropescope
