// What a check says: every text of it exists, is asked for by the code, gets all of its values, and is met here.

#include <gmock/gmock.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <regex>
#include <set>
#include <sstream>

#include "check_faults.h"
#include "core/check/compare/tensors.h"
#include "core/check/model/model.h"
#include "core/check/phrases.h"
#include "core/check/report/arranged.h"
#include "core/check/report/report.h"
#include "core/precision/precision.h"
#include "core/scaling/scaling.h"
#include "tests/sampled.h"
#include "tests/store_values.h"

namespace ropescope {

namespace {

using testing::HasSubstr;
using testing::Not;

namespace fs = std::filesystem;

using Keys = std::set<std::string>;

Text check_words_english() {
  return Text::load(source_folder() + "/assets");
}

/// Keys of texts that begin so.
Keys texts_of_check_words(const Text& text, const std::string& room) {
  Keys keys;
  for (const auto& [key, words] : text.all()) {
    if (key.rfind(room, 0) == 0) keys.insert(key);
  }
  return keys;
}

/// Every "check.…" in the sources of a folder.
Keys keys_in(const std::string& folder) {
  Keys keys;
  for (const auto& entry : fs::recursive_directory_iterator(source_folder() + folder)) {
    if (!entry.is_regular_file()) continue;
    std::ifstream file(entry.path());
    std::stringstream content;
    content << file.rdbuf();
    const std::string code = content.str();
    const std::regex literal("\"(check\\.[a-z0-9_.-]*[a-z0-9])\"");
    for (std::sregex_iterator at(code.begin(), code.end(), literal), end; at != end; ++at) keys.insert((*at)[1]);
  }
  return keys;
}

/// What was said so far.
struct Met {
  Keys keys;
  Text text = check_words_english();

  void add(const Words& words) {
    EXPECT_THAT(said(words), Not(HasSubstr("{"))) << key_text(words);
    add_keys(words);
  }
  /// JSON holds what English says of a value: the stable name at the end of its key, with blanks for underscores.
  void add(const CheckParameter& parameter) {
    const std::string name = "check.parameter." + parameter.name;
    const auto is_meant = [&](const ScalingField& of) { return of.name == parameter.name; };
    static const std::vector<ScalingField> known = all_scaling_fields();
    EXPECT_TRUE(text.has(name) || std::any_of(known.begin(), known.end(), is_meant)) << name;
    keys.insert(name);
    const auto* value = std::get_if<Words>(&parameter.value);
    if (value == nullptr) return;
    add(*value);
    if (!value->key.starts_with("check.value.")) return;
    std::string stable = value->key.substr(value->key.rfind('.') + 1);
    std::replace(stable.begin(), stable.end(), '_', ' ');
    EXPECT_EQ(said(*value), stable);
  }
  /// Its numbers are written like those on cards: 10 000 and 1.5 × 10⁻⁵; what is to be typed stands as it is typed.
  void add_sentence(const Words& words) {
    add(words);
    if (!sentences_.insert(said(words)).second) return;
    static const std::regex typed("--[a-z]+ [0-9x]+"),
        unlike_cards("(^|[^.0-9])[0-9]{4}|[0-9]e[+-]?[0-9]|[0-9] [0-9]{3}");
    const std::string read = std::regex_replace(said(words), typed, "");
    EXPECT_FALSE(std::regex_search(read, unlike_cards)) << read;
  }
  void add(const CheckReport& report) {
    for (const CheckCause& cause : report.causes) {
      add_sentence(cause.evidence), add_sentence(cause.advice);
      for (const CheckParameter& parameter : cause.parameters) add(parameter);
    }
    for (const CheckedInput& input : report.inputs) add_sentence(input.understood);
    for (const Words& note : report.notes) add_sentence(note);
  }

 private:
  std::set<std::string> sentences_;  ///< that were read: most are said again and again

