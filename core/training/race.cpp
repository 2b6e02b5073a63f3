#include "core/training/race.h"

#include <algorithm>
#include <cmath>

#include "core/error.h"

namespace ropescope {

namespace {

PositionTables tables_of(const RaceSetup& setup, const RunnerSpec& spec) {
  EncodingSettings settings = spec.settings;
  settings.trained_length = setup.length;
  return position_tables(find_encoding(spec.encoding), settings, shape_of(setup, spec), setup.length);
}

std::size_t cells_of(int sequences, int length) {
  return static_cast<std::size_t>(sequences) * static_cast<std::size_t>(length);
}

}  // namespace

ModelShape shape_of(const RaceSetup& setup, const RunnerSpec& spec) {
  ModelShape shape;
  shape.vocabulary = setup.task.vocabulary;
  shape.layers = setup.layers, shape.width = setup.width, shape.heads = setup.heads, shape.length = setup.length;
  shape.causal = setup.task.causal(), shape.linear_attention = spec.linear_attention;
  shape.random_features = spec.random_features;
  return shape;
}

std::string name_of(const RunnerSpec& spec) {
  return spec.encoding + (!spec.linear_attention ? "/softmax" : spec.random_features ? "/performer" : "/linear");
}

Runner::Runner(const RaceSetup& setup, RunnerSpec spec, int threads)
    : setup_(setup),
      spec_(std::move(spec)),
      trainer_(shape_of(setup, spec_), tables_of(setup, spec_), setup.training, spec_.seed, threads),
      tokens_(cells_of(setup.training.batch, setup.length)),
      targets_(tokens_.size()),
      test_tokens_(cells_of(setup.test_sequences, setup.length)),
      test_targets_(test_tokens_.size()) {
  draw_batch(setup_.task, Split::test, 0, 0, setup_.length, test_tokens_, test_targets_);
}

std::int64_t Runner::bytes_wanted(const RaceSetup& setup, const RunnerSpec& spec, int threads) {
  const auto tokens = static_cast<std::int64_t>(cells_of(setup.training.batch + setup.test_sequences, setup.length));
  return Trainer<float>::bytes_wanted(shape_of(setup, spec), tables_of(setup, spec), setup.training, threads) +
         8 * tokens;
}

bool Runner::advance(const std::stop_token& stop) {
  if (state_.fault) return false;
  const auto begin = std::chrono::steady_clock::now();
  const std::int64_t step = trainer_.steps() + 1;
  draw_batch(setup_.task, Split::train, spec_.seed, static_cast<std::uint64_t>(step), setup_.length, tokens_, targets_);
  const StepResult result = trainer_.step(tokens_, targets_, stop);
  state_.seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  if (!result.done) {
    if (!stop.stop_requested()) state_.fault = RunnerFault{step, std::isfinite(result.loss)};
    return false;
  }
  state_.sum += result.loss;
  ++state_.summed;
  if (step % setup_.every == 0) add_point(stop);
  return true;
}

void Runner::add_point(const std::stop_token& stop) {
  RacePoint point{trainer_.steps(), state_.seconds, state_.sum / static_cast<double>(state_.summed), {}};
  state_.sum = 0, state_.summed = 0;
  if (point.step % setup_.test_every == 0) {
    const double loss = trainer_.test(test_tokens_, test_targets_, stop);
    if (std::isfinite(loss)) point.test_loss = loss;
  }
  state_.curve.push_back(point);
}

std::optional<RacePoint> Runner::final_point(const std::stop_token& stop) {
  const bool has_row = !state_.curve.empty() && state_.curve.back().step == trainer_.steps();
  if (trainer_.steps() == 0 || (has_row && state_.curve.back().test_loss)) return std::nullopt;
  RacePoint point;
  if (has_row) {
    point = state_.curve.back();
  } else {
    point = {trainer_.steps(),
             state_.seconds,
             state_.sum / static_cast<double>(std::max<std::int64_t>(1, state_.summed)),
             {}};
  }
  const double loss = trainer_.test(test_tokens_, test_targets_, stop);
  if (!std::isfinite(loss)) return std::nullopt;
  point.test_loss = loss;
  return point;
}

void Runner::change_settings(const EncodingSettings& settings) {
  RunnerSpec spec = spec_;
  spec.settings = settings;
  trainer_.change_tables(tables_of(setup_, spec));
  spec_ = std::move(spec);
}

RunnerState Runner::state() const {
  RunnerState state = state_;
  state.steps = trainer_.steps();
  state.cells = trainer_.state();
  return state;
}

void Runner::restore(RunnerState state) {
  trainer_.restore(state.cells, state.steps);
  state.cells.clear();
  state_ = std::move(state);
}

}  // namespace ropescope
