// Real mouse and keyboard input in a real window: Xvfb provides the display, xdotool the input. The places of widgets
// are taken from the same interface laid out without a window at the same size.

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "app/experiment/experiment.h"
#include "app/figure/picture.h"
#include "app/resources/files.h"
#include "tests/gui/app_window.h"

namespace ropescope {
namespace {

using namespace std::chrono_literals;

constexpr int kWidth = 1600, kHeight = 1000;

class Process {
 public:
  explicit Process(const std::vector<std::string>& arguments) {
    id_ = fork();
    if (id_ != 0) return;
    std::vector<char*> argv;
    for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
    argv.push_back(nullptr);
    execvp(argv[0], argv.data());
    _exit(127);
  }
  ~Process() {
    if (id_ <= 0 || finished_) return;
    kill(id_, SIGKILL);
    waitpid(id_, nullptr, 0);
  }
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;
  pid_t id() const { return id_; }
  /// Exit code once it has ended, −1 while it runs.
  int wait_for(std::chrono::seconds limit) {
    const auto until = std::chrono::steady_clock::now() + limit;
    int status = 0;
    while (std::chrono::steady_clock::now() < until) {
      if (waitpid(id_, &status, WNOHANG) == id_) {
        finished_ = true;
        return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
      }
      std::this_thread::sleep_for(20ms);
    }
    return -1;
  }

 private:
  pid_t id_ = -1;
  bool finished_ = false;
};

bool wait_until(const std::function<bool()>& condition, std::chrono::seconds limit = 20s) {
  const auto until = std::chrono::steady_clock::now() + limit;
  while (std::chrono::steady_clock::now() < until) {
    if (condition()) return true;
    std::this_thread::sleep_for(50ms);
  }
  return false;
}

class RealWindow : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("ropescope-window-" + std::to_string(getpid()));
    fs::create_directories(folder_ / "ropescope");
    std::ofstream(folder_ / "ropescope" / "settings.json") << R"({"start_screen": false})";
    start_display();
    setenv("XDG_STATE_HOME", folder_.c_str(), 1);
    setenv("LIBGL_ALWAYS_SOFTWARE", "1", 1);
    unsetenv("WAYLAND_DISPLAY");
    start_program();
  }
  void start_program(const std::vector<std::string>& arguments = {}) {
    std::vector<std::string> command{program_file()};
    command.insert(command.end(), arguments.begin(), arguments.end());
    program_ = std::make_unique<Process>(command);
    ASSERT_TRUE(wait_until([this] { return hand("search --name '^ropescope$'"); }, 90s)) << "no window appeared";
    hand("search --name '^ropescope$' windowmove 0 0 windowfocus");
    std::this_thread::sleep_for(500ms);
  }
  void TearDown() override {
    program_.reset();
    display_.reset();
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
  }

  void start_display() {
    int ends[2];
    ASSERT_EQ(pipe(ends), 0);
    const std::string size = std::to_string(kWidth) + "x" + std::to_string(kHeight) + "x24";
    display_ = std::make_unique<Process>(std::vector<std::string>{"Xvfb", "-displayfd", std::to_string(ends[1]),
                                                                  "-screen", "0", size, "-nolisten", "tcp",
                                                                  // Else it begins anew, and may turn a client away,
                                                                  // when the last one has gone.
                                                                  "-noreset"});
    close(ends[1]);
    std::string number;
    for (char c = 0; read(ends[0], &c, 1) == 1 && c != '\n';) number += c;
    close(ends[0]);
    ASSERT_FALSE(number.empty()) << "Xvfb did not start";
    setenv("DISPLAY", (":" + number).c_str(), 1);
  }

  bool hand(const std::string& words) { return std::system(("xdotool " + words + " >/dev/null 2>&1").c_str()) == 0; }
  void move_to(double x, double y) {
    hand("mousemove " + std::to_string(static_cast<int>(x)) + " " + std::to_string(static_cast<int>(y)));
    std::this_thread::sleep_for(hold_);
  }
  void press(const char* what) {
    hand(what);
    std::this_thread::sleep_for(hold_);
  }
  /// Down for as long as a finger would be, or longer: a software renderer draws few frames a second.
  void key(const std::string& modifier, const std::string& sign) {
    if (!modifier.empty()) press(("keydown " + modifier).c_str());
    press(("keydown " + sign).c_str());
    press(("keyup " + sign).c_str());
    if (!modifier.empty()) press(("keyup " + modifier).c_str());
    std::this_thread::sleep_for(hold_);
  }
  /// Does something until its effect is seen: at the speed of a person first, then slower and slower, as a sanitized
  /// program on a busy machine may draw less than one frame a second.
  bool do_until(const std::function<void()>& act, const std::function<bool()>& effect) {
    for (hold_ = 150ms; hold_ < 6s; hold_ *= 4) {
      act();
      if (wait_until(effect, std::chrono::duration_cast<std::chrono::seconds>(40 * hold_))) return true;
    }
    return false;
  }