  void add_keys(const Words& words) {
    if (!words.key.empty()) keys.insert(words.key);
    for (const Words::Named& named : words.values) {
      const auto* list = std::get_if<Words::List>(&named.value);
      for (std::size_t i = 0; list != nullptr && i < list->size(); ++i) add_keys((*list)[i]);
    }
  }
};

/// All that the causes propose, right or wrong.
void add_proposals(const CheckReference& reference, const CheckInputs& inputs, Met& met) {
  const CheckTensors tensors = take_tensors(reference, inputs);
  const CheckModel model = model_of(reference, inputs, std::max<std::int64_t>(tensors.rows, 1));
  const Evidence evidence = gather(tensors, model);
  ObservedCache cache(evidence);
  const Situation situation(reference, model, evidence, cache);
  for (const Cause* cause : all_causes()) {
    std::vector<Proposal> proposals;
    cause->propose(situation, proposals);
    for (const Proposal& proposal : proposals) {
      met.add_sentence(proposal.evidence), met.add_sentence(proposal.advice);
      for (const CheckParameter& parameter : proposal.parameters) met.add(parameter);
    }
  }
}

TEST(CheckWords, EveryKeyHasATextAndEveryTextAKey) {
  const Text text = check_words_english();
  Keys used = keys_in("/core/check");
  // Those that names complete.
  for (const NamedOrder& order : other_orders()) used.insert("check.order." + std::string(order.name));
  for (const char* what : {"heads", "channels", "pairs", "rows"})
    used.insert("check.note.agreeing." + std::string(what));
  for (const char* part : {"text", "image", "reference", "padding", "cls"}) {
    used.insert(part_words(part).key);
    EXPECT_EQ(said(part_words(part)), part);
  }
  used.insert(part_words("audio").key);
  EXPECT_EQ(said(part_words("reference12")), "reference12");
  EXPECT_GT(used.size(), 200u);
  for (const std::string& key : used) EXPECT_TRUE(text.has(key) || text.has("error." + key)) << key;
  used.merge(keys_in("/app/views/check"));
  // That those of parameters are used, the test of all proposals says.
  const auto of_parameter = [](const std::string& key) {
    return key.starts_with("check.value.") || key.starts_with("check.parameter.");
  };
  for (const std::string& key : texts_of_check_words(text, "check."))
    EXPECT_TRUE(of_parameter(key) || used.count(key)) << key;
  for (const std::string& key : texts_of_check_words(text, "error.check."))
    EXPECT_TRUE(used.count(key.substr(6))) << key;
}

TEST(CheckWords, WhereACauseWasSeenIsARepository) {
  const std::string one = "[\\w.-]+/[\\w.-]+(#[0-9]+)?";
  for (const Cause* cause : all_causes()) {
    const std::string where(cause->seen_in);
    EXPECT_TRUE(where.empty() || std::regex_match(where, std::regex(one + "(, " + one + ")*"))) << where;
  }
}

// The search asks for the one cause of each of these.
TEST(CheckRegistry, HasOneCauseOfEachKindThatTheSearchAsksFor) {
  for (bool Cause::*const property : {&Cause::tried_first, &Cause::changes_rows, &Cause::of_storage}) {
    std::set<std::string_view> names;
    for (const Cause* cause : all_causes()) {
      if (cause->*property) names.insert(cause->name);
    }
    EXPECT_EQ(names.size(), 1u);
  }
}

/// What a check says of its steps, reads and finds.
void add_check(const CheckReference& reference, const CheckInputs& inputs, Met& met,
               std::int64_t effort = kMostEffort) {
  CheckOptions options;
  options.most_effort = effort;
  options.progress = [&](double, const Words& step) { met.add(step); };
  met.add(check(reference, inputs, options));
}

/// What a refusal says.
template <class Action>
void add_refusal(const Action& action, Met& met) {
  try {
    action();
    ADD_FAILURE() << "nothing was refused";
  } catch (const InputError& error) {
    met.add(error.words());
  }
}

/// A tensor with its numbers changed: of(index, number).
template <class Change>
StoredTensor changed(const StoredTensor& tensor, const Change& of) {
  std::vector<double> numbers(static_cast<std::size_t>(tensor.count()));
  read_rows(tensor, 0, tensor.shape[0], numbers.data());
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = of(i, numbers[i]);
  return store_values(tensor.name, tensor.shape, numbers, tensor.storage);
}

void add_readings(Met& met) {
  for (const char* name : {"plain", "plain-interleaved"}) {
    const CheckCase one = rope_case(name);
    const Dump dump = true_dump(one.reference);
    for (const TableForm form : {TableForm::once, TableForm::repeated, TableForm::complex_numbers, TableForm::matrices,
                                 TableForm::real_and_imaginary}) {
      add_check(one.reference, tables_of(dump, Storage::float64, form), met);
    }
    add_check(one.reference, with_signs(dump, Storage::float32, true), met);
    const CheckInputs apart = tables_of(dump);
    std::vector<double> numbers(static_cast<std::size_t>(2 * apart.cosine->count()));
    const std::int64_t rows = apart.cosine->shape[0], width = apart.cosine->shape[1];
    read_rows(*apart.cosine, 0, rows, numbers.data());
    read_rows(*apart.sine, 0, rows, numbers.data() + rows * width);
    CheckInputs stacked;
    stacked.table = store_values("table", {2, rows, width}, numbers, Storage::float32);
    add_check(one.reference, stacked, met);
    CheckInputs others;
    put_ids(others, dump);
    put_frequencies(others, dump);
    put_vectors(others, dump);
    add_check(one.reference, others, met);
    others.frequencies = changed(*others.frequencies, [](std::size_t, double number) { return 2 * number; });
    add_proposals(one.reference, others, met);
    CheckInputs odd = tables_of(dump);
    for (const double number : {std::nan(""), HUGE_VAL}) {
      odd.cosine = changed(*odd.cosine, [&](std::size_t i, double was) { return i == 9 ? number : was; });
      add_refusal([&] { check(one.reference, odd); }, met);
    }
  }
  add_refusal([] { rows_of_part(rope_case("plain").reference.tokens, "image"); }, met);
}

/// Rows that were cut, added or moved.
void add_lengths_check_words(const CheckCase& one, Met& met) {
  const Dump truth = true_dump(one.reference);
  const auto with_rows = [&](const std::function<void(Dump&)>& change) {
    Dump dump = truth;
    change(dump);
    if (dump.rows() > 0) add_proposals(one.reference, tables_of(dump), met);
  };
  const auto rows = static_cast<std::ptrdiff_t>(truth.rows());
  const std::vector<double> zero(truth.axes(), 0);
  for (const std::ptrdiff_t at : {rows, std::ptrdiff_t{0}, rows / 2}) {
    for (const std::size_t more : {1, 3}) {
      with_rows([&](Dump& dump) { dump.ids.insert(dump.ids.begin() + at, more, zero); });
    }
  }
  with_rows([&](Dump& dump) { dump.ids.erase(dump.ids.begin() + rows / 2, dump.ids.begin() + rows / 2 + 2); });
  for (const std::string part : {"text", "image", "reference"}) {
    for (const bool kept : {true, false}) {
      with_rows([&](Dump& dump) {
        dump.ids.clear();
        for (std::size_t row = 0; row < truth.rows(); ++row) {
          if ((truth.parts[row].rfind(part, 0) == 0) == kept) dump.ids.push_back(truth.ids[row]);
        }
      });
    }
  }
  with_rows([&](Dump& dump) {
    for (std::size_t row = 0; row < truth.rows(); ++row) {
      if (truth.parts[row] == "reference1") dump.ids.push_back(truth.ids[row]);
    }
  });
}

void add_notes_and_rests(Met& met) {
  const CheckCase one = rope_case("plain");
  const Dump truth = true_dump(one.reference);
  const CheckInputs right = tables_of(truth);
  RotarySpec spec = *one.reference.rope;
  for (const std::vector<double>& positions : {std::vector<double>{0}, {7}}) {
    const CheckReference at = reference_from_rope(spec, {}, positions);
    add_check(at, tables_of(true_dump(at)), met);
  }
  CheckInputs vectors;
  put_vectors(vectors, truth);
  for (const std::size_t zeros : {1, 20, 128}) {
    CheckInputs some = vectors;
    for (auto* tensor : {&some.before, &some.after}) {
      *tensor = changed(**tensor, [&](std::size_t i, double was) { return i % 64 < zeros ? 0 : was; });
    }
    add_check(one.reference, some, met);
  }
  const CheckCase square = layout_case("flux.1", 4, 4), even = layout_case("flux.1", 6, 8);
  add_check(square.reference, tables_of(true_dump(square.reference)), met);
  add_proposals(even.reference, tables_of(true_dump(even.reference)), met);
  Dump longer = truth;
  longer.ids.insert(longer.ids.end(), {{1e3}, {17}, {5e3}});
  add_check(one.reference, tables_of(longer), met);
  CheckInputs larger = right, noisy = right, equal = tables_of(truth, Storage::float32, TableForm::repeated);
  larger.sine = changed(*right.sine, [](std::size_t, double was) { return 1.25 * was; });
  add_check(one.reference, larger, met);
  noisy.cosine = changed(*right.cosine, [](std::size_t i, double was) { return was + 1e-3 * std::sin(i * i); });
  for (const std::int64_t effort : {std::int64_t{1}, std::int64_t{100'000}, kMostEffort}) {
    add_check(one.reference, noisy, met, effort);
  }
  const std::int64_t effort = check(one.reference, noisy).effort;
  add_check(one.reference, noisy, met, effort - 1);
  Dump rounded = truth, shifted = truth;
  rounded.round_table = round_to_float32;
  add_check(one.reference, tables_of(rounded, Storage::float64), met);
  rounded.round_table = round_to_bfloat16;
  add_check(one.reference, tables_of(rounded), met);
  for (auto& ids : shifted.ids) ids[0] += 1;
  add_check(one.reference, tables_of(shifted), met);
  // A row that the search does not look at is a rest.
  std::vector<double> many(20'000);
  std::iota(many.begin(), many.end(), 0);
  spec.head_dim = 8;
  spec.axes = {RotaryAxis{.rotary_dim = 8, .base = 10000}};
  const CheckReference expected = reference_from_rope(spec, {}, many);
  spec.axes[0].base = 20000;
  CheckInputs mostly = tables_of(true_dump(reference_from_rope(spec, {}, many)));
  mostly.cosine = changed(*mostly.cosine, [](std::size_t i, double was) { return was + (i == 4 * 12'343 ? 0.05 : 0); });
  add_check(expected, mostly, met);
  equal.cosine = changed(*equal.cosine, [](std::size_t, double) { return 1; });
  equal.sine = changed(*equal.sine, [](std::size_t, double) { return 0; });
  add_check(one.reference, equal, met);
}

/// Inputs other than tables, on what shows the rarer causes.
void add_rare_causes(Met& met) {
  const CheckCase rope = rope_case("plain"), ernie = layout_case("ernie-image"), edit = layout_case("qwen2-vl");
  CheckInputs inputs;
  put_frequencies(inputs, true_dump(rope.reference));
  const StoredTensor once = *inputs.frequencies;
  inputs.frequencies = changed(once, [](std::size_t, double was) { return -was; });
  add_proposals(rope.reference, inputs, met);
  CheckReference own = rope.reference;
  own.allowed = {"sign"};
  add_proposals(own, inputs, met);

  CheckInputs vectors;
  put_vectors(vectors, true_dump(rope.reference));
  vectors.after = changed(*vectors.after, [](std::size_t, double was) { return round_to_bfloat16(was); });
  add_check(rope.reference, vectors, met);
  CheckInputs of_ernie;
  put_vectors(of_ernie, true_dump(ernie.reference));
  add_proposals(ernie.reference, of_ernie, met);

  const CheckCase longrope = rope_case("longrope");
  add_proposals(reference_from_rope(*longrope.reference.rope, 2048, longrope.reference.positions),
                tables_of(true_dump(longrope.reference)), met);

  Dump moved = true_dump(edit.reference), scaled = moved;
  for (std::size_t row = 0; row < moved.rows(); ++row) {
    for (double& id : moved.ids[row]) id += moved.parts[row] == "text" && row > 20 ? 5 : 0;
    for (double& id : scaled.ids[row]) id *= 2;
  }
  add_proposals(edit.reference, tables_of(moved), met);
  CheckInputs ids;
  put_ids(ids, scaled);
  add_proposals(edit.reference, ids, met);

  const CheckCase kontext = layout_case("flux.1-kontext");
  Dump shared = true_dump(kontext.reference);
  const auto first = std::find(shared.parts.begin(), shared.parts.end(), "image") - shared.parts.begin();
  shared.ids.back() = shared.ids[static_cast<std::size_t>(first)];
  add_proposals(kontext.reference, tables_of(shared), met);
}

/// Lists and tables of other numbers than are due.
void add_counts_check_words(Met& met) {
  const CheckCase rope = rope_case("plain"), axial = layout_case("vit-axial");
  const Dump truth = true_dump(rope.reference);
  const auto listed = [](const std::vector<double>& frequencies) {
    CheckInputs inputs;
    inputs.frequencies = store_values("inv_freq.npy", {static_cast<std::int64_t>(frequencies.size())}, frequencies);
    return inputs;
  };
  const std::vector<double>& due = truth.frequencies[0];
  std::vector<double> whole = due, neighbours, more = due;
  whole.insert(whole.end(), due.begin(), due.end());
  for (const double frequency : due) neighbours.insert(neighbours.end(), {frequency, frequency});
  more.push_back(0.5);
  for (const auto& list : {whole, neighbours, more, {due.begin(), due.end() - 1}}) {
    add_check(rope.reference, listed(list), met);
  }
  Dump fewer = truth;
  fewer.frequencies[0].pop_back();
  add_check(rope.reference, tables_of(fewer), met);
  add_proposals(rope.reference, tables_of(fewer), met);
  std::vector<double> shared;
  const Dump of_axes = true_dump(axial.reference);
  for (const double frequency : of_axes.frequencies[0]) {
    if (frequency != 0) shared.push_back(frequency);
  }
  add_check(axial.reference, listed(shared), met);
  RotarySpec spec = *rope.reference.rope;
  spec.extension = {"proportional", {{"live_fraction", 0.25}}, {}};
  add_check(reference_from_rope(spec), listed({due.begin(), due.begin() + 16}), met);
}

/// Tables as ggml computes them, far enough for it to show.
void add_recurrences(Met& met) {
  RotarySpec spec = *rope_case("plain").reference.rope;
  constexpr int kRows = 4096;
  std::vector<double> positions(kRows);
  std::iota(positions.begin(), positions.end(), 28000.0);
  const CheckReference reference = reference_from_rope(spec, {}, positions);
  const Eigen::VectorXd frequencies = head_ladder(spec).frequencies;
  for (const char* name : {"float32-ggml-cpu", "float32-ggml-gpu"}) {
    std::vector<double> cosines, sines;
    Eigen::VectorXd cosine, sine;
    for (const double position : positions) {
      find_precision_policy(name).table(frequencies, position, cosine, sine);
      cosines.insert(cosines.end(), cosine.begin(), cosine.end());
      sines.insert(sines.end(), sine.begin(), sine.end());
    }
    CheckInputs inputs;
    inputs.cosine = store_values("cos.npy", {kRows, frequencies.size()}, cosines, Storage::float32);
    inputs.sine = store_values("sin.npy", {kRows, frequencies.size()}, sines, Storage::float32);
    add_check(reference, inputs, met);
  }
}

/// Positions that do not count on, other numbers of pairs that turn, tables the other way round.
void add_courses(Met& met) {
  const CheckReference any = reference_from_rope(*rope_case("plain").reference.rope);
  const auto dump_of = [&](const std::function<int(int)>& at) {
    std::vector<double> positions;
    for (int i = 0; i < 90; ++i) positions.push_back(at(i));
    return true_dump(reference_from_rope(*any.rope, {}, positions));
  };
  add_proposals(any, tables_of(dump_of([](int i) { return i < 50 ? i : i - 50; })), met);
  add_proposals(any, tables_of(dump_of([](int i) { return i % 30; })), met);
  add_proposals(any, tables_of(dump_of([](int i) { return std::min(i, 60); })), met);
  add_proposals(any, tables_of(dump_of([](int i) { return std::max(i - 20, 0); })), met);
  Dump partly = dump_of([](int i) { return i; });
  for (std::size_t pair = 20; pair < partly.pairs(); ++pair) partly.frequencies[0][pair] = 0;
  add_proposals(any, tables_of(partly), met);
  CheckInputs turned = tables_of(dump_of([](int i) { return i; }));
  for (auto* tensor : {&turned.cosine, &turned.sine}) {
    std::swap((*tensor)->shape[0], (*tensor)->shape[1]);
    std::swap((*tensor)->strides[0], (*tensor)->strides[1]);
  }
  add_check(any, turned, met);
  const CheckCase image = layout_case("flux.1");
  for (const Fault& fault : port_faults()) {
    Dump faulty = true_dump(image.reference);
    if (fault.commit(image, faulty)) add_proposals(image.reference, tables_of(faulty), met);
  }
}

/// [tokens, heads, channels] with the numbers of [heads, tokens, channels] in it, one after the other.
CheckInputs transposed_heads(CheckInputs inputs) {
  const std::int64_t rows = inputs.before->shape[0], heads = inputs.before->shape[1], width = inputs.before->shape[2];
  for (auto* tensor : {&inputs.before, &inputs.after}) {
    std::vector<double> numbers(static_cast<std::size_t>((*tensor)->count())), moved(numbers.size());
    read_rows(**tensor, 0, rows, numbers.data());
    for (std::int64_t row = 0; row < rows; ++row) {
      for (std::int64_t head = 0; head < heads; ++head) {
        std::copy_n(numbers.begin() + (row * heads + head) * width, width, moved.begin() + (head * rows + row) * width);
      }
    }
    *tensor = store_values((*tensor)->name, (*tensor)->shape, moved, (*tensor)->storage);
  }
  inputs.head_order = HeadOrder::tokens_first;
  return inputs;
}

/// Ramps made otherwise, and rows that stand elsewhere in runs.
void add_ramps_and_rows(Met& met) {
  for (const char* name : {"yarn", "llama3", "longrope", "plain"}) {
    const CheckCase one = rope_case(name);
    const Dump truth = true_dump(one.reference);
    const auto with = [&](const std::function<double(std::size_t, double plain, double due)>& of) {
      Dump dump = truth;
      const double base = one.reference.rope->axes[0].base;
      for (std::size_t i = 0; i < dump.pairs(); ++i) {
        const double plain = std::pow(base, -static_cast<double>(i) / static_cast<double>(dump.pairs()));
        dump.frequencies[0][i] = of(i, plain, truth.frequencies[0][i]);
      }
      return tables_of(dump);
    };
    const auto odd = [](std::size_t i, double plain, double) {
      return i == 3   ? plain / 2
             : i < 9  ? plain
             : i < 30 ? plain / 3
             : i < 40 ? plain * (1 - 0.01 * static_cast<double>(i))
                      : 2 * plain;
    };
    if (std::string(name) == "plain") {
      add_check(one.reference, with(odd), met);
      continue;
    }
    add_proposals(one.reference, with([](std::size_t i, double plain, double) { return i < 30 ? plain : plain / 4; }),
                  met);
    add_proposals(one.reference, with([](std::size_t i, double plain, double due) { return i > 40 ? plain : due; }),
                  met);
    const auto bent = [](std::size_t i, double plain, double) {
      return plain * (1 - 0.75 * std::clamp((static_cast<double>(i) - 17) / 24, 0.0, 1.0));
    };
    add_proposals(one.reference, with(bent), met);
    add_proposals(one.reference, with([](std::size_t, double plain, double due) { return due * due / plain; }), met);
  }
  CheckCase yarn = rope_case("yarn");
  CheckInputs squared = tables_of(true_dump(reference_from_rope(
      [&] {
        RotarySpec spec = *yarn.reference.rope;
        spec.extension.numbers["factor"] = 16;
        return spec;
      }(),
      {}, yarn.reference.positions)));
  add_proposals(yarn.reference, squared, met);
  const CheckReference any = reference_from_rope(*rope_case("plain").reference.rope);
  const auto at = [&](const std::function<double(int)>& position) {
    std::vector<double> positions;
    for (int i = 0; i < 90; ++i) positions.push_back(position(i));
    return tables_of(true_dump(reference_from_rope(*any.rope, {}, positions)));
  };
  add_proposals(any, at([](int i) { return i < 50 ? i + 100 : i + 900; }), met);
  add_proposals(any, at([](int i) { return i < 50 ? i : i - 49; }), met);
  add_proposals(any, at([](int i) { return i < 50 ? i : 1; }), met);
  add_proposals(any, at([](int i) { return i < 20 ? 1 : i - 20; }), met);
  add_proposals(any, at([](int i) { return i / 6; }), met);
  add_proposals(any, at([](int i) { return i < 40 ? i : i < 60 ? 3 : i - 30; }), met);
  add_proposals(any, at([](int i) { return 3 + 4 * i; }), met);
  add_check(any, at([](int i) { return (i * i + 37 * i) % 91; }), met);
  CheckInputs heads;
  put_vectors(heads, true_dump(reference_from_rope(*any.rope, {}, std::vector<double>{0, 1, 2, 3, 4})),
              Storage::float32, 30);
  heads.head_order = HeadOrder::heads_first;
  add_check(any, heads, met);
  add_check(any, transposed_heads(heads), met);
  const CheckCase image = layout_case("wan");
  const Dump truth = true_dump(image.reference);
  for (const int along : {0, 1, 2, 3, 4}) {
    Dump dump = truth;
    for (std::size_t row = 0; row < dump.rows(); ++row) {
      if (along < 3) dump.ids[row][1] = dump.ids[row][2] = truth.ids[row][static_cast<std::size_t>(along)];
      if (along == 3) dump.ids[row][1] = 0, dump.ids[row][2] = static_cast<double>(row);
      if (along == 4) dump.ids[row].assign(3, static_cast<double>(row / 3));
    }
    add_proposals(image.reference, tables_of(dump), met);
  }
}

/// Layouts whose ids have a scale of their own, each asked for otherwise.
void add_scales_check_words(Met& met) {
  for (const Layout& layout : all_layouts()) {
    if (!takes(layout, "unscaled") && !takes(layout, "tokens_per_second")) continue;
    const CheckCase one = layout_case(std::string(layout.name));
    LayoutRequest request = one.reference.request;
    if (takes(layout, "unscaled")) request.unscaled = true;
    if (takes(layout, "tokens_per_second")) request.tokens_per_second = 5, request.frame_rate = 4;
    const CheckReference other = reference_from_layout(layout, request);
    add_proposals(other, tables_of(true_dump(one.reference)), met);
  }
}

/// Mistakes that one could read in two ways, and dumps that hold more than one image.
void add_two_readings(Met& met) {
  const CheckCase plain = rope_case("plain");
  for (const double power : {0.5, 2.0}) {
    Dump dump = true_dump(plain.reference);
    change_ladders(dump, [&](std::size_t, int, int, double old) { return std::pow(old, power); });
    add_proposals(plain.reference, tables_of(dump), met);
  }
  const CheckCase qwen = layout_case("qwen-image", 5, 7);
  for (const auto& [rows, columns] : {std::pair(1, 1), std::pair(3, 4)}) {
    Dump shifted = true_dump(qwen.reference);
    for (std::size_t row = 0; row < shifted.rows(); ++row) {
      if (shifted.parts[row] == "image") shifted.ids[row][1] += rows, shifted.ids[row][2] += columns;
    }
    add_proposals(qwen.reference, tables_of(shifted), met);
  }
  const CheckCase flux = layout_case("flux.1");
  const Dump truth = true_dump(flux.reference);
  Dump twice = truth;
  twice.ids.insert(twice.ids.end(), truth.ids.begin(), truth.ids.end());
  add_proposals(flux.reference, tables_of(twice), met);
  add_proposals(flux.reference, tables_of(true_dump(layout_case("flux.1", 10, 14).reference)), met);
  for (const bool stops : {true, false}) {
    Dump shared = truth;
    for (auto& ids : shared.ids) ids[2] = stops ? std::min(ids[2], 4.0) : std::fmod(ids[2], 5);
    add_proposals(flux.reference, tables_of(shared), met);
  }
}

/// [40 tokens, 2 heads, 32 channels]: what is dumped as before, and what is turned by halves; positions are `step`
/// apart.
using OfChannel = std::function<double(int row, int head, int channel)>;
CheckInputs turned_vectors(const OfChannel& before, const OfChannel& turns, double step = 1) {
  std::vector<double> x, y;
  for (int row = 0; row < 40; ++row) {
    for (int head = 0; head < 2; ++head) {
      for (int c = 0; c < 32; ++c) {
        const double angle = step * row * std::pow(10'000, -(c % 16) / 16.0);
        const double other = turns(row, head, (c + 16) % 32);
        x.push_back(before(row, head, c));
        y.push_back(turns(row, head, c) * std::cos(angle) + (c < 16 ? -1 : 1) * other * std::sin(angle));
      }
    }
  }
  CheckInputs inputs;
  inputs.before = store_values("before.npy", {40, 2, 32}, x, Storage::float32);
  inputs.after = store_values("after.npy", {40, 2, 32}, y, Storage::float32);
  inputs.head_order = HeadOrder::tokens_first;
  return inputs;
}

CheckReference rope_of_check_words(int head, double step = 1, Pairing pairing = Pairing::half_split) {
  RotarySpec spec;
  spec.head_dim = head;
  spec.pairing = pairing;
  spec.axes = {RotaryAxis{.rotary_dim = 32, .base = 10'000}};
  std::vector<double> positions;
  for (int row = 0; row < 40; ++row) positions.push_back(step * row);
  return reference_from_rope(spec, {}, positions);
}

/// What lies between before and after, or nothing that is known.
void add_between(Met& met) {
  const auto raw = [](int row, int head, int c) { return std::sin(1.7 * row * row + 5.1 * head + 0.9 * c * c + 1); };
  const auto over = [](const OfChannel& of, bool squares) {
    return [=](int row, int head) {
      double sum = 0;
      for (int c = 0; c < 32; ++c) sum += squares ? std::pow(of(row, head, c), 2) / 32 : of(row, head, c) / 32;
      return squares ? std::sqrt(sum) : sum;
    };
  };
  const auto rms = over(raw, true), mean = over(raw, false);
  const auto weight = [](int c) { return 0.5 + 0.04 * c; };
  // Queries scaled by their position, or by the next one.
  const auto scaled = [&](double step, double next, double length) {
    return [=](int row, int head, int c) {
      return raw(row, head, c) * (1 + 0.1 * std::log1p(std::floor((step * row + next) / length)));
    };
  };
  const CheckReference due = rope_of_check_words(32), far = rope_of_check_words(32, 500),
                       near = rope_of_check_words(32, 512);
  const auto add = [&](const OfChannel& turns) { add_check(due, turned_vectors(raw, turns), met); };
  add([&](int row, int head, int c) { return raw(row, head, c) / rms(row, head); });
  add([&](int row, int head, int c) { return raw(row, head, c) / rms(row, head) * weight(c); });
  const auto centred = [&](int row, int head, int c) { return raw(row, head, c) - mean(row, head); };
  const auto deviation = over(centred, true);
  add([&](int row, int head, int c) { return centred(row, head, c) / deviation(row, head) * weight(c); });
  add([&](int row, int head, int c) { return raw(row, head, c) * weight(c); });
  add([&](int row, int head, int c) { return raw(row, head, c) * (1 + 0.3 * std::sin(9.0 * row)); });
  add_check(far, turned_vectors(raw, scaled(500, 0, 8'192), 500), met);
  add_check(near, turned_vectors(raw, scaled(512, 1, 2'049), 512), met);
  // One head, one channel, all of them.
  add([&](int row, int head, int c) { return head == 1 ? raw(c, row, row) : raw(row, head, c); });
  CheckInputs one = turned_vectors(raw, raw);
  one.after = changed(*one.after, [](std::size_t i, double was) { return i % 32 == 5 ? was + 0.1 : was; });
  add_check(due, one, met);
  add([&](int row, int head, int c) { return (1 + row % 7 + 3 * head) * raw(c, head, row); });
}

/// Heads in other orders and channels permuted, each in every way that is told.
void add_arrangements(Met& met) {
  const CheckReference due = rope_of_check_words(32);
  CheckModel model = model_of(due, {}, 40);
  const auto add = [&](std::vector<HeadPlace> heads, std::int64_t repeats = 1, std::int64_t by = 0) {
    HeadVectors vectors;
    vectors.rows = 40, vectors.channels = 32, vectors.repeats = repeats;
    vectors.heads = static_cast<std::int64_t>(heads.size());
    for (const CheckCause& cause : causes_of({std::move(heads), by}, vectors, due, model)) {
      met.add_sentence(cause.evidence), met.add_sentence(cause.advice);
      for (const CheckParameter& parameter : cause.parameters) met.add(parameter);
    }
  };
  const auto alike = [](ChannelOrder order, Pairing turned) {
    return std::vector<HeadPlace>{{0, order, turned}, {1, order, turned}};
  };
  const auto ordered = [](const std::vector<std::int64_t>& held) {
    std::vector<HeadPlace> heads;
    for (const std::int64_t head : held) heads.push_back({head, ChannelOrder::own, Pairing::half_split});
    return heads;
  };
  for (const ChannelOrder order :
       {ChannelOrder::own, ChannelOrder::converted, ChannelOrder::reversed, ChannelOrder::twice}) {
    for (const Pairing turned : {Pairing::interleaved, Pairing::half_split}) {
      add(alike(order, turned));
      add({{0, order, turned}, {1, ChannelOrder::own, Pairing::half_split}, {2, order, turned}});
    }
  }
  add(alike(ChannelOrder::converted, Pairing::interleaved), 1, 4);
  for (const auto& held : {std::vector<std::int64_t>{3, 2, 1, 0}, {1, 2, 3, 0}, {0, 3, 1, 4, 2, 5}, {0, 3, 2, 1}}) {
    add(ordered(held));
  }
  add(ordered({0, 2, 0, 2}), 2);
}

/// What holds where nothing is known, and what to dump next; the search is left off at once.
void add_unknowns(Met& met) {
  constexpr std::int64_t kNone = 1;
  const CheckCase flux = layout_case("flux.1", 8, 24), rope = rope_case("plain");
  const Dump truth = true_dump(flux.reference), of_rope = true_dump(rope.reference);
  const auto warped = [](Dump dump, std::size_t axis, const std::function<bool(double)>& where) {
    for (auto& ids : dump.ids) {
      if (where(ids[axis])) ids[axis] += 0.3 * std::sin(ids[axis]) + 0.4;
    }
    return dump;
  };
  const auto add = [&](const Dump& dump) { add_check(flux.reference, tables_of(dump), met, kNone); };
  add(warped(truth, 2, [](double) { return true; }));
  add(warped(truth, 2, [](double column) { return column >= 12; }));
  add(warped(truth, 2, [](double column) { return column <= 12; }));
  add(warped(truth, 2, [](double column) { return column >= 6 && column <= 12; }));
  add(warped(truth, 2, [](double column) { return std::fmod(column, 4) == 1; }));
  add(warped(warped(truth, 1, [](double) { return true; }), 2, [](double) { return true; }));
  const Dump far = warped(of_rope, 0, [](double position) { return position > 20; });
  add_check(rope.reference, tables_of(far), met, kNone);
  CheckInputs inputs = tables_of(far);
  put_ids(inputs, of_rope);
  add_check(rope.reference, inputs, met, kNone);
  put_frequencies(inputs, of_rope);
  add_check(rope.reference, inputs, met, kNone);
  put_ids(inputs, far);
  add_check(rope.reference, inputs, met, kNone);
  CheckInputs frequencies, vectors, both = tables_of(of_rope);
  put_frequencies(frequencies, of_rope);
  frequencies.frequencies =
      changed(*frequencies.frequencies, [](std::size_t i, double was) { return was * (1 + 0.3 * std::sin(i * i)); });
  add_check(rope.reference, frequencies, met, kNone);
  put_vectors(vectors, far), put_vectors(both, far);
  add_check(rope.reference, vectors, met, kNone);
  add_check(rope.reference, both, met, kNone);
  // So many rows that some are looked at.
  RotarySpec wide;
  wide.head_dim = 128;
  wide.axes = {RotaryAxis{.rotary_dim = 128, .base = 10'000}};
  std::vector<double> many(66'000);
  std::iota(many.begin(), many.end(), 0);
  const CheckReference long_text = reference_from_rope(wide, {}, many);
  for (double& position : many) position += 0.3 * std::sin(position);
  add_check(long_text, tables_of(true_dump(reference_from_rope(wide, {}, many))), met, kNone);
  // Of vectors: grouped heads, and pairs that weights may have been permuted for.
  Dump other = of_rope;
  other.repeats = other.companions =
      of_rope.companions == Pairing::interleaved ? Pairing::half_split : Pairing::interleaved;
  CheckInputs paired;
  put_vectors(paired, other);
  CheckReference gguf = rope.reference;
  gguf.of_gguf = true;
  add_check(rope.reference, paired, met), add_check(gguf, paired, met);
  CheckInputs grouped;
  put_vectors(grouped, of_rope);
  const std::int64_t rows = grouped.before->shape[0], channels = grouped.before->shape[2];
  grouped.before->shape = {rows, 1, channels};
  std::vector<double> after(static_cast<std::size_t>(grouped.after->count())), twice;
  read_rows(*grouped.after, 0, rows, after.data());
  for (std::int64_t row = 0; row < rows; ++row) {
    for (int copy = 0; copy < 2; ++copy) {
      const auto begin = after.begin() + row * 2 * channels;
      twice.insert(twice.end(), begin, begin + channels);
    }
  }
  grouped.after = store_values("after.npy", {rows, 2, channels}, twice, Storage::float32);
  grouped.head_order = HeadOrder::tokens_first;
  add_check(rope.reference, grouped, met);
}

/// Other ways to store a table, other channels, other profiles.
void add_whole_models(Met& met) {
  add_between(met);
  for (const char* name : {"plain", "plain-interleaved"}) {
    const CheckCase one = rope_case(name);
    Dump dump = true_dump(one.reference);
    dump.repeats = dump.repeats == Pairing::interleaved ? Pairing::half_split : Pairing::interleaved;
    add_check(one.reference, tables_of(dump, Storage::float32, TableForm::repeated), met);
  }
  const CheckReference due = rope_of_check_words(32), halves = rope_of_check_words(64),
                       neighbours = rope_of_check_words(32, 1, Pairing::interleaved);
  const CheckInputs right = tables_of(true_dump(due));
  std::vector<double> c(40 * 16), s(c);
  read_rows(*right.cosine, 0, 40, c.data()), read_rows(*right.sine, 0, 40, s.data());
  for (const double sine : {0.0, 1.0}) {
    std::vector<double> wide_c, wide_s;
    for (std::size_t i = 0; i < 40 * 32; ++i) {
      const std::size_t at = i / 32 * 16 + i % 32;
      wide_c.push_back(i % 32 < 16 ? c[at] : 1), wide_s.push_back(i % 32 < 16 ? s[at] : sine);
    }
    CheckInputs wide;
    wide.cosine = store_values("cos.npy", {40, 32}, wide_c), wide.sine = store_values("sin.npy", {40, 32}, wide_s);
    add_check(halves, wide, met);
  }
  std::vector<double> side, turns, angles;
  for (std::size_t i = 0; i < 40 * 32; ++i) {
    const std::size_t row = i / 32 * 16;
    side.push_back(i % 32 < 16 ? c[row + i % 32] : s[row + i % 32 - 16]);
    turns.push_back(i % 2 == 0 ? c[i / 2] : s[i / 2]);
    if (i % 32 < 16)
      angles.push_back(static_cast<double>(i / 32) * std::pow(10'000, -static_cast<double>(i % 32) / 16));
  }
  for (const auto& [numbers, width] : {std::pair(side, 32), {turns, 32}, {angles, 16}}) {
    CheckInputs packed;
    packed.table = store_values("table.npy", {40, width}, numbers, Storage::float32);
    add_check(due, packed, met);
  }
  CheckReference other = reference_from_rope(*rope_case("plain").reference.rope, {}, due.positions);
  other.profile = "full attention";
  other.others = {due};
  other.others[0].profile = "sliding attention";
  for (const bool asked : {false, true}) {
    other.asked = asked;
    add_check(other, right, met);
  }
  CheckInputs vectors;
  put_vectors(vectors, true_dump(neighbours));
  vectors.head_order = HeadOrder::tokens_first;
  std::vector<double> after(40 * 2 * 32), sorted(after);
  read_rows(*vectors.after, 0, 40, after.data());
  for (std::size_t i = 0; i < after.size(); ++i) sorted[i / 32 * 32 + i % 32 / 2 + i % 2 * 16] = after[i];
  CheckInputs out = vectors;
  out.after = store_values("after.npy", {40, 2, 32}, sorted, Storage::float32);
  add_check(neighbours, out, met);
  // The last 32 of 64 channels.
  CheckInputs behind = vectors;
  for (auto* tensor : {&behind.before, &behind.after}) {
    std::vector<double> part(40 * 2 * 32), whole;
    read_rows(**tensor, 0, 40, part.data());
    for (std::size_t i = 0; i < 40 * 2 * 64; ++i) whole.push_back(i % 64 < 32 ? 0.25 : part[i / 64 * 32 + i % 64 - 32]);
    *tensor = store_values("q.npy", {40, 2, 64}, whole, Storage::float32);
  }
  add_check(rope_of_check_words(64, 1, Pairing::interleaved), behind, met);
  CheckReference back = neighbours;
  back.turns_back = true;
  Dump conjugate = true_dump(neighbours);
  conjugate.conjugate = true;
  CheckInputs turned_back;
  put_vectors(turned_back, conjugate);
  turned_back.before->name = "o";
  add_check(back, turned_back, met);
  Dump still = true_dump(due);
  for (auto& ids : still.ids) ids[0] = 17;
  add_check(due, tables_of(still), met);
}

/// A picture larger than those of training, its axes extended and moved in one way where another is due.
void add_resolutions(Met& met) {
  std::vector<CheckReference> all;
  const auto add = [&all](const std::string& scaling, std::map<std::string, double, std::less<>> numbers) {
    LayoutRequest request;
    request.image = ImageSize::tokens(80, 4);
    request.scaling = scaling;
    request.numbers = std::move(numbers);
    all.push_back(reference_from_layout(find_layout("flux.1"), request));
  };
  add("none", {}), add("none", {{"scale_y", 2}}), add("dype", {}), add("dype", {{"diffusion_time", 0.5}});
  add("yarn", {}), add("yarn", {{"factor_x", 2}});
  for (const CheckReference& due : all) {
    for (const CheckReference& made : all) add_proposals(due, tables_of(true_dump(made)), met);
  }
}

/// The sound of a video without the rest.
void add_sound(Met& met) {
  LayoutRequest request;
  request.image = ImageSize::tokens(2, 3);
  request.frames = 4;
  request.numbers["audio"] = 100;
  const CheckReference due = reference_from_layout(find_layout("qwen2.5-omni"), request);
  Dump dump = true_dump(due);
  for (std::size_t row = dump.rows(); row-- > 0;) {
    if (dump.parts[row] == "audio") continue;
    dump.ids.erase(dump.ids.begin() + static_cast<std::ptrdiff_t>(row));
    dump.parts.erase(dump.parts.begin() + static_cast<std::ptrdiff_t>(row));
  }
  add_check(due, tables_of(dump), met);
}

/// Positions by other rules, without positions of the reference's own.
void add_other_positions(Met& met) {
  const CheckReference due = reference_from_rope(*rope_case("plain").reference.rope, {}, {});
  const auto add = [&](std::int64_t rows, const std::function<double(std::int64_t)>& id) {
    std::vector<double> positions;
    for (std::int64_t row = 0; row < rows; ++row) positions.push_back(static_cast<double>(row));
    Dump dump = true_dump(reference_from_rope(*due.rope, {}, positions));
    for (std::int64_t row = 0; row < rows; ++row) dump.ids[static_cast<std::size_t>(row)][0] = id(row);
    add_check(due, tables_of(dump), met);
  };
  add(200, [](std::int64_t row) { return static_cast<double>(row < 128 ? row : row - 256); });
  add(64, [](std::int64_t row) { return static_cast<double>(row / 4 * 4); });
  add(64, [](std::int64_t row) { return static_cast<double>(row + 5); });
  Dump missing = true_dump(rope_case("plain").reference);
  missing.frequencies[0][17] = 0;
  add_check(rope_case("plain").reference, tables_of(missing), met);
}

/// Parts of a sequence and of a grid: slices of ranks, ids that stop.
void add_parts_of_rows(Met& met) {
  LayoutRequest request;
  request.image = ImageSize::tokens(8, 16);
  const CheckReference raster = reference_from_layout(find_layout("raster"), request);
  Dump ends = true_dump(raster);
  ends.ids.erase(ends.ids.begin() + 16, ends.ids.end() - 16), ends.parts.resize(32);
  add_check(raster, tables_of(ends), met);
  request.image = ImageSize::tokens(4, 5), request.text = 12;
  const CheckReference padded = reference_from_layout(find_layout("qwen2-vl"), request);
  Dump left = true_dump(padded);
  for (std::size_t row = 0; row < 12; ++row) left.ids[row].assign(3, row < 4 ? 1 : static_cast<double>(row - 4));
  add_proposals(padded, tables_of(left), met);
  const CheckReference flux = layout_case("flux.1", 9, 7).reference;
  Dump stopped = true_dump(flux);
  for (auto& ids : stopped.ids) ids[1] = std::min(ids[1], 3.0);
  add_proposals(flux, tables_of(stopped), met);
}

/// One table that holds sin before cos, where the model's released code keeps it so.
void add_sines_first(Met& met) {
  CheckReference due = rope_case("plain").reference;
  due.sines_first = true;
  const Dump dump = true_dump(due);
  std::vector<double> packed;
  for (std::size_t row = 0; row < dump.rows(); ++row) {
    for (std::size_t i = 0; i < 2 * dump.pairs(); ++i) {
      const double angle = dump.angle(row, i % dump.pairs());
      packed.push_back(i < dump.pairs() ? std::sin(angle) : std::cos(angle));
    }
  }
  CheckInputs inputs;
  const auto rows = static_cast<std::int64_t>(dump.rows()), width = static_cast<std::int64_t>(2 * dump.pairs());
  inputs.table = store_values("table", {rows, width}, packed, Storage::float32);
  add_check(due, inputs, met);
}

TEST(CheckWords, EveryEvidenceAdviceAndNoteIsSaid) {
  Met met;
  const std::vector<CheckCase> cases = layout_and_rope_cases();
  const std::vector<Fault> faults = all_faults();
  Sample sample("sentences of one fault × layouts and ropes", 6);
  for (std::size_t i = 0; i < faults.size(); ++i) {
    const auto exists = [&](const CheckCase& one) {
      Dump dump = true_dump(one.reference);
      return faults[i].commit(one, dump);
    };
    for (const CheckCase& one : sample.of(i, cases, exists)) {
      Dump faulty = true_dump(one.reference);
      faults[i].commit(one, faulty);
      add_proposals(one.reference, inputs_of(faulty, Storage::float32, {&faults[i]}), met);
    }
  }
  for (const char* name : {"flux.1", "flux.1-kontext", "flux.2", "qwen2-vl"})
    add_lengths_check_words(layout_case(name), met);
  add_readings(met);
  add_rare_causes(met);
  add_counts_check_words(met);
  add_recurrences(met);
  add_scales_check_words(met);
  add_courses(met);
  add_two_readings(met);
  add_ramps_and_rows(met);
  add_whole_models(met);
  add_arrangements(met);
  add_unknowns(met);
  add_notes_and_rests(met);
  add_resolutions(met);
  add_sound(met);
  add_other_positions(met);
  add_parts_of_rows(met);
  add_sines_first(met);
  Keys left = texts_of_check_words(check_words_english(), "check.");
  for (const std::string& key : met.keys) left.erase(key);
  for (const std::string& key : left) ADD_FAILURE() << key << " was not met";
}

}  // namespace

}  // namespace ropescope
