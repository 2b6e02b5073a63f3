// ropescope_hands [SECONDS [SEED]] sends random keys and random mouse input to the whole window, without a display, for
// SECONDS (60): to every view, dialog, lesson and text size that this reaches, with work on the workers as in the real
// window. No frame may throw, every resulting experiment must be unchanged after saving and reading, and memory must be
// flat. For that, the memory that the program has requested and not freed may grow from the second to the last quarter
// of the time by at most a quarter and 64 MiB, each by its median (results of up to 512 MiB are cached, and which ones
// depends on the input). The memory that the system gave is printed as well: freed memory stays allocated for a while
// (the real window returns it when idle). Files are written only in its own folder. The same seed sends the same
// input but does not give the same frames, because the progress of the workers depends on the machine. It prints every
// failure with the input before it, and one line of result.
#include <malloc.h>
#include <unistd.h>

#include <deque>
#include <exception>

#include "app/resources/system.h"
#include "app/ui/app.h"
#include "app/ui/shell.h"
#include "app/ui/state.h"
#include "tests/gui/harness.h"

/// There only where the address sanitizer is, whose memory malloc's own counts know nothing of.
extern "C" __attribute__((weak)) std::size_t __sanitizer_get_current_allocated_bytes();

namespace ropescope::ui {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kRemembered = 40;  ///< of what was sent, for the words of a failure
constexpr int kLongestFrame = 100;       ///< milliseconds, as a person feels them; counted, not judged

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

/// MiB that the program has of the system; 0 where that does not say.
double resident_mebibytes() {
  std::ifstream file("/proc/self/statm");
  double all = 0, resident = 0;
  file >> all >> resident;
  return resident * static_cast<double>(sysconf(_SC_PAGESIZE)) / (1 << 20);
}

/// MiB that it has asked for and not freed.
double held_mebibytes() {
  if (&__sanitizer_get_current_allocated_bytes) {
    return static_cast<double>(__sanitizer_get_current_allocated_bytes()) / (1 << 20);
  }
  const auto heap = mallinfo2();
  return static_cast<double>(heap.uordblks + heap.hblkhd) / (1 << 20);
}

/// The middle one; 0 of none.
double median(std::vector<double> numbers) {
  if (numbers.empty()) return 0;
  std::nth_element(numbers.begin(), numbers.begin() + static_cast<std::ptrdiff_t>(numbers.size() / 2), numbers.end());
  return numbers[numbers.size() / 2];
}

class Hands {
 public:
  Hands(std::uint64_t seed, const std::filesystem::path& folder) : random_(seed), gui_(1600, 1000) {
    Places places = find_places();
    places.state = folder / "state";
    app_ = std::make_unique<App>(places, Store::Mode::asynchronous);
    app_->ui.gpu = gui_.gpu();
    app_->settings.folder = folder.string();
    load_state(*app_);
    apply_settings(*app_, 1);
    gui_.upload_fonts();
    gui_.draw = [this] { draw_app(*app_, gui_.width, gui_.height); };
    gui_.frames(2);
  }

  void act() {
    switch (random_() % 12) {
      case 0:
      case 1:
      case 2:
        return click();
      case 3:
        return drag();
      case 4:
        return wheel();
      case 5:
      case 6:
      case 7:
        return key();
      case 8:
        return digit();
      case 9:
        return type();
      case 10:
        return move(place());
      default:
        return rarely();
    }
  }
  void frame() {
    const auto begin = Clock::now();
    gui_.frames(1, 1.0 / 60);
    const double milliseconds = 1000 * seconds_since(begin);
    ++frames_;
    if (milliseconds > kLongestFrame) ++slow_;
    longest_ = std::max(longest_, milliseconds);
    const Requests requests = std::exchange(app_->requests, {});
    if (requests.rebuild_fonts) {
      apply_settings(*app_, 1);
      gui_.upload_fonts();
    }
    views_.insert(app_->history.current().view);
  }
  /// Throws where the experiment of the moment is another one after it was saved and read.
  void look() const {
    const Experiment& now = app_->history.current();
    if (!(experiment_from_json(experiment_to_json(now), "saved") == now)) {
      throw std::runtime_error("an experiment is another one after it was saved and read");
    }
  }
  void report(const std::string& why) const {
    std::printf("FAILED: %s\n%s\nafter:", why.c_str(), experiment_to_json(app_->history.current()).c_str());
    for (const std::string& each : sent_) std::printf(" %s;", each.c_str());
    std::printf("\n");
  }
  long frames() const { return frames_; }
  long slow() const { return slow_; }
  double longest() const { return longest_; }
  std::size_t views() const { return views_.size(); }

