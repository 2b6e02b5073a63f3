#include "check_differences.h"
#include "check_faults.h"

namespace ropescope {

namespace {

/// All layouts, and all ropes on positions near, and on some so far that rounding moves them.
std::vector<CheckCase> list_near_and_far_cases() {
  std::vector<CheckCase> cases = layout_and_rope_cases();
  std::vector<double> far;
  for (int i = 0; i < 64; ++i) far.push_back(7 * i);
  for (const char* name : {"yarn", "dynamic", "llama3", "longrope", "plain"}) {
    const CheckReference near = rope_case(name).reference;
    cases.push_back({name, reference_from_rope(*near.rope, near.length, far)});
  }
  return cases;
}

/// Faults of a group, cause by cause.
std::vector<std::vector<Fault>> by_cause(char group) {
  std::vector<std::vector<Fault>> causes;
  for (Fault& fault : all_faults()) {
    if (fault.group != group) continue;
    const auto same = [&](const std::vector<Fault>& of) { return of[0].cause == fault.cause; };
    const auto found = std::find_if(causes.begin(), causes.end(), same);
    if (found != causes.end()) {
      found->push_back(std::move(fault));
    } else {
      causes.push_back({std::move(fault)});
    }
  }
  return causes;
}

/// Two faults committed on one dump. Channels are dealt before frequencies, ids stand before values are rounded.
struct Committed {
  Dump faulty;
  bool visible = false;  ///< each fault shows, alone and beside the other
};

Committed commit_both(const CheckCase& one, const Fault& first, const Fault& second, Storage storage) {
  const Dump truth = true_dump(one.reference);
  Dump only_first = truth, only_second = truth;
  Committed both{truth};
  if (!first.commit(one, both.faulty) || !second.commit(one, both.faulty)) return both;
  if (!first.commit(one, only_first) || !second.commit(one, only_second)) return both;
  const bool in_vectors = first.vectors || second.vectors;
  // Vectors have the channels of the model.
  if (in_vectors && both.faulty.pairs() != truth.pairs()) return both;
  const auto shows = [&](const Fault& fault, const Dump& without, const Dump& with) {
    return fault.form == TableForm::repeated || is_visible(without, with, storage, in_vectors);
  };
  both.visible = shows(first, truth, only_first) && shows(second, truth, only_second) &&
                 shows(second, only_first, both.faulty) && shows(first, only_second, both.faulty);
  return both;
}

using Names = std::multiset<std::string>;

bool is_of(const std::string& name, const std::set<std::string>& some) {
  return some.count(name) != 0;
}

/// Whether other names stand for the very same tensor.
bool is_tied(const CheckCase& one, const Fault& a, const Fault& b, const Names& named) {
  const std::set<std::string> pair = {a.cause, b.cause};
  const bool has_scale = is_of("position-scale", pair);
  // On a single ladder one rung down is one factor more.
  if (has_scale && is_of("frequency-ladder", pair) && named == Names{"position-scale"}) return true;
  // All frequencies times c: of positions, of linear scaling, or of both.
  const std::set<std::string> factors = {"position-scale", "scaling-kind", "scaling-parameters", "scaling-missing",
                                         "base"};
  const bool factor_too = is_rope(one) && one.reference.rope->extension.method != "none";
  const auto is_factor = [&](const std::string& name) { return is_of(name, factors); };
  if (has_scale && factor_too && is_of(a.cause, factors) && is_of(b.cause, factors)) {
    return std::all_of(named.begin(), named.end(), is_factor);
  }
  // The few ids of a small grid round to float16 as if by one factor.
  if (one.name == "dinov3" && is_of("position-format", pair) && named == Names{"position-scale"}) return true;
  // With its amplitude named apart, NTK's ladder is another base.
  const bool ntk = a.variant == "ntk-aware" || b.variant == "ntk-aware";
  if (ntk && is_of("amplitude", pair) && named == Names{"amplitude", "base"}) return true;
  // Linear scaling with another factor is a factor of positions.
  const bool linear = is_rope(one) && one.reference.rope->extension.method == "linear";
  if (has_scale && linear) return named.count("position-scale") + named.count("scaling-parameters") == 1;
  // Exchanged ids and blocks of pairs in another order: three of them are one exchange.
  const std::set<std::string> exchanges = {"axes-swapped", "order", "axis-dimensions", "section-layout"};
  const auto is_exchange = [&](const std::string& name) { return is_of(name, exchanges); };
  if (is_of(a.cause, exchanges) && is_of(b.cause, exchanges)) {
    return std::all_of(named.begin(), named.end(), is_exchange);
  }
  return false;
}

/// Both causes are named, in either order, with their parameters.
void expect_both(const CheckCase& one, const Fault& a, const Fault& b, Storage storage, const Committed& both) {
  SCOPED_TRACE(one.name + ", " + std::string(storage_name(storage)) + ": " + a.cause + " " + a.variant + " and " +
               b.cause + " " + b.variant);
  const CheckInputs inputs = inputs_of(both.faulty, storage, {&a, &b});
  const CheckReport report = check(one.reference, inputs);
  // The slow pairs, which alone a factor divides, turn too little in a few rows of bfloat16 to show which one it is.
  const bool too_coarse = storage == Storage::bfloat16 && (a.vectors || b.vectors) && b.cause == "scaling-parameters";
  if (too_coarse && names_of(report) == "unknown") return;
  Names named;
  for (const CheckCause& cause : report.causes) named.insert(cause.name);
  const bool tied = is_tied(one, a, b, named);
  EXPECT_TRUE(named == (Names{a.expected(one), b.expected(one)}) || tied) << names_of(report);
  // A sign alone is harmless, and so is rounding alone; beside anything else the tables disagree.
  const bool harmless =
      std::all_of(report.causes.begin(), report.causes.end(), [](const auto& c) { return c.harmless; });
  EXPECT_EQ(report.verdict, harmless ? Verdict::agrees : Verdict::disagrees);
  ASSERT_NE(report.explained, nullptr);
  // Applied together they give the tensor: half a unit more where a number was fitted.
  const auto rows = static_cast<std::int64_t>(both.faulty.rows());
  const CheckDifferences left = check_differences(one.reference, inputs, report.explained.get(), 0, rows);
  EXPECT_EQ(left.rows, rows);
  for (std::size_t i = 0; i < left.values.size(); ++i) EXPECT_LE(left.values[i], 1.51F * left.tolerance[i] + 1e-12F);
  const std::set<std::string> fitted = {"base", "position-scale", "position-offset", "reference-index", "length"};
  for (const Fault* fault : {&a, &b}) {
    for (const CheckCause& cause : report.causes) {
      if (tied || !fault->parameters || cause.name != fault->cause || !is_of(fault->cause, fitted)) continue;
      CheckReport alone = report;
      alone.causes = {cause};
      EXPECT_TRUE(fault->parameters(one, alone)) << said(cause.evidence);
    }
  }
}

/// Two faults that can be committed together on a case, written in a format.
struct CommittedPair {
  const CheckCase* one;
  const Fault *a, *b;
  Storage storage;
  Committed both;
};

/// The first case in which the causes can meet: which layout, which variant and which format changes with `turn`.
std::optional<CommittedPair> find_pair(const std::vector<CheckCase>& cases, const std::vector<Fault>& first,
                                       const std::vector<Fault>& second, std::size_t& turn) {
  for (std::size_t tries = 0; tries < 4 * cases.size(); ++tries) {
    const std::size_t now = turn++;
    const CheckCase& one = cases[now * 7 % cases.size()];
    // Each time round a case meets other variants.
    const std::size_t round = tries / cases.size();
    const Fault& a = first[(now + round) % first.size()];
    const Fault& b = second[(now / 2 + round / 2) % second.size()];
    const bool rounded = a.cause == "table-format" || b.cause == "table-format";
    const Storage storage = now % 3 == 0 && !rounded ? Storage::bfloat16 : Storage::float32;
    // Only tables can be rounded.
    if (rounded && (a.vectors || b.vectors)) continue;
    Committed both = commit_both(one, a, b, storage);
    if (both.visible) return CommittedPair{&one, &a, &b, storage, std::move(both)};
  }
  return std::nullopt;
}

/// One case for every two causes of two groups. Returns those that never meet: causes that exist for ropes alone beside
/// causes that exist for images alone, and the like.
std::set<std::string> expect_pairs(char first_group, char second_group) {
  const std::vector<CheckCase> cases = list_near_and_far_cases();
  const std::vector<std::vector<Fault>> firsts = by_cause(first_group), seconds = by_cause(second_group);
  Sample sample("two causes at once", (seconds.size() + 2) / 3);
  std::set<std::string> never;
  std::size_t turn = 0;
  for (std::size_t row = 0; row < firsts.size(); ++row) {
    std::vector<CommittedPair> found;
    for (const std::vector<Fault>& second : seconds) {
      if (auto pair = find_pair(cases, firsts[row], second, turn)) {
        found.push_back(std::move(*pair));
      } else {
        never.insert(firsts[row][0].cause + " + " + second[0].cause);
      }
    }
    for (const CommittedPair& pair : sample.of(row, found)) {
      expect_both(*pair.one, *pair.a, *pair.b, pair.storage, pair.both);
    }
  }
  return never;
}

/// Every name of the one list beside every name of the other.
std::set<std::string> products(const std::vector<std::string>& first, const std::vector<std::string>& second) {
  std::set<std::string> all;
  for (const std::string& a : first) {
    for (const std::string& b : second) all.insert(a + " + " + b);
  }
  return all;
}

// Extensions are of ropes; grids, sections and references are of images.
const std::vector<std::string> kOfRopes = {"scaling-missing", "scaling-parameters", "length-switch", "scaling-kind"};

}  // namespace

TEST(CheckPairs, ChannelsAndFrequencies) {
  std::set<std::string> never = products({"axis-dimensions", "section-layout"}, kOfRopes);
  // Sections are of one ladder over the head, which has no other spacing here.
  never.merge(products({"section-layout"}, {"frequency-ladder", "rotary-dimension"}));
  EXPECT_EQ(expect_pairs('c', 'f'), never);
}

TEST(CheckPairs, ChannelsAndIds) {
  EXPECT_EQ(expect_pairs('c', 'i'), std::set<std::string>{});
}

TEST(CheckPairs, ChannelsAndValues) {
  // Whole ids below 256 are not moved by rounding, and vectors have no table to round.
  const std::set<std::string> never = {"pairing + table-format", "section-layout + position-format",
                                       "table-rotation-mismatch + table-format"};
  EXPECT_EQ(expect_pairs('c', 'v'), never);
}

TEST(CheckPairs, FrequenciesAndIds) {
  EXPECT_EQ(expect_pairs('f', 'i'),
            products(kOfRopes, {"axes-swapped", "order", "centring", "text-start", "reference-index", "collision"}));
}

TEST(CheckPairs, FrequenciesAndValues) {
  EXPECT_EQ(expect_pairs('f', 'v'), std::set<std::string>{});
}

TEST(CheckPairs, IdsAndValues) {
  EXPECT_EQ(expect_pairs('i', 'v'), products({"text-start", "reference-index"}, {"position-format"}));
}

}  // namespace ropescope
