// Reading, writing and mapping of files, and comparison of their states.
//
// Contents: Endings; Stamps; States; Inputs; Parts; Files; Mapped.

#include "app/resources/files.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "app/resources/system.h"
#include "app/resources/text.h"
#include "core/message.h"

namespace ropescope {

// --- Endings -------------------------------------------------------------------------------------------------------

std::string lower_ending(const std::string& path) {
  std::string ending = std::filesystem::path(path).extension().string();
  std::transform(ending.begin(), ending.end(), ending.begin(),
                 [](char letter) { return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter + 32) : letter; });
  return ending;
}

bool is_ending_among(std::string_view ending, std::string_view endings) {
  if (ending.empty()) return false;
  for (std::size_t at = endings.find(ending); at != std::string_view::npos; at = endings.find(ending, at + 1)) {
    const std::size_t end = at + ending.size();
    if (end == endings.size() || endings[end] == ' ') return true;
  }
  return false;
}

// --- Stamps --------------------------------------------------------------------------------------------------------

FileStamp stamp_of(const std::string& path) {
  FileStamp stamp;
  stamp.path = path;
  std::error_code error;
  const std::uintmax_t size = std::filesystem::file_size(path, error);
  if (error) return stamp;
  stamp.size = size;
  const auto time = std::filesystem::last_write_time(path, error);
  if (!error) stamp.time = static_cast<std::int64_t>(time.time_since_epoch().count());
  return stamp;
}

// --- States --------------------------------------------------------------------------------------------------------

FileState state_of(const std::string& path) {
  FileState state;
  state.path = path;
  os::Status status;
  if (os::status_of(path, status)) return state;
  state.there = status.kind != os::Kind::other;
  state.size = status.size;
  state.node = status.node;
  state.seconds = status.seconds;
  state.nanoseconds = status.nanoseconds;
  return state;
}

// --- Inputs --------------------------------------------------------------------------------------------------------

namespace {

namespace fs = std::filesystem;

/// The paths opened for reading.
struct Inputs {
  std::mutex mutex;
  std::set<fs::path> paths;
};

/// Null if nothing is protected. Global because worker threads, which are independent of the command, also read files.
std::atomic<Inputs*> protected_inputs{nullptr};

void note_input(const fs::path& path) {
  Inputs* const inputs = protected_inputs.load();
  if (!inputs) return;
  std::error_code ignored;
  const fs::path whole = fs::absolute(path, ignored);
  const std::lock_guard lock(inputs->mutex);
  inputs->paths.insert(whole);
}

void refuse_input(const fs::path& target) {
  Inputs* const inputs = protected_inputs.load();
  if (!inputs) return;
  const std::lock_guard lock(inputs->mutex);
  std::error_code ignored;
  if (!fs::exists(target, ignored)) return;
  for (const fs::path& input : inputs->paths) {
    if (fs::equivalent(target, input, ignored)) throw InputError(target.string(), "file.is_input", {});
  }
}

// --- Parts ---------------------------------------------------------------------------------------------------------

constexpr std::string_view kPrefix = ".ropescope-", kSuffix = ".part";

/// Returns the process that writes a part; 0 if the name is not a part's.
int writer_of(const std::string& name) {
  if (!name.starts_with(kPrefix) || !name.ends_with(kSuffix)) return 0;
  int id = 0;
  const char* end = name.data() + name.size();
  const auto [rest, error] = std::from_chars(name.data() + kPrefix.size(), end, id);
  return error == std::errc() && rest != end && *rest == '-' ? id : 0;
}

/// A part file being written next to its target. If SIGINT, SIGTERM or SIGHUP ends the program meanwhile, the file is
/// removed and one line on standard error names the unwritten file; the program still ends by the signal
/// (remove_at_end() of app/resources/system.h). Signals with another handler, or ignored ones, stay so. One at a time
/// is registered; the caller owns the file itself.
class PartFile {
 public:
  PartFile(const fs::path& part, const fs::path& target)
      : looked_after_(os::remove_at_end(part, "ropescope: stopped; " + target.string() + " was not written\n")) {}
  ~PartFile() {
    if (looked_after_) os::forget_at_end();
  }
  PartFile(const PartFile&) = delete;
  PartFile& operator=(const PartFile&) = delete;

  /// Marks the file as complete: it has become the target, so nothing is removed or reported any more.
  void finished() {
    if (looked_after_) os::keep_at_end();
  }