 private:
  double share() { return std::uniform_real_distribution<double>(0, 1)(random_); }
  bool one_in(unsigned count) { return random_() % count == 0; }
  void note(std::string what) {
    sent_.push_back(std::move(what));
    if (sent_.size() > kRemembered) sent_.pop_front();
  }
  /// Mostly on something that can be touched.
  Vec2 place() {
    const auto& rects = app_->record.rects;
    if (rects.empty() || one_in(5)) return {share() * gui_.width, share() * gui_.height};
    const auto& [key, rect] = rects[random_() % rects.size()];
    note(key);
    return {rect.left + share() * rect.width, rect.top + share() * rect.height};
  }
  void move(Vec2 to) {
    send_mouse_position(static_cast<float>(to.x), static_cast<float>(to.y));
    frame();
  }
  void button(int which, bool down) {
    send_mouse_button(which, down);
    frame();
  }
  void click() {
    move(place());
    const int which = one_in(6) ? 1 : 0;
    note(which == 1 ? "right click" : "click");
    for (int times = one_in(6) ? 2 : 1; times > 0; --times) {
      button(which, true);
      button(which, false);
    }
  }
  void drag() {
    move(place());
    const int which = one_in(4) ? 1 : 0;
    note("drag");
    button(which, true);
    for (int i = 0; i < 6; ++i) move({share() * gui_.width, share() * gui_.height});
    button(which, false);
  }
  void wheel() {
    move(place());
    note("wheel");
    const bool control = one_in(4), shift = one_in(4);
    send_modifiers(control, shift, false);
    send_mouse_wheel(static_cast<float>(6 * share() - 3));
    frame();
    send_modifiers(false, false, false);
    frame();
  }
  void press(int code, bool control, bool shift) {
    note("key " + std::to_string(code) + (control ? " control" : "") + (shift ? " shift" : ""));
    send_modifiers(control, shift, false);
    send_key(static_cast<Key>(code), true);
    frame();
    send_key(static_cast<Key>(code), false);
    send_modifiers(false, false, false);
    frame();
  }
  void key() {
    static constexpr int kKeys[] = {32,  44,  45,  46,  47,  61,  91,  93,  256, 256, 257, 258, 259, 261, 262, 263, 264,
                                    265, 266, 267, 268, 269, 290, 294, 348, 65,  66,  67,  68,  69,  70,  71,  72,  73,
                                    74,  75,  76,  77,  78,  79,  80,  82,  83,  84,  85,  86,  87,  88,  89,  90};
    press(kKeys[random_() % std::size(kKeys)], one_in(3), one_in(5));
  }
  void digit() { press(48 + static_cast<int>(random_() % 10), one_in(8), one_in(8)); }
  void type() {
    static const char* const kTyped[] = {"1e6",   "-1",   "nan",          "0",        "100000000000", "0.5",
                                         "b",     "rope", "\xe5\x9b\x9e", "16,56,56", "0:4096:8",     "x.json",
                                         "../..", "flux", "\xed\x9a\x8c"};
    const char* text = kTyped[random_() % std::size(kTyped)];
    note(std::string("types ") + text);
    send_text(text);
    frame();
    if (one_in(2)) press(257, false, false);
  }
  /// What a person does now and then: another size of the window, a while without doing anything.
  void rarely() {
    if (one_in(8)) {
      gui_.width = static_cast<float>(400 + random_() % 3500);
      gui_.height = static_cast<float>(300 + random_() % 1900);
      note("window of " + std::to_string(int(gui_.width)) + " by " + std::to_string(int(gui_.height)));
    } else {
      note("waits");
      gui_.frames(3, 4 * share());
    }
    frame();
  }

  std::mt19937_64 random_;
  Harness gui_;
  std::unique_ptr<App> app_;
  std::deque<std::string> sent_;
  std::set<std::string> views_;
  long frames_ = 0, slow_ = 0;
  double longest_ = 0;
};

int run(double seconds, std::uint64_t seed) {
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("ropescope-hands-" + std::to_string(getpid()));
  std::filesystem::create_directories(folder / "home" / "a" / "b");
  // What a dialog comes to by "../..".
  std::filesystem::current_path(folder / "home" / "a" / "b");
  setenv("HOME", (folder / "home").c_str(), 1);
  Hands hands(seed, folder / "home" / "a" / "b");
  const auto begin = Clock::now();
  std::vector<double> held[4];
  double resident = 0;
  long acts = 0, failures = 0;
  while (seconds_since(begin) < seconds && failures < 20) {
    try {
      hands.act();
      if (++acts % 16 == 0) hands.look();
    } catch (const std::exception& error) {
      ++failures;
      hands.report(error.what());
    }
    const auto quarter = static_cast<std::size_t>(std::min(3.0, 4 * seconds_since(begin) / seconds));
    if (acts % 4 == 0) {
      held[quarter].push_back(held_mebibytes());
      resident = std::max(resident, resident_mebibytes());
    }
  }
  const double middle[] = {median(held[0]), median(held[1]), median(held[2]), median(held[3])};
  const bool flat = middle[3] <= 1.25 * middle[1] + 64;
  os::give_back_memory();
  std::printf(
      "%ld acts in %.0f s, seed %llu: %ld frames in %zu views, %ld of them over %d ms, the longest %.0f ms; held in "
      "the "
      "quarters of the time %.0f, %.0f, %.0f and %.0f MiB%s, of the system at most %.0f and at the end %.0f MiB; %ld "
      "failures\n",
      acts, seconds_since(begin), static_cast<unsigned long long>(seed), hands.frames(), hands.views(), hands.slow(),
      kLongestFrame, hands.longest(), middle[0], middle[1], middle[2], middle[3], flat ? "" : ", which is not flat",
      resident, resident_mebibytes(), failures);
  std::error_code left;
  std::filesystem::current_path(std::filesystem::temp_directory_path());
  std::filesystem::remove_all(folder, left);
  return failures == 0 && flat ? 0 : 1;
}

}  // namespace

}  // namespace ropescope::ui

int main(int argc, char** argv) {
  const double seconds = argc > 1 ? std::atof(argv[1]) : 60;
  return ropescope::ui::run(seconds, argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1);
}
