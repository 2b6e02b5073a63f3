#include "core/formats/npz.h"

#include <zip.h>

#include <algorithm>
#include <memory>
#include <string_view>

#include "core/error.h"
#include "core/formats/json_reader.h"

namespace ropescope {

namespace {

constexpr std::string_view kZipMagic = "PK";
constexpr std::string_view kSuffix = ".npy";
/// Unpacked so many bytes at a time: a lie about the size costs no memory.
constexpr std::size_t kPiece = std::size_t{1} << 20;

struct CloseZip {
  void operator()(zip_t* archive) const { zip_discard(archive); }
};
struct CloseMember {
  void operator()(zip_file_t* file) const { zip_fclose(file); }
};
using Zip = std::unique_ptr<zip_t, CloseZip>;
using Member = std::unique_ptr<zip_file_t, CloseMember>;

bool begins_with(std::span<const std::byte> bytes, std::string_view magic) {
  return bytes.size() >= magic.size() && std::equal(magic.begin(), magic.end(), bytes.begin(), [](char c, std::byte b) {
           return static_cast<unsigned char>(c) == std::to_integer<unsigned char>(b);
         });
}

Zip open(std::span<const std::byte> bytes, const std::string& source, const NpzLimits& limits) {
  if (!begins_with(bytes, kZipMagic)) throw InputError(source + ": not a .npz file (it does not begin as a zip does)");
  zip_error_t error;
  zip_error_init(&error);
  zip_source_t* buffer = zip_source_buffer_create(bytes.data(), bytes.size(), 0, &error);
  if (!buffer) throw std::bad_alloc();
  zip_t* archive = zip_open_from_source(buffer, ZIP_RDONLY, &error);
  if (!archive) {
    zip_source_free(buffer);
    const std::string why = zip_error_strerror(&error);
    zip_error_fini(&error);
    throw InputError(source + ": the .npz is cut short or damaged (" + why + ")");
  }
  Zip opened(archive);
  const auto count = static_cast<std::uint64_t>(zip_get_num_entries(archive, 0));
  if (count > limits.arrays) {
    throw InputError(source + ": the .npz holds " + std::to_string(count) + " files; at most " +
                     std::to_string(limits.arrays) + " were expected");
  }
  return opened;
}

/// Name of an entry as numpy.load gives it.
std::string name_of(zip_t* archive, std::uint64_t index) {
  const char* name = zip_get_name(archive, index, ZIP_FL_ENC_RAW);
  std::string text = name ? name : "";
  if (text.ends_with(kSuffix)) text.resize(text.size() - kSuffix.size());
  return text;
}

std::vector<std::string> names_of(zip_t* archive) {
  std::vector<std::string> names;
  const auto count = static_cast<std::uint64_t>(zip_get_num_entries(archive, 0));
  for (std::uint64_t i = 0; i < count; ++i) names.push_back(name_of(archive, i));
  return names;
}

std::uint64_t find_array(zip_t* archive, const std::string& source, const std::string& name) {
  const std::vector<std::string> names = names_of(archive);
  const auto found = std::find(names.begin(), names.end(), name);
  if (found != names.end()) return static_cast<std::uint64_t>(found - names.begin());
  throw InputError(source + ": the .npz has no array named " + in_quotes(name) + "; it holds " + quoted_names(names));
}

/// How large the array says it is, once it is known to be one that can be read.
std::uint64_t check_member(zip_t* archive, std::uint64_t index, const std::string& place, const NpzLimits& limits) {
  zip_stat_t stat;
  zip_stat_init(&stat);
  constexpr zip_uint64_t kNeeded = ZIP_STAT_SIZE | ZIP_STAT_COMP_METHOD | ZIP_STAT_ENCRYPTION_METHOD;
  if (zip_stat_index(archive, index, 0, &stat) != 0 || (stat.valid & kNeeded) != kNeeded) {
    throw InputError(place + ": the .npz does not say how this array is stored; it is damaged");
  }
  if (stat.encryption_method != ZIP_EM_NONE) {
    throw InputError(place + ": the array is encrypted; a .npz without a password was expected");
  }
  if (stat.comp_method != ZIP_CM_STORE && stat.comp_method != ZIP_CM_DEFLATE) {
    throw InputError(place + ": the array is packed by zip method " + std::to_string(stat.comp_method) +
                     "; stored (0) or deflated (8), as NumPy writes them, was expected");
  }
  if (stat.size > limits.array_bytes) {
    throw InputError(place + ": the array has " + std::to_string(stat.size) + " bytes; at most " +
                     std::to_string(limits.array_bytes) + " were expected");
  }
  return stat.size;
}

std::vector<std::byte> unpack(zip_t* archive, std::uint64_t index, const std::string& place, std::uint64_t size) {
  const Member member(zip_fopen_index(archive, index, 0));
  if (!member) {
    throw InputError(place + ": the array cannot be unpacked (" + zip_error_strerror(zip_get_error(archive)) + ")");
  }
  std::vector<std::byte> content;
  for (;;) {
    // One byte more than announced is asked for: the checksum is compared where the end is met.
    const std::size_t begin = content.size();
    const std::size_t wanted = std::min<std::uint64_t>(kPiece, size - begin + 1);
    content.resize(begin + wanted);
    const zip_int64_t got = zip_fread(member.get(), content.data() + begin, wanted);
    if (got < 0) {
      throw InputError(place + ": the array is damaged (" + zip_error_strerror(zip_file_get_error(member.get())) + ")");
    }
    content.resize(begin + static_cast<std::size_t>(got));
    if (content.size() > size) throw InputError(place + ": the array is larger than the .npz says; it is damaged");
    if (got == 0) break;
  }
  if (content.size() != size) throw InputError(place + ": the array is cut short");
  return content;
}

std::string place_of(const std::string& source, const std::string& name) {
  return source + ": " + one_line(name) + ".npy";
}

std::vector<std::byte> unpack_array(std::span<const std::byte> bytes, const std::string& source,
                                    const std::string& name, const NpzLimits& limits) {
  const Zip archive = open(bytes, source, limits);
  const std::uint64_t index = find_array(archive.get(), source, name);
  const std::string place = place_of(source, name);
  const std::uint64_t size = check_member(archive.get(), index, place, limits);
  return unpack(archive.get(), index, place, size);
}

}  // namespace

std::vector<std::string> list_npz(std::span<const std::byte> bytes, const std::string& source,
                                  const NpzLimits& limits) {
  const Zip archive = open(bytes, source, limits);
  return names_of(archive.get());
}

Tensor parse_npz_array(std::span<const std::byte> bytes, const std::string& source, const std::string& name,
                       const NpzLimits& limits) {
  return parse_npy(unpack_array(bytes, source, name, limits), place_of(source, name));
}

StoredTensor open_npz_array(std::span<const std::byte> bytes, const std::string& source, const std::string& name,
                            const NpzLimits& limits) {
  const auto content = std::make_shared<const std::vector<std::byte>>(unpack_array(bytes, source, name, limits));
  StoredTensor tensor = view_npy(*content, content, place_of(source, name));
  tensor.name = source + ": " + one_line(name);
  return tensor;
}

}  // namespace ropescope
