// Sessions with locked files, and caches of named files in a folder.
//
// Contents: Session; ResultCache.

#include "app/resources/result_cache.h"

#include <algorithm>
#include <cerrno>
#include <string>
#include <utility>
#include <vector>

#include "app/resources/files.h"
#include "app/resources/text.h"
#include "core/message.h"

namespace ropescope {

// --- Session -------------------------------------------------------------------------------------------------------

namespace {

namespace fs = std::filesystem;

std::vector<fs::path> sessions_in(const fs::path& folder) {
  std::vector<fs::path> found;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    if (it->path().filename().string().starts_with("running-")) found.push_back(it->path());
  }
  return found;
}

// --- ResultCache ---------------------------------------------------------------------------------------------------

constexpr int kPlaces = 8;
/// The number of bytes written between checks for cancellation.
constexpr std::size_t kPiece = std::size_t{1} << 20;

/// Thrown through write_file, so no file appears.
struct Stopped {};

fs::path lock_of(const fs::path& file) {
  return file.string() + ".lock";
}

/// Locks the place of a file while the result is open; the result is not open if another process has the lock. Throws
/// InputError if no lock can be created.
os::File lock_place(const fs::path& file) {
  os::File lock;
  const int error = os::open_locked(lock_of(file), lock);
  if (error && error != EBUSY) throw InputError(lock_of(file).string(), "file.not_written", {{"why", reason(error)}});
  return lock;
}

bool cache_entry_exists(const fs::path& file) {
  std::error_code ignored;
  return fs::exists(file, ignored);
}

/// Returns whether a file is neither a lock nor an unfinished part.
bool is_kept(const fs::path& file) {
  return file.extension() != ".lock" && !file.filename().string().starts_with(".");
}

/// Returns a hash of a text, the same on every machine and in every build (FNV-1a).
std::uint64_t text_number(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return hash;
}

}  // namespace

Session::Session(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  for (const fs::path& file : sessions_in(folder)) earlier_crashed_ |= os::remove_unlocked(file);
  path_ = folder / ("running-" + std::to_string(os::process_id()));
  // Locked before it has its name: a window that starts now must not take it for an abandoned one.
  os::create_locked(path_, file_);
}

Session::~Session() {
  if (file_.is_open()) os::remove_locked(path_, file_);
}

// --- ResultCache ---------------------------------------------------------------------------------------------------

ResultCache::ResultCache(fs::path folder, CacheLimits limits) : folder_(std::move(folder)), limits_(limits) {}

ResultCache::~ResultCache() {
  for (auto& [name, held] : held_) os::remove_locked(lock_of(held.file), held.lock);
}

fs::path ResultCache::file_of(const std::string& name, int number) const {
  const fs::path named = name;
  return folder_ / (named.stem().string() + "-" + std::to_string(number) + named.extension().string());
}

bool ResultCache::hold(const std::string& name, const fs::path& file) {
  os::File lock = lock_place(file);
  if (!lock.is_open()) return false;
  held_[name] = {file, std::move(lock)};
  return true;
}

fs::path ResultCache::place_held(const std::string& name) {
  if (const auto known = held_.find(name); known != held_.end()) return known->second.file;
  std::error_code error;
  fs::create_directories(folder_, error);
  if (error) throw InputError(folder_.string(), "file.not_written", {{"why", reason(error.value())}});
  for (int number = 1; number <= kPlaces; ++number) {
    // An entry that this window did not read belongs to another one, even if that has ended.
    const fs::path file = file_of(name, number);
    if (!cache_entry_exists(file) && hold(name, file)) return file;
  }
  throw InputError("shelf.held", {{"folder", folder_.string()}, {"places", kPlaces}});
}

fs::path ResultCache::place(const std::string& name) {
  const std::lock_guard lock(mutex_);
  return place_held(name);
}

std::optional<std::string> ResultCache::read(const std::string& name) {
  const std::lock_guard lock(mutex_);
  for (int number = 1; number <= kPlaces && !held_.contains(name); ++number) {
    const fs::path file = file_of(name, number);
    if (cache_entry_exists(file)) hold(name, file);
  }
  const auto held = held_.find(name);
  if (held == held_.end() || !cache_entry_exists(held->second.file)) return std::nullopt;
  return read_file(held->second.file, limits_.bytes);
}

bool ResultCache::write(const std::string& name, std::span<const std::string_view> pieces,
                        const std::stop_token& stop) {
  const std::lock_guard lock(mutex_);
  const fs::path file = place_held(name);
  std::size_t index = 0, at = 0;
  const Pieces next = [&]() -> std::string_view {
    if (stop.stop_requested()) throw Stopped();
    while (index < pieces.size() && at == pieces[index].size()) ++index, at = 0;
    if (index == pieces.size()) return {};
    const std::string_view piece = pieces[index].substr(at, kPiece);
    at += piece.size();
    return piece;
  };
  try {
    write_file(file, next);
  } catch (const Stopped&) {
    return false;
  }
  make_room(file);
  return true;
}

fs::path ResultCache::quarantine(const std::string& name) {
  const std::lock_guard lock(mutex_);
  const fs::path file = place_held(name), aside = file.string() + ".damaged";
  std::error_code ignored;
  fs::rename(file, aside, ignored);
  return aside;
}

ResultCache& ResultCache::inner(const std::string& name, const CacheLimits& limits) {
  const std::lock_guard lock(mutex_);
  std::unique_ptr<ResultCache>& shelf = inner_[name];
  if (!shelf) shelf = std::make_unique<ResultCache>(folder_ / name, limits);
  return *shelf;
}

void ResultCache::make_room(const fs::path& besides) {
  struct Entry {
    fs::path file;
    fs::file_time_type time;
    std::uint64_t bytes;
  };
  std::vector<Entry> entries;
  std::error_code error;
  for (fs::directory_iterator it(folder_, error), end; !error && it != end; it.increment(error)) {
    std::error_code unknown;
    Entry entry{it->path(), it->last_write_time(unknown), it->file_size(unknown)};
    if (!unknown && is_kept(entry.file)) entries.push_back(std::move(entry));
  }
  std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) { return a.time < b.time; });
  std::size_t files = entries.size();
  std::uint64_t bytes = 0;
  for (const Entry& entry : entries) bytes += entry.bytes;
  for (const Entry& entry : entries) {
    if (files <= limits_.files && bytes <= limits_.bytes) return;
    if (entry.file == besides) continue;
    const auto own =
        std::find_if(held_.begin(), held_.end(), [&entry](const auto& held) { return held.second.file == entry.file; });
    os::File lock;
    if (own != held_.end()) lock = std::move(own->second.lock);
    // It belongs to another window, or cannot be locked: it stays.
    if (!lock.is_open() && os::open_locked(lock_of(entry.file), lock)) continue;
    std::error_code ignored;
    fs::remove(entry.file, ignored);
    os::remove_locked(lock_of(entry.file), lock);
    if (own != held_.end()) held_.erase(own);
    --files;
    bytes -= entry.bytes;
  }
}

std::string text_digits(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  const std::uint64_t number = text_number(text);
  std::string digits;
  for (int shift = 60; shift >= 0; shift -= 4) digits += kDigits[(number >> shift) & 15];
  return digits;
}

}  // namespace ropescope
