#pragma once

#include "tests/test.h"

namespace ropescope {

/// Arguments of a command, or parts of what it says.
using Words = std::vector<std::string>;
inline Words operator+(Words first, const Words& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

struct Outcome {
  int exit_code = -1;  ///< 128 + number where a signal ended it
  std::string output, errors;
};

/// A program that was started and goes on; ended by force where the test leaves it.
class Running {
 public:
  Running(int process, fs::path out, fs::path err) : process_(process), out_(std::move(out)), err_(std::move(err)) {}
  ~Running();
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;

  /// The lines of its standard output once there are so many, however long that takes up to a generous limit; then the
  /// test fails, and what there is is returned.
  Words lines(std::size_t count) const;
  /// Returns once SIGINT no longer ends it just so, or once it has ended; false, and the test fails, where that takes
  /// longer than a generous limit.
  bool await_care() const;
  /// Sends a signal.
  void signal(int number) const;
  /// Waits for its end.
  Outcome end();

 private:
  int process_;
  fs::path out_, err_;
};

/// A temporary folder in which the real binary is run, with a home and state of its own and no display.
class Workplace {
 public:
  Workplace();
  ~Workplace();
  Workplace(const Workplace&) = delete;
  Workplace& operator=(const Workplace&) = delete;

  /// Runs ropescope with these arguments; standard output goes to `output_path` where one is given.
  Outcome run(const Words& arguments, const std::string& output_path = {}) const;
  /// Runs it with a pseudo-terminal as its standard output and returns what it writes there, expecting exit code 0.
  std::string on_terminal(const Words& arguments) const;
  /// Runs it and sends SIGINT when it attends to that signal and its file, where one is named, is larger than `bytes`.
  /// What it was told to do must take for ever, or nearly.
  Outcome interrupted(const Words& arguments, const std::string& file = {}, std::size_t bytes = 0) const;

  /// Starts it; one at a time.
  Running start(const Words& arguments) const;

  /// Runs it, expecting exit code 0, and returns the standard output.
  std::string good(const Words& arguments) const;
  /// Runs it, expecting what bad input must lead to: exit code 2, nothing on standard output, exactly one line on
  /// standard error that contains every culprit, no file made or changed. Returns that line.
  std::string bad(const Words& arguments, const Words& culprits) const;

  /// "NAME=value" for the runs from now on.
  void set_environment(const std::string& variable) { environment_.push_back(variable); }

  fs::path path(const std::string& name) const { return folder_ / name; }
  void write(const std::string& name, const std::string& content) const;
  std::string read(const std::string& name) const;
  /// Every file of the folder with its content.
  std::map<std::string, std::string> files() const;

 private:
  int spawn(const Words& arguments, const fs::path& out, const fs::path& err) const;

  fs::path folder_, outside_;
  Words environment_;
};

/// A test with a folder in which the program runs.
struct InWorkplace : testing::Test {
  Workplace place;
};

/// A CSV text as rows of cells; the first row is the header.
std::vector<Words> parse_csv(const std::string& text);

}  // namespace ropescope
