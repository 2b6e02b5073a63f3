// The zip is read by libzip; what it declares is compared with the limits before anything is unpacked.

#include "core/formats/npz.h"

#include <zip.h>

#include <algorithm>
#include <memory>
#include <string_view>

#include "core/formats/json.h"
#include "core/formats/npy.h"
#include "core/words.h"

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

Words why_of(zip_error_t* error) {
  const int code = zip_error_code_zip(error);
  switch (code) {
    case ZIP_ER_CRC:
      return Words("error.npz.why.crc");
    case ZIP_ER_EOF:
      return Words("error.npz.why.cut_short");
    case ZIP_ER_NOZIP:
      return Words("error.npz.why.not_zip");
    case ZIP_ER_INCONS:
      return Words("error.npz.why.inconsistent");
    case ZIP_ER_ZLIB:
    case ZIP_ER_COMPRESSED_DATA:
      return Words("error.npz.why.data");
    case ZIP_ER_COMPNOTSUPP:
      return Words("error.npz.why.packed");
    case ZIP_ER_ENCRNOTSUPP:
      return Words("error.npz.why.encrypted");
    case ZIP_ER_NOPASSWD:
      return Words("error.npz.why.password");
    case ZIP_ER_MULTIDISK:
      return Words("error.npz.why.several_parts");
    default:
      return Words("error.npz.why.other", {{"number", code}});
  }
}

Zip open(std::span<const std::byte> bytes, const std::string& source, const NpzLimits& limits) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (!text.starts_with(kZipMagic)) throw InputError(source, "npz.not_npz", {});
  zip_error_t error;
  zip_error_init(&error);
  zip_source_t* buffer = zip_source_buffer_create(bytes.data(), bytes.size(), 0, &error);
  if (!buffer) throw std::bad_alloc();
  zip_t* archive = zip_open_from_source(buffer, ZIP_RDONLY, &error);
  if (!archive) {
    zip_source_free(buffer);
    const Words why = why_of(&error);
    zip_error_fini(&error);
    throw InputError(source, "npz.damaged", {{"why", why}});
  }
  Zip opened(archive);
  const auto count = static_cast<std::uint64_t>(zip_get_num_entries(archive, 0));
  if (count > limits.arrays) {
    throw InputError(source, "npz.too_many", {{"count", count}, {"most", limits.arrays}});
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

std::vector<std::string> names_of_npz(zip_t* archive) {
  std::vector<std::string> names;
  const auto count = static_cast<std::uint64_t>(zip_get_num_entries(archive, 0));
  for (std::uint64_t i = 0; i < count; ++i) names.push_back(name_of(archive, i));
  return names;
}

std::uint64_t find_array(zip_t* archive, const std::string& source, const std::string& name) {
  const std::vector<std::string> names = names_of_npz(archive);
  const auto found = std::find(names.begin(), names.end(), name);
  if (found != names.end()) return static_cast<std::uint64_t>(found - names.begin());
  throw InputError(source, "npz.no_array", {{"name", in_quotes(name)}, {"names", quoted_names(names)}});
}

/// How large the array says it is, once it is known to be one that can be read.
std::uint64_t check_member(zip_t* archive, std::uint64_t index, const std::string& place, const NpzLimits& limits) {
  zip_stat_t stat;
  zip_stat_init(&stat);
  constexpr zip_uint64_t kNeeded = ZIP_STAT_SIZE | ZIP_STAT_COMP_METHOD | ZIP_STAT_ENCRYPTION_METHOD;
  if (zip_stat_index(archive, index, 0, &stat) != 0 || (stat.valid & kNeeded) != kNeeded) {
    throw InputError(place, "npz.unclear", {});
  }
  if (stat.encryption_method != ZIP_EM_NONE) {
    throw InputError(place, "npz.encrypted", {});
  }
  if (stat.comp_method != ZIP_CM_STORE && stat.comp_method != ZIP_CM_DEFLATE) {
    throw InputError(place, "npz.packed", {{"method", stat.comp_method}});
  }
  if (stat.size > limits.array_bytes) {
    throw InputError(place, "npz.too_large", {{"bytes", std::to_string(stat.size)}, {"most", limits.array_bytes}});
  }
  return stat.size;
}

std::string place_of(const std::string& source, const std::string& name) {
  return source + ": " + one_line(name) + ".npy";
}

/// One array of an archive that is being unpacked from its beginning on.
class Unpacker {
 public:
  Unpacker(std::span<const std::byte> bytes, const std::string& source, const std::string& name,
           const NpzLimits& limits)
      : place_(place_of(source, name)), stop_(limits.stop), archive_(open(bytes, source, limits)) {
    const std::uint64_t index = find_array(archive_.get(), source, name);
    size_ = check_member(archive_.get(), index, place_, limits);
    member_.reset(zip_fopen_index(archive_.get(), index, 0));
    if (!member_) {
      throw InputError(place_, "npz.not_unpacked", {{"why", why_of(zip_get_error(archive_.get()))}});
    }
  }

  const std::string& place() const { return place_; }
  std::uint64_t size() const { return size_; }

  /// Fills `to` with what comes next.
  void read(std::span<std::byte> to) {
    while (!to.empty()) {
      if (stop_.stop_requested()) throw InputError(place_, "npz.stopped", {});
      const std::size_t got = read_some(to.first(std::min(to.size(), kPiece)));
      if (got == 0) throw InputError(place_, "npz.cut_short", {});
      to = to.subspan(got);
    }
  }

  /// To be called after the last byte: the checksum is compared where the end is met.
  void finish() {
    std::byte beyond;
    if (read_some({&beyond, 1}) > 0) throw InputError(place_, "npz.too_long", {});
  }

 private:
  std::size_t read_some(std::span<std::byte> to) {
    const zip_int64_t got = zip_fread(member_.get(), to.data(), to.size());
    if (got >= 0) return static_cast<std::size_t>(got);
    throw InputError(place_, "npz.array_damaged", {{"why", why_of(zip_file_get_error(member_.get()))}});
  }

  std::string place_;
  std::stop_token stop_;
  Zip archive_;
  Member member_;
  std::uint64_t size_ = 0;
};

}  // namespace

