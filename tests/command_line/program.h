#pragma once

#include <chrono>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace ropescope {

struct Outcome {
  int exit_code = -1;  ///< 128 + number where a signal ended it
  std::string output, errors;
};

/// A temporary folder in which the real binary is run, with a home and state of its own and no display.
class Workplace {
 public:
  Workplace();
  ~Workplace();
  Workplace(const Workplace&) = delete;
  Workplace& operator=(const Workplace&) = delete;

  /// Runs ropescope with these arguments; standard output goes to `output_path` where one is given.
  Outcome run(const std::vector<std::string>& arguments, const std::string& output_path = {}) const {
    return run_until(arguments, output_path, {});
  }
  /// Runs it and sends SIGINT when it has worked for so long.
  Outcome interrupted(const std::vector<std::string>& arguments, std::chrono::milliseconds after) const {
    return run_until(arguments, {}, after);
  }

  /// Runs it, expecting exit code 0, and returns the standard output.
  std::string good(const std::vector<std::string>& arguments) const;
  /// Runs it, expecting what bad input must lead to: exit code 2, nothing on standard output, exactly one line on
  /// standard error that contains every culprit, no file made or changed. Returns that line.
  std::string bad(const std::vector<std::string>& arguments, const std::vector<std::string>& culprits) const;

  /// "NAME=value" for the runs from now on.
  void set_environment(const std::string& variable) { environment_.push_back(variable); }

  std::filesystem::path path(const std::string& name) const { return folder_ / name; }
  void write(const std::string& name, const std::string& content) const;
  std::string read(const std::string& name) const;
  /// Every file of the folder with its content.
  std::map<std::string, std::string> files() const;

 private:
  Outcome run_until(const std::vector<std::string>& arguments, const std::string& output_path,
                    std::optional<std::chrono::milliseconds> interrupt) const;

  std::filesystem::path folder_, outside_;
  std::vector<std::string> environment_;
};

/// A CSV text as rows of cells; the first row is the header.
std::vector<std::vector<std::string>> parse_csv(const std::string& text);

}  // namespace ropescope