  /// The experiment as the program last wrote it; the defaults before that.
  Experiment saved() {
    std::ifstream in(folder_ / "ropescope" / "last-experiment.json");
    std::stringstream text;
    text << in.rdbuf();
    return text.str().empty() ? Experiment{} : experiment_from_json(text.str(), "last-experiment.json");
  }

  /// Pins the curve until the program has seen it, without waiting for it to write that down.
  void pin_until_saved() {
    EXPECT_TRUE(do_until([this] { key("", "p"); }, [this] { return !saved().pins.empty(); }));
  }
  bool leaves_parts() const {
    for (const auto& entry : fs::directory_iterator(folder_ / "ropescope")) {
      if (entry.path().extension() == ".part") return true;
    }
    return false;
  }

  std::chrono::milliseconds hold_ = 150ms;
  fs::path folder_;
  std::unique_ptr<Process> display_, program_;
};

/// A display, and nothing on it.
class HiddenWindow : public RealWindow {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("ropescope-hidden-" + std::to_string(getpid()));
    fs::create_directories(folder_);
    start_display();
    setenv("LIBGL_ALWAYS_SOFTWARE", "1", 1);
    unsetenv("WAYLAND_DISPLAY");
  }
  /// The picture that one of the two ways gives; empty where it cannot be had.
  std::shared_ptr<const Pixels> picture(const char* way) {
    const std::string file = (folder_ / (std::string(way) + ".png")).string();
    setenv("ROPESCOPE_OFFSCREEN", way, 1);
    Process program({program_file(), "screenshot", "--size", "640x480", "-o", file});
    unsetenv("ROPESCOPE_OFFSCREEN");
    EXPECT_EQ(program.wait_for(120s), 0) << way;
    return fs::exists(file) ? decode_photograph(read_file(file), way) : std::make_shared<const Pixels>();
  }
};

TEST_F(HiddenWindow, DrawsThePictureOfEgl) {
  const auto egl = picture("egl"), hidden = picture("window");
  ASSERT_EQ(egl->columns, 640u);
  ASSERT_EQ(hidden->columns, egl->columns);
  ASSERT_EQ(hidden->values.size(), egl->values.size());
  // The line of state at the bottom says how long the program took, each time anew.
  const std::size_t state_line = 32 * (egl->values.size() / 480);
  int largest = 0;
  for (std::size_t i = 0; i + state_line < egl->values.size(); ++i) {
    largest = std::max(largest, std::abs(int{egl->values[i]} - int{hidden->values[i]}));
  }
  EXPECT_LE(largest, 2) << "of 255: what rounding may do";

  display_.reset();
  setenv("ROPESCOPE_OFFSCREEN", "window", 1);
  Process without({program_file(), "screenshot", "-o", (folder_ / "none.png").string()});
  unsetenv("ROPESCOPE_OFFSCREEN");
  EXPECT_EQ(without.wait_for(60s), 2) << "it is a window: without a display there is none";
}

TEST_F(RealWindow, TheMouseDragsTheBaseZoomsAndSaves) {
  Rect handle, plot;
  {
    const ui::AppWindow same(kWidth, kHeight);
    handle = same.gui.rect("rope.base.handle");
    plot = same.gui.rect("plot.similarity");
  }

  const double track = handle.top + handle.height / 2;
  const auto drag_base = [&] {
    move_to(handle.left + handle.width / 2, track);
    press("mousedown 1");
    move_to(handle.left + 40, track);
    move_to(handle.left + 90, track);
    press("mouseup 1");
  };
  EXPECT_TRUE(do_until(drag_base, [this] { return saved().rope.base > 1e6; })) << "base " << saved().rope.base;

  const auto zoom = [&] {
    move_to(plot.left + plot.width / 2, plot.top + plot.height / 2);
    press("click 4");
    press("click 4");
  };
  EXPECT_TRUE(do_until(zoom, [this] { return saved().decay.zooms.find("decay.distance_range").has_value(); }));

  const fs::path file = folder_ / "figure.svg";
  const auto save = [&] {
    key("", "Escape");
    key("ctrl", "s");
    key("ctrl", "a");
    hand("type --delay 30 '" + file.string() + "'");
    std::this_thread::sleep_for(hold_);
    key("", "Return");
  };
  EXPECT_TRUE(do_until(save, [&] { return fs::exists(file); }));

  int code = -1;
  // A dialog has the keys: that of saving may have been asked for once more before its file was seen.
  const auto quit = [&] {
    key("", "Escape");
    key("ctrl", "q");
  };
  EXPECT_TRUE(do_until(quit, [&] { return (code = program_->wait_for(1s)) != -1; }));
  EXPECT_EQ(code, 0);
}

