#include "core/formats/tensor_file.h"

#include <algorithm>
#include <cctype>
#include <string_view>
#include <utility>

#include "core/error.h"
#include "core/formats/csv.h"
#include "core/formats/json_reader.h"
#include "core/formats/npy.h"
#include "core/formats/npz.h"
#include "core/formats/safetensors.h"

namespace ropescope {

namespace {

enum class Kind { npy, npz, safetensors, csv };

bool begins_with(std::string_view text, std::string_view magic) {
  return text.substr(0, magic.size()) == magic;
}

/// ".npy" of "Some.NPY".
std::string ending_of(const std::string& path) {
  const std::size_t slash = path.rfind('/'), point = path.rfind('.');
  if (point == std::string::npos || (slash != std::string::npos && point < slash)) return "";
  std::string ending = path.substr(point);
  for (char& c : ending) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return ending;
}

Kind kind_of(std::span<const std::byte> bytes, const std::string& path) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  const std::string ending = ending_of(path);
  // A zip too, but of pickled Python objects.
  for (const char* pickled : {".pt", ".pth", ".bin", ".ckpt"}) {
    if (ending == pickled) {
      throw InputError(path +
                       ": files that torch.save writes are not read; .npy, .npz, .safetensors or .csv was expected");
    }
  }
  if (begins_with(text, "\x93NUMPY") || ending == ".npy") return Kind::npy;
  if (begins_with(text, "PK") || ending == ".npz") return Kind::npz;
  // After the eight bytes of its header's length stands a JSON object.
  if (ending == ".safetensors" || begins_with(text.substr(std::min<std::size_t>(text.size(), 8)), "{\"")) {
    return Kind::safetensors;
  }
  if (ending == ".csv" || ending == ".txt") return Kind::csv;
  throw InputError(path + ": what kind of file this is cannot be seen; .npy, .npz, .safetensors or .csv was expected");
}

std::vector<std::string> names_of(Kind kind, std::span<const std::byte> bytes, const std::string& path) {
  if (kind == Kind::npz) return list_npz(bytes, path);
  std::vector<std::string> names;
  if (kind == Kind::safetensors) {
    for (SafetensorsEntry& entry : read_safetensors_header(bytes, path)) names.push_back(std::move(entry.name));
  } else {
    names.emplace_back();
  }
  return names;
}

/// The only name there is.
std::string only_name(Kind kind, std::span<const std::byte> bytes, const std::string& path) {
  const std::vector<std::string> names = names_of(kind, bytes, path);
  if (names.empty()) throw InputError(path + ": the file holds no tensor; one was expected");
  if (names.size() > 1) {
    throw InputError(path + ": the file holds " + std::to_string(names.size()) + " tensors; say which one, as " + path +
                     ":" + one_line(names.front()) + ": " + quoted_names(names));
  }
  return names.front();
}

}  // namespace

std::vector<std::string> list_tensors(std::span<const std::byte> bytes, const std::string& path) {
  return names_of(kind_of(bytes, path), bytes, path);
}

StoredTensor open_tensor(std::span<const std::byte> bytes, std::shared_ptr<const void> owner, const std::string& path,
                         const std::optional<std::string>& name) {
  const Kind kind = kind_of(bytes, path);
  if (kind == Kind::npy || kind == Kind::csv) {
    if (name) {
      throw InputError(path + ": " + (kind == Kind::npy ? "a .npy" : "a .csv") + " has no named tensors, but " +
                       in_quotes(*name) + " was asked for; the file alone was expected");
    }
    return kind == Kind::npy ? view_npy(bytes, std::move(owner), path) : parse_csv(bytes, path);
  }
  const std::string wanted = name ? *name : only_name(kind, bytes, path);
  return kind == Kind::npz ? open_npz_array(bytes, path, wanted)
                           : open_safetensors(bytes, std::move(owner), path, wanted);
}

}  // namespace ropescope
