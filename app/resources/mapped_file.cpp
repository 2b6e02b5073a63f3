#include "app/resources/mapped_file.h"

#include <cerrno>
#include <filesystem>
#include <limits>
#include <optional>
#include <utility>

#include "app/resources/files.h"
#include "app/resources/reason.h"
#include "app/resources/system.h"
#include "core/error.h"

namespace ropescope {

namespace {

namespace fs = std::filesystem;

bool same_file(const os::Status& a, const os::Status& b) {
  return a.size == b.size && a.seconds == b.seconds && a.nanoseconds == b.nanoseconds;
}

/// A regular file; stays open to see whether it changes.
class Mapping : public MappedFile {
 public:
  explicit Mapping(std::string path) : path_(std::move(path)), file_(open_regular(path_, status_)) {
    if (status_.size == 0) return;  // an empty range cannot be mapped
    if (status_.size > std::numeric_limits<std::size_t>::max() / 2) fail(EFBIG);
    const int error = mapped_.map(file_, static_cast<std::size_t>(status_.size));
    if (error == os::MappedBytes::kTooMany) throw InputError(path_, "file.too_many_open", {});
    if (error) fail(error);
    bytes_ = mapped_.bytes();
  }
  void check_unchanged() const override {
    os::Status now;
    if (mapped_.was_cut() || os::status_of(file_, now) || !same_file(now, status_)) {
      throw InputError(path_, "file.changed", {});
    }
  }

 private:
  [[noreturn]] void fail(int error) const { throw InputError(path_, "file.not_read", {{"why", reason(error)}}); }

  std::string path_;
  os::Status status_;
  os::File file_;
  os::MappedBytes mapped_;  // goes before the file that it is of
};

bool is_file(const std::string& path) {
  std::error_code error;
  return fs::exists(path, error);
}

}  // namespace

std::shared_ptr<const MappedFile> map_file(const std::string& path) {
  return std::make_shared<const Mapping>(path);
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
