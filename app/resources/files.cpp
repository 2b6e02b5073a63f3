#include "app/resources/files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <optional>
#include <string_view>
#include <utility>

#include "app/resources/part_file.h"
#include "app/resources/reason.h"
#include "core/error.h"

namespace ropescope {

namespace {

namespace fs = std::filesystem;

/// A file descriptor that closes itself.
class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int number() const { return number_; }
  int release() { return std::exchange(number_, -1); }

 private:
  int number_;
};

/// `key`: of the text that says what could not be done.
template <class Name>
[[noreturn]] void fail(const Name& name, const char* key, int error) {
  throw InputError(name, key, {{"why", reason(error)}});
}

/// Written at a time: whoever removes the file meanwhile waits for no more.
constexpr std::size_t kWrittenAtOnce = std::size_t{1} << 20;

/// Writes everything; returns 0 or the error's number.
int write_all(int descriptor, const Pieces& pieces) {
  for (std::string_view piece = pieces(); !piece.empty(); piece = pieces()) {
    while (!piece.empty()) {
      const ssize_t written = ::write(descriptor, piece.data(), std::min(piece.size(), kWrittenAtOnce));
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) return errno;
      piece.remove_prefix(static_cast<std::size_t>(written));
    }
  }
  return 0;
}

/// What a link, or a link to a link, points at, so that the link stays a link; that need not be there yet.
fs::path behind_links(const fs::path& path) {
  constexpr int kMostLinks = 40;
  fs::path target = path;
  std::error_code error;
  for (int links = 0; fs::is_symlink(fs::symlink_status(target, error)); ++links) {
    const fs::path next = links < kMostLinks ? fs::read_symlink(target, error) : fs::path();
    if (next.empty()) fail(path.string(), "file.not_written", links < kMostLinks ? error.value() : ELOOP);
    target = target.parent_path() / next;
  }
  return target;
}

void write_directly(const fs::path& path, const Pieces& pieces) {
  const Descriptor file(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  if (file.number() < 0) fail(path.string(), "file.not_written", errno);
  if (const int error = write_all(file.number(), pieces)) fail(path.string(), "file.not_written", error);
}

/// Creates a file beside the target that nobody else has; its name and descriptor.
std::pair<fs::path, int> create_beside(const fs::path& target, mode_t mode) {
  for (int attempt = 0;; ++attempt) {
    const fs::path path = part_name(target.parent_path(), ::getpid(), attempt);
    const int descriptor = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    if (descriptor >= 0) return {path, descriptor};
    if (errno != EEXIST || attempt > 1000) {
      const int error = errno;
      const bool no_folder = error == ENOENT || error == ENOTDIR;
      fail(target.string(), no_folder ? "file.no_folder" : "file.not_written", error);
    }
  }
}

void write_by_renaming(const fs::path& target, const Pieces& pieces, const struct stat* existing) {
  sweep_parts(target.parent_path());
  std::optional<HeldSignals> held(std::in_place);
  auto [part, descriptor] = create_beside(target, 0666);
  PartFile removed_by_signals(part, target);
  held.reset();
  Descriptor file(descriptor);
  int error = 0;
  try {
    error = write_all(file.number(), pieces);
  } catch (...) {
    ::unlink(part.c_str());
    throw;
  }
  if (!error && existing) error = ::fchmod(file.number(), existing->st_mode & 07777) ? errno : 0;
  if (!error && ::fsync(file.number())) error = errno;
  if (::close(file.release()) && !error) error = errno;
  // A signal comes before the part is the target or after: it then says nothing that is not so.
  held.emplace();
  if (!error && ::rename(part.c_str(), target.c_str())) error = errno;
  if (!error) removed_by_signals.finished();
  held.reset();
  if (error) {
    ::unlink(part.c_str());
    fail(target.string(), "file.not_written", error);
  }
}

}  // namespace

int open_regular(const fs::path& path, struct stat& status) {
  if (path.empty()) throw InputError("file.no_name_to_read", {});
  // Without waiting: a pipe that nobody writes into would hold the program for good.
  Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (file.number() < 0) {
    if (errno == ENOENT) throw InputError(path.string(), "file.missing", {});
    fail(path.string(), "file.not_read", errno);
  }
  if (::fstat(file.number(), &status)) fail(path.string(), "file.not_read", errno);
  if (S_ISDIR(status.st_mode)) throw InputError(path.string(), "file.folder", {});
  if (!S_ISREG(status.st_mode)) {
    throw InputError(path.string(), "file.device", {});
  }
  return file.release();
}

std::string read_file(const fs::path& path, std::uint64_t limit) {
  struct stat status {};
  const Descriptor file(open_regular(path, status));
  const auto refuse_size = [&] { throw InputError(path.string(), "file.too_large", {{"most", limit >> 20}}); };
  if (static_cast<std::uint64_t>(status.st_size) > limit) refuse_size();

  // Read to the end whatever the size said: the files of /proc have none.
  std::string content(std::max<std::size_t>(static_cast<std::size_t>(status.st_size) + 1, std::size_t{1} << 16), '\0');
  std::size_t filled = 0;
  while (true) {
    const ssize_t count = ::read(file.number(), content.data() + filled, content.size() - filled);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail(path.string(), "file.not_read", errno);
    if (count == 0) break;
    filled += static_cast<std::size_t>(count);
    if (filled > limit) refuse_size();
    if (filled == content.size()) content.resize(2 * content.size());
  }
  content.resize(filled);
  // Hundreds of small files (formulas) are kept.
  if (content.capacity() > 2 * filled) content.shrink_to_fit();
  return content;
}

void require_folder(const fs::path& path) {
  std::error_code ignored;
  if (!path.has_parent_path() || fs::is_directory(path.parent_path(), ignored)) return;
  fail(path.string(), "file.no_folder", ENOENT);
}

void write_file(const fs::path& path, const std::string& content) {
  bool given = false;
  write_file(path, [&] { return std::exchange(given, true) ? std::string_view() : std::string_view(content); });
}

void write_file(const fs::path& path, const Pieces& pieces) {
  if (path == "-") {
    if (const int error = write_all(STDOUT_FILENO, pieces))
      fail(Words("file.standard_output"), "file.not_written", error);
    return;
  }
  if (path.empty()) throw InputError("file.no_name_to_write", {});
  const fs::path target = behind_links(path);
  struct stat existing {};
  if (::stat(target.c_str(), &existing) != 0) {
    if (!target.has_filename()) throw InputError(path.string(), "file.folder", {});
    write_by_renaming(target, pieces, nullptr);
    return;
  }
  if (S_ISDIR(existing.st_mode)) throw InputError(path.string(), "file.folder", {});
  if (!S_ISREG(existing.st_mode)) {
    // A device or pipe cannot be replaced.
    write_directly(target, pieces);
    return;
  }
  if (::access(target.c_str(), W_OK)) fail(path.string(), "file.not_written", errno);
  write_by_renaming(target, pieces, &existing);
}

}  // namespace ropescope
