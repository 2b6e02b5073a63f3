#include "tests/command_line/program.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include <csignal>

#include "tests/places.h"

namespace ropescope {

namespace {

fs::path new_folder() {
  std::string pattern = (fs::temp_directory_path() / "ropescope-cli-XXXXXX").string();
  return ::mkdtemp(pattern.data()) ? pattern : "";
}

std::string content_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::vector<char*> pointers(Words& texts) {
  std::vector<char*> result;
  for (std::string& text : texts) result.push_back(text.data());
  result.push_back(nullptr);
  return result;
}

/// Whether it comes true, however long that takes up to a generous limit.
bool comes_true(const std::function<bool()>& condition) {
  constexpr auto kLimit = std::chrono::seconds(120), kNone = std::chrono::seconds(0);
  constexpr auto kBetween = std::chrono::milliseconds(20);
  for (auto left = std::chrono::milliseconds(kLimit); left > kNone; left -= kBetween) {
    if (condition()) return true;
    std::this_thread::sleep_for(kBetween);
  }
  return false;
}

std::string to_command_text(const Words& arguments) {
  std::string line = "ropescope";
  for (const std::string& argument : arguments) line += " " + argument;
  return line;
}

}  // namespace

Workplace::Workplace() : folder_(new_folder()), outside_(new_folder()) {}

Workplace::~Workplace() {
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
  fs::remove_all(outside_, ignored);
}

Running::~Running() {
  if (process_ <= 0) return;
  ::kill(process_, SIGKILL);
  ::waitpid(process_, nullptr, 0);
}

Words Running::lines(std::size_t count) const {
  Words lines;
  const auto enough = [&] {
    lines.clear();
    const std::string text = content_of(out_);
    for (std::size_t begin = 0, end; (end = text.find('\n', begin)) != std::string::npos; begin = end + 1) {
      lines.push_back(text.substr(begin, end - begin));
    }
    return lines.size() >= count;
  };
  if (!comes_true(enough)) {
    ADD_FAILURE() << "expected " << count << " lines, there are " << lines.size() << "\n"
                  << content_of(out_) << content_of(err_);
  }
  return lines;
}

bool Running::await_care() const {
  // A mask in hexadecimal; SIGINT is 2, its bit the second.
  const auto cares = [this] {
    std::ifstream status("/proc/" + std::to_string(process_) + "/status");
    for (std::string line; std::getline(status, line);) {
      if (line.starts_with("State:") && line.find('Z') != std::string::npos) return true;
      const bool mask = line.starts_with("SigBlk:") || line.starts_with("SigCgt:");
      if (mask && (std::stoull(line.substr(7), nullptr, 16) >> (SIGINT - 1) & 1) != 0) return true;
    }
    return false;
  };
  if (comes_true(cares)) return true;
  ADD_FAILURE() << "it does not attend to SIGINT\n" << content_of(err_);
  return false;
}

void Running::signal(int number) const {
  ::kill(process_, number);
}

Outcome Running::end() {
  int status = 0;
  ::waitpid(std::exchange(process_, 0), &status, 0);
  Outcome outcome;
  outcome.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  if (!out_.empty()) outcome.output = content_of(out_);
  outcome.errors = content_of(err_);
  return outcome;
}

int Workplace::spawn(const Words& arguments, const fs::path& out, const fs::path& err) const {
  Words words = Words{"ropescope"} + arguments;
  Words environment = {"HOME=" + outside_.string(), "XDG_STATE_HOME=" + (outside_ / "state").string(),
                       "XDG_CONFIG_HOME=" + (outside_ / "config").string(),
                       "XDG_CACHE_HOME=" + (outside_ / "cache").string(), "PATH=/usr/bin:/bin"};
  for (const char* name : {"ASAN_OPTIONS", "UBSAN_OPTIONS", "LSAN_OPTIONS", "TSAN_OPTIONS"}) {
    if (const char* value = std::getenv(name)) environment.push_back(std::string(name) + "=" + value);
  }
  environment.insert(environment.begin(), environment_.begin(), environment_.end());  // the first of a name counts

  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 1, out.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_addopen(&actions, 2, err.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_addchdir_np(&actions, folder_.c_str());
  pid_t child = 0;
  const int error = ::posix_spawn(&child, program_file().c_str(), &actions, nullptr, pointers(words).data(),
                                  pointers(environment).data());
  posix_spawn_file_actions_destroy(&actions);
  if (!error) return child;
  ADD_FAILURE() << "cannot start " << program_file();
  return 0;
}

Running Workplace::start(const Words& arguments) const {
  const fs::path out = outside_ / "out", err = outside_ / "err";
  return {spawn(arguments, out, err), out, err};
}

Outcome Workplace::run(const Words& arguments, const std::string& output_path) const {
  const fs::path out = output_path.empty() ? outside_ / "out" : fs::path(output_path), err = outside_ / "err";
  const pid_t child = spawn(arguments, out, err);
  if (child == 0) return {};
  // What is not ours to read may have no end.
  return Running(child, output_path.empty() ? out : fs::path(), err).end();
}

std::string Workplace::on_terminal(const Words& arguments) const {
  const int leader = ::posix_openpt(O_RDWR | O_NOCTTY);
  if (leader < 0 || ::grantpt(leader) != 0 || ::unlockpt(leader) != 0) {
    ADD_FAILURE() << "no pseudo-terminal";
    return {};
  }
  const std::string name = ::ptsname(leader);
  // Kept open, so that the end of the program is not the end of what can be read.
  const int follower = ::open(name.c_str(), O_RDWR | O_NOCTTY);
  termios settings{};
  ::tcgetattr(follower, &settings);
  ::cfmakeraw(&settings);
  ::tcsetattr(follower, TCSANOW, &settings);
  std::string output;
  std::thread reader([leader, &output] {
    std::array<char, 4096> buffer{};
    for (ssize_t count = 0; (count = ::read(leader, buffer.data(), buffer.size())) > 0;) {
      output.append(buffer.data(), static_cast<std::size_t>(count));
    }
  });
  const Outcome outcome = run(arguments, name);
  ::close(follower);
  reader.join();
  ::close(leader);
  EXPECT_EQ(outcome.exit_code, 0) << to_command_text(arguments) << "\n" << outcome.errors;
  return output;
}

Outcome Workplace::interrupted(const Words& arguments, const std::string& file, std::size_t bytes) const {
  Running running = start(arguments);
  running.await_care();
  const auto has_grown = [&] { return file.empty() || read(file).size() > bytes; };
  EXPECT_TRUE(comes_true(has_grown)) << to_command_text(arguments) << "\n" << file << " does not grow";
  running.signal(SIGINT);
  return running.end();
}

std::string Workplace::good(const Words& arguments) const {
  const Outcome outcome = run(arguments);
  EXPECT_EQ(outcome.exit_code, 0) << to_command_text(arguments) << "\n" << outcome.errors;
  return outcome.output;
}

std::string Workplace::bad(const Words& arguments, const Words& culprits) const {
  const auto before = files();
  const Outcome outcome = run(arguments);
  EXPECT_EQ(outcome.exit_code, 2) << to_command_text(arguments) << "\n" << outcome.errors;
  EXPECT_EQ(outcome.output, "") << to_command_text(arguments);
  EXPECT_EQ(std::count(outcome.errors.begin(), outcome.errors.end(), '\n'), 1) << to_command_text(arguments) << "\n"
                                                                               << outcome.errors;
  EXPECT_TRUE(!outcome.errors.empty() && outcome.errors.back() == '\n') << to_command_text(arguments);
  for (const std::string& culprit : culprits) {
    EXPECT_NE(outcome.errors.find(culprit), std::string::npos)
        << to_command_text(arguments) << "\nwanted: " << culprit << "\nsaid: " << outcome.errors;
  }
  EXPECT_EQ(files(), before) << to_command_text(arguments);
  return outcome.errors;
}

void Workplace::write(const std::string& name, const std::string& content) const {
  std::ofstream(folder_ / name, std::ios::binary) << content;
}

std::string Workplace::read(const std::string& name) const {
  return content_of(folder_ / name);
}

std::map<std::string, std::string> Workplace::files() const {
  std::map<std::string, std::string> result;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder_)) {
    // Large inputs are known by their size alone.
    const bool small = entry.is_regular_file() && entry.file_size() < 1'000'000;
    result[entry.path().string()] =
        small ? content_of(entry.path()) : std::to_string(entry.is_regular_file() ? entry.file_size() : 0);
  }
  return result;
}

std::vector<Words> parse_csv(const std::string& text) {
  std::vector<Words> rows;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    rows.emplace_back();
    std::istringstream cells(line);
    for (std::string cell; std::getline(cells, cell, ',');) rows.back().push_back(cell);
    if (line.ends_with(',')) rows.back().emplace_back();  // an empty last cell has no line of its own
  }
  return rows;
}

}  // namespace ropescope