 private:
  bool looked_after_;
};

/// Removes the parts left in this folder by processes that have ended.
void sweep_parts(const fs::path& folder) {
  std::error_code error;
  for (fs::directory_iterator it(folder.empty() ? "." : folder, error), end; !error && it != end; it.increment(error)) {
    const int writer = writer_of(it->path().filename().string());
    if (writer > 0 && os::is_gone(writer)) os::remove(it->path());
  }
}

// --- Files ---------------------------------------------------------------------------------------------------------

/// `key`: of the error text.
template <class Name>
[[noreturn]] void fail(const Name& name, const char* key, int error) {
  throw InputError(name, key, {{"why", reason(error)}});
}

/// Writes everything with `write`; returns 0 or the error number.
template <class Write>
int write_pieces(const Pieces& pieces, const Write& write) {
  for (std::string_view piece = pieces(); !piece.empty(); piece = pieces()) {
    if (const int error = write(piece)) return error;
  }
  return 0;
}

int write_all(const os::File& file, const Pieces& pieces) {
  return write_pieces(pieces, [&file](std::string_view piece) { return os::write_all(file, piece); });
}

/// Returns the target of a link, or of a chain of links, so that the link itself is kept; the target need not exist.
fs::path behind_links(const fs::path& path) {
  constexpr int kMaxLinks = 40;
  fs::path target = path;
  std::error_code error;
  for (int links = 0; fs::is_symlink(fs::symlink_status(target, error)); ++links) {
    const fs::path next = links < kMaxLinks ? fs::read_symlink(target, error) : fs::path();
    if (next.empty()) fail(path.string(), "file.not_written", links < kMaxLinks ? error.value() : ELOOP);
    target = target.parent_path() / next;
  }
  return target;
}

void write_directly(const fs::path& path, const Pieces& pieces) {
  os::File file;
  if (const int error = os::open_to_write(path, file)) fail(path.string(), "file.not_written", error);
  if (const int error = write_all(file, pieces)) fail(path.string(), "file.not_written", error);
}

/// Creates a unique file next to the target; sets its name.
fs::path create_beside(const fs::path& target, os::File& file) {
  for (int attempt = 0;; ++attempt) {
    fs::path path = part_name(target.parent_path(), os::process_id(), attempt);
    const int error = os::create_new(path, file);
    if (!error) return path;
    if (error != EEXIST || attempt > 1000) {
      const bool no_folder = error == ENOENT || error == ENOTDIR;
      fail(target.string(), no_folder ? "file.no_folder" : "file.not_written", error);
    }
  }
}

void write_by_renaming(const fs::path& target, const Pieces& pieces, const os::Status* existing) {
  sweep_parts(target.parent_path());
  std::optional<os::HeldRequests> held(std::in_place);
  os::File file;
  const fs::path part = create_beside(target, file);
  PartFile removed_by_signals(part, target);
  held.reset();
  int error = 0;
  try {
    error = write_all(file, pieces);
  } catch (...) {
    file.close();  // an open file cannot be removed on every system
    os::remove(part);
    throw;
  }
  if (!error && existing) error = os::take_mode(file, *existing);
  if (!error) error = os::flush(file);
  const int not_closed = file.close();
  if (!error) error = not_closed;
  // A signal arrives either before or after the part becomes the target, so its message is always true.
  held.emplace();
  if (!error) error = os::replace(part, target);
  if (!error) removed_by_signals.finished();
  held.reset();
  if (error) {
    os::remove(part);
    fail(target.string(), "file.not_written", error);
  }
}

// --- Mapped --------------------------------------------------------------------------------------------------------

bool same_file(const os::Status& a, const os::Status& b) {
  return a.size == b.size && a.seconds == b.seconds && a.nanoseconds == b.nanoseconds;
}

/// A regular file, kept open to detect changes.
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
  os::MappedBytes mapped_;  // destroyed before its file
};

bool is_file(const std::string& path) {
  std::error_code error;
  return fs::exists(path, error);
}

}  // namespace

ProtectedInputs::ProtectedInputs() {
  protected_inputs = new Inputs;
}

ProtectedInputs::~ProtectedInputs() {
  delete protected_inputs.exchange(nullptr);
}

void ProtectedInputs::release(const fs::path& path) {
  Inputs* const inputs = protected_inputs.load();
  if (!inputs) return;
  const std::lock_guard lock(inputs->mutex);
  std::error_code ignored;
  std::erase_if(inputs->paths, [&](const fs::path& input) { return is_same_file(input, path); });
}

void require_not_input(const fs::path& path) {
  refuse_input(path);
}

bool is_same_file(const fs::path& a, const fs::path& b) {
  std::error_code error;
  if (fs::equivalent(a, b, error)) return true;
  // For a missing file, weakly_canonical() alone leaves "x" unchanged and makes "./x" absolute.
  const auto place = [](const fs::path& path) {
    std::error_code unknown;
    const fs::path absolute = fs::absolute(path, unknown);
    if (unknown) return path;  // it is empty
    const fs::path whole = fs::weakly_canonical(absolute, unknown);
    return unknown ? path : whole;
  };
  return place(a) == place(b);
}

