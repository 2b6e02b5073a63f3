// ropescope_soak [COUNT [SEED [SECONDS [VIEW]]]] draws COUNT random experiments (1 000), each in every view or in VIEW,
// as the window does. It verifies that there is no exception, no axis that is not finite or runs backwards, and no pass
// that takes more than 100 ms of processor time outside the workers. Work that takes the workers more than two seconds
// of processor time is abandoned, as if a user dragged on; in nine experiments of ten already after 50 ms, because
// nearly all the cost of a picture is in the workers. It ends after SECONDS, if given. The same seed gives the same
// experiments. It prints every failure with its experiment, the processor time of each view, and one line of result;
// the exit code is 1 if anything failed. ropescope_soak FILE draws the experiment in it, in the form that a failure
// prints, five times, each from the start.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <exception>
#include <filesystem>
#include <map>
#include <random>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "app/experiment/experiment.h"
#include "app/experiment/rope_spec.h"
#include "app/resources/files.h"
#include "app/resources/models.h"
#include "app/views/view.h"

namespace ropescope {

namespace {

using Clock = std::chrono::steady_clock;

constexpr double kLongestPass = 0.1, kLongestWork = 2, kShortWork = 0.05;  ///< seconds

/// Moves about half of the fields to any value that their control allows.
class Perturbed {
 public:
  explicit Perturbed(std::mt19937_64& random) : random_(random) {}
  void shake(Field& field) {
    switch (field.kind) {
      case Field::Kind::number:
        return number(field, field.as<double>());
      case Field::Kind::choice:
        if (coin() && !field.options.empty()) {
          field.set_word(field.options[random_() % field.options.size()]);
        }
        break;
      case Field::Kind::toggle:
        field.as<bool>() = coin() ? coin() : field.as<bool>();
        break;
      case Field::Kind::text:
        return text(field, field.as<std::string>());
      case Field::Kind::range:
        return range(field.as<std::optional<Range>>());
      case Field::Kind::names:
        return names(field, field.as<Field::Names>());
      default:
        break;
    }
  }

 private:
  void number(const Field& field, double& value) {
    if (!coin()) return;
    const int end = static_cast<int>(random_() % 8);
    if (end == 0)
      value = clamp_to(field, field.lowest);
    else if (end == 1)
      value = clamp_to(field, field.highest);
    else
      value = slider_value(field, std::uniform_real_distribution<double>(0, 1)(random_));
  }
  void text(const Field& field, std::string& value) {
    if (random_() % 16 != 0 || !field.endings.empty() || !field.control) return;  // no window lets anybody type there
    const char* typed[] = {"", "0", "-1", "1e999", "nan", "1,2", "a,,b", "16,56,56", "0:64:8", "\xe2\x9f\xa8"};
    value = typed[random_() % std::size(typed)];
  }
  void range(std::optional<Range>& value) {
    if (!coin()) return;
    const double low = std::uniform_real_distribution<double>(-10, 1e5)(random_);
    value = Range{low, low + std::pow(10, std::uniform_real_distribution<double>(-6, 6)(random_))};
  }
  void names(const Field& field, std::vector<std::string>& value) {
    if (field.options.empty() || !coin()) return;
    value.clear();
    for (const std::string& option : field.options) {
      if (coin()) value.push_back(option);
    }
  }
  bool coin() { return random_() % 2 == 0; }
  std::mt19937_64& random_;
};

/// Of the processor, so that other programs do not count. A pass, which waits for nobody, is of this thread alone.
double seconds_of(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}
double thread_seconds() {
  return seconds_of(CLOCK_THREAD_CPUTIME_ID);
}
double process_seconds() {
  return seconds_of(CLOCK_PROCESS_CPUTIME_ID);
}

struct ViewTally {
  long pictures = 0, unfinished = 0;
  double passes = 0, whole = 0;  ///< seconds of the processor: of passes, and with the workers
};

struct Tally {
  std::map<std::string_view, ViewTally> views;
  long experiments = 0, drawn = 0, faults = 0, unfinished = 0, failures = 0, slow = 0;
  double longest = 0;
  std::string longest_view;
};

struct Soak {
  Text text = Text::load(find_places().assets);
  Store store{Store::Mode::asynchronous};
  std::vector<Profile> profiles;
  Tally tally;

  void fail(const Experiment& experiment, const std::string& why) {
    ++tally.failures;
    std::printf("FAILED %s: %s\n%s\n", experiment.view.c_str(), why.c_str(), experiment_to_json(experiment).c_str());
  }

  void look_at(const Experiment& experiment, const FigureAxis& axis, const std::string& figure) {
    const bool sound =
        std::isfinite(axis.range.low) && std::isfinite(axis.range.high) && axis.range.low < axis.range.high;
    if (sound) return;
    fail(experiment, figure + ", axis " + axis.name + ": " + std::to_string(axis.range.low) + " to " +
                         std::to_string(axis.range.high));
  }

