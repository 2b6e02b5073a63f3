// Parsing and formatting of the runners of a race. Read race_runners.h first.

#include "app/experiment/race_runners.h"

#include <algorithm>

#include "app/experiment/experiment.h"
#include "core/message.h"
#include "core/scaling/scaling.h"

namespace ropescope {

namespace {

constexpr double kMinBase = 1.01, kMaxBase = 1e12, kMaxFactor = 10'000;

std::string trim_blanks(std::string text) {
  const auto is_blank = [](char c) { return c == ' ' || c == '\t'; };
  text.erase(text.begin(), std::find_if_not(text.begin(), text.end(), is_blank));
  while (!text.empty() && is_blank(text.back())) text.pop_back();
  return text;
}

/// Returns whether a further runner can use this extension: its factor must be its only required parameter.
bool can_race(const ScalingMethod& method) {
  return method.lists.empty() && find_parameter(method, "factor") != nullptr;
}

/// The attentions that one runner can have.
constexpr RaceAttention kAttentions[] = {RaceAttention::softmax, RaceAttention::linear, RaceAttention::performer};

/// Parser for one part of an entry: "linear", "base=500000" or "yarn=4".
class Entry {
 public:
  explicit Entry(const std::string& text) : text_(text) {
    const std::vector<std::string> parts = split(text, '/');
    runner.encoding = trim_blanks(parts.front());
    encoding_ = &find_encoding(runner.encoding);
    for (std::size_t i = 1; i < parts.size(); ++i) take(trim_blanks(parts[i]));
  }
  RaceRunner runner;

 private:
  void take(const std::string& part) {
    const std::size_t equals = part.find('=');
    const std::string name = trim_blanks(part.substr(0, equals));
    const std::optional<double> number =
        equals == std::string::npos ? std::nullopt : parse_number(trim_blanks(part.substr(equals + 1)));
    const auto attention = std::find_if(std::begin(kAttentions), std::end(kAttentions),
                                        [&part](RaceAttention each) { return word_of(each) == part; });
    if (attention != std::end(kAttentions)) {
      runner.linear = *attention != RaceAttention::softmax, runner.performer = *attention == RaceAttention::performer;
    } else if (name == "base" && number && *number >= kMinBase && *number <= kMaxBase) {
      if (!takes(*encoding_, "base")) takes_none("race.part.base");
      runner.base = *number;
    } else if (!extends(part)) {
      take_extension({});
    } else if (is_method(name) && number && *number >= 1 && *number <= kMaxFactor) {
      take_extension({name, {{"factor", *number}}, {}});
    } else {
      throw InputError("race.part", {{"entry", text_}, {"part", part}, {"methods", method_names()}});
    }
  }
  void take_extension(const Extension& extension) {
    if (!encoding_->takes_ladder) takes_none("race.part.extension");
    runner.extension = fill_defaults(extension);
  }
  [[noreturn]] void takes_none(const char* what) const {
    throw InputError("race.takes_none",
                     {{"entry", text_}, {"encoding", title_of(*encoding_)}, {"what", Message(what)}});
  }
  static std::vector<std::string> names() { return entry_names(all_scaling_methods(), can_race); }
  static bool is_method(const std::string& name) {
    const std::vector<std::string> known = names();
    return std::find(known.begin(), known.end(), name) != known.end();
  }
  static Message::List method_names() {
    Message::List known;
    for (const std::string& name : names()) known.push_back(verbatim(name));
    return known;
  }

  const std::string& text_;
  const Encoding* encoding_ = nullptr;
};

void add(std::vector<RaceRunner>& runners, RaceRunner runner) {
  if (std::find(runners.begin(), runners.end(), runner) != runners.end()) {
    throw InputError("race.twice", {{"runner", key_of(runner)}});
  }
  runners.push_back(std::move(runner));
}

}  // namespace

std::string key_of(const RaceRunner& runner) {
  std::string key = runner.encoding;
  if (runner.linear) key += runner.performer ? "/performer" : "/linear";
  if (runner.base) key += "/base=" + number_text(*runner.base);
  if (!runner.extension) return key;
  key += "/" + runner.extension->method;
  const auto factor = runner.extension->number("factor");
  return factor ? key + "=" + number_text(*factor) : key;
}

std::vector<RaceRunner> race_runners(const RaceFields& fields) {
  std::vector<RaceRunner> runners;
  for (const std::string& name : fields.encodings) {
    const bool both = fields.attention == RaceAttention::both;
    if (both || fields.attention == RaceAttention::softmax) add(runners, {name, false, {}, {}});
    const bool performer = fields.attention == RaceAttention::performer;
    if (performer || fields.attention == RaceAttention::linear || (both && find_encoding(name).linear_attention)) {
      add(runners, {name, true, {}, {}, performer});
    }
  }
  for (const std::string& part : split(fields.also, ',')) {
    const std::string entry = trim_blanks(part);
    if (!entry.empty()) add(runners, Entry(entry).runner);
  }
  if (runners.empty()) throw InputError("training.no_runner", {});
  if (runners.size() > kMaxRaceRunners) {
    throw InputError("race.too_many", {{"found", runners.size()}, {"most", kMaxRaceRunners}});
  }
  return runners;
}

std::optional<std::string> add_current_rope(const RaceFields& fields, const RopeFields& rope) {
  const bool performer = fields.attention == RaceAttention::performer;
  RaceRunner runner{"rope", performer || fields.attention == RaceAttention::linear, rope.base, {}, performer};
  if (extends(rope.scaling.method)) {
    if (!can_race(find_scaling_method(rope.scaling.method))) return std::nullopt;
    runner.extension = fill_defaults({rope.scaling.method, {{"factor", rope.scaling["factor"]}}, {}});
    if (*runner.extension != fill_defaults(extension_of(rope.scaling))) return std::nullopt;
  }
  return trim_blanks(fields.also).empty() ? key_of(runner) : fields.also + ", " + key_of(runner);
}

}  // namespace ropescope
