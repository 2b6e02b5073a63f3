// State kept between sessions: crash detection, and cached results of long computations, such as the races of the view
// Race. Read files.h first.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>

#include "app/resources/system.h"

namespace ropescope {

// --- Session -------------------------------------------------------------------------------------------------------

/// A running window's session for a state folder: a file `running-PID`, locked while the process lives and removed on a
/// normal exit. An unlocked one belongs to a window that crashed or was killed.
class Session {
 public:
  /// Starts a session. Never throws: if nothing can be written, the next window detects no crash.
  explicit Session(const std::filesystem::path& folder);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  /// Returns whether an earlier window of this folder crashed; reported once.
  bool earlier_crashed() const { return earlier_crashed_; }

 private:
  std::filesystem::path path_;
  os::File file_;
  bool earlier_crashed_ = false;
};

// --- ResultCache
// ---------------------------------------------------------------------------------------------------------

/// Size limits of a cache; the oldest entries are removed first.
struct CacheLimits {
  std::size_t files = 64;
  std::uint64_t bytes = std::uint64_t{512} << 20;
};

/// A cache folder of a window for results that took long to compute, which survive a kill. Each entry has a name and is
/// the file NAME-1 (NAME-1.EXTENSION if the name has one). If another window on this machine has locked that file, it
/// is NAME-2, and so on: no window ever replaces another's entry. Files appear whole or not at all. Thread-safe.
class ResultCache {
 public:
  /// Opens a cache; the folder is created on the first write.
  explicit ResultCache(std::filesystem::path folder, CacheLimits limits = {});
  ~ResultCache();
  ResultCache(const ResultCache&) = delete;
  ResultCache& operator=(const ResultCache&) = delete;

  /// Returns the file in which this window keeps the entry; it need not exist yet. Throws InputError if every place is
  /// locked, or nothing can be written.
  std::filesystem::path place(const std::string& name);
  /// Returns an entry, also one of a window that has ended; nullopt if there is none, and nothing is created then.
  /// Throws InputError as read_file() does.
  std::optional<std::string> read(const std::string& name);
  /// Writes the concatenated pieces as an entry. Returns false if cancelled: the earlier content remains. Throws
  /// InputError as write_file() does.
  bool write(const std::string& name, std::span<const std::string_view> pieces, const std::stop_token& stop = {});
  /// Renames an unusable entry to FILE.damaged and returns that path.
  std::filesystem::path quarantine(const std::string& name);
  /// Returns a cache in a subfolder with its own limits: neither removes entries of the other.
  ResultCache& inner(const std::string& name, const CacheLimits& limits);
  /// Returns the maximum number of bytes of an entry.
  std::uint64_t most_bytes() const { return limits_.bytes; }
  const std::filesystem::path& folder() const { return folder_; }

 private:
  struct Held {
    std::filesystem::path file;
    os::File lock;
  };
  std::filesystem::path file_of(const std::string& name, int number) const;
  bool hold(const std::string& name, const std::filesystem::path& file);
  std::filesystem::path place_held(const std::string& name);
  void make_room(const std::filesystem::path& besides);

  std::filesystem::path folder_;
  CacheLimits limits_;
  std::mutex mutex_;
  std::map<std::string, Held> held_;
  std::map<std::string, std::unique_ptr<ResultCache>> inner_;
};

/// Returns the hash of a text (text_number()) as 16 hexadecimal digits.
std::string text_digits(std::string_view text);

}  // namespace ropescope