std::vector<std::string> list_npz(std::span<const std::byte> bytes, const std::string& source,
                                  const NpzLimits& limits) {
  const Zip archive = open(bytes, source, limits);
  return names_of_npz(archive.get());
}

StoredTensor open_npz_array(std::span<const std::byte> bytes, const std::string& source, const std::string& name,
                            const NpzLimits& limits, NpyNumbers accepted) {
  Unpacker array(bytes, source, name, limits);
  if (array.size() > std::string().max_size() / 2) throw std::bad_alloc();
  const auto size = static_cast<std::size_t>(array.size());
  // Not set to 0, so that a size which is a lie costs nothing.
  const std::shared_ptr<std::byte[]> content(new std::byte[size]);
  const std::span<std::byte> all(content.get(), size), beginning = all.first(std::min(size, kNpyBeginning));
  array.read(beginning);
  declare_npy(beginning, size, array.place(), accepted);
  array.read(all.subspan(beginning.size()));
  array.finish();
  StoredTensor tensor = view_npy(all, content, array.place(), accepted);
  tensor.name = source + ": " + one_line(name);
  return tensor;
}

StoredTensor declare_npz_array(std::span<const std::byte> bytes, const std::string& source, const std::string& name,
                               const NpzLimits& limits, NpyNumbers accepted) {
  Unpacker array(bytes, source, name, limits);
  std::vector<std::byte> beginning(static_cast<std::size_t>(std::min<std::uint64_t>(array.size(), kNpyBeginning)));
  array.read(beginning);
  StoredTensor tensor = declare_npy(beginning, array.size(), array.place(), accepted);
  tensor.name = source + ": " + one_line(name);
  return tensor;
}

}  // namespace ropescope
