// Reading of zips with libzip; declared sizes are checked before anything is unpacked. Read zip.h first.

#include "core/formats/zip.h"

#include <zip.h>

#include <algorithm>
#include <new>
#include <utility>

#include "core/machine.h"
#include "core/message.h"

namespace ropescope {

namespace {

constexpr std::string_view kZipMagic = "PK";
/// Bytes that are unpacked at a time: a false size costs no memory.
constexpr std::size_t kPiece = std::size_t{1} << 20;
/// Limit of the compression ratio for files that unpack to more than kFreelyInflated. Computed numbers shrink to a
/// half, zeros to a thousandth; a larger file that is full of zeros is treated as hostile.
constexpr std::uint64_t kFreelyInflated = std::uint64_t{1} << 27, kMaxInflation = 100;

// clang-format off
constexpr std::pair<int, const char*> kZipErrors[] = {
    {ZIP_ER_CRC, "error.npz.why.crc"}, {ZIP_ER_EOF, "error.npz.why.cut_short"},
    {ZIP_ER_NOZIP, "error.npz.why.not_zip"}, {ZIP_ER_INCONS, "error.npz.why.inconsistent"},
    {ZIP_ER_ZLIB, "error.npz.why.data"}, {ZIP_ER_COMPRESSED_DATA, "error.npz.why.data"},
    {ZIP_ER_COMPNOTSUPP, "error.npz.why.packed"}, {ZIP_ER_ENCRNOTSUPP, "error.npz.why.encrypted"},
    {ZIP_ER_NOPASSWD, "error.npz.why.password"}, {ZIP_ER_MULTIDISK, "error.npz.why.several_parts"}};
// clang-format on

Message describe_zip_error(zip_error_t* error) {
  const int code = zip_error_code_zip(error);
  for (const auto& [known, why] : kZipErrors) {
    if (code == known) return Message(why);
  }
  return Message("error.npz.why.other", {{"number", code}});
}

/// Returns the declared size of a file, after checking that it can be read.
std::uint64_t check_member(zip_t* archive, std::size_t index, const std::string& place, const std::string& kind,
                           const ZipLimits& limits, std::uint64_t zip_bytes) {
  zip_stat_t stat;
  zip_stat_init(&stat);
  constexpr zip_uint64_t kNeeded =
      ZIP_STAT_SIZE | ZIP_STAT_COMP_SIZE | ZIP_STAT_COMP_METHOD | ZIP_STAT_ENCRYPTION_METHOD;
  if (zip_stat_index(archive, index, 0, &stat) != 0 || (stat.valid & kNeeded) != kNeeded) {
    throw InputError(place, "npz.unclear", {{"kind", kind}});
  }
  if (stat.encryption_method != ZIP_EM_NONE) {
    throw InputError(place, "npz.encrypted", {{"kind", kind}});
  }
  if (stat.comp_method != ZIP_CM_STORE && stat.comp_method != ZIP_CM_DEFLATE) {
    throw InputError(place, "npz.packed", {{"method", stat.comp_method}});
  }
  if (stat.size > limits.array_bytes) {
    throw InputError(place, "npz.too_large", {{"bytes", std::to_string(stat.size)}, {"most", limits.array_bytes}});
  }
  // The declared packed size is limited by the size of the zip itself.
  const std::uint64_t packed = std::min<std::uint64_t>(stat.comp_size, zip_bytes);
  if (stat.size > kFreelyInflated && stat.size / kMaxInflation > packed) {
    throw InputError(
        place, "npz.inflated",
        {{"bytes", std::to_string(stat.size)}, {"packed", std::to_string(packed)}, {"most", kMaxInflation}});
  }
  return stat.size;
}

}  // namespace

// --- Member --------------------------------------------------------------------------------------------------------

void ZipMember::read(std::span<std::byte> to) {
  while (!to.empty()) {
    if (stop_.stop_requested()) throw InputError(place_, "npz.stopped", {});
    const std::size_t got = read_some(to.first(std::min(to.size(), kPiece)));
    if (got == 0) throw InputError(place_, "npz.cut_short", {});
    to = to.subspan(got);
  }
}

void ZipMember::finish() {
  std::byte beyond;
  if (read_some({&beyond, 1}) > 0) throw InputError(place_, "npz.too_long", {{"kind", kind_}});
}

std::size_t ZipMember::read_some(std::span<std::byte> to) {
  const zip_int64_t got = zip_fread(member_.get(), to.data(), to.size());
  if (got >= 0) return static_cast<std::size_t>(got);
  throw InputError(place_, "npz.array_damaged", {{"why", describe_zip_error(zip_file_get_error(member_.get()))}});
}

Unpacked unpack(ZipMember member) {
  if (member.size() > std::string().max_size() / 2) throw std::bad_alloc();
  const auto size = static_cast<std::size_t>(member.size());
  // Uninitialised, so a false size costs nothing.
  const std::shared_ptr<std::byte[]> content(new std::byte[size]);
  member.read({content.get(), size});
  member.finish();
  return {content, {content.get(), size}};
}

// --- File ----------------------------------------------------------------------------------------------------------

ZipFile::ZipFile(std::span<const std::byte> bytes, std::string source, std::string_view kind, const ZipLimits& limits)
    : source_(std::move(source)), kind_(kind), limits_(limits), bytes_(bytes.size()) {
  const std::string_view text = characters_of(bytes);
  if (!text.starts_with(kZipMagic)) throw InputError(source_, "npz.not_npz", {});
  zip_error_t error;
  zip_error_init(&error);
  zip_source_t* buffer = zip_source_buffer_create(bytes.data(), bytes.size(), 0, &error);
  if (!buffer) throw std::bad_alloc();
  zip_t* archive = zip_open_from_source(buffer, ZIP_RDONLY, &error);
  if (!archive) {
    zip_source_free(buffer);
    const Message why = describe_zip_error(&error);
    zip_error_fini(&error);
    throw InputError(source_, "npz.damaged", {{"kind", kind_}, {"why", why}});
  }
  archive_ = std::shared_ptr<zip>(archive, [](zip_t* opened) { zip_discard(opened); });
  const auto count = static_cast<std::uint64_t>(zip_get_num_entries(archive, 0));
  if (count > limits_.arrays) {
    throw InputError(source_, "npz.too_many", {{"kind", kind_}, {"count", count}, {"most", limits_.arrays}});
  }
}

std::vector<std::string> ZipFile::names() const {
  std::vector<std::string> names;
  const auto count = static_cast<std::uint64_t>(zip_get_num_entries(archive_.get(), 0));
  for (std::uint64_t i = 0; i < count; ++i) {
    const char* name = zip_get_name(archive_.get(), i, ZIP_FL_ENC_RAW);
    names.emplace_back(name ? name : "");
  }
  return names;
}

ZipMember ZipFile::open(std::size_t index, std::string place) const {
  ZipMember member;
  member.size_ = check_member(archive_.get(), index, place, kind_, limits_, bytes_);
  member.place_ = std::move(place);
  member.kind_ = kind_;
  member.stop_ = limits_.stop;
  member.archive_ = archive_;
  zip_file_t* opened = zip_fopen_index(archive_.get(), index, 0);
  if (!opened) {
    throw InputError(member.place_, "npz.not_unpacked", {{"why", describe_zip_error(zip_get_error(archive_.get()))}});
  }
  // The archive outlives its files.
  member.member_ = std::shared_ptr<zip_file>(opened, [archive = archive_](zip_file_t* file) { zip_fclose(file); });
  return member;
}

}  // namespace ropescope
