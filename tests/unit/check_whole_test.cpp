#include "check_dump.h"
#include "core/precision/precision.h"

// A verdict on the whole model: what is stored how, which channels turn, which embedding of a model it is, and what
// lies between before and after. Every number is made here by its formula.

namespace ropescope {

namespace {

/// Vectors [rows][heads][channels], row-major.
struct Vectors {
  std::int64_t rows = 0, heads = 0, channels = 0;
  std::vector<double> numbers;
  double& at(std::int64_t row, std::int64_t head, std::int64_t channel) {
    return numbers[static_cast<std::size_t>((row * heads + head) * channels + channel)];
  }
};

Vectors random_vectors(std::int64_t rows, std::int64_t heads, std::int64_t channels, std::uint64_t seed = 3) {
  Vectors made{rows, heads, channels, std::vector<double>(static_cast<std::size_t>(rows * heads * channels))};
  std::mt19937_64 generator(seed);
  std::uniform_real_distribution<double> uniform(-1, 1);
  for (double& number : made.numbers) number = round_to_bfloat16(uniform(generator));
  return made;
}

/// Which two channels a pair takes, and where it puts them.
enum class Order { neighbours, halves, neighbours_to_halves };

/// Turns `pairs` pairs from channel `first` on by (row + late)·base^(−i/pairs).
Vectors rotate_vectors_at(const Vectors& q, std::int64_t first, std::int64_t pairs, double base, Order order,
                          double late = 0, double sign = 1) {
  Vectors out = q;
  Vectors in = q;
  for (std::int64_t row = 0; row < q.rows; ++row) {
    for (std::int64_t head = 0; head < q.heads; ++head) {
      for (std::int64_t i = 0; i < pairs; ++i) {
        const double angle = sign * (static_cast<double>(row) + late) *
                             std::pow(base, -static_cast<double>(i) / static_cast<double>(pairs));
        const bool neighbours = order != Order::halves;
        const std::int64_t a = first + (neighbours ? 2 * i : i), b = a + (neighbours ? 1 : pairs);
        const bool to_halves = order != Order::neighbours;
        const std::int64_t to_a = first + (to_halves ? i : 2 * i), to_b = to_a + (to_halves ? pairs : 1);
        const double x = in.at(row, head, a), y = in.at(row, head, b);
        out.at(row, head, to_a) = x * std::cos(angle) - y * std::sin(angle);
        out.at(row, head, to_b) = x * std::sin(angle) + y * std::cos(angle);
      }
    }
  }
  return out;
}

CheckInputs inputs_of(const Vectors& before, const Vectors& after, Storage storage = Storage::float32) {
  CheckInputs inputs;
  const std::vector<std::int64_t> shape{before.rows, before.heads, before.channels};
  inputs.before = store_values("q.npy", shape, before.numbers, storage);
  inputs.after = store_values("q_rotated.npy", shape, after.numbers, storage);
  inputs.head_order = HeadOrder::tokens_first;
  return inputs;
}

CheckReference make_whole_rope(int head, int turned, double base, Pairing pairing) {
  RotarySpec spec{.head_dim = head, .pairing = pairing, .axes = {RotaryAxis{.rotary_dim = turned, .base = base}}};
  return reference_from_rope(spec);
}

/// cos and sin [rows, columns]: column i holds the angle row·base^(−i/pairs), columns past the pairs what is given.
CheckInputs tables_of(std::int64_t rows, std::int64_t pairs, double base, std::int64_t columns, double cosine,
                      double sine, Storage storage = Storage::float32) {
  std::vector<double> c, s;
  for (std::int64_t row = 0; row < rows; ++row) {
    for (std::int64_t i = 0; i < columns; ++i) {
      const double angle =
          static_cast<double>(row) * std::pow(base, -static_cast<double>(i) / static_cast<double>(pairs));
      c.push_back(i < pairs ? std::cos(angle) : cosine);
      s.push_back(i < pairs ? std::sin(angle) : sine);
    }
  }
  return cos_and_sin({rows, columns}, c, s, storage);
}

}  // namespace

/// transformers' apply_rotary_pos_emb_interleave: neighbours in, halves out. Scores are those of neighbours.
TEST(CheckWhole, NeighboursMayComeOutAsHalves) {
  const Vectors q = random_vectors(60, 2, 64);
  for (const Storage storage : {Storage::float32, Storage::bfloat16}) {
    const CheckReference neighbours = make_whole_rope(64, 64, 10000, Pairing::interleaved);
    const CheckReport report =
        check(neighbours, inputs_of(q, rotate_vectors_at(q, 0, 32, 10000, Order::neighbours_to_halves), storage));
    EXPECT_EQ(names_of(report), "agrees");
    EXPECT_TRUE(has_note(report, "check.note.out_by_halves"));
    const auto late = inputs_of(q, rotate_vectors_at(q, 0, 32, 10000, Order::neighbours_to_halves, 5), storage);
    const CheckReport shifted = check(neighbours, late);
    EXPECT_EQ(names_of(shifted), "position-offset");
    EXPECT_EQ(list_of(shifted, "offset"), std::vector<double>{5});
    EXPECT_EQ(names_of(check(neighbours, inputs_of(q, rotate_vectors_at(q, 0, 32, 10000, Order::halves), storage))),
              "pairing");
    const CheckReference halves = make_whole_rope(64, 64, 10000, Pairing::half_split);
    for (const Order order : {Order::neighbours, Order::neighbours_to_halves}) {
      EXPECT_EQ(names_of(check(halves, inputs_of(q, rotate_vectors_at(q, 0, 32, 10000, order), storage))), "pairing");
    }
  }
}

/// Of a head of 192 the last 64 turn (latent attention), the first, or others; and more or fewer than due.
TEST(CheckWhole, WhichChannelsTurnIsRead) {
  const Vectors q = random_vectors(80, 2, 192);
  CheckReference latent = make_whole_rope(64, 64, 10000, Pairing::interleaved);
  latent.rotates_last_channels = true;
  for (const Storage storage : {Storage::float32, Storage::bfloat16}) {
    EXPECT_EQ(names_of(check(latent, inputs_of(q, rotate_vectors_at(q, 128, 32, 10000, Order::neighbours), storage))),
              "agrees");
    EXPECT_EQ(names_of(check(latent,
                             inputs_of(q, rotate_vectors_at(q, 128, 32, 10000, Order::neighbours_to_halves), storage))),
              "agrees");
    for (const std::int64_t first : {0, 64}) {
      const CheckReport report =
          check(latent, inputs_of(q, rotate_vectors_at(q, first, 32, 10000, Order::neighbours), storage));
      EXPECT_EQ(names_of(report), "rotary-dimension") << first;
      EXPECT_EQ(number_of(report, "first_channel"), static_cast<double>(first));
    }
    EXPECT_EQ(names_of(check(latent, inputs_of(q, rotate_vectors_at(q, 128, 32, 10000, Order::halves), storage))),
              "pairing");
  }
  // The part alone, without the channels that stand still.
  const Vectors part = random_vectors(80, 2, 64);
  EXPECT_EQ(names_of(check(latent, inputs_of(part, rotate_vectors_at(part, 0, 32, 10000, Order::neighbours)))),
            "agrees");
  // All 192 of them.
  EXPECT_TRUE(finds(check(latent, inputs_of(q, rotate_vectors_at(q, 0, 96, 10000, Order::neighbours))),
                    "rotary-dimension", {{"rotary_dimension", 192}}));
  // Where the first ones turn, fewer of them.
  const CheckReference first = make_whole_rope(192, 96, 10000, Pairing::half_split);
  EXPECT_TRUE(finds(check(first, inputs_of(q, rotate_vectors_at(q, 0, 24, 10000, Order::halves))), "rotary-dimension",
                    {{"rotary_dimension", 48}}));
  EXPECT_TRUE(finds(check(first, inputs_of(q, rotate_vectors_at(q, 96, 48, 10000, Order::halves))), "rotary-dimension",
                    {{"first_channel", 96}}));
}

/// Columns behind the pairs that are due may stand still, and nothing else.
TEST(CheckWhole, PairsBehindThoseThatAreDueMustStandStill) {
  const CheckReference due = make_whole_rope(128, 64, 10000, Pairing::half_split);
  for (const Storage storage : {Storage::float32, Storage::bfloat16, Storage::float64}) {
    const CheckReport still = check(due, tables_of(50, 32, 10000, 64, 1, 0, storage));
    EXPECT_EQ(names_of(still), "agrees");
    EXPECT_TRUE(has_note(still, "check.note.still_behind", TextValues{{"count", "32"}, {"due", "32"}}));
    for (const auto& [cosine, sine] : {std::pair(1.0, 1.0), std::pair(0.0, 0.0), std::pair(0.0, 1.0)}) {
      const CheckReport moved = check(due, tables_of(50, 32, 10000, 64, cosine, sine, storage));
      EXPECT_TRUE(finds(moved, "length", {{"pairs", 64}})) << cosine << sine;
      EXPECT_THAT(said(moved.causes.at(0).evidence), Says("check.length.evidence_behind", {{"pair", "32"}}));
    }
  }
}

/// What is tolerated is never shown as the reason: at high positions more is, and the fault may lie at low ones.
TEST(CheckWhole, ADifferenceThatIsToleratedIsNotTheReason) {
  const CheckReference due = make_whole_rope(64, 64, 10000, Pairing::half_split);
  CheckInputs inputs = tables_of(20000, 32, 10000, 32, 1, 0, Storage::bfloat16);
  std::vector<double> sines = numbers_of(*inputs.sine);
  // Pair 31 turns by 1.3e-4 a position: at row 3 a sine of 4e-4, whose bfloat16 is good to 2e-6.
  sines[3 * 32 + 31] += 1e-4;
  inputs.sine = store_values("sin.npy", inputs.sine->shape, sines, Storage::bfloat16);
  const CheckReport report = check(due, inputs);
  EXPECT_EQ(report.verdict, Verdict::disagrees);
  for (const CheckedInput& input : report.inputs) {
    if (input.agrees) continue;
    EXPECT_EQ(input.which, "sin");
    EXPECT_GT(input.largest_difference, input.tolerance);
    EXPECT_EQ(input.row, 3);
    EXPECT_EQ(input.pair, 31);
  }
}

/// Two profiles of one model: which of them the tensors are of is seen before anything is fitted.
TEST(CheckWhole, AnotherProfileOfTheModel) {
  CheckReference full = make_whole_rope(64, 64, 1e6, Pairing::half_split),
                 sliding = make_whole_rope(64, 64, 1e4, Pairing::half_split);
  full.profile = "full attention", sliding.profile = "sliding attention";
  full.others = {sliding};
  const CheckInputs of_sliding = tables_of(100, 32, 1e4, 32, 1, 0);
  const CheckReport unrequested = check(full, of_sliding);
  EXPECT_EQ(names_of(unrequested), "agrees");
  EXPECT_EQ(unrequested.profile, "sliding attention");
  EXPECT_EQ(find_reported_reference(full, unrequested).profile, "sliding attention");
  EXPECT_TRUE(has_note(unrequested, "check.profile.note", TextValues{{"profile", "sliding attention"}}));
  EXPECT_EQ(unrequested.effort, 0) << "nothing was searched";
  full.profile_was_requested = true;
  const CheckReport asked = check(full, of_sliding);
  EXPECT_EQ(names_of(asked), "profile");
  EXPECT_EQ(asked.verdict, Verdict::disagrees);
  EXPECT_EQ(text_of(asked, "profile"), "sliding attention");
  EXPECT_THAT(said(asked.causes[0].advice), HasSubstr("--profile \"sliding attention\""));
  full.profile_was_requested = false;
  EXPECT_EQ(names_of(check(full, tables_of(100, 32, 1e6, 32, 1, 0))), "agrees");
  EXPECT_EQ(check(full, tables_of(100, 32, 1e6, 32, 1, 0)).profile, "");
  EXPECT_EQ(names_of(check(full, tables_of(100, 32, 3e4, 32, 1, 0))), "base");
  // A fault of its own on top: one beats two.
  CheckInputs late = of_sliding;
  for (auto* table : {&late.cosine, &late.sine}) {
    (*table)->shape[0] -= 4;
    (*table)->bytes = (*table)->bytes.subspan(4 * 32 * sizeof(float));
  }
  const CheckReport shifted = check(full, late);
  EXPECT_EQ(names_of(shifted), "position-offset");
  EXPECT_EQ(shifted.profile, "sliding attention");
  // Another number of pairs.
  CheckReference wide = make_whole_rope(128, 128, 1e6, Pairing::half_split);
  wide.profile = "full attention";
  wide.others = {sliding};
  EXPECT_EQ(check(wide, of_sliding).profile, "sliding attention");
}

/// What lies between before and after besides the rotation.
TEST(CheckWhole, NormsAndFactorsBetweenBeforeAndAfter) {
  const CheckReference due = make_whole_rope(64, 64, 10000, Pairing::half_split);
  const Vectors x = random_vectors(90, 3, 64);
  std::mt19937_64 generator(17);
  std::uniform_real_distribution<double> uniform(0.5, 2);
  std::vector<double> weight(64), of_token(90);
  for (double& w : weight) w = uniform(generator);
  for (double& a : of_token) a = uniform(generator);
  const auto made = [&](const auto& factor) {
    Vectors y = x;
    for (std::int64_t row = 0; row < x.rows; ++row) {
      for (std::int64_t head = 0; head < x.heads; ++head) {
        double square = 0;
        for (std::int64_t c = 0; c < 64; ++c) square += y.at(row, head, c) * y.at(row, head, c) / 64;
        for (std::int64_t c = 0; c < 64; ++c) y.at(row, head, c) *= factor(row, c, std::sqrt(square));
      }
    }
    return rotate_vectors_at(y, 0, 32, 10000, Order::halves);
  };
  const auto weight_of = [&](std::int64_t c) { return weight[static_cast<std::size_t>(c)]; };
  for (const Storage storage : {Storage::float32, Storage::bfloat16}) {
    const auto kind_of = [&](const Vectors& after) {
      const CheckReport report = check(due, inputs_of(x, after, storage));
      EXPECT_EQ(names_of(report), "vector-scale");
      EXPECT_EQ(report.verdict, Verdict::disagrees);
      return text_of(report, "kind");
    };
    EXPECT_EQ(kind_of(made([](auto, auto, double rms) { return 1 / rms; })), "norm");
    EXPECT_EQ(kind_of(made([&](auto, std::int64_t c, double rms) { return weight_of(c) / rms; })), "norm");
    EXPECT_EQ(kind_of(made([&](auto, std::int64_t c, double) { return weight_of(c); })), "channel");
    EXPECT_EQ(kind_of(made([&](std::int64_t row, auto, double) { return of_token[static_cast<std::size_t>(row)]; })),
              "token");
    EXPECT_EQ(names_of(check(due, inputs_of(x, made([](auto, auto, double) { return 0.5; }), storage))), "amplitude");
    EXPECT_EQ(names_of(check(due, inputs_of(x, made([](auto, auto, double) { return 1.0; }), storage))), "agrees");
  }
  // Llama 4: 1 + 0.1·ln(⌊(p + 1)/8 192⌋ + 1).
  std::vector<double> positions;
  for (std::int64_t row = 0; row < 90; ++row) positions.push_back(400.0 * static_cast<double>(row));
  Vectors scaled = x;
  for (std::int64_t row = 0; row < 90; ++row) {
    const double p = positions[static_cast<std::size_t>(row)];
    for (std::int64_t i = 0; i < 3 * 32; ++i) {
      const std::int64_t head = i / 32, pair = i % 32;
      const double angle = p * std::pow(10000, -static_cast<double>(pair) / 32);
      const double factor = 1 + 0.1 * std::log(std::floor((p + 1) / 8192) + 1);
      const double a = factor * scaled.at(row, head, pair), b = factor * scaled.at(row, head, pair + 32);
      scaled.at(row, head, pair) = a * std::cos(angle) - b * std::sin(angle);
      scaled.at(row, head, pair + 32) = a * std::sin(angle) + b * std::cos(angle);
    }
  }
  const CheckReference far = reference_from_rope(*due.rope, {}, positions);
  const CheckReport report = check(far, inputs_of(x, scaled));
  EXPECT_TRUE(finds(report, "vector-scale", {{"kind", "position"}}));
  EXPECT_NEAR(number_of(report, "beta"), 0.1, 1e-4);
}

TEST(CheckWhole, AppliedTwice) {
  const CheckReference due = make_whole_rope(64, 64, 10000, Pairing::half_split);
  const Vectors x = random_vectors(90, 3, 64);
  const auto once = [](const Vectors& of) { return rotate_vectors_at(of, 0, 32, 10000, Order::halves); };
  // A norm without weights keeps directions: after the rotation it is the one before it.
  Vectors normed = once(x);
  for (std::int64_t row = 0; row < x.rows; ++row) {
    for (std::int64_t head = 0; head < x.heads; ++head) {
      double square = 0;
      for (std::int64_t c = 0; c < 64; ++c) square += normed.at(row, head, c) * normed.at(row, head, c) / 64;
      for (std::int64_t c = 0; c < 64; ++c) normed.at(row, head, c) /= std::sqrt(square);
    }
  }
  CheckCase yarn = rope_case("yarn");
  for (const Storage storage : {Storage::float32, Storage::bfloat16}) {
    const CheckReport table = check(due, inputs_of(x, once(once(x)), storage));
    EXPECT_EQ(names_of(table), "position-scale");
    EXPECT_NEAR(number_of(table, "factor"), 2, 1e-6);
    EXPECT_TRUE(finds(check(due, inputs_of(x, normed, storage)), "vector-scale", {{"kind", "norm"}}));
    Dump squared = true_dump(yarn.reference);
    const double factor = squared.amplitude;
    ASSERT_GT(factor, 1.1);
    squared.amplitude *= factor;
    CheckInputs vectors = vectors_in(squared, storage);
    const CheckReport amplitude = check(yarn.reference, vectors);
    EXPECT_EQ(names_of(amplitude), "amplitude");
    EXPECT_NEAR(number_of(amplitude, "amplitude"), factor * factor, 2e-3);
  }
}

/// Channels that are large beside the others, as keys have them, hide no fault; nor do vectors that are all alike.
TEST(CheckWhole, OutliersAndEqualVectorsAreNoWeights) {
  const CheckReference due = make_whole_rope(64, 64, 10000, Pairing::half_split);
  Vectors q = random_vectors(90, 2, 64);
  for (std::int64_t row = 0; row < q.rows; ++row) {
    for (std::int64_t head = 0; head < q.heads; ++head) q.at(row, head, 30) *= 32, q.at(row, head, 62) *= 32;
  }
  for (const Storage storage : {Storage::float32, Storage::bfloat16}) {
    EXPECT_EQ(names_of(check(due, inputs_of(q, rotate_vectors_at(q, 0, 32, 10000, Order::halves, 1), storage))),
              "position-offset");
    EXPECT_EQ(names_of(check(due, inputs_of(q, rotate_vectors_at(q, 0, 32, 10000, Order::halves, 0, -1), storage))),
              "sign");
    EXPECT_NE(names_of(check(due, inputs_of(q, q, storage))), "vector-scale");
  }
  Vectors same = random_vectors(90, 1, 64);
  for (std::int64_t row = 1; row < same.rows; ++row) {
    for (std::int64_t c = 0; c < 64; ++c) same.at(row, 0, c) = same.at(0, 0, c);
  }
  EXPECT_EQ(names_of(check(due, inputs_of(same, rotate_vectors_at(same, 0, 32, 10000, Order::halves, 3)))),
            "position-offset");
}

/// Vectors are of another profile only where they are as wide as its heads.
TEST(CheckWhole, AnotherHeadIsNoProfile) {
  CheckReference latent = make_whole_rope(64, 64, 10000, Pairing::interleaved);
  latent.rotates_last_channels = true, latent.profile = "text";
  CheckReference indexer = make_whole_rope(128, 64, 10000, Pairing::half_split);
  indexer.profile = "indexer";
  latent.others = {indexer};
  const Vectors part = random_vectors(80, 2, 64), whole = random_vectors(80, 2, 128);
  EXPECT_EQ(names_of(check(latent, inputs_of(part, rotate_vectors_at(part, 0, 32, 10000, Order::halves)))), "pairing");
  EXPECT_EQ(check(latent, inputs_of(whole, rotate_vectors_at(whole, 0, 32, 10000, Order::halves))).profile, "indexer");
  const CheckReport turned_so =
      check(latent, inputs_of(whole, rotate_vectors_at(whole, 0, 32, 10000, Order::neighbours)));
  EXPECT_EQ(turned_so.profile, "indexer");
  EXPECT_EQ(names_of(turned_so), "pairing");
}

/// Of vectors that nothing explains, the heads that are right are named.
TEST(CheckWhole, HeadsThatAgreeAreNamed) {
  const CheckReference due = make_whole_rope(64, 64, 10000, Pairing::half_split);
  const Vectors q = random_vectors(90, 4, 64), other = random_vectors(90, 4, 64, 99);
  Vectors mixed = q;
  for (std::int64_t row = 0; row < 90; ++row) {
    for (std::int64_t i = 2 * 64; i < 4 * 64; ++i)
      mixed.at(row, 0, i) = other.numbers[static_cast<std::size_t>(row * 256 + i)];
  }
  const CheckReport report = check(due, inputs_of(q, rotate_vectors_at(mixed, 0, 32, 10000, Order::halves)));
  ASSERT_EQ(names_of(report), "unknown");
  EXPECT_THAT(said(report.causes[0].evidence),
              Says("check.note.agreeing.heads", {{"agree", "0 to 1"}, {"differ", "2 to 3"}}));
}

/// One table that holds all: cos and sin one after the other or by turns, or the angles.
TEST(CheckWhole, PackedTablesOpenByThemselves) {
  for (const Pairing pairing : {Pairing::half_split, Pairing::interleaved}) {
    const CheckReference due = make_whole_rope(64, 64, 10000, pairing);
    std::vector<double> side_by_side, by_turns, angles, twice;
    const std::int64_t rows = 70;
    for (std::int64_t row = 0; row < rows; ++row) {
      for (std::int64_t i = 0; i < 64; ++i) {
        const double turn = static_cast<double>(row) * std::pow(10000, -static_cast<double>(i % 32) / 32);
        side_by_side.push_back(i < 32 ? std::cos(turn) : std::sin(turn));
        twice.push_back(turn);
        if (i < 32) angles.push_back(turn), by_turns.insert(by_turns.end(), {std::cos(turn), std::sin(turn)});
      }
    }
    const auto names = [&](const std::vector<double>& numbers, std::int64_t width) {
      CheckInputs inputs;
      inputs.table = store_values("cache.npy", {rows, width}, numbers, Storage::float32);
      return names_of(check(due, inputs));
    };
    EXPECT_EQ(names(side_by_side, 64), "agrees");
    EXPECT_EQ(names(by_turns, 64), "agrees");
    EXPECT_EQ(names(angles, 32), "agrees");
    EXPECT_EQ(names(twice, 64), "agrees");
    std::vector<double> faster = angles;
    for (double& turn : faster) turn *= 2;
    EXPECT_EQ(names(faster, 32), "position-scale");
    for (std::size_t i = 0; i < side_by_side.size(); i += 64) {
      std::swap_ranges(side_by_side.begin() + static_cast<std::ptrdiff_t>(i),
                       side_by_side.begin() + static_cast<std::ptrdiff_t>(i + 32),
                       side_by_side.begin() + static_cast<std::ptrdiff_t>(i + 32));
    }
    EXPECT_EQ(names(side_by_side, 64), "cos-sin-exchanged");
  }
}

/// One table of both: stacked before the tokens or behind them, and the matrices of all pairs in one row; heads in the
/// middle, though nobody says how many tokens there are.
TEST(CheckWhole, StackedAndFlatTablesOpenByThemselves) {
  const CheckReference due = make_whole_rope(64, 64, 10000, Pairing::half_split);
  constexpr std::int64_t kRows = 50, kPairs = 32, kHeads = 3;
  std::vector<double> cosines, sines, matrices, behind, doubled[2], of_heads[2];
  for (std::int64_t row = 0; row < kRows; ++row) {
    for (std::int64_t i = 0; i < kPairs; ++i) {
      const double turn = static_cast<double>(row) * std::pow(10000, -static_cast<double>(i) / kPairs);
      cosines.push_back(std::cos(turn)), sines.push_back(std::sin(turn));
      matrices.insert(matrices.end(), {std::cos(turn), -std::sin(turn), std::sin(turn), std::cos(turn)});
    }
    const std::vector<double>* const both[] = {&cosines, &sines};
    for (std::size_t part = 0; part < 2; ++part) {
      const std::span<const double> last(both[part]->end() - kPairs, both[part]->end());
      behind.insert(behind.end(), last.begin(), last.end());
      for (int copy = 0; copy < 2; ++copy) doubled[part].insert(doubled[part].end(), last.begin(), last.end());
      for (int head = 0; head < kHeads; ++head) of_heads[part].insert(of_heads[part].end(), last.begin(), last.end());
    }
  }
  const auto names = [&](const std::vector<double>& numbers, const std::vector<std::int64_t>& shape) {
    CheckInputs inputs;
    inputs.table = store_values("table.npy", shape, numbers, Storage::float32);
    return names_of(check(due, inputs));
  };
  const auto joined = [](std::vector<double> first, const std::vector<double>& second) {
    first.insert(first.end(), second.begin(), second.end());
    return first;
  };
  EXPECT_EQ(names(joined(cosines, sines), {2, kRows, kPairs}), "agrees");
  EXPECT_EQ(names(joined(cosines, sines), {2, 1, kRows, kPairs}), "agrees");
  EXPECT_EQ(names(joined(doubled[0], doubled[1]), {2, kRows, 2 * kPairs}), "agrees");
  EXPECT_EQ(names(behind, {kRows, 2, kPairs}), "agrees");
  EXPECT_EQ(names(joined(sines, cosines), {2, kRows, kPairs}), "cos-sin-exchanged");
  EXPECT_EQ(names(matrices, {kRows, 4 * kPairs}), "agrees");
  EXPECT_EQ(names(matrices, {1, kRows, 4 * kPairs}), "agrees");
  std::vector<double> other_sign = matrices;
  for (std::size_t i = 0; i < other_sign.size(); i += 4) std::swap(other_sign[i + 1], other_sign[i + 2]);
  EXPECT_EQ(names(other_sign, {kRows, 4 * kPairs}), "sign");
  CheckInputs inputs = cos_and_sin({kRows, kHeads, kPairs}, of_heads[0], of_heads[1], Storage::float32);
  EXPECT_EQ(names_of(check(due, inputs)), "agrees");
  of_heads[1][kPairs + 1] += 0.25;  // one head has a table of its own
  inputs.sine = store_values("sin.npy", {kRows, kHeads, kPairs}, of_heads[1], Storage::float32);
  EXPECT_REFUSED(check(due, inputs), HasSubstr("[50, 3, 32]"));
}

/// Rows that hold no numbers are named together, and may be left out.
TEST(CheckWhole, RowsOfPaddingAreNamedAndLeftOut) {
  const CheckReference due = make_whole_rope(64, 64, 10000, Pairing::half_split);
  CheckInputs inputs = tables_of(100, 32, 10000, 32, 1, 0);
  std::vector<double> cosines(3200);
  read_rows(*inputs.cosine, 0, 100, cosines.data());
  std::fill(cosines.begin() + 90 * 32, cosines.end(), std::numeric_limits<double>::quiet_NaN());
  inputs.cosine = store_values("cos.npy", {100, 32}, cosines, Storage::float32);
  const std::string why = refusal_of([&] { check(due, inputs); });
  EXPECT_THAT(why, HasSubstr("cos.npy: "));
  EXPECT_THAT(why, Says("error.check.odd_rows", {{"rows", "90 to 99"}, {"keep", "0:90"}}));
  EXPECT_THAT(why, HasSubstr("--rows 0:90"));
  inputs.rows = {0, 90};
  EXPECT_EQ(names_of(check(due, inputs)), "agrees");
  inputs.rows = {40, 90};
  const CheckReport some = check(due, inputs);
  EXPECT_EQ(names_of(some), "agrees") << "positions are those of the rows in the file";
  EXPECT_EQ(some.evidence.tokens, 50);
  EXPECT_EQ(names_of(check(make_whole_rope(64, 64, 20000, Pairing::half_split), inputs)), "base");
  for (const auto& rows : {std::pair<std::int64_t, std::int64_t>{0, 101}, {5, 5}, {-1, 4}}) {
    inputs.rows = rows;
    EXPECT_REFUSED(check(due, inputs), Says("error.check.no_such_rows"));
  }
}

/// The model that turns its output back (DeepSeek V4): of vectors a rotation by −angle is right.
TEST(CheckWhole, TheOutputMayBeTurnedBack) {
  CheckReference due = make_whole_rope(64, 64, 10000, Pairing::interleaved);
  const Vectors q = random_vectors(60, 2, 64);
  CheckInputs back = inputs_of(q, rotate_vectors_at(q, 0, 32, 10000, Order::neighbours, 0, -1));
  EXPECT_EQ(check(due, back).verdict, Verdict::disagrees);
  due.rotates_output_back = true;
  EXPECT_EQ(check(due, back).verdict, Verdict::disagrees) << "a query turns forwards";
  for (const char* name : {"attn_q.npy", "attention_query.npy", "dump.npz: context_k"}) {
    back.before->name = name;
    EXPECT_EQ(check(due, back).verdict, Verdict::disagrees) << name;
  }
  back.before->name = "dump.npz: attn_out_before";
  const CheckReport report = check(due, back);
  EXPECT_EQ(report.verdict, Verdict::agrees);
  EXPECT_EQ(names_of(report), "sign");
  EXPECT_TRUE(report.causes.at(0).harmless);
  CheckInputs tables = tables_of(60, 32, 10000, 32, 1, 0);
  std::vector<double> sines = numbers_of(*tables.sine);
  for (double& sine : sines) sine = -sine;
  tables.sine = store_values("sin.npy", tables.sine->shape, sines, Storage::float32);
  EXPECT_EQ(check(due, tables).verdict, Verdict::disagrees) << "its tables turn forwards";
}

}  // namespace ropescope