void remove_part() {
  os::remove_now();
}

fs::path part_name(const fs::path& folder, int id, int number) {
  return folder / (std::string(kPrefix) + std::to_string(id) + "-" + std::to_string(number) + std::string(kSuffix));
}

// --- Files ---------------------------------------------------------------------------------------------------------

os::File open_regular(const fs::path& path, os::Status& status) {
  if (path.empty()) throw InputError("file.no_name_to_read", {});
  note_input(path);
  os::File file;
  int error = os::open_to_read(path, file);
  if (error == ENOENT) throw InputError(path.string(), "file.missing", {});
  if (!error) error = os::status_of(file, status);
  if (error) fail(path.string(), "file.not_read", error);
  if (status.kind == os::Kind::folder) throw InputError(path.string(), "file.folder", {});
  if (status.kind != os::Kind::regular) throw InputError(path.string(), "file.device", {});
  return file;
}

std::string read_file(const fs::path& path, std::uint64_t limit) {
  os::Status status;
  const os::File file = open_regular(path, status);
  const auto refuse_size = [&] { throw InputError(path.string(), "file.too_large", {{"most", limit >> 20}}); };
  if (status.size > limit || status.size > std::string().max_size() / 2) refuse_size();

  // Read to the end whatever the size: files in /proc report 0.
  std::string content(std::max<std::size_t>(static_cast<std::size_t>(status.size) + 1, std::size_t{1} << 16), '\0');
  std::size_t filled = 0;
  while (true) {
    std::size_t count = 0;
    if (const int error = os::read_some(file, std::span(content).subspan(filled), count))
      fail(path.string(), "file.not_read", error);
    if (count == 0) break;
    filled += count;
    if (filled > limit) refuse_size();
    if (filled == content.size()) content.resize(2 * content.size());
  }
  content.resize(filled);
  // Hundreds of small files (formulas) stay in memory.
  if (content.capacity() > 2 * filled) content.shrink_to_fit();
  return content;
}

std::string read_beginning(const fs::path& path, std::size_t bytes) {
  os::Status status;
  if (os::status_of(path, status) || status.kind != os::Kind::regular) return {};
  os::File file;
  if (os::open_to_read(path, file)) return {};
  std::string content(bytes, '\0');
  std::size_t filled = 0;
  for (std::size_t count = 1; count > 0 && filled < bytes; filled += count) {
    if (os::read_some(file, std::span(content).subspan(filled), count)) break;
  }
  content.resize(filled);
  return content;
}

void require_folder(const fs::path& path) {
  std::error_code error;
  const bool folder = !path.has_parent_path() || fs::is_directory(path.parent_path(), error);
  if (!folder) fail(path.string(), "file.no_folder", ENOENT);
  error.clear();
  static_cast<void>(fs::exists(path, error));
  if (error) fail(path.string(), "file.not_written", error.value());
}

bool has_extension(const fs::path& path, std::string_view extension) {
  return path.extension() == extension;
}

void write_file(const fs::path& path, const std::string& content) {
  bool given = false;
  write_file(path, [&] { return std::exchange(given, true) ? std::string_view() : std::string_view(content); });
}

void write_file(const fs::path& path, const Pieces& pieces) {
  if (path == "-") {
    if (const int error = write_pieces(pieces, os::write_to_standard_output))
      fail(Message("file.standard_output"), "file.not_written", error);
    return;
  }
  if (path.empty()) throw InputError("file.no_name_to_write", {});
  refuse_input(path);
  const fs::path target = behind_links(path);
  os::Status existing;
  if (os::status_of(target, existing)) {
    if (!target.has_filename()) throw InputError(path.string(), "file.folder", {});
    write_by_renaming(target, pieces, nullptr);
    return;
  }
  if (existing.kind == os::Kind::folder) throw InputError(path.string(), "file.folder", {});
  if (existing.kind != os::Kind::regular) {
    // A device or pipe cannot be replaced.
    write_directly(target, pieces);
    return;
  }
  if (const int error = os::may_write(target)) fail(path.string(), "file.not_written", error);
  write_by_renaming(target, pieces, &existing);
}

// --- Mapped --------------------------------------------------------------------------------------------------------

std::shared_ptr<const MappedFile> map_file(const std::string& path) {
  return std::make_shared<const Mapping>(path);
}

TensorArgument read_tensor_argument(const std::string& argument) {
  if (is_file(argument)) return {argument, std::nullopt};
  // If no such file exists, errors name the text before the last colon.
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
  // A header is trusted only if the file did not change meanwhile.
  loaded.file->check_unchanged();
  return loaded;
}

}  // namespace ropescope
