#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "app/experiment/experiment.h"
#include "app/resources/file_stamp.h"
#include "app/resources/mapped_file.h"
#include "core/check/check.h"

namespace ropescope {

/// One tensor as it is named, and the file that it stands in as it is now.
struct CheckFile {
  std::string argument;  ///< "FILE" or "FILE:TENSOR"; empty: none
  FileStamp stamp;
  bool operator==(const CheckFile&) const = default;
};

/// All that a check depends on, and nothing else.
struct CheckQuestion {
  std::string against;                                  ///< "layout", "rope" or "dump"
  LayoutKnobs layout;                                   ///< of a layout: what arranges it
  RopeKnobs rope;                                       ///< of a rope: without its label
  std::string positions;                                ///< a list, or "FILE" or "FILE:TENSOR"
  FileStamp positions_file;                             ///< that file as it is now
  std::array<CheckFile, std::size(kCheckRoles)> files;  ///< in the order of kCheckRoles
  std::string part, pairing, head_order;
  bool allow_sign = false;
  bool released = true;  ///< weights were trained with the reference: it is no rope of own numbers
  bool operator==(const CheckQuestion&) const = default;
  bool has(CheckRole role) const;
  /// Somebody's own tensors. Two dumps: all four tables.
  bool has_files() const;
};
/// Looks at the files: one that changed makes another question.
CheckQuestion question_of(const Experiment& experiment);
/// The files of the question, each once.
std::vector<FileStamp> files_of(const CheckQuestion& question);

/// How far a check has come, 0 … 1: the worker writes, the window reads.
struct CheckProgress {
  mutable std::atomic<double> fraction = 0;
  std::size_t bytes() const { return 0; }
};
/// One for each question, so that it outlives the frames that ask.
struct CheckProgressInput {
  using Result = CheckProgress;
  CheckQuestion question;
  bool operator==(const CheckProgressInput&) const = default;
  double cost() const { return 0; }
  std::shared_ptr<const CheckProgress> compute(int threads, const std::stop_token& stop) const;
};

/// What was read and what was found, or what is wrong. Words, not sentences: another language computes nothing anew.
struct CheckOutcome {
  Words fault;               ///< nothing else counts where this is said
  CheckReference reference;  ///< of another dump: what its tables follow
  CheckInputs inputs;
  CheckReport report;
  std::vector<std::shared_ptr<const MappedFile>> files;  ///< those too large to be copied
  std::size_t copied = 0;                                ///< bytes of the others
  double seconds = 0;

  std::size_t bytes() const;
  /// Where rows are compared: tables, vectors or ids. False: frequencies alone.
  bool has_rows() const;
  /// The reference with the cause of this name ("all": all of them) applied to it; null: the reference as it is.
  const CheckModel* applied(const std::string& name) const;
  /// Throws InputError where a file was changed since it was opened.
  void check_unchanged() const;
};
struct CheckInput {
  using Result = CheckOutcome;
  CheckQuestion question;
  std::shared_ptr<const CheckProgress> progress;
  bool operator==(const CheckInput& other) const { return question == other.question; }
  double cost() const;
  std::shared_ptr<const CheckOutcome> compute(int threads, const std::stop_token& stop) const;
};

}  // namespace ropescope