TEST_F(RealWindow, TapsShorterThanAFrameCount) {
  pin_until_saved();
  key("", "1");
  ASSERT_TRUE(wait_until([&] { return saved().view == "rotation"; }));
  const double before = saved().rotation.query_position;
  // Another key between and a few milliseconds: GLFW leaves out a key that comes again at once.
  hand("key --delay 5 period t period b period");
  EXPECT_TRUE(wait_until([&] { return saved().rotation.query_position == before + 3; }))
      << saved().rotation.query_position;
}

TEST_F(RealWindow, ATermSignalSavesAndEnds) {
  pin_until_saved();
  const std::size_t before = saved().pins.size();
  key("", "p");
  kill(program_->id(), SIGTERM);
  EXPECT_EQ(program_->wait_for(60s), 0);
  // A slow machine may not have seen the last key yet; what it had seen is there.
  EXPECT_GE(saved().pins.size(), before);
  EXPECT_FALSE(leaves_parts());
}

TEST_F(RealWindow, ALostDisplaySavesAndEnds) {
  pin_until_saved();
  const std::size_t before = saved().pins.size();
  key("", "p");
  display_.reset();
  EXPECT_EQ(program_->wait_for(60s), 1);
  EXPECT_GE(saved().pins.size(), before);
}

TEST_F(RealWindow, AfterAKillTheNextStartOffersWhatWasSaved) {
  pin_until_saved();
  program_.reset();  // SIGKILL
  const Experiment last = saved();
  start_program();
  const fs::path aside = folder_ / "ropescope" / "last-experiment.json.1";
  ASSERT_TRUE(wait_until([&] { return fs::exists(aside); }));
  std::ifstream in(aside);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  EXPECT_EQ(experiment_from_json(text, "aside"), last);
}

/// The lecturer's own window: it opens, its keys play the lesson of the first one, and it closes alone.
TEST_F(RealWindow, TheLecturersWindowPlaysTheLesson) {
  program_.reset();
  const fs::path lecture = folder_ / "lecture.md";
  std::ofstream file(lecture);
  file << "# Bases\n\n3 minutes.\n";
  for (const char* base : {"500", "700", "900"}) {
    file << "\n## Base " << base << " {base-" << base << "}\n\n```set\nview = decay\nrope.base = " << base
         << "\n```\n\nThe base is {rope.base}.\n\n```notes\nSay it aloud.\n```\n";
  }
  file.close();
  start_program({"--language", "en", lecture.string()});
  ASSERT_TRUE(wait_until([&] { return saved().rope.base == 500; })) << saved().rope.base;
  const auto has_notes = [this] { return hand("search --name \"^ropescope: lecturer's notes$\""); };
  EXPECT_FALSE(has_notes());
  ASSERT_TRUE(do_until(
      [&] {
        key("", "F5");
        key("", "n");
      },
      has_notes));
  const auto onwards = [this] {
    hand("search --name \"^ropescope: lecturer's notes$\" windowfocus");
    key("", "Next");
  };
  EXPECT_TRUE(do_until(onwards, [&] { return saved().rope.base > 500; })) << saved().rope.base;
  const auto close = [this] {
    hand("search --name \"^ropescope: lecturer's notes$\" windowfocus");
    key("", "Escape");
  };
  EXPECT_TRUE(do_until(close, [&] { return !has_notes(); }));
  EXPECT_TRUE(hand("search --name '^ropescope$'")) << "the room goes on";
  EXPECT_EQ(program_->wait_for(1s), -1);
}

}  // namespace
}  // namespace ropescope
