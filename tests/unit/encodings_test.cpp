#include "core/encodings/biases.h"
#include "core/encodings/sinusoid.h"
#include "says.h"
#include "tests/encode.h"

namespace ropescope {

namespace {

#ifdef __SIZEOF_INT128__  // 64 bit

/// T5's bucket of n ≥ 0 steps among `buckets`, without logarithms: bucket exact + j begins where
/// (n/exact)^(buckets − exact) ≥ (128/exact)^j, compared in whole numbers of at most 112 bits. All are powers of two
/// but n.
int bucket_by_thresholds(int steps, int buckets, int exact_bits) {
  __extension__ typedef unsigned __int128 Wide;
  const int exact = 1 << exact_bits, span = buckets - exact;
  if (steps < exact) return steps;
  if (steps >= 128) return buckets - 1;
  Wide power = 1;
  for (int i = 0; i < span; ++i) power *= static_cast<unsigned>(steps);
  int bucket = exact;
  for (int j = 1; j < span; ++j) {
    if (power >= Wide{1} << ((7 - exact_bits) * j + exact_bits * span)) bucket = exact + j;
  }
  return bucket;
}

#endif

std::string find_encoding_error(std::string_view encoding, const EncodingValues& settings) {
  return refusal_of([&] { make_model(find_encoding(encoding), settings); });
}

Eigen::VectorXd constant(int dim, double value) {
  return Eigen::VectorXd::Constant(dim, value);
}

TEST(PRope, TurnsTheWholePartOfItsPairs) {
  // 0.29 · 100 comes out as 28.999999999999996.
  for (const auto& [dim, p, live] : {std::tuple(200, 0.29, 29), std::tuple(200, 0.285, 28), std::tuple(200, 0.57, 57),
                                     std::tuple(6, 0.5, 1), std::tuple(128, 1.0, 64), std::tuple(128, 0.0, 0)}) {
    EncodingValues settings{.dim = dim, .p = p};
    const auto model = make_model(find_encoding("p-rope"), settings);
    const TokenMatrix sines = model->values("sin", std::vector<std::int64_t>{1});
    EXPECT_EQ((sines.array() != 0).count(), live) << dim << " " << p;
  }
}

}  // namespace

#ifdef __SIZEOF_INT128__

TEST(T5Buckets, CausalAgreeWithWholeNumberThresholds) {
  const EncodingValues settings{.bidirectional = false};
  for (int distance = -1024; distance <= 1024; ++distance) {
    EXPECT_EQ(t5_bucket(distance, settings), bucket_by_thresholds(std::max(distance, 0), 32, 4)) << distance;
  }
  EXPECT_EQ(t5_bucket(112, settings), 30);
  EXPECT_EQ(t5_bucket(113, settings), 31);
  EXPECT_EQ(t5_bucket(1'000'000'000, settings), 31);
}

TEST(T5Buckets, BidirectionalAgreeWithWholeNumberThresholds) {
  const EncodingValues settings{.bidirectional = true};
  std::vector<int> used(32, 0);
  for (int distance = -1024; distance <= 1024; ++distance) {
    const int begin = distance < 0 ? 16 : 0;
    const int bucket = t5_bucket(distance, settings);
    EXPECT_EQ(bucket, begin + bucket_by_thresholds(std::abs(distance), 16, 3)) << distance;
    ++used[static_cast<std::size_t>(bucket)];
  }
  EXPECT_EQ(t5_bucket(90, settings), 14);
  EXPECT_EQ(t5_bucket(91, settings), 15);
  EXPECT_EQ(t5_bucket(-91, settings), 31);
  for (std::size_t bucket = 0; bucket < used.size(); ++bucket) EXPECT_EQ(used[bucket] == 0, bucket == 16) << bucket;
}

#endif

TEST(T5, LaterKeysGetTheUpperBuckets) {
  EncodingValues settings{.dim = 4};
  const auto model = make_model(find_encoding("t5"), settings);
  const TokenMatrix table = model->tables().front().values;
  // A key 5 later: relative position 5 > 0.
  EXPECT_EQ(model->terms(constant(4, 0), constant(4, 0), 10, 15)[1].value, table(16 + 5, 0));
  EXPECT_EQ(model->terms(constant(4, 0), constant(4, 0), 15, 10)[1].value, table(5, 0));
  EXPECT_EQ(model->score(constant(4, 2), constant(4, 3), 0, 0) - table(0, 0), 24);
}

TEST(AlibiSlopes, FollowThePaper) {
  const std::vector<double> eight = alibi_slopes(8);
  ASSERT_EQ(eight.size(), 8u);
  for (int head = 0; head < 8; ++head) EXPECT_EQ(eight[static_cast<std::size_t>(head)], std::pow(0.5, head + 1));
  // Those of 8 heads, then the 1st, 3rd, 5th and 7th of 16.
  const std::vector<double> twelve = alibi_slopes(12);
  ASSERT_EQ(twelve.size(), 12u);
  for (std::size_t head = 0; head < 8; ++head) EXPECT_EQ(twelve[head], eight[head]);
  for (int head = 0; head < 4; ++head) {
    EXPECT_NEAR(twelve[static_cast<std::size_t>(8 + head)], std::pow(2, -0.5 - head), 1e-15);
  }
  EXPECT_EQ(alibi_slopes(1), std::vector<double>{1.0 / 256});
  EncodingValues settings{.dim = 2, .heads = 12, .head = 10};
  const auto model = make_model(find_encoding("alibi"), settings);
  EXPECT_NEAR(model->score(constant(2, 0), constant(2, 0), 3, 10), -7 * std::pow(2, -1.5), 1e-14);
}

TEST(Sinusoidal, MeetsTheFormulaInExtendedPrecision) {
  for (const auto& [dim, base] : {std::pair{128, 10000.0}, std::pair{3072, 10000.0}, std::pair{6, 500000.0}}) {
    EncodingValues settings{.dim = dim, .base = base};
    const auto model = make_model(find_encoding("sinusoidal"), settings);
    const std::vector<std::int64_t> positions = {0, 1, 2, 7, 100, 1023, 4095, 8191, 131071, 1048575, -33};
    const TokenMatrix values = model->values("p", positions);
    for (std::size_t row = 0; row < positions.size(); ++row) {
      for (int t = 0; t < dim / 2; ++t) {
        const long double angle = positions[row] / std::pow(static_cast<long double>(base), 2.0L * t / dim);
        const double bound = 1e-15 + 2.5e-16 * static_cast<double>(std::abs(angle));
        const auto index = static_cast<Eigen::Index>(row);
        ASSERT_NEAR(values(index, 2 * t), static_cast<double>(std::sin(angle)), bound) << positions[row] << ' ' << t;
        ASSERT_NEAR(values(index, 2 * t + 1), static_cast<double>(std::cos(angle)), bound)
            << positions[row] << ' ' << t;
      }
    }
  }
}

TEST(Sinusoidal, AnglesAreWrappedAsTheFloorWraps) {
  const double turn = 2 * std::numbers::pi;
  const Sinusoids angles{Eigen::VectorXd{{31.4, 1, 0.37, 1e-9}}, SinusoidPart::angle};
  // Beyond 2^51 turns too, where the floor is found in another way.
  for (const std::int64_t first : {std::int64_t{0}, std::int64_t{-40}, std::int64_t{131'000}, std::int64_t{1} << 50}) {
    const RowMatrix<float> map = sinusoid_map(angles, first, 70, {2});
    ASSERT_EQ(map.rows(), 70);
    for (Eigen::Index row = 0; row < map.rows(); ++row) {
      for (Eigen::Index pair = 0; pair < map.cols(); ++pair) {
        const double angle = static_cast<double>(first + row) * angles.frequencies[pair];
        const double wrapped = angle - turn * std::floor(angle / turn);
        EXPECT_EQ(map(row, pair), static_cast<float>(wrapped < turn && wrapped >= 0 ? wrapped : 0)) << first + row;
      }
    }
  }
}

TEST(Sinusoidal, ScoreIsOfTheSums) {
  EncodingValues settings{.dim = 8};
  const auto model = make_model(find_encoding("sinusoidal"), settings);
  const Eigen::VectorXd q = Eigen::VectorXd::LinSpaced(8, -1, 1), k = Eigen::VectorXd::LinSpaced(8, 2, 0);
  const TokenMatrix p = model->values("p", std::vector<std::int64_t>{30, 12});
  EXPECT_NEAR(model->score(q, k, 30, 12), (q + p.row(0).transpose()).dot(k + p.row(1).transpose()) / std::sqrt(8),
              1e-13);
  const auto terms = model->terms(q, k, 30, 12);
  EXPECT_NEAR(terms[1].value, q.dot(p.row(1)) / std::sqrt(8), 1e-14);
  EXPECT_NEAR(terms[2].value, p.row(0).dot(k) / std::sqrt(8), 1e-14);
}

TEST(Hierarchical, TakesTheTableApartSoThatItReachesItsSquare) {
  EncodingValues settings{.dim = 6, .trained_length = 7};
  const auto model = make_model(find_encoding("hierarchical"), settings);
  const TokenMatrix table = model->tables().front().values;
  ASSERT_EQ(table.rows(), 7);
  EXPECT_EQ(table, make_model(find_encoding("learned"), settings)->tables().front().values);
  std::vector<std::int64_t> places(49);
  std::iota(places.begin(), places.end(), 0);
  const TokenMatrix p = model->values("p", places);
  EXPECT_EQ(p.topRows(7), table) << "what was trained stays as it is";
  // Su's own formula, with u written out: α = 0.4.
  const TokenMatrix u = (table.rowwise() - 0.4 * table.row(0)) / 0.6;
  for (int i = 0; i < 7; ++i) {
    for (int j = 0; j < 7; ++j) {
      EXPECT_LT((p.row(7 * i + j) - (0.4 * u.row(i) + 0.6 * u.row(j))).cwiseAbs().maxCoeff(), 1e-14) << i << " " << j;
      if (i != j) EXPECT_GT((p.row(7 * i + j) - p.row(7 * j + i)).cwiseAbs().maxCoeff(), 1e-3) << i << " " << j;
    }
  }
  EXPECT_TRUE(model->values("p", std::vector<std::int64_t>{-1, 49}).array().isNaN().all());
  EXPECT_NO_THROW(model->score(constant(6, 1), constant(6, 1), 48, 0));
  EXPECT_THROW(model->score(constant(6, 1), constant(6, 1), 49, 0), InputError);
  settings.numbers["coarse"] = 0.5;
  EXPECT_THROW(make_model(find_encoding("hierarchical"), settings), InputError) << "i·n + j would be j·n + i";
  settings.numbers["coarse"] = 0.96;
  EXPECT_THROW(make_model(find_encoding("hierarchical"), settings), InputError);
}

TEST(Shaw, ClipsItsDistance) {
  EncodingValues settings{.dim = 4, .clip = 3};
  const auto model = make_model(find_encoding("shaw"), settings);
  const TokenMatrix keys = model->tables().front().values;
  ASSERT_EQ(keys.rows(), 7);
  const Eigen::VectorXd q = Eigen::VectorXd::LinSpaced(4, -1, 2);
  for (int distance = -6; distance <= 6; ++distance) {
    const double expected = keys.row(std::clamp(distance, -3, 3) + 3).dot(q) / 2;
    EXPECT_NEAR(model->terms(q, constant(4, 0), 20 + distance, 20)[1].value, expected, 1e-14) << distance;
  }
}

TEST(TransformerXl, IsItsFourTerms) {
  EncodingValues settings{.dim = 6};
  const auto model = make_model(find_encoding("transformer-xl"), settings);
  const auto tables = model->tables();
  const TokenMatrix weights = tables[0].values;
  const Eigen::VectorXd u = tables[1].values.row(0), v = tables[2].values.row(0);
  const Eigen::VectorXd q = Eigen::VectorXd::LinSpaced(6, -1, 2), k = Eigen::VectorXd::LinSpaced(6, 1, -3);
  for (const int distance : {-17, -1, 0, 5, 300}) {
    Eigen::VectorXd p(6);
    for (int t = 0; t < 3; ++t) {
      p[2 * t] = std::sin(distance / std::pow(10000, t / 3.0));
      p[2 * t + 1] = std::cos(distance / std::pow(10000, t / 3.0));
    }
    const auto terms = model->terms(q, k, 1000, 1000 - distance);
    const double expected[] = {q.dot(k), q.dot(weights * p), u.dot(k), v.dot(weights * p)};
    for (std::size_t term = 0; term < 4; ++term) {
      EXPECT_NEAR(terms[term].value, expected[term] / std::sqrt(6), 1e-13) << distance << ' ' << terms[term].name;
    }
  }
}

TEST(Tupe, MultipliesPositionsByTheirOwnWeights) {
  EncodingValues settings{.dim = 4, .trained_length = 50};
  const auto model = make_model(find_encoding("tupe"), settings);
  const auto tables = model->tables();
  const Eigen::VectorXd query = tables[1].values * tables[0].values.row(40).transpose();
  const Eigen::VectorXd key = tables[2].values * tables[0].values.row(3).transpose();
  const auto terms = model->terms(constant(4, 1), constant(4, 2), 40, 3);
  EXPECT_NEAR(terms[0].value, 8 / std::sqrt(8), 1e-14);
  EXPECT_NEAR(terms[1].value, query.dot(key) / std::sqrt(8), 1e-14);
  EXPECT_EQ(terms[2].value, tables[3].values(t5_bucket(37, settings), 0));
}

TEST(Deberta, LooksBothWays) {
  EncodingValues settings{.dim = 4, .clip = 5};
  const auto model = make_model(find_encoding("deberta"), settings);
  const TokenMatrix table = model->tables().front().values;
  ASSERT_EQ(table.rows(), 10);
  EXPECT_EQ(find_encoding("deberta").parameters(settings), 2 * 5 * 4 + 2 * 4 * 4);  // 2Rd + 2d², no matter who shares
  const Eigen::VectorXd q = Eigen::VectorXd::LinSpaced(4, -1, 2), k = Eigen::VectorXd::LinSpaced(4, 3, -1);
  for (int distance = -8; distance <= 8; ++distance) {
    const auto terms = model->terms(q, k, 20 + distance, 20);
    const auto row = [&](int relative) -> Eigen::VectorXd { return table.row(std::clamp(relative, -5, 4) + 5); };
    EXPECT_NEAR(terms[1].value, q.dot(row(distance)) / std::sqrt(12), 1e-14) << distance;
    EXPECT_NEAR(terms[2].value, row(-distance).dot(k) / std::sqrt(12), 1e-14) << distance;
  }
}

TEST(KerpleAndSandwich, MeetTheirFormulas) {
  EncodingValues settings{.dim = 16, .heads = 8, .head = 3, .kerple_r1 = 1.5, .kerple_r2 = 0.25};
  const auto kerple = make_model(find_encoding("kerple"), settings);
  const auto sandwich = make_model(find_encoding("sandwich"), settings);
  for (const int distance : {-9, 0, 1, 250}) {
    EXPECT_NEAR(kerple->score(constant(16, 0), constant(16, 0), distance, 0),
                -1.5 * std::log(1 + 0.25 * std::abs(distance)), 1e-14);
    double sum = 0;
    for (int i = 1; i <= 8; ++i) sum += std::cos(distance / std::pow(10000, i / 8.0));
    EXPECT_NEAR(sandwich->score(constant(16, 0), constant(16, 0), distance, 0), (sum - 8) * 8 / 24, 1e-13);
  }
}

TEST(Xpos, MeetsTheReference) {
  const json file = read_reference("apply/xpos_d32.json");
  EncodingValues settings{.dim = 32, .xpos_sequence_length = 8};
  const auto model = make_model(find_encoding("xpos"), settings);
  for (std::size_t row = 0; row < file.at("positions").size(); ++row) {
    const auto position = file.at("positions")[row].get<std::int64_t>();
    const Eigen::VectorXd q = vector_of(file.at("q")[row]), k = vector_of(file.at("k")[row]);
    EXPECT_LT((encode_query(*model, q, position) - vector_of(file["outputs"]["q"][row])).cwiseAbs().maxCoeff(), 2e-6);
    EXPECT_LT((encode_key(*model, k, position) - vector_of(file["outputs"]["k"][row])).cwiseAbs().maxCoeff(), 2e-6);
    const Eigen::VectorXd scale = model->values("scale", std::vector<std::int64_t>{position}).row(0);
    EXPECT_LT((scale - vector_of(file.at("scale_per_pair")[row])).cwiseAbs().maxCoeff(), 1e-6);
  }
}

TEST(Xpos, DampsByTheDistance) {
  EncodingValues settings{.dim = 4};
  const auto model = make_model(find_encoding("xpos"), settings);
  const Eigen::VectorXd q = Eigen::Vector4d(1, 0, 0, 0), slow = Eigen::Vector4d(0, 0, 1, 0);
  EXPECT_NEAR(model->score(q, q, 5000, 4488), std::cos(512) * (0.4 / 1.4) / 2, 1e-12);
  EXPECT_NEAR(model->score(slow, slow, 100512, 100000), std::cos(5.12) * (0.9 / 1.4) / 2, 1e-11);
  // Far from 0 nothing overflows.
  EXPECT_NEAR(model->score(q, q, 10'000'003, 10'000'000), model->score(q, q, 3, 0), 1e-8);
}

TEST(PartialRotation, MeetsTheReference) {
  for (const auto& [path, dim, base, rotary] : {std::tuple{"apply/partial_d64_p05.json", 64, 10000.0, 32},
                                                std::tuple{"apply/partial_d128_p025.json", 128, 1e6, 32}}) {
    const json file = read_reference(path);
    EncodingValues within{.dim = dim, .base = base, .rotary_dim = rotary, .pairing = Pairing::half_split};
    EncodingValues interleaved = within;
    interleaved.pairing = Pairing::interleaved;
    EncodingValues proportional{
        .dim = dim, .base = base, .p = static_cast<double>(rotary) / dim, .pairing = Pairing::half_split};
    const std::tuple<const char*, const char*, EncodingValues> cases[] = {
        {"phi3_half_split", "rope", within},
        {"glm_interleaved", "rope", interleaved},
        {"lucidrains_interleaved", "rope", interleaved},
        {"proportional_half_split", "p-rope", proportional}};
    int met = 0;
    for (const auto& [style, encoding, settings] : cases) {
      if (!file["outputs"].contains(style)) continue;
      SCOPED_TRACE(std::string(path) + " " + style);
      ++met;
      const auto model = make_model(find_encoding(encoding), settings);
      for (std::size_t row = 0; row < file.at("positions").size(); ++row) {
        const auto position = file.at("positions")[row].get<std::int64_t>();
        const Eigen::VectorXd turned = encode_query(*model, vector_of(file.at("q")[row]), position);
        // The reference's angles are float32.
        EXPECT_LT((turned - vector_of(file["outputs"][style]["q"][row])).cwiseAbs().maxCoeff(),
                  2e-6 + 3e-7 * static_cast<double>(position));
      }
    }
    EXPECT_GE(met, 3);
  }
}

TEST(PRope, ItsTermsAreTheTurningAndTheStillPairs) {
  EncodingValues settings{.dim = 8, .p = 0.5};
  const auto model = make_model(find_encoding("p-rope"), settings);
  const auto terms = model->terms(constant(8, 1), constant(8, 1), 9, 2);
  EXPECT_EQ(terms[1].value, 4 / std::sqrt(8));
  EXPECT_NEAR(terms[0].value, 2 * (std::cos(7) + std::cos(0.7)) / std::sqrt(8), 1e-14);
}

TEST(Encodings, SeedsGiveTheSameTablesEverywhereAndSmoothOnes) {
  EncodingValues settings{.dim = 16, .trained_length = 400};
  const TokenMatrix table = make_model(find_encoding("learned"), settings)->tables().front().values;
  EXPECT_EQ(table, make_model(find_encoding("learned"), settings)->tables().front().values);
  const TokenMatrix steps = table.bottomRows(399) - table.topRows(399);
  EXPECT_LT(steps.norm() / table.norm(), 0.05);
  EXPECT_NEAR(table.array().square().mean(), 0.5, 0.2);
  settings.seed = 2;
  EXPECT_GT((table - make_model(find_encoding("learned"), settings)->tables().front().values).norm(), 1);
}

TEST(Encodings, UnknownNamesAndBadFieldsAreNamed) {
  const std::string unknown = refusal_of([] { find_encoding("roope"); });
  EXPECT_NE(unknown.find("\"roope\""), std::string::npos);
  EXPECT_NE(unknown.find("rope"), std::string::npos);
  EXPECT_LT(unknown.find("rope"), unknown.find("p-rope")) << "nearest first";
  EXPECT_EQ(unknown.find("sinusoidal"), std::string::npos);
  const std::string far = refusal_of([] { find_encoding("xyzzyxyzzyxyzzy"); });
  EXPECT_NE(far.find("sinusoidal, learned, shaw, transformer-xl, t5"), std::string::npos);
  expect_refusals("encodings", 9, [](const json& given) {
    EncodingValues settings;
    std::size_t set = 0;
    for (const EncodingField& field : all_encoding_fields()) {
      const std::string name(field.name);
      if (!given[1].contains(name)) continue;
      set_value(settings, field, given[1][name]);
      ++set;
    }
    EXPECT_EQ(set, given[1].size()) << "a name of no field: " << given[1];
    return find_encoding_error(given[0].get<std::string>(), settings);
  });
  EXPECT_THAT(find_encoding_error("rope", {.base = std::nan("")}),
              AllOf(Says("error.encodings.setting", {{"encoding", "rope"}, {"setting", "base"}, {"found", "nan"}}),
                    Says("expected.finite_above", {{"least", "1"}})));
  EXPECT_NE(find_encoding_error("tupe", {.dim = 4096}).find("at most 2048"), std::string::npos);
  EXPECT_NE(find_encoding_error("rope", {.dim = 16, .rotary_dim = 18}).find("rotary_dim is 18"), std::string::npos);
}

TEST(Encodings, AtTheEndOfATableTheMessageSaysHowLongItIs) {
  EncodingValues settings{.dim = 4};
  const auto learned = make_model(find_encoding("learned"), settings);
  EXPECT_REFUSED(
      learned->score(constant(4, 1), constant(4, 1), 600, 0),
      AllOf(StartsWith("learned: "), Says("error.encodings.past_table", {{"position", "600"}, {"rows", "512"}})));
}

}  // namespace ropescope
