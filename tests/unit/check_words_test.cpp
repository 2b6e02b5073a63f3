// The messages of a check, as a law over keys and places: every text has a key in the code, occurs in a case below, has
// a value for each of its placeholders, and names the rows, pairs, axes and parts of the fault.

#include "check_faults.h"
#include "core/check/causes/cause.h"
#include "core/check/compare/tensors.h"
#include "core/check/model/model.h"
#include "core/check/phrases.h"
#include "core/check/report/report.h"
#include "core/precision/precision.h"
#include "core/scaling/scaling.h"

namespace ropescope {
namespace {

using Keys = std::set<std::string>;

// --- Keys ----------------------------------------------------------------------------------------------------------

Keys find_keys_beginning(const std::string& room) {
  Keys keys;
  for (const auto& [key, words] : english_text().all()) {
    if (key.starts_with(room)) keys.insert(key);
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

TEST(CheckWords, EveryKeyHasATextAndEveryTextAKey) {
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
  for (const std::string& key : used) EXPECT_TRUE(english_text().has(key) || english_text().has("error." + key)) << key;
  used.merge(keys_in("/app/views/check"));
  // The test of all cases verifies that the keys of parameters are used.
  const auto of_parameter = [](const std::string& key) {
    return key.starts_with("check.value.") || key.starts_with("check.parameter.");
  };
  for (const std::string& key : find_keys_beginning("check.")) EXPECT_TRUE(of_parameter(key) || used.count(key)) << key;
  for (const std::string& key : find_keys_beginning("error.check.")) EXPECT_TRUE(used.count(key.substr(6))) << key;
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
    EXPECT_EQ(std::count_if(all_causes().begin(), all_causes().end(), [&](const Cause* one) { return one->*property; }),
              1);
  }
}

// --- The law of one message ----------------------------------------------------------------------------------------

/// The names that a text has places for.
Keys places_in(const std::string& key) {
  static std::map<std::string, Keys> known;
  const auto [at, fresh] = known.try_emplace(key);
  if (fresh) at->second = FixedParts(key, {}).names();
  return at->second;
}

/// The placeholder names of all alternatives of a text: "check.CAUSE.…".
Keys places_beside(const std::string& key) {
  static std::map<std::string, Keys> known;
  const auto [at, fresh] = known.try_emplace(key.substr(0, key.find('.', key.find('.') + 1) + 1));
  if (fresh) {
    for (const std::string& other : find_keys_beginning(at->first)) at->second.merge(places_in(other));
  }
  return at->second;
}

/// Verifies every message of every report and proposal, and records their keys.
class Reached {
 public:
  Keys keys;

  CheckReport check(const CheckReference& reference, const CheckInputs& inputs, std::int64_t effort = kMaxEffort) {
    CheckOptions options;
    options.most_effort = effort;
    options.progress = [this](double, const Message& step) { hold(step); };
    CheckReport report = ropescope::check(reference, inputs, options);
    for (const CheckCause& cause : report.causes) hold_cause(cause);
    for (const CheckedInput& input : report.inputs) hold_sentence(input.understood);
    for (const Message& note : report.notes) hold_sentence(note);
    return report;
  }
  /// All that the causes propose, right or wrong.
  void propose(const CheckReference& reference, const CheckInputs& inputs) {
    const CheckTensors tensors = take_tensors(reference, inputs);
    const CheckModel model = model_of(reference, inputs, std::max<std::int64_t>(tensors.rows, 1));
    const Evidence evidence = gather(tensors, model);
    ObservedCache cache(evidence);
    const Situation situation(reference, model, evidence, cache);
    for (const Cause* cause : all_causes()) {
      std::vector<Proposal> proposals;
      cause->propose(situation, proposals);
      for (const Proposal& proposal : proposals) hold_cause(proposal);
    }
  }
  void propose(const CheckReference& reference, const Dump& dump) { propose(reference, tables_of(dump)); }
  template <class Action>
  void refuse(const Action& action) {
    try {
      action();
      ADD_FAILURE() << "nothing was refused";
    } catch (const InputError& error) {
      hold(error.words());
    }
  }
  template <class Found>  // a cause or a proposal
  void hold_cause(const Found& found) {
    hold_sentence(found.evidence), hold_sentence(found.advice);
    for (const CheckParameter& parameter : found.parameters) hold_parameter(parameter);
  }

 private:
  std::set<std::string> sentences_;  ///< already verified: most occur many times

  void hold(const Message& words) {
    if (!words.key.empty()) {
      if (keys.insert(words.key).second) EXPECT_TRUE(english_text().has(words.key)) << words.key;
      Keys open = places_in(words.key);
      for (const Message::Named& named : words.values) {
        if (open.erase(named.name) > 0) continue;
        EXPECT_TRUE(places_beside(words.key).contains(named.name)) << named.name << " has no place: " << words.key;
      }
      EXPECT_THAT(open, IsEmpty()) << words.key;
    }
    for (const Message::Named& named : words.values) {
      const auto* list = std::get_if<Message::List>(&named.value);
      for (std::size_t i = 0; list != nullptr && i < list->size(); ++i) hold((*list)[i]);
    }
  }
  /// Requires numbers to be written as on cards, 10 000 and 1.5 × 10⁻⁵, except in text that the user is to type.
  void hold_sentence(const Message& words) {
    hold(words);
    if (!sentences_.insert(said(words)).second) return;
    static const std::regex typed("--[a-z]+ [0-9x]+"),
        unlike_cards("(^|[^.0-9])[0-9]{4}|[0-9]e[+-]?[0-9]|[0-9] [0-9]{3}|\\{");
    EXPECT_FALSE(std::regex_search(std::regex_replace(said(words), typed, ""), unlike_cards)) << said(words);
  }
  /// Requires the English text of a named value, which JSON uses, to be the end of its key with spaces for underscores.
  void hold_parameter(const CheckParameter& parameter) {
    const std::string name = "check.parameter." + parameter.name;
    static const std::vector<ScalingField> known = all_scaling_fields();
    EXPECT_TRUE(
        english_text().has(name) ||
        std::any_of(known.begin(), known.end(), [&](const ScalingField& of) { return of.name == parameter.name; }))
        << name;
    keys.insert(name);
    const auto* value = std::get_if<Message>(&parameter.value);
    if (value == nullptr) return;
    hold(*value);
    if (!value->key.starts_with("check.value.")) return;
    std::string stable = value->key.substr(value->key.rfind('.') + 1);
    std::replace(stable.begin(), stable.end(), '_', ' ');
    EXPECT_EQ(said(*value), stable);
  }
};

// --- Cases ---------------------------------------------------------------------------------------------------------

/// A tensor with its numbers changed: of(index, number).
template <class Change>
StoredTensor changed(const StoredTensor& tensor, const Change& of) {
  std::vector<double> numbers = numbers_of(tensor);
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = of(i, numbers[i]);
  return store_values(tensor.name, tensor.shape, numbers, tensor.storage);
}

StoredTensor stored(std::vector<std::int64_t> shape, const std::vector<double>& numbers) {
  return store_values("tensor.npy", std::move(shape), numbers, Storage::float32);
}

CheckInputs listed(const std::vector<double>& frequencies) {
  CheckInputs inputs;
  inputs.frequencies = stored({static_cast<std::int64_t>(frequencies.size())}, frequencies);
  return inputs;
}

CheckInputs one_table(std::vector<std::int64_t> shape, const std::vector<double>& numbers) {
  CheckInputs inputs;
  inputs.table = stored(std::move(shape), numbers);
  return inputs;
}

std::vector<double> counted_to(std::size_t rows, double first = 0) {
  std::vector<double> positions(rows);
  std::iota(positions.begin(), positions.end(), first);
  return positions;
}

CheckReference at_positions(const RotarySpec& spec, const std::vector<double>& positions) {
  return reference_from_rope(spec, {}, positions);
}

/// A rope whose positions nobody gave, and what it makes of position at(row).
using OfRow = std::function<double(int row)>;
CheckReference any_rope() {
  return reference_from_rope(*rope_case("plain").reference.rope);
}
Dump dump_at(const OfRow& at, int rows = 90) {
  std::vector<double> positions;
  for (int row = 0; row < rows; ++row) positions.push_back(at(row));
  return true_dump(at_positions(*any_rope().rope, positions));
}

/// A rope of 32 rotated channels at 40 positions.
CheckReference small_rope(int head, double step = 1, Pairing pairing = Pairing::half_split) {
  RotarySpec spec{.head_dim = head, .pairing = pairing, .axes = {RotaryAxis{.rotary_dim = 32, .base = 10'000}}};
  std::vector<double> positions = counted_to(40);
  for (double& position : positions) position *= step;
  return at_positions(spec, positions);
}

/// [40 tokens, 2 heads, 32 channels]: what is dumped as before, and what is turned by halves; positions are `step`
/// apart.
using OfChannel = std::function<double(int row, int head, int channel)>;
CheckInputs turned_vectors(const OfChannel& before, const OfChannel& turns, double step = 1) {
  std::vector<double> x, y;
  for (int i = 0; i < 40 * 2 * 32; ++i) {
    const int row = i / 64, head = i / 32 % 2, c = i % 32;
    const double angle = step * row * std::pow(10'000, -(c % 16) / 16.0);
    x.push_back(before(row, head, c));
    y.push_back(turns(row, head, c) * std::cos(angle) +
                (c < 16 ? -1 : 1) * turns(row, head, (c + 16) % 32) * std::sin(angle));
  }
  CheckInputs inputs;
  inputs.before = stored({40, 2, 32}, x), inputs.after = stored({40, 2, 32}, y);
  inputs.head_order = HeadOrder::tokens_first;
  return inputs;
}

double raw_vector(int row, int head, int c) {
  return std::sin(1.7 * row * row + 5.1 * head + 0.9 * c * c + 1);
}

/// Each of the two vectors with other numbers and another shape: numbers = of(the old ones).
template <class Change>
CheckInputs reshaped(CheckInputs inputs, const std::vector<std::int64_t>& shape, const Change& of) {
  for (auto* tensor : {&inputs.before, &inputs.after}) *tensor = stored(shape, of(numbers_of(**tensor)));
  return inputs;
}

void reach_faults(Reached& reached) {
  const std::vector<CheckCase> cases = layout_and_rope_cases();
  const std::vector<Fault> faults = all_faults();
  Sample sample("sentences of one fault × layouts and ropes", 2);
  for (std::size_t i = 0; i < faults.size(); ++i) {
    const auto exists = [&](const CheckCase& one) {
      Dump dump = true_dump(one.reference);
      return faults[i].commit(one, dump);
    };
    for (const CheckCase& one : sample.of(i, cases, exists)) {
      Dump faulty = true_dump(one.reference);
      faults[i].commit(one, faulty);
      reached.propose(one.reference, inputs_of(faulty, Storage::float32, {&faults[i]}));
    }
  }
  // Those that show in few cases.
  for (const CheckCase& one : cases) {
    for (const Fault& fault : faults) {
      const std::string cell = fault.variant + " of " + one.name;
      if (cell != "above the middle of dinov3" && cell != "halves of each axis of custom" &&
          cell != "hidden size over heads of partial")
        continue;
      Dump faulty = true_dump(one.reference);
      EXPECT_TRUE(fault.commit(one, faulty)) << cell;
      reached.propose(one.reference, inputs_of(faulty, Storage::float32, {&fault}));
    }
  }
}

/// Every form of every input, with odd numbers, other sizes and lists of other lengths.
void reach_readings(Reached& reached) {
  for (const char* name : {"plain", "plain-interleaved"}) {
    const CheckReference due = rope_case(name).reference;
    Dump dump = true_dump(due);
    for (const TableForm form : {TableForm::once, TableForm::repeated, TableForm::complex_numbers, TableForm::matrices,
                                 TableForm::real_and_imaginary}) {
      reached.check(due, tables_of(dump, Storage::float64, form));
    }
    reached.check(due, with_signs(dump, Storage::float32, true));
    CheckInputs odd = tables_of(dump);
    const std::int64_t rows = odd.cosine->shape[0], width = odd.cosine->shape[1];
    std::vector<double> both = numbers_of(*odd.cosine), sines = numbers_of(*odd.sine);
    both.insert(both.end(), sines.begin(), sines.end());
    reached.check(due, one_table({2, rows, width}, both));
    for (const double number : {std::nan(""), HUGE_VAL}) {
      odd.cosine = changed(*odd.cosine, [&](std::size_t i, double was) { return i == 9 ? number : was; });
      reached.refuse([&] { check(due, odd); });
    }
    dump.repeats = dump.repeats == Pairing::interleaved ? Pairing::half_split : Pairing::interleaved;
    reached.check(due, tables_of(dump, Storage::float32, TableForm::repeated));
  }
  const CheckReference plain = rope_case("plain").reference, axial = layout_case("vit-axial").reference;
  reached.refuse([&] { find_part_rows(plain.tokens, "image"); });
  // Lists.
  const std::vector<double> due = true_dump(plain).frequencies[0];
  std::vector<double> whole = due, neighbours, more = due, shared = true_dump(axial).frequencies[0];
  whole.insert(whole.end(), due.begin(), due.end());
  for (const double frequency : due) neighbours.insert(neighbours.end(), {frequency, frequency});
  more.push_back(0.5);
  for (const auto& list : {whole, neighbours, more}) reached.check(plain, listed(list));
  std::erase(shared, 0);
  reached.check(axial, listed(shared));
  RotarySpec spec = *plain.rope;
  spec.extension = {"proportional", {{"live_fraction", 0.25}}, {}};
  reached.check(reference_from_rope(spec), listed({due.begin(), due.begin() + 16}));
  // Cos and sin in one table: concatenated, interleaved, and as angles.
  const CheckReference small = small_rope(32), wide = small_rope(64);
  const CheckInputs right = tables_of(true_dump(small));
  const std::vector<double> c = numbers_of(*right.cosine), s = numbers_of(*right.sine);
  std::vector<double> side, turns, angles, padded[2];
  for (std::size_t i = 0; i < 40 * 32; ++i) {
    const std::size_t at = i / 32 * 16 + i % 16;
    side.push_back(i % 32 < 16 ? c[at] : s[at]);
    turns.push_back(i % 2 == 0 ? c[i / 2] : s[i / 2]);
    if (i % 32 < 16)
      angles.push_back(static_cast<double>(i / 32) * std::pow(10'000, -static_cast<double>(i % 32) / 16));
    padded[0].push_back(i % 32 < 16 ? c[at] : 1), padded[1].push_back(i % 32 < 16 ? s[at] : 0);
  }
  reached.check(small, one_table({40, 32}, side)), reached.check(small, one_table({40, 32}, turns));
  reached.check(small, one_table({40, 16}, angles));
  for (const double behind : {0.0, 1.0}) {
    CheckInputs inputs;
    inputs.cosine = stored({40, 32}, padded[0]);
    inputs.sine =
        changed(stored({40, 32}, padded[1]), [&](std::size_t i, double was) { return i % 32 < 16 ? was : behind; });
    reached.check(wide, inputs);
  }
  CheckReference sines_first = small;
  sines_first.sines_first = true;
  for (std::size_t i = 0; i < side.size(); ++i)
    side[i] = i % 32 < 16 ? s[i / 32 * 16 + i % 16] : c[i / 32 * 16 + i % 16];
  reached.check(sines_first, one_table({40, 32}, side));
  CheckInputs lying = tables_of(dump_at([](int row) { return row; }));
  for (auto* tensor : {&lying.cosine, &lying.sine}) {
    std::swap((*tensor)->shape[0], (*tensor)->shape[1]), std::swap((*tensor)->strides[0], (*tensor)->strides[1]);
  }
  reached.check(any_rope(), lying);
  CheckReference other = at_positions(*plain.rope, small.positions.value());
  other.profile = "full attention", other.others = {small}, other.others[0].profile = "sliding attention";
  for (const bool asked : {false, true}) {
    other.profile_was_requested = asked;
    reached.check(other, right);
  }
}

/// Rows that were cut, added, moved or stopped.
void reach_rows(Reached& reached) {
  for (const char* name : {"flux.1", "flux.1-kontext", "flux.2", "qwen2-vl"}) {
    const CheckReference due = layout_case(name).reference;
    const Dump truth = true_dump(due);
    const auto rows = static_cast<std::ptrdiff_t>(truth.rows());
    const auto with_ids = [&](const auto& change) {
      Dump dump = truth;
      change(dump.ids);
      if (dump.rows() > 0) reached.propose(due, dump);
    };
    const std::vector<double> zero(truth.axes(), 0);
    for (const std::ptrdiff_t at : {rows, std::ptrdiff_t{0}, rows / 2}) {
      for (const std::size_t more : {1, 3}) with_ids([&](auto& ids) { ids.insert(ids.begin() + at, more, zero); });
    }
    with_ids([&](auto& ids) { ids.erase(ids.begin() + rows / 2, ids.begin() + rows / 2 + 2); });
    const auto is_of = [&](std::size_t row, const char* part) { return truth.parts[row].starts_with(part); };
    for (const char* part : {"text", "image", "reference"}) {
      for (const bool kept : {true, false}) {
        with_ids([&](auto& ids) {
          ids.clear();
          for (std::size_t row = 0; row < truth.rows(); ++row) {
            if (is_of(row, part) == kept) ids.push_back(truth.ids[row]);
          }
        });
      }
    }
    with_ids([&](auto& ids) {
      for (std::size_t row = 0; row < truth.rows(); ++row) {
        if (is_of(row, "reference1")) ids.push_back(truth.ids[row]);
      }
    });
  }
  for (const OfRow& at : std::initializer_list<OfRow>{
           [](int i) { return i < 50 ? i : i - 50; }, [](int i) { return i % 30; },
           [](int i) { return std::min(i, 60); }, [](int i) { return std::max(i - 20, 0); },
           [](int i) { return i < 50 ? i + 100 : i + 900; }, [](int i) { return i < 50 ? i : i - 49; },
           [](int i) { return i < 50 ? i : 1; }, [](int i) { return i < 20 ? 1 : i - 20; }, [](int i) { return i / 6; },
           [](int i) { return i < 40   ? i
                              : i < 60 ? 3
                                       : i - 30; }, [](int i) { return 3 + 4 * i; }}) {
    reached.propose(any_rope(), dump_at(at));
  }
  const CheckReference anywhere = reference_from_rope(*any_rope().rope, {}, {});
  reached.check(anywhere, tables_of(dump_at([](int i) { return i < 128 ? i : i - 256; }, 200)));
  reached.check(anywhere, tables_of(dump_at([](int i) { return i / 4 * 4; }, 64)));
  reached.check(anywhere, tables_of(dump_at([](int i) { return i + 5; }, 64)));
  reached.check(small_rope(32), [] {
    Dump still = true_dump(small_rope(32));
    for (auto& ids : still.ids) ids[0] = 17;
    return tables_of(still);
  }());
  for (const double position : {0.0, 7.0}) {
    const CheckReference at = at_positions(*any_rope().rope, {position});
    reached.check(at, tables_of(true_dump(at)));
  }
  Dump shifted = true_dump(rope_case("plain").reference);
  for (auto& ids : shifted.ids) ids[0] += 1;
  reached.check(rope_case("plain").reference, tables_of(shifted));
}

/// Ids of layouts: other axes, scales, parts, sizes, and slices of a sequence.
void reach_layouts(Reached& reached) {
  const auto with_ids = [&](const CheckReference& due, const std::function<void(Dump&, std::size_t)>& change) {
    Dump dump = true_dump(due);
    for (std::size_t row = 0; row < dump.rows(); ++row) change(dump, row);
    reached.propose(due, dump);
  };
  const CheckReference qwen = layout_case("qwen2-vl").reference, wan = layout_case("wan").reference,
                       flux = layout_case("flux.1").reference, image = layout_case("qwen-image", 5, 7).reference;
  with_ids(qwen, [](Dump& dump, std::size_t row) {
    for (double& id : dump.ids[row]) id += dump.parts[row] == "text" && row > 20 ? 5 : 0;
  });
  Dump doubled = true_dump(qwen);
  for (auto& ids : doubled.ids) std::transform(ids.begin(), ids.end(), ids.begin(), [](double id) { return 2 * id; });
  CheckInputs ids = ids_in(doubled);
  reached.propose(qwen, ids);
  for (const auto& [rows, columns] : {std::pair(1, 1), std::pair(3, 4)}) {
    with_ids(image, [rows = rows, columns = columns](Dump& dump, std::size_t row) {
      if (dump.parts[row] == "image") dump.ids[row][1] += rows, dump.ids[row][2] += columns;
    });
  }
  const Dump of_wan = true_dump(wan);
  for (const std::size_t along : {0, 1, 2}) {
    with_ids(wan, [&](Dump& dump, std::size_t row) { dump.ids[row][1] = dump.ids[row][2] = of_wan.ids[row][along]; });
  }
  with_ids(wan, [](Dump& dump, std::size_t row) { dump.ids[row][1] = 0, dump.ids[row][2] = static_cast<double>(row); });
  with_ids(wan, [](Dump& dump, std::size_t row) { dump.ids[row].assign(3, static_cast<double>(row / 3)); });
  with_ids(flux, [](Dump& dump, std::size_t row) { dump.ids[row][2] = std::min(dump.ids[row][2], 4.0); });
  with_ids(flux, [](Dump& dump, std::size_t row) { dump.ids[row][2] = std::fmod(dump.ids[row][2], 5); });
  Dump twice = true_dump(flux);
  const Dump of_flux = twice;
  twice.ids.insert(twice.ids.end(), of_flux.ids.begin(), of_flux.ids.end());
  reached.propose(flux, twice);
  reached.propose(flux, true_dump(layout_case("flux.1", 10, 14).reference));
  // The same layout with another request.
  for (const Layout& layout : all_layouts()) {
    if (!takes(layout, "unscaled") && !takes(layout, "tokens_per_second")) continue;
    const CheckCase one = layout_case(std::string(layout.name));
    LayoutRequest request = one.reference.request;
    if (takes(layout, "unscaled")) request.unscaled = true;
    if (takes(layout, "tokens_per_second")) request.tokens_per_second = 5, request.frame_rate = 4;
    reached.propose(reference_from_layout(layout, request), true_dump(one.reference));
  }
  std::vector<CheckReference> large;
  for (const auto& [scaling, number] : std::vector<std::pair<std::string, std::map<std::string, double, std::less<>>>>{
           {"none", {}},
           {"none", {{"scale_y", 2}}},
           {"dype", {}},
           {"dype", {{"diffusion_time", 0.5}}},
           {"yarn", {}},
           {"yarn", {{"factor_x", 2}}}}) {
    LayoutRequest request{.image = ImageSize::tokens(80, 4), .scaling = scaling, .numbers = number};
    large.push_back(reference_from_layout(find_layout("flux.1"), request));
  }
  for (const CheckReference& due : large) {
    for (const CheckReference& made : large) reached.propose(due, true_dump(made));
  }
  LayoutRequest request;
  request.image = ImageSize::tokens(2, 3), request.frames = 4, request.numbers["audio"] = 100;
  const CheckReference heard = reference_from_layout(find_layout("qwen2.5-omni"), request);
  Dump silent = true_dump(heard);
  for (std::size_t row = silent.rows(); row-- > 0;) {
    if (silent.parts[row] != "audio") silent.ids.erase(silent.ids.begin() + static_cast<std::ptrdiff_t>(row));
  }
  reached.check(heard, tables_of(silent));
  request = {};
  request.image = ImageSize::tokens(8, 16);
  const CheckReference raster = reference_from_layout(find_layout("raster"), request);
  Dump ends = true_dump(raster);
  ends.ids.erase(ends.ids.begin() + 16, ends.ids.end() - 16);
  reached.check(raster, tables_of(ends));
  request.image = ImageSize::tokens(4, 5), request.text = 12;
  with_ids(reference_from_layout(find_layout("qwen2-vl"), request), [](Dump& dump, std::size_t row) {
    if (row < 12) dump.ids[row].assign(3, row < 4 ? 1 : static_cast<double>(row - 4));
  });
  const CheckReference square = layout_case("flux.1", 4, 4).reference;
  reached.check(square, tables_of(true_dump(square)));
}

/// Ladders, and tables that were computed or rounded otherwise.
void reach_ladders(Reached& reached) {
  for (const char* name : {"yarn", "llama3", "longrope"}) {
    const CheckReference due = rope_case(name).reference;
    const Dump truth = true_dump(due);
    using Frequency = std::function<double(std::size_t i, double plain, double due)>;
    for (const Frequency& of : std::initializer_list<Frequency>{
             [](std::size_t i, double plain, double) { return i < 30 ? plain : plain / 4; },
             [](std::size_t i, double plain, double own) { return i > 40 ? plain : own; },
             [](std::size_t i, double plain, double) {
               return plain * (1 - 0.75 * std::clamp((static_cast<double>(i) - 17) / 24, 0.0, 1.0));
             },
             [](std::size_t, double plain, double own) { return own * own / plain; }}) {
      Dump dump = truth;
      for (std::size_t i = 0; i < dump.pairs(); ++i) {
        const double exponent = -static_cast<double>(i) / static_cast<double>(dump.pairs());
        dump.frequencies[0][i] = of(i, std::pow(due.rope->axes[0].base, exponent), truth.frequencies[0][i]);
      }
      reached.propose(due, dump);
    }
  }
  const CheckReference plain = rope_case("plain").reference, longrope = rope_case("longrope").reference;
  reached.propose(reference_from_rope(*longrope.rope, 2048, longrope.positions), true_dump(longrope));
  const Dump truth = true_dump(plain);
  Dump other = truth;
  CheckInputs negative = frequencies_in(truth);
  negative.frequencies = changed(*negative.frequencies, [](std::size_t, double was) { return -was; });
  CheckReference own = plain;
  own.allowed = {"sign"};
  reached.propose(plain, negative), reached.propose(own, negative);
  // As ggml computes them, far enough for it to show.
  const std::vector<double> far = counted_to(4096, 28000);
  const Eigen::VectorXd frequencies = head_ladder(*plain.rope).frequencies;
  for (const char* name : {"float32-ggml-cpu", "float32-ggml-gpu"}) {
    std::vector<double> cosines, sines;
    Eigen::VectorXd cosine, sine;
    for (const double position : far) {
      find_precision_policy(name).table(frequencies, position, cosine, sine);
      cosines.insert(cosines.end(), cosine.begin(), cosine.end()), sines.insert(sines.end(), sine.begin(), sine.end());
    }
    CheckInputs inputs;
    inputs.cosine = stored({4096, frequencies.size()}, cosines),
    inputs.sine = stored({4096, frequencies.size()}, sines);
    reached.check(at_positions(*plain.rope, far), inputs);
  }
  other.round_table = round_to_float32;
  reached.check(plain, tables_of(other, Storage::float64));
  CheckInputs larger = tables_of(truth), equal = tables_of(truth, Storage::float32, TableForm::repeated);
  larger.sine = changed(*larger.sine, [](std::size_t, double was) { return 1.25 * was; });
  reached.check(plain, larger);
  equal.cosine = changed(*equal.cosine, [](std::size_t, double) { return 1; });
  equal.sine = changed(*equal.sine, [](std::size_t, double) { return 0; });
  reached.check(plain, equal);
}

/// Scaling between `before` and `after`, and the arrangement of heads and channels.
void reach_vectors(Reached& reached) {
  const auto over = [](const OfChannel& of, bool squares) {
    return [=](int row, int head) {
      double sum = 0;
      for (int c = 0; c < 32; ++c) sum += squares ? std::pow(of(row, head, c), 2) / 32 : of(row, head, c) / 32;
      return squares ? std::sqrt(sum) : sum;
    };
  };
  const OfChannel raw = raw_vector;
  const auto rms = over(raw, true), mean = over(raw, false);
  const OfChannel centred = [&](int row, int head, int c) { return raw(row, head, c) - mean(row, head); };
  const auto deviation = over(centred, true);
  const auto weight = [](int c) { return 0.5 + 0.04 * c; };
  const CheckReference due = small_rope(32), neighbours = small_rope(32, 1, Pairing::interleaved);
  for (const OfChannel& turns : std::initializer_list<OfChannel>{
           [&](int row, int head, int c) { return raw(row, head, c) / rms(row, head); },
           [&](int row, int head, int c) { return raw(row, head, c) / rms(row, head) * weight(c); },
           [&](int row, int head, int c) { return centred(row, head, c) / deviation(row, head) * weight(c); },
           [&](int row, int head, int c) { return raw(row, head, c) * weight(c); },
           [&](int row, int head, int c) { return raw(row, head, c) * (1 + 0.3 * std::sin(9.0 * row)); }}) {
    reached.check(due, turned_vectors(raw, turns));
  }
  reached.check(
      due, turned_vectors(raw, [&](int row, int head, int c) { return (1 + row % 7 + 3 * head) * raw(c, head, row); }));
  // Queries scaled by their position, or by the next one.
  for (const auto& [step, next, length] : {std::tuple(500.0, 0.0, 8'192.0), {512.0, 1.0, 2'049.0}}) {
    const auto scaled = [&, step = step, next = next, length = length](int row, int head, int c) {
      return raw(row, head, c) * (1 + 0.1 * std::log1p(std::floor((step * row + next) / length)));
    };
    reached.check(small_rope(32, step), turned_vectors(raw, scaled, step));
  }
  const CheckCase plain = rope_case("plain"), ernie = layout_case("ernie-image");
  CheckInputs rounded, paired, vectors = vectors_in(true_dump(plain.reference)),
                               of_ernie = vectors_in(true_dump(ernie.reference));
  for (const std::size_t zeros : {1, 128}) {
    reached.check(plain.reference, reshaped(vectors, vectors.before->shape, [&](std::vector<double> numbers) {
                    for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] *= i % 64 < zeros ? 0 : 1;
                    return numbers;
                  }));
  }
  (rounded = vectors).after = changed(*vectors.after, [](std::size_t, double was) { return round_to_bfloat16(was); });
  reached.check(plain.reference, rounded);
  reached.propose(ernie.reference, of_ernie);
  // Pairs that weights may have been permuted for.
  Dump other = true_dump(plain.reference);
  other.repeats = other.companions =
      other.companions == Pairing::interleaved ? Pairing::half_split : Pairing::interleaved;
  put_vectors(paired, other);
  CheckReference gguf = plain.reference;
  gguf.is_gguf = true;
  reached.check(plain.reference, paired), reached.check(gguf, paired);
  // Each head before in two heads after.
  const auto rows = static_cast<std::int64_t>(plain.reference.tokens.row_count()), width = vectors.before->shape[2];
  CheckInputs grouped = vectors;
  grouped.head_order = HeadOrder::tokens_first;
  const auto numbers = numbers_of(*vectors.before), after = numbers_of(*vectors.after);
  std::vector<double> first, both;
  for (std::int64_t row = 0; row < rows; ++row) {
    const auto at = row * 2 * width;
    first.insert(first.end(), numbers.begin() + at, numbers.begin() + at + width);
    for (int copy = 0; copy < 2; ++copy) both.insert(both.end(), after.begin() + at, after.begin() + at + width);
  }
  grouped.before = stored({rows, 1, width}, first), grouped.after = stored({rows, 2, width}, both);
  reached.check(plain.reference, grouped);
  // The results of neighbours stored as halves, the last 32 of 64 channels, and a rotation back.
  CheckInputs back;
  CheckInputs turned = vectors_in(true_dump(neighbours));
  turned.head_order = HeadOrder::tokens_first;
  CheckInputs sorted = turned;
  const std::vector<double> result = numbers_of(*turned.after);
  sorted.after = changed(*turned.after,
                         [&](std::size_t i, double) { return result[i / 32 * 32 + i % 32 % 16 * 2 + i % 32 / 16]; });
  reached.check(neighbours, sorted);
  reached.check(small_rope(64, 1, Pairing::interleaved),
                reshaped(turned, {40, 2, 64}, [](const std::vector<double>& part) {
                  std::vector<double> whole;
                  for (std::size_t i = 0; i < 40 * 2 * 64; ++i)
                    whole.push_back(i % 64 < 32 ? 0.25 : part[i / 64 * 32 + i % 64 - 32]);
                  return whole;
                }));
  CheckReference rotates_back = neighbours;
  rotates_back.rotates_output_back = true;
  Dump conjugate = true_dump(neighbours);
  conjugate.conjugate = true;
  put_vectors(back, conjugate);
  back.before->name = "o";
  reached.check(rotates_back, back);
  // Heads counted for tokens, and their numbers read as tokens first.
  CheckInputs heads = vectors_in(true_dump(at_positions(*any_rope().rope, counted_to(5))), Storage::float32, 30);
  heads.head_order = HeadOrder::heads_first;
  reached.check(any_rope(), heads);
  heads.head_order = HeadOrder::tokens_first;
  const std::int64_t wide = heads.before->shape[2];
  reached.check(any_rope(), reshaped(heads, heads.before->shape, [&](const std::vector<double>& was) {
                  std::vector<double> moved(was.size());
                  for (std::int64_t i = 0; i < 5 * 30; ++i)
                    std::copy_n(was.begin() + i * wide, wide, moved.begin() + (i % 30 * 5 + i / 30) * wide);
                  return moved;
                }));
}

/// Heads in other orders and channels permuted, each in every way that is detected.
void reach_arrangements(Reached& reached) {
  const CheckReference due = small_rope(32);
  const CheckModel model = model_of(due, {}, 40);
  const auto arranged = [&](std::vector<HeadPlace> heads, std::int64_t repeats = 1, std::int64_t by = 0) {
    HeadVectors vectors;
    vectors.rows = 40, vectors.channels = 32, vectors.repeats = repeats;
    vectors.heads = static_cast<std::int64_t>(heads.size());
    const Arrangement arrangement{std::move(heads), by};
    const Sighting seen{.reference = due, .model = &model, .arrangement = &arrangement, .vectors = &vectors};
    for (const CheckCause& cause : tell_causes(seen)) reached.hold_cause(cause);
  };
  for (const ChannelOrder order :
       {ChannelOrder::own, ChannelOrder::converted, ChannelOrder::reversed, ChannelOrder::twice}) {
    for (const Pairing turned : {Pairing::interleaved, Pairing::half_split}) {
      arranged({{0, order, turned}, {1, order, turned}});
      arranged({{0, order, turned}, {1, ChannelOrder::own, Pairing::half_split}, {2, order, turned}});
    }
  }
  arranged({{0, ChannelOrder::converted, Pairing::interleaved}, {1, ChannelOrder::converted, Pairing::interleaved}}, 1,
           4);
  for (const std::vector<std::int64_t>& held : std::vector<std::vector<std::int64_t>>{
           {3, 2, 1, 0}, {1, 2, 3, 0}, {0, 3, 1, 4, 2, 5}, {0, 3, 2, 1}, {0, 2, 0, 2}}) {
    std::vector<HeadPlace> heads;
    for (const std::int64_t head : held) heads.push_back({head, ChannelOrder::own, Pairing::half_split});
    arranged(heads, held[0] == held[2] ? 2 : 1);
  }
}

// --- Places --------------------------------------------------------------------------------------------------------

/// Whether a message, or one within it, has this key and these values.
bool names_places(const Message& words, const std::string& key, const TextValues& places) {
  const auto value_of = [&](const std::string& name) {
    Message alone;
    for (const Message::Named& named : words.values) {
      if (named.name == name) alone.values = {named};
    }
    return said(alone);
  };
  if (words.key == key && std::all_of(places.begin(), places.end(),
                                      [&](const auto& place) { return value_of(place.first) == place.second; }))
    return true;
  for (const Message::Named& named : words.values) {
    const auto* list = std::get_if<Message::List>(&named.value);
    for (std::size_t i = 0; list != nullptr && i < list->size(); ++i) {
      if (names_places((*list)[i], key, places)) return true;
    }
  }
  return false;
}

void expect_places(const CheckReport& report, const std::string& key, const TextValues& places) {
  Message::List all = report.notes;
  for (const CheckCause& cause : report.causes) all.insert(all.end(), {cause.evidence, cause.advice});
  std::string found;
  for (const Message& words : all) found += debug_text(words) + "\n";
  EXPECT_TRUE(
      std::any_of(all.begin(), all.end(), [&](const Message& words) { return names_places(words, key, places); }))
      << key << testing::PrintToString(places) << " is not among\n"
      << found;
}

std::string run(std::int64_t first, std::int64_t last) {
  return said(first == last ? Message("check.single_run", {{"first", first}})
                            : Message("check.run", {{"first", first}, {"last", last}}));
}
std::string run(std::size_t first, std::size_t last) {
  return run(static_cast<std::int64_t>(first), static_cast<std::int64_t>(last));
}

/// Faults at single places of a rope: its rows, pairs, heads and channels.
void reach_places_of_a_rope(Reached& reached) {
  const CheckReference rope = rope_case("plain").reference, due = small_rope(32);
  const Dump truth = true_dump(rope);
  for (const auto& [first, last] : {std::pair<std::size_t, std::size_t>{0, 4}, {7, 12}, {20, 20}, {25, 31}}) {
    SCOPED_TRACE(run(first, last));
    Dump moved = truth, divided = truth;
    for (std::size_t i = first; i <= last; ++i) {
      moved.ids[i][0] += 500 + std::sin(i), divided.frequencies[0][i] /= 7 + std::sin(i);
    }
    CheckInputs inputs = tables_of(moved);
    CheckReport report = reached.check(rope, inputs, 1);
    expect_places(report, "check.note.agreeing.rows", {{"differ", run(first, last)}});
    put_ids(inputs, truth);
    expect_places(reached.check(rope, inputs, 1), "check.unknown.next_frequencies", {});
    put_frequencies(inputs, truth);
    expect_places(reached.check(rope, inputs, 1), "check.unknown.next_angles", {});
    put_ids(inputs, moved);
    expect_places(reached.check(rope, inputs, 1), "check.unknown.next_rule", {});
    report = reached.check(rope, tables_of(divided), 1);
    expect_places(report, "check.note.agreeing.pairs", {{"differ", run(first, last)}});
    put_frequencies(inputs = {}, divided);
    expect_places(reached.check(rope, inputs, 1), "check.unknown.next_ladder", {});
    put_vectors(inputs = {}, moved);
    expect_places(reached.check(rope, inputs, 1), "check.unknown.next_tables", {});
    put_tables(inputs, truth);
    expect_places(reached.check(rope, inputs, 1), "check.unknown.next_vectors", {});
    // Of both heads, and of one.
    inputs = turned_vectors(raw_vector, raw_vector);
    inputs.after = changed(*inputs.after, [&, first = first, last = last](std::size_t i, double was) {
      return i % 32 >= first && i % 32 <= last ? was + 0.1 : was;
    });
    expect_places(reached.check(due, inputs, 1), "check.note.agreeing.channels", {{"differ", run(first, last)}});
  }
  for (const std::size_t head : {0, 1}) {
    const auto mixed = [&](int row, int of, int c) {
      return static_cast<std::size_t>(of) == head ? raw_vector(c, row, row) : raw_vector(row, of, c);
    };
    expect_places(reached.check(due, turned_vectors(raw_vector, mixed), 1), "check.note.agreeing.heads",
                  {{"agree", run(1 - head, 1 - head)}, {"differ", run(head, head)}});
  }
  for (const std::size_t pair : {0, 5, 31}) {
    CheckInputs vectors = vectors_in(truth);
    const auto silent = [&](std::size_t i, double was) {
      return truth.pair_of(i % (2 * truth.pairs())) == pair ? 0 : was;
    };
    vectors.before = changed(*vectors.before, silent), vectors.after = changed(*vectors.after, silent);
    expect_places(reached.check(rope, vectors), "check.note.lengthless", {{"pairs", run(pair, pair)}, {"count", "1"}});
  }
}

/// A dump with text tokens that the reference does not describe, and with exchanged axes.
void reach_other_counts(Reached& reached) {
  const CheckReference due = layout_case("flux.1").reference;
  LayoutRequest whole = due.request;
  whole.text += 40;
  Dump dump = true_dump(reference_from_layout(*due.layout, whole));
  for (std::vector<double>& ids : dump.ids) std::swap(ids[1], ids[2]);
  const auto rows = static_cast<std::int64_t>(dump.ids.size());
  const CheckReport report = reached.check(due, tables_of(dump), 1);
  expect_places(report, "check.unknown.next_count",
                {{"rows", std::to_string(rows)}, {"due", std::to_string(rows - 40)}});
}

/// Faults at single places of layouts: on an axis from some id on, in a part, at a token.
void reach_places_of_layouts(Reached& reached) {
  const CheckReference flux = layout_case("flux.1", 8, 24).reference;
  const Dump truth = true_dump(flux);
  const auto warped = [&](std::size_t axis, const std::function<bool(double)>& where, Dump dump) {
    for (auto& ids : dump.ids) ids[axis] += where(ids[axis]) ? 0.3 * std::sin(ids[axis]) + 0.4 : 0;
    return dump;
  };
  for (const auto& [axis, name, half] : {std::tuple<std::size_t, std::string, int>{1, "row", 4}, {2, "column", 12}}) {
    const auto judged = [&, axis = axis](const std::function<bool(double)>& where) {
      return reached.check(flux, tables_of(warped(axis, where, truth)), 1);
    };
    const std::string middle = std::to_string(half), after = std::to_string(half + 2);
    expect_places(judged([](double) { return true; }), "check.unknown.axis_everywhere", {{"axis", name}});
    expect_places(judged([half = half](double id) { return id >= half; }), "check.unknown.axis_from",
                  {{"axis", name}, {"from", middle}});
    expect_places(judged([half = half](double id) { return id <= half; }), "check.unknown.axis_up_to",
                  {{"axis", name}, {"to", middle}});
    expect_places(judged([half = half](double id) { return id >= half && id <= half + 2; }),
                  "check.unknown.axis_between", {{"axis", name}, {"from", middle}, {"to", after}});
    expect_places(
        judged([](double id) { return std::fmod(id, 4) == 1; }), "check.unknown.axis_at_some",
        {{"axis", name}, {"from", "1"}, {"count", std::to_string(half / 2)}, {"all", std::to_string(2 * half)}});
  }
  // A token that shares the id of another, rows that were inserted or are missing, and a part that was shifted.
  const CheckReference kontext = layout_case("flux.1-kontext").reference;
  const Dump whole = true_dump(kontext);
  const auto first =
      static_cast<std::size_t>(std::find(whole.parts.begin(), whole.parts.end(), "image") - whole.parts.begin());
  for (const std::size_t at : {first + 3, first + 9, first + 36}) {
    Dump shared = whole, more = whole, less = whole;
    shared.ids[at] = whole.ids[first];
    const bool alone = whole.parts[at] == "image";
    expect_places(reached.check(kontext, tables_of(shared)),
                  alone ? "check.collision.evidence_part" : "check.collision.evidence",
                  {{"first", std::to_string(first)}, {"second", std::to_string(at)}});
    Dump moved = whole;
    for (std::size_t row = at; row < at + 3; ++row) moved.ids[row][1] += 50, moved.ids[row][2] += 50;
    const auto from = static_cast<std::int64_t>(at);
    expect_places(reached.check(kontext, tables_of(moved)), "check.position-offset.evidence_shifted_rows",
                  {{"rows", run(from, from + 2)}, {"offset", "(0, 50, 50)"}});
    const auto place = static_cast<std::ptrdiff_t>(at);
    more.ids.insert(more.ids.begin() + place, 2, std::vector<double>(whole.axes(), 0));
    expect_places(reached.check(kontext, tables_of(more)), "check.length.evidence_padded_inside",
                  {{"row", std::to_string(at)}, {"more", "2"}});
    less.ids.erase(less.ids.begin() + place, less.ids.begin() + place + 3);
    expect_places(reached.check(kontext, tables_of(less)), "check.length.evidence_missing",
                  {{"row", std::to_string(at)}, {"less", "3"}});
  }
  for (std::size_t one = 0; one < 3; ++one) {
    for (std::size_t other = one + 1; other < 3; ++other) {
      Dump swapped = whole;
      for (auto& ids : swapped.ids) std::swap(ids[one], ids[other]);
      expect_places(reached.check(kontext, tables_of(swapped)), "check.axes-swapped.evidence",
                    {{"first", kontext.tokens.axes[one].name}, {"second", kontext.tokens.axes[other].name}});
    }
  }
  // Grids from 0 where the model centres them, and coordinates of half the range.
  const CheckReference qwen = layout_case("qwen-image", 7, 9).reference;
  Dump grids = true_dump(qwen);
  for (std::size_t row = 0; row < grids.rows(); ++row) {
    if (grids.parts[row] == "image") grids.ids[row][1] += 4, grids.ids[row][2] += 5;
  }
  expect_places(reached.check(qwen, tables_of(grids)), "check.centring.advice_kept", {{"parts", "reference1"}});
  for (std::size_t row = 0; row < grids.rows(); ++row) {
    if (grids.parts[row] == "reference1") grids.ids[row][1] += 2, grids.ids[row][2] += 2;
  }
  const CheckReport from_zero = reached.check(qwen, tables_of(grids));
  expect_places(from_zero, "check.centring.evidence_others", {{"parts", "reference1 by (0, 2, 2)"}});
  expect_places(from_zero, "check.centring.advice_part", {{"part", "reference1"}});
  const CheckReference dino = layout_case("dinov3", 5, 7).reference;
  Dump halved = true_dump(dino), bare = halved;
  for (auto& ids : halved.ids) ids[0] /= 2, ids[1] /= 2;
  bare.id_scale = {1, 1};
  expect_places(reached.check(dino, tables_of(halved)), "check.position-scale.advice_present", {{"factors", "(2, 2)"}});
  expect_places(reached.check(dino, tables_of(bare)), "check.position-scale.advice_own", {{"axes", "row, column"}});
}

/// Messages on a search that stopped early, on many rows, and on differences that no cause explains.
void reach_rests(Reached& reached) {
  const CheckReference plain = rope_case("plain").reference;
  const Dump truth = true_dump(plain);
  Dump missing = truth, longer = truth;
  missing.frequencies[0][17] = 0;
  reached.check(plain, tables_of(missing), 1);
  longer.ids.insert(longer.ids.end(), {{1e3}, {17}, {5e3}});
  reached.check(plain, tables_of(longer));
  // A row that the search does not look at is a rest.
  RotarySpec spec = *plain.rope;
  spec.head_dim = 8, spec.axes = {RotaryAxis{.rotary_dim = 8, .base = 10'000}};
  const std::vector<double> many = counted_to(20'000);
  const CheckReference due = at_positions(spec, many);
  spec.axes[0].base = 20'000;
  CheckInputs mostly = tables_of(true_dump(at_positions(spec, many)));
  mostly.cosine = changed(*mostly.cosine, [](std::size_t i, double was) { return was + (i == 4 * 12'343 ? 0.05 : 0); });
  expect_places(reached.check(due, mostly), "check.unknown.evidence_rest", {{"row", "12343"}});
  const CheckReference small = small_rope(32);
  CheckInputs noisy = tables_of(true_dump(small));
  noisy.cosine = changed(*noisy.cosine, [](std::size_t i, double was) { return was + 1e-3 * std::sin(i * i); });
  for (const std::int64_t effort : {30'000, 100'000, 300'000, 1'000'000, 3'000'000})
    reached.check(small, noisy, effort);
  // So many numbers that only some rows are examined.
  spec.head_dim = 128, spec.axes = {RotaryAxis{.rotary_dim = 128, .base = 10'000}};
  std::vector<double> most = counted_to(66'000);
  const CheckReference long_text = at_positions(spec, most);
  for (double& position : most) position += 0.3 * std::sin(position);
  reached.check(long_text, exact_tables(at_positions(spec, most).tokens, Storage::float32), 1);
}

TEST(CheckWords, EveryTextIsReachedAndNamesThePlaceOfTheFault) {
  Reached reached;
  reach_faults(reached);
  reach_readings(reached);
  reach_rows(reached);
  reach_layouts(reached);
  reach_ladders(reached);
  reach_vectors(reached);
  reach_arrangements(reached);
  reach_places_of_a_rope(reached);
  reach_places_of_layouts(reached);
  reach_other_counts(reached);
  reach_rests(reached);
  Keys left = find_keys_beginning("check.");
  for (const std::string& key : reached.keys) left.erase(key);
  for (const std::string& key : left) ADD_FAILURE() << key << " is not reached";
}

}  // namespace
}  // namespace ropescope
