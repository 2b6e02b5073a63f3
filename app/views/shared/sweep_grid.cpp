#include "app/views/shared/sweep_grid.h"

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <utility>

#include "app/experiment/ladder.h"
#include "app/resources/files.h"
#include "app/resources/models.h"
#include "app/views/shared/readouts.h"
#include "app/views/shared/ropes.h"
#include "app/views/view.h"
#include "core/decay/share_work.h"
#include "core/error.h"

namespace ropescope {

namespace {

/// Points that are there, until those before them are.
class InOrder {
 public:
  InOrder(std::size_t first, const TakePoint& take) : next_(first), take_(take) {}
  void put(std::size_t point, SweptPoint swept) {
    const std::lock_guard lock(mutex_);
    waiting_.emplace(point, std::move(swept));
    for (auto found = waiting_.find(next_); found != waiting_.end(); found = waiting_.find(++next_)) {
      take_(next_, found->second);
      waiting_.erase(found);
    }
  }

 private:
  std::mutex mutex_;
  std::size_t next_;
  const TakePoint& take_;
  std::map<std::size_t, SweptPoint> waiting_;
};

}  // namespace

std::size_t SweepGrid::points() const {
  std::size_t count = 1;
  for (const KnobValues& knob : over) {
    if (knob.values.empty()) return 0;
    if (count > kMostPointsOfSweep / knob.values.size()) return kMostPointsOfSweep + 1;
    count *= knob.values.size();
  }
  return count;
}

std::vector<double> SweepGrid::values(std::size_t point) const {
  std::vector<double> chosen(over.size());
  for (std::size_t i = over.size(); i-- > 0; point /= over[i].values.size()) {
    chosen[i] = over[i].values[point % over[i].values.size()];
  }
  return chosen;
}

Experiment with_settings(Experiment experiment, const std::vector<std::string>& settings) {
  for (const std::string& setting : settings) assign(experiment, setting);
  clamp(experiment);
  read_rope(experiment.rope);
  return experiment;
}

void require_presets(const KnobValues& knob, const char* option) {
  if (knob.kind != KnobValues::Kind::model) return;
  for (const std::string& id : knob.words) {
    try {
      load_preset(find_places().assets, id);
    } catch (const InputError& error) {
      throw InputError::within(option, error);
    }
  }
}

Experiment experiment_of_point(const SweepGrid& grid, std::size_t point) {
  Experiment experiment = grid.experiment;
  std::vector<std::string> words, numbers;
  const std::vector<double> values = grid.values(point);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const KnobValues& knob = grid.over[i];
    const std::string text = knob.text(values[i]);
    if (knob.kind == KnobValues::Kind::model) {
      take_preset(experiment, text);
      follow_opening(experiment);
      words.insert(words.begin(), grid.sets.begin(), grid.sets.end());
    } else {
      (knob.kind == KnobValues::Kind::number ? numbers : words).push_back(knob.key + "=" + text);
    }
  }
  // A choice may say what a number means.
  words.insert(words.end(), numbers.begin(), numbers.end());
  return with_settings(std::move(experiment), words);
}

SweptPoint swept_point(const SweepGrid& grid, std::size_t point, const Text& text, Store& store) {
  SweptPoint swept;
  swept.cells.resize(grid.readouts.size());
  store.begin_pass();
  try {
    Experiment experiment = experiment_of_point(grid, point);
    std::map<const View*, ViewResult> shown;
    for (std::size_t i = 0; i < grid.readouts.size(); ++i) {
      const View& view = view_of_readout(grid.readouts[i], grid.experiment);
      auto [at, added] = shown.try_emplace(&view);
      if (added) {
        experiment.view = view.id;
        if (view.check) view.check(experiment);
        at->second = draw_view(view, experiment, text, store);
      }
      if (!at->second.fault.empty() && swept.fault.empty()) swept.fault = at->second.fault;
      swept.cells[i] = numbers_of(at->second, grid.readouts[i]).value_or(std::vector<ShownNumber>());
    }
  } catch (const InputError& error) {
    swept.fault = text.say(error.words());
  }
  store.end_pass();
  return swept;
}

void sweep_points(const SweepGrid& grid, const PointRange& range, const Text& text, int threads,
                  const std::stop_token& stop, const TakePoint& take) {
  if (range.first >= range.last) return;
  const int all = worker_count(threads);
  const int workers = static_cast<int>(std::min(range.last - range.first, static_cast<std::size_t>(all)));
  std::atomic<std::size_t> next = range.first;
  InOrder order(range.first, take);
  share_work(workers, [&] {
    // Each its own: what one point was computed from often serves the next one.
    Store store(Store::Mode::synchronous, std::max(1, all / workers));
    for (std::size_t point = next++; point < range.last && !stop.stop_requested(); point = next++) {
      order.put(point, swept_point(grid, point, text, store));
    }
  });
}

}  // namespace ropescope
