#include "app/commands/race_beyond.h"

#include <algorithm>
#include <cmath>

#include "app/resources/text.h"
#include "core/error.h"
#include "core/number_for_people.h"
#include "core/number_text.h"

namespace ropescope {

namespace {

/// The mean over the seeds of one runner by one method.
struct MethodMean {
  std::string method;
  double past = 0, within = 0;
  int seeds = 0;
};

std::string tokens_text(const RacePlan& plan) {
  const int trained = plan.setup.length;
  if (plan.beyond == 1) return " at its own length of " + std::to_string(trained) + " tokens: ";
  return " past token " + std::to_string(trained) + ", up to " + std::to_string(trained * plan.beyond) + ": ";
}

std::string sentence_of_race_beyond(const RacePlan& plan, const std::string& name, std::vector<MethodMean> means) {
  const MethodMean plain = means.front();
  std::stable_sort(means.begin(), means.end(),
                   [](const MethodMean& a, const MethodMean& b) { return a.past < b.past; });
  std::string sentence = name + tokens_text(plan);
  for (const MethodMean& mean : means) {
    sentence += (&mean == &means.front() ? "" : ", ") + mean.method + " " + decimals_for_people(mean.past, 3);
  }
  sentence += " nats";
  if (plain.seeds > 1) sentence += ", means over " + std::to_string(plain.seeds) + " seeds";
  if (plan.beyond > 1 && !std::isnan(plain.within)) {
    sentence += "; before it, with " + plain.method + ": " + decimals_for_people(plain.within, 3) + " nats";
  }
  return sentence;
}

std::string reason_against(const RacePlan& plan, std::size_t runner, std::string_view method) {
  try {
    check_beyond(plan.setup, plan.runners[runner], method, plan.beyond);
  } catch (const InputError& error) {
    return said_in_english(error.words());
  }
  return {};
}

}  // namespace

std::vector<BeyondRead> plan_beyond(const RacePlan& plan) {
  std::vector<BeyondRead> reads;
  if (plan.beyond == 0) return reads;
  require_text(plan.setup, plan.beyond * plan.setup.length);
  for (std::size_t i = 0; i < plan.runners.size(); ++i) {
    for (const std::string_view method : beyond_methods(plan.runners[i])) {
      BeyondRead read;
      read.runner = i;
      read.options.method = method, read.options.factor = plan.beyond;
      // What holds for one seed holds for the next.
      const auto before = std::find_if(reads.begin(), reads.end(), [&](const BeyondRead& one) {
        return name_of(plan.runners[one.runner]) == name_of(plan.runners[i]) && one.options.method == method;
      });
      if (before != reads.end()) {
        read.absent = before->absent;
      } else {
        read.absent = reason_against(plan, i, method);
      }
      reads.push_back(std::move(read));
    }
  }
  return reads;
}

std::int64_t beyond_bytes(const RacePlan& plan) {
  std::int64_t most = 0;
  for (const BeyondRead& read : plan_beyond(plan)) {
    // A method changes what stands in the tables and not how much.
    if (!read.absent.empty() || read.options.method != "none") continue;
    most = std::max(most, beyond_bytes_wanted(plan.setup, plan.runners[read.runner], read.options, plan.threads));
  }
  return most;
}

std::filesystem::path beyond_path(const std::filesystem::path& output) {
  std::filesystem::path path = output;
  const std::string ending = output.extension().string();
  return path.replace_extension(".beyond" + (ending.empty() ? ".csv" : ending));
}

std::string beyond_table(const RacePlan& plan, const std::vector<BeyondRead>& reads) {
  std::string text = "run,seed,method,length,position_from,position_to,tokens,loss\n";
  for (const BeyondRead& read : reads) {
    const RunnerSpec& spec = plan.runners[read.runner];
    const std::string head = name_of(spec) + "," + std::to_string(spec.seed) + "," + read.options.method + "," +
                             std::to_string(read.losses.length) + ",";
    for (const PositionBucket& bucket : read.losses.buckets) {
      text += head + std::to_string(bucket.from) + "," + std::to_string(bucket.to - 1) + "," +
              std::to_string(bucket.tokens) + "," + (bucket.tokens > 0 ? number_text(bucket.loss) : "") + "\n";
    }
  }
  return text;
}

std::vector<std::string> beyond_verdict(const RacePlan& plan, const std::vector<BeyondRead>& reads) {
  std::vector<std::string> sentences;
  std::string name;
  std::vector<MethodMean> means;
  const auto end_runner = [&] {
    if (!means.empty()) sentences.push_back(sentence_of_race_beyond(plan, name, means));
    means.clear();
  };
  for (const BeyondRead& read : reads) {
    if (name_of(plan.runners[read.runner]) != name) end_runner();
    name = name_of(plan.runners[read.runner]);
    if (!read.absent.empty()) {
      const std::string sentence = name + tokens_text(plan) + read.absent;
      if (std::find(sentences.begin(), sentences.end(), sentence) == sentences.end()) sentences.push_back(sentence);
    }
    if (read.losses.buckets.empty()) continue;
    auto mean = std::find_if(means.begin(), means.end(),
                             [&](const MethodMean& one) { return one.method == read.options.method; });
    if (mean == means.end()) mean = means.insert(means.end(), {read.options.method, 0, 0, 0});
    const double past = plan.beyond == 1 ? read.losses.whole.loss : read.losses.past.loss, n = mean->seeds++;
    mean->past += (past - mean->past) / (n + 1);
    mean->within += (read.losses.within.loss - mean->within) / (n + 1);
  }
  end_runner();
  return sentences;
}

}  // namespace ropescope
