#include "core/formats/tensor_file.h"

#include <algorithm>
#include <cctype>
#include <string_view>
#include <utility>

#include "core/error.h"
#include "core/formats/csv.h"
#include "core/formats/gguf.h"
#include "core/formats/json_reader.h"
#include "core/formats/npy.h"
#include "core/formats/npz.h"
#include "core/formats/safetensors.h"

namespace ropescope {

namespace {

enum class TensorFileKind { npy, npz, safetensors, csv };

bool tensor_file_begins_with(std::string_view text, std::string_view magic) {
  return text.substr(0, magic.size()) == magic;
}

/// ".npy" of "Some.NPY".
std::string ending_of_tensor_file(const std::string& path) {
  const std::size_t slash = path.rfind('/'), point = path.rfind('.');
  if (point == std::string::npos || (slash != std::string::npos && point < slash)) return "";
  std::string ending = path.substr(point);
  for (char& c : ending) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return ending;
}

constexpr std::string_view kZipEntry = "PK\3\4", kEmptyZip = "PK\5\6";

/// Name of the first file in a zip; empty where there is none.
std::string_view first_in_zip(std::string_view text) {
  constexpr std::size_t kLength = 26, kName = 30;
  if (text.size() < kName || !tensor_file_begins_with(text, kZipEntry)) return {};
  const auto byte = [text](std::size_t at) { return std::size_t{static_cast<unsigned char>(text[at])}; };
  return text.substr(kName, byte(kLength) + 256 * byte(kLength + 1));
}

/// Written by torch.save: a zip that begins with pickled Python objects, or in older files the objects alone.
bool is_pickled(std::string_view text, std::string_view ending) {
  constexpr char kOldestProtocol = 2, kNewestProtocol = 5;
  if (text.size() >= 2 && text[0] == '\x80' && text[1] >= kOldestProtocol && text[1] <= kNewestProtocol) return true;
  const std::string_view first = first_in_zip(text);
  if (first.ends_with("data.pkl")) return true;
  const bool named_so = ending == ".pt" || ending == ".pth" || ending == ".bin" || ending == ".ckpt";
  return named_so && tensor_file_begins_with(text, kZipEntry) && !first.ends_with(".npy");
}

TensorFileKind kind_of(std::span<const std::byte> bytes, const std::string& path) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  const std::string ending = ending_of_tensor_file(path);
  if (tensor_file_begins_with(text, "\x93NUMPY")) return TensorFileKind::npy;
  // After the eight bytes of its header's length stands a JSON object.
  if (tensor_file_begins_with(text.substr(std::min<std::size_t>(text.size(), 8)), "{\""))
    return TensorFileKind::safetensors;
  if (begins_like_gguf(bytes)) throw InputError(path, "tensor_file.gguf", {});
  if (is_pickled(text, ending)) throw InputError(path, "tensor_file.pickled", {});
  if (tensor_file_begins_with(text, kZipEntry) || tensor_file_begins_with(text, kEmptyZip)) return TensorFileKind::npz;
  if (ending == ".npy") return TensorFileKind::npy;
  if (ending == ".npz") return TensorFileKind::npz;
  if (ending == ".safetensors") return TensorFileKind::safetensors;
  if (ending == ".csv" || ending == ".txt") return TensorFileKind::csv;
  throw InputError(path, "tensor_file.unknown", {});
}

std::vector<std::string> names_of_tensor_file(TensorFileKind kind, std::span<const std::byte> bytes,
                                              const std::string& path) {
  if (kind == TensorFileKind::npz) return list_npz(bytes, path);
  std::vector<std::string> names;
  if (kind == TensorFileKind::safetensors) {
    for (SafetensorsEntry& entry : read_safetensors_header(bytes, path)) names.push_back(std::move(entry.name));
  } else {
    names.emplace_back();
  }
  return names;
}

/// The only name there is.
std::string only_name(TensorFileKind kind, std::span<const std::byte> bytes, const std::string& path) {
  const std::vector<std::string> names = names_of_tensor_file(kind, bytes, path);
  if (names.empty()) throw InputError(path, "tensor_file.empty", {});
  if (names.size() > 1) {
    throw InputError(
        path, "tensor_file.several",
        {{"count", names.size()}, {"example", path + ":" + one_line(names.front())}, {"names", quoted_names(names)}});
  }
  return names.front();
}

}  // namespace

std::vector<std::string> list_tensors(std::span<const std::byte> bytes, const std::string& path) {
  return names_of_tensor_file(kind_of(bytes, path), bytes, path);
}

bool is_safetensors(std::span<const std::byte> bytes, const std::string& path) {
  return kind_of(bytes, path) == TensorFileKind::safetensors;
}

StoredTensor open_tensor(std::span<const std::byte> bytes, std::shared_ptr<const void> owner, const std::string& path,
                         const std::optional<std::string>& name, const TensorReading& reading) {
  const TensorFileKind kind = kind_of(bytes, path);
  if (kind == TensorFileKind::npy || kind == TensorFileKind::csv) {
    if (name) {
      throw InputError(path, "tensor_file.no_names",
                       {{"kind", kind == TensorFileKind::npy ? ".npy" : ".csv"}, {"name", in_quotes(*name)}});
    }
    if (kind == TensorFileKind::npy) return view_npy(bytes, std::move(owner), path);
    CsvLimits limits;
    limits.stop = reading.stop;
    return parse_csv(bytes, path, limits);
  }
  const std::string wanted = name ? *name : only_name(kind, bytes, path);
  if (kind == TensorFileKind::safetensors) return open_safetensors(bytes, std::move(owner), path, wanted);
  NpzLimits limits;
  limits.stop = reading.stop;
  return reading.declared ? declare_npz_array(bytes, path, wanted, limits)
                          : open_npz_array(bytes, path, wanted, limits);
}

}  // namespace ropescope
