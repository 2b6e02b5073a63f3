#include "app/views/compare/view.h"

#include <algorithm>
#include <cmath>

#include "app/views/compare/figures.h"
#include "app/views/shared/messages.h"
#include "app/views/shared/sentence.h"
#include "core/error.h"

namespace ropescope {

std::vector<ReadyEncoding> ready_encodings(const Experiment& experiment, Words::List& faults) {
  std::vector<ReadyEncoding> ready;
  for (const std::string& name : experiment.compare.encodings) {
    const Encoding& encoding = find_encoding(name);
    try {
      const EncodingSettings settings = encoding_settings_of(experiment.rope, experiment.encoding, encoding);
      validate(encoding, settings);
      ready.push_back({&encoding, settings});
    } catch (const InputError& error) {
      faults.push_back(error.words());
    }
  }
  return ready;
}

Figure no_scores(const Experiment&, const Text&) {
  return empty_figure("scores", "distance", "score");
}

namespace {

void describe_compare(Fields& fields, Experiment& experiment) {
  const CompareKnobs& knobs = experiment.compare;
  describe(fields, experiment.compare, {knobs.first_position, knobs.first_position + knobs.size - 1});
  std::vector<std::string> names = {knobs.encoding};
  if (knobs.show == "distance") names = knobs.encodings;
  if (knobs.show == "phrase") names.insert(names.end(), knobs.encodings.begin(), knobs.encodings.end());
  describe_encodings(fields, experiment, names);
}

ViewResult compare_figures(const Experiment& experiment, const Text& text, Store& store) {
  if (experiment.compare.show == "matrix") return compare_matrix(experiment, text, store);
  if (experiment.compare.show == "phrase") return compare_phrase(experiment, text, store);
  return compare_distance(experiment, text, store);
}

/// The farthest position that a token is put at, counted from 1.
double compare_last_position(const Experiment& experiment) {
  const CompareKnobs& knobs = experiment.compare;
  if (knobs.show == "matrix") return knobs.first_position + knobs.size;
  if (knobs.show == "phrase") return static_cast<double>(words_of(knobs.sentence).size()) + knobs.move;
  return knobs.key_position + knobs.span;
}

void react_compare(Experiment& experiment, const FigureEvent& event) {
  if (event.kind != FigureEvent::Kind::click) return;
  CompareKnobs& knobs = experiment.compare;
  if (event.figure == "sentence") {
    const int word = phrase_word_of(event.handle);
    if (word >= 0) knobs.phrase_at = word;
  } else if (knobs.show == "matrix" && event.figure != "row") {
    knobs.query = std::clamp(std::round(event.y), knobs.first_position, knobs.first_position + knobs.size - 1);
  }
}

}  // namespace

constinit const View kCompareView{.id = "compare",
                                  .group = "compare",
                                  .describe = describe_compare,
                                  .figures = compare_figures,
                                  .empty = no_scores,
                                  .react = react_compare,
                                  .length = compare_last_position,
                                  .compares_ropes = false,
                                  .follows_pointer = true};

}  // namespace ropescope
