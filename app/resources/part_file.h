#pragma once

#include <filesystem>

namespace ropescope {

/// A file that is being written, beside the one it will become. Where SIGINT, SIGTERM or SIGHUP ends the program
/// meanwhile, the file is removed and one line on standard error says what was not written; the program ends by the
/// signal all the same (remove_at_end() of app/resources/system.h). Signals that somebody else handles or ignores stay
/// so. One at a time is looked after; the file itself is the caller's.
class PartFile {
 public:
  PartFile(const std::filesystem::path& part, const std::filesystem::path& target);
  ~PartFile();
  PartFile(const PartFile&) = delete;
  PartFile& operator=(const PartFile&) = delete;

  /// It has become the target: nothing is to be removed or said any more.
  void finished();

 private:
  bool looked_after_;
};

/// Removes the file that is looked after, if it has not become its target: before the program ends without a signal and
/// without waiting for whoever writes it. For any thread.
void remove_part();

/// The name of the part of a file that process `id` writes into this folder, the `number`th of them.
std::filesystem::path part_name(const std::filesystem::path& folder, int id, int number);
/// Removes what processes that are gone have left in this folder.
void sweep_parts(const std::filesystem::path& folder);

}  // namespace ropescope
