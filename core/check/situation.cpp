
#include "core/check/cause.h"

namespace ropescope {

const Observed& ObservedCache::of(const CheckModel& model) {
  Key key{model.repeats, model.companions, model.conjugate, model.tokens.pair_count()};
  // A table is read without knowing how channels are paired.
  if (evidence_.has_tables()) key.repeats = key.companions = Pairing::interleaved, key.pairs = 0;
  for (const auto& [seen, observed] : kept_) {
    if (seen == key) return *observed;
  }
  kept_.emplace_back(key, std::make_unique<Observed>(observe(evidence_, model)));
  return *kept_.back().second;
}

const Measured& Situation::measured() const {
  if (!measured_) measured_ = measure(evidence, observed(), model);
  return *measured_;
}

const Ladders& Situation::ladders() const {
  if (!ladders_) ladders_ = ladders_of(model, reference);
  return *ladders_;
}

std::string list_text(const std::vector<double>& values) {
  std::string text = "(";
  for (std::size_t i = 0; i < values.size(); ++i) text += (i == 0 ? "" : ", ") + number_text(values[i]);
  return text + ")";
}

}  // namespace ropescope
