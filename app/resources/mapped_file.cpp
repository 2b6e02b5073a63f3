#include "app/resources/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <optional>
#include <utility>

#include "app/resources/files.h"
#include "app/resources/mapped_ranges.h"
#include "app/resources/reason.h"
#include "core/error.h"

namespace ropescope {

namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const std::string& path, int error) {
  throw InputError(path, "file.not_read", {{"why", reason(error)}});
}

bool same_file(const struct stat& a, const struct stat& b) {
  return a.st_size == b.st_size && a.st_mtim.tv_sec == b.st_mtim.tv_sec && a.st_mtim.tv_nsec == b.st_mtim.tv_nsec;
}

/// A regular file; keeps its descriptor to see whether it changes.
class Mapping : public MappedFile {
 public:
  Mapping(std::string path, int descriptor, const struct stat& status)
      : path_(std::move(path)), descriptor_(descriptor), status_(status) {
    const auto size = static_cast<std::size_t>(status.st_size);
    if (size == 0) return;  // an empty range cannot be mapped
    void* begin = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, descriptor_, 0);
    const int error = errno;
    if (begin == MAP_FAILED) {
      ::close(descriptor_);
      fail(path_, error);
    }
    range_ = guard_range(begin, size);
    if (!range_) {
      ::munmap(begin, size);
      ::close(descriptor_);
      throw InputError(path_, "file.too_many_open", {});
    }
    bytes_ = {static_cast<const std::byte*>(begin), size};
  }
  ~Mapping() override {
    if (range_) {
      // Unmapped first: what takes its addresses next must not be taken for this file.
      ::munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
      release_range(range_);
    }
    ::close(descriptor_);
  }
  void check_unchanged() const override {
    struct stat now {};
    if ((range_ && was_cut(range_)) || ::fstat(descriptor_, &now) != 0 || !same_file(now, status_)) {
      throw InputError(path_, "file.changed", {});
    }
  }

 private:
  std::string path_;
  int descriptor_;
  struct stat status_;
  GuardedRange* range_ = nullptr;
};

bool is_file(const std::string& path) {
  std::error_code error;
  return fs::exists(path, error);
}

}  // namespace

std::shared_ptr<const MappedFile> map_file(const std::string& path) {
  struct stat status {};
  const int descriptor = open_regular(path, status);
  return std::make_shared<const Mapping>(path, descriptor, status);
}

TensorArgument read_tensor_argument(const std::string& argument) {
  if (is_file(argument)) return {argument, std::nullopt};
  // Without any such file an error names what stands before the last colon.
  std::size_t colon = argument.rfind(':');
  for (std::size_t at = colon; at != std::string::npos && at > 0; at = argument.rfind(':', at - 1)) {
    if (!is_file(argument.substr(0, at))) continue;
    colon = at;
    break;
  }
  if (colon == std::string::npos) return {argument, std::nullopt};
  if (colon + 1 == argument.size()) {
    throw InputError(argument, "tensor_file.no_name_after_colon", {});
  }
  return {argument.substr(0, colon), argument.substr(colon + 1)};
}

LoadedTensor load_tensor(const std::string& argument, const TensorReading& reading) {
  const TensorArgument named = read_tensor_argument(argument);
  LoadedTensor loaded;
  loaded.file = map_file(named.path);
  loaded.tensor = open_tensor(loaded.file->bytes(), loaded.file, named.path, named.name, reading);
  // What a header says is believed only if the file did not change under it.
  loaded.file->check_unchanged();
  return loaded;
}

}  // namespace ropescope
