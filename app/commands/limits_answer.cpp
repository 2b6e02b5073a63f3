// Writes the answer of `limits`. Read limits_answer.h first.
//
// Contents: Sentences; JSON.

#include "app/commands/limits_answer.h"

#include "app/experiment/experiment.h"
#include "app/figure/figure.h"
#include "app/views/limits_report.h"
#include "app/views/shared/cards.h"

namespace ropescope {

using nlohmann::ordered_json;

namespace {

// --- Sentences -----------------------------------------------------------------------------------------------------

std::string rounded_base_text(const RoundedBase& base) {
  return readable_number(base.value, base.digits);
}

class LimitsSentences {
 public:
  LimitsSentences(const LimitsAnswer& answer, const Text& text) : answer_(answer), found_(answer.found), text_(text) {}

  std::string all() {
    if (answer_.has_base) {
      say_largest_context();
    } else {
      say("answer.limits.ask_base");
    }
    say_bases();
    if (answer_.has_base) say_pairs();
    for (const MethodFactors& factors : answer_.factors) say_factors(factors);
    for (const std::string& sentence : unrotated_sentences(answer_.rope, text_)) add(sentence);
    return lines_;
  }

 private:
  void add(const std::string& sentence) {
    if (!sentence.empty()) lines_ += sentence + "\n";
  }
  void say(std::string_view key, std::initializer_list<Text::NamedValue> values = {}) {
    add(text_.format(key, values));
  }

  void say_largest_context() {
    if (found_.negative) {
      say("answer.limits.largest",
          {{"context", counted(*found_.negative - 1)}, {"distance", counted(*found_.negative)}});
    } else {
      say("answer.limits.unlimited", {{"distance", counted(kFarthestDistance)}});
    }
    if (found_.shaken && found_.shaken->negative && found_.shaken->negative < found_.negative) {
      say("answer.limits.perturbed", {{"context", counted(*found_.shaken->largest())},
                                      {"base", readable_number(found_.shaken->base, kShortBase)}});
    }
    // A ladder that depends on the length is another one at the extended length.
    const std::optional<double> extended = depends_on_length(answer_.rope) ? std::nullopt : answer_.extended;
    if (answer_.context) compare_with(*answer_.context, "answer.limits.enough", "answer.limits.short");
    if (extended && extended != answer_.context) {
      compare_with(*extended, "answer.limits.enough_extended", "answer.limits.short_extended");
    }
  }

  /// Says whether the largest context reaches this one.
  void compare_with(double context, std::string_view enough, std::string_view too_short) {
    const bool reaches = !found_.negative || static_cast<double>(*found_.negative) > context;
    say(reaches ? enough : too_short, {{"context", counted(context)}});
  }

  void say_bases() {
    if (!answer_.context) return say("answer.limits.ask_context");
    if (answer_.axis.ladder == Ladder::given) return say("answer.limits.no_base_of_ladder");
    const TextValue context = counted(*answer_.context), dimension = counted(answer_.axis.rotary_dim);
    if (!found_.smallest) return say("answer.limits.no_smallest", {{"context", context}, {"dimension", dimension}});
    say(found_.smallest->ends ? "answer.limits.smallest" : "answer.limits.smallest_open",
        {{"context", context},
         {"dimension", dimension},
         {"base", rounded_base_text(found_.smallest->rounded)},
         {"high", rounded_base_text(found_.smallest->rounded_high)}});
    const std::string step = readable_number(100 * (kRobustRatio - 1), 2);
    if (found_.robust) {
      say("answer.limits.robust", {{"base", rounded_base_text(found_.robust->rounded)}, {"step", step}});
    } else {
      say("answer.limits.no_robust", {{"step", step}});
    }
    add(describe_published_bound(found_, answer_.axis, answer_.context, text_));
  }

  void say_pairs() {
    const std::string unseen = unseen_sentence(answer_.rope, answer_.axis, text_);
    unseen.empty() ? say("answer.limits.ask_length") : add(unseen);
    const auto still = static_cast<double>(still_pairs());
    if (still > 0) say("readout.unseen.still", {{"still", counted(still)}});
    if (!found_.effective_pairs) return;
    say("answer.limits.moving", {{"context", counted(*answer_.context)},
                                 {"moving", readable_fixed(*found_.effective_pairs, 1)},
                                 {"all", counted(answer_.axis.rotary_dim / 2)}});
  }

  Eigen::Index still_pairs() const {
    const RotarySpec& spec = answer_.rope.profile.spec;
    const auto axis = static_cast<std::size_t>(&answer_.axis - spec.axes.data());
    return (scaled_ladder(spec, axis, answer_.rope.length).frequencies.array() == 0).count();
  }

  void say_factors(const MethodFactors& factors) {
    const TextValue context = counted(*answer_.context);
    if (!factors.found.smallest)
      return say("answer.limits.no_factor", {{"method", factors.method}, {"context", context}});
    const std::string smallest = shortest_number(*factors.found.smallest);
    if (!factors.found.robust) {
      return say("answer.limits.factor_alone",
                 {{"method", factors.method}, {"context", context}, {"smallest", smallest}});
    }
    say("answer.limits.factor", {{"method", factors.method},
                                 {"context", context},
                                 {"smallest", smallest},
                                 {"robust", shortest_number(*factors.found.robust)}});
  }

  const LimitsAnswer& answer_;
  const ContextLimits& found_;
  const Text& text_;
  std::string lines_;
};

// --- JSON ----------------------------------------------------------------------------------------------------------

void add_factors(const LimitsAnswer& answer, ordered_json& limits) {
  if (!answer.criterion) return;
  limits["criterion"] = criterion_name(*answer.criterion);
  limits["factors"] = ordered_json::object();
  for (const auto& [method, found] : answer.factors) {
    limits["factors"][method] = {{"smallest", or_null(found.smallest)}, {"robust", or_null(found.robust)}};
  }
  limits["factors_searched_to"] = kLargestSearchedFactor;
}

}  // namespace

ReportForms limits_forms(const LimitsAnswer& answer, const RequestSummary& question) {
  const Text& text = question.text();
  ReportForms forms;
  forms.text = question.lines() + "\n" + LimitsSentences(answer, text).all();
  forms.json["question"] = question.json();
  if (answer.has_base && depends_on_length(answer.rope)) forms.json["ladder"] = ladder_text(answer.rope);
  add_limits(answer.found, forms.json);
  add_factors(answer, forms.json);
  forms.json["notes"] = limits_notes(answer.found, answer.rope.profile, answer.axis, answer.context, text);
  return forms;
}

}  // namespace ropescope
