// What is kept between two starts: whether a window crashed, and results that took long to compute, such as a race (the
// view Race puts it there on the way). Read files.h before.
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

/// A window at work on the state of a folder: a file `running-PID` there, locked as long as the process lives and
/// removed where it ends in good order. One that nobody holds the lock of was left by a window that crashed or was
/// killed.
class Session {
 public:
  /// Never throws: where nothing can be written there is nothing to tell the next window.
  explicit Session(const std::filesystem::path& folder);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  /// Whether an earlier window of this folder ended without saying so; told once.
  bool earlier_crashed() const { return earlier_crashed_; }

 private:
  std::filesystem::path path_;
  os::File file_;
  bool earlier_crashed_ = false;
};

// --- Shelf ---------------------------------------------------------------------------------------------------------

/// How much may lie on a shelf; what was written longest ago goes first.
struct ShelfLimits {
  std::size_t files = 64;
  std::uint64_t bytes = std::uint64_t{512} << 20;
};

/// A folder in which a window keeps what took long to compute, so that it is there after a kill. Each thing has a name
/// and lies in the file NAME-1 (NAME-1.ENDING, where the name ends so); where another window of this machine holds that
/// one, in NAME-2, and so on: none is ever replaced by another window. Files appear whole or not at all. May be used by
/// several threads.
class Shelf {
 public:
  /// The folder is made where something is put into it.
  explicit Shelf(std::filesystem::path folder, ShelfLimits limits = {});
  ~Shelf();
  Shelf(const Shelf&) = delete;
  Shelf& operator=(const Shelf&) = delete;

  /// The file that this window keeps the thing in; it may not be there yet. Throws InputError where every place is
  /// held, or nothing can be written.
  std::filesystem::path place(const std::string& name);
  /// What is kept under a name, also by a window that is gone; none where nothing is, and nothing is made then. Throws
  /// InputError as read_file() does.
  std::optional<std::string> read(const std::string& name);
  /// Keeps the pieces, one after the other, under a name. False: it was stopped, and what was there before stays.
  /// Throws InputError as write_file() does.
  bool write(const std::string& name, std::span<const std::string_view> pieces, const std::stop_token& stop = {});
  /// Sets what cannot be used aside as FILE.damaged, and returns that path.
  std::filesystem::path set_aside(const std::string& name);
  /// A shelf in a folder of this one, whose bounds are its own: neither pushes out what lies on the other.
  Shelf& inner(const std::string& name, const ShelfLimits& limits);
  /// The most bytes of a thing that the shelf takes.
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
  ShelfLimits limits_;
  std::mutex mutex_;
  std::map<std::string, Held> held_;
  std::map<std::string, std::unique_ptr<Shelf>> inner_;
};

/// The number of a text (text_number()) as 16 hexadecimal digits.
std::string text_digits(std::string_view text);

}  // namespace ropescope