  ViewResult pass(const View& view, const Experiment& experiment) {
    store.begin_pass();
    const double begin = thread_seconds();
    ViewResult result = draw_view(view, experiment, text, store);
    const double seconds = thread_seconds() - begin;
    store.end_pass();
    tally.views[view.id].passes += seconds;
    if (seconds > tally.longest) {
      tally.longest = seconds;
      tally.longest_view = view.id;
    }
    if (seconds > kLongestPass) {
      ++tally.slow;
      std::printf("slow: %s took %.0f ms\n%s\n", experiment.view.c_str(), 1000 * seconds,
                  experiment_to_json(experiment).c_str());
    }
    return result;
  }

  void draw(const View& view, const Experiment& experiment, double longest_work) {
    const double begin = process_seconds();
    ViewResult result = pass(view, experiment);
    while (store.busy() && process_seconds() < begin + longest_work) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    ViewTally& of_view = tally.views[view.id];
    if (store.busy()) ++tally.unfinished, ++of_view.unfinished;
    result = pass(view, experiment);
    ++tally.drawn;
    ++of_view.pictures;
    of_view.whole += process_seconds() - begin;
    if (!result.fault.empty()) ++tally.faults;
    for (const Panel& panel : result.panels) {
      look_at(experiment, panel.figure.x, panel.figure.name);
      look_at(experiment, panel.figure.y, panel.figure.name);
    }
    const Experiment read = experiment_from_json(experiment_to_json(experiment), "saved");
    if (!(read == experiment)) fail(experiment, "is another one after it was saved and read");
  }

  Experiment random_experiment(std::mt19937_64& random, const View& view) {
    Experiment experiment;
    if (random() % 2 == 0) experiment.rope = to_rope_fields(profiles[random() % profiles.size()], "preset");
    Perturbed shaken(random);
    // Twice: which fields there are follows from the choices.
    for (int time = 0; time < 2; ++time) {
      for (Field& field : fields_of(view, experiment)) shaken.shake(field);
    }
    clamp(experiment);  // as the window does after every edit
    experiment.view = view.id;
    return experiment;
  }
};

double now_of(const Clock::time_point& begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

int run_again(const std::string& file) {
  constexpr int kTimes = 5;
  const Experiment experiment = experiment_from_json(read_file(file), file);
  long failures = 0;
  for (int i = 0; i < kTimes; ++i) {
    Soak soak;
    soak.draw(find_view(experiment.view), experiment, kLongestWork);
    std::printf("%s: both passes %.1f ms, the longer %.1f\n", experiment.view.c_str(),
                1000 * soak.tally.views[experiment.view].passes, 1000 * soak.tally.longest);
    failures += soak.tally.failures;
  }
  return failures == 0 ? 0 : 1;
}

int run(long count, std::uint64_t seed, double seconds, const std::string& only) {
  Soak soak;
  for (const Preset& preset : load_presets(find_places().assets)) {
    soak.profiles.insert(soak.profiles.end(), preset.profiles.begin(), preset.profiles.end());
  }
  const auto begin = Clock::now();
  for (long i = 0; i < count && now_of(begin) < seconds; ++i) {
    for (const View* view : all_views()) {
      if (!only.empty() && only != view->id) continue;
      std::mt19937_64 random(seed * 1000003 + static_cast<std::uint64_t>(i));
      const Experiment experiment = soak.random_experiment(random, *view);
      try {
        soak.draw(*view, experiment, i % 10 == 0 ? kLongestWork : kShortWork);
      } catch (const std::exception& error) {
        soak.fail(experiment, std::string("exception: ") + error.what());
      }
    }
    ++soak.tally.experiments;
  }
  const Tally& tally = soak.tally;
  for (const auto& [view, of_view] : tally.views) {
    const auto pictures = static_cast<double>(of_view.pictures);
    std::printf("%-12s %ld pictures, %.1f ms of the processor each, %.2f of them in passes; %ld left to the worker\n",
                std::string(view).c_str(), of_view.pictures, 1000 * of_view.whole / pictures,
                1000 * of_view.passes / pictures, of_view.unfinished);
  }
  std::printf(
      "%ld experiments x %zu views, seed %llu: %ld pictures in %.0f s, %ld of them a sentence in place of a "
      "picture, %ld left to the worker; %ld failures, %ld passes over 100 ms, the longest %.0f ms (%s)\n",
      tally.experiments, tally.views.size(), static_cast<unsigned long long>(seed), tally.drawn, now_of(begin),
      tally.faults, tally.unfinished, tally.failures, tally.slow, 1000 * tally.longest, tally.longest_view.c_str());
  return tally.failures == 0 ? 0 : 1;
}

}  // namespace

}  // namespace ropescope

int main(int argc, char** argv) {
  if (argc == 2 && std::filesystem::is_regular_file(argv[1])) return ropescope::run_again(argv[1]);
  const long count = argc > 1 ? std::atol(argv[1]) : 1000;
  const std::uint64_t seed = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1;
  return ropescope::run(count, seed, argc > 3 ? std::atof(argv[3]) : 1e9, argc > 4 ? argv[4] : "");
}
