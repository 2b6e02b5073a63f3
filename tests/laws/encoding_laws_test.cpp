#include "core/message.h"
#include "specs.h"
#include "tests/encode.h"

namespace ropescope {

namespace {

constexpr int kTrainedLength = 256;

TokenMatrix random_rows(Eigen::Index rows, Eigen::Index columns, std::uint64_t seed) {
  return random_vector(rows * columns, seed).reshaped<Eigen::RowMajor>(rows, columns);
}

EncodingValues small_fields(int dim) {
  return {.dim = dim, .trained_length = kTrainedLength, .clip = 7};
}

/// Twice as much, half as much where that is too much, and something instead of nothing.
double another_value(const EncodingField& field, double value) {
  if (field.is_switch || field.name == "pairing") return 1 - value;
  if (value == 0) return 8;
  return field.exclusive || 2 * value <= field.maximum ? 2 * value : value / 2;
}

/// Each way in which a model can be set at least once.
std::map<std::string, EncodingValues> law_settings() {
  EncodingValues turned = small_fields(24);
  turned.base = 50;
  turned.head = 5;
  turned.heads = 12;
  turned.seed = 77;
  turned.clip = 100;
  turned.buckets = 15;
  turned.max_distance = 40;
  turned.bidirectional = false;
  turned.kerple_r1 = 0.3;
  turned.kerple_r2 = 5;
  turned.p = 0.4;
  turned.rotary_dim = 10;
  turned.pairing = Pairing::half_split;
  turned.xpos_scale_base = 200;
  turned.xpos_sequence_length = 99;
  turned.seeded_projections = true;
  EncodingValues nothing_turns = small_fields(6);
  nothing_turns.p = 0;
  nothing_turns.clip = 1;
  EncodingValues all_turns = small_fields(32);
  all_turns.p = 1;
  EncodingValues by_ladder = small_fields(16);
  by_ladder.ladder = {{1, 0.3, 0.3, 0.02, 0.001, 0}, 1.25};
  by_ladder.pairing = Pairing::half_split;
  return {{"usual", small_fields(16)}, {"by a ladder", by_ladder},       {"one pair", small_fields(2)},
          {"turned", turned},          {"nothing turns", nothing_turns}, {"all turns", all_turns}};
}

class EncodingLaws : public testing::TestWithParam<Encoding> {
 protected:
  const Encoding& encoding() const { return GetParam(); }

  template <class Check>
  void for_all(const Check& check) const {
    for (const auto& [name, settings] : law_settings()) {
      SCOPED_TRACE(name);
      check(*make_model(encoding(), settings));
    }
  }
};

double largest_gap(const TokenMatrix& a, const TokenMatrix& b) {
  return (a - b).cwiseAbs().maxCoeff();
}

/// Rounding of the largest score there can be: xPos grows where the key comes first.
double size_of(const TokenMatrix& scores) {
  return 1 + scores.cwiseAbs().maxCoeff();
}

}  // namespace

TEST_P(EncodingLaws, DeclaredRelativeMeansThatOnlyTheDifferenceCounts) {
  for_all([this](const EncodingModel& model) {
    double largest_change = 0;
    for (std::uint64_t trial = 0; trial < 50; ++trial) {
      const Eigen::VectorXd q = random_vector(model.settings().dim, 2 * trial);
      const Eigen::VectorXd k = random_vector(model.settings().dim, 2 * trial + 1);
      const auto m = static_cast<std::int64_t>(trial * 37 % 120), n = static_cast<std::int64_t>(trial * 53 % 120);
      const std::int64_t shift = static_cast<std::int64_t>(1 + trial * 29 % 130);
      const double before = model.score(q, k, m, n), after = model.score(q, k, m + shift, n + shift);
      largest_change = std::max(largest_change, std::abs(after - before));
      if (!encoding().positions) {
        largest_change = std::max(largest_change, std::abs(model.score(q, k, m - 1000, n - 1000) - before));
      }
    }
    if (encoding().relative) {
      EXPECT_LT(largest_change, 1e-11);
    } else {
      EXPECT_GT(largest_change, 1e-2);
    }
  });
}

TEST_P(EncodingLaws, OnlyNoneIsBlindToTheDifference) {
  for_all([this](const EncodingModel& model) {
    const bool nothing_turns = encoding().name == "p-rope" && model.settings().p * model.settings().dim / 2 < 1;
    const Eigen::VectorXd q = random_vector(model.settings().dim, 1), k = random_vector(model.settings().dim, 2);
    double change = 0;
    for (int n = 0; n < 60; ++n)
      change = std::max(change, std::abs(model.score(q, k, 60, n) - model.score(q, k, 60, 60)));
    EXPECT_EQ(change > 1e-6, encoding().name != "none" && !nothing_turns);
  });
}

TEST_P(EncodingLaws, MatrixCellsAreTheSumsOfTheTerms) {
  // More rows and columns than a block has, and positions that start apart.
  constexpr int kQueries = 150, kKeys = 90;
  for_all([&](const EncodingModel& model) {
    const TokenMatrix queries = random_rows(kQueries, model.settings().dim, 3);
    const TokenMatrix keys = random_rows(kKeys, model.settings().dim, 4);
    ScoreMatrixOptions options{.first_query = 11, .first_key = 40, .threads = 2};
    const std::size_t term_count = model.term_names().size();
    std::vector<TokenMatrix> terms(term_count, TokenMatrix(kQueries, kKeys));
    TokenMatrix total(kQueries, kKeys);
    for (int i = 0; i < kQueries; ++i) {
      for (int j = 0; j < kKeys; ++j) {
        const auto of_pair = model.terms(queries.row(i).transpose(), keys.row(j).transpose(), 11 + i, 40 + j);
        ASSERT_EQ(of_pair.size(), term_count);
        total(i, j) = 0;
        for (std::size_t term = 0; term < term_count; ++term) {
          ASSERT_EQ(of_pair[term].name, model.term_names()[term]);
          terms[term](i, j) = of_pair[term].value;
          total(i, j) += of_pair[term].value;
        }
      }
    }
    EXPECT_LT(largest_gap(model.score_matrix<double>(queries, keys, options), total), 1e-13 * size_of(total));
    const RowMatrix<float> floats = model.score_matrix<float>(queries, keys, options);
    EXPECT_LT(largest_gap(floats.cast<double>(), total), 2e-6 * size_of(total));
    for (std::size_t term = 0; term < term_count; ++term) {
      options.term = static_cast<int>(term);
      EXPECT_LT(largest_gap(model.score_matrix<double>(queries, keys, options), terms[term]), 1e-13 * size_of(total))
          << model.term_names()[term];
    }
    options.term = static_cast<int>(term_count);
    EXPECT_THROW(model.score_matrix<double>(queries, keys, options), InputError);
  });
}

TEST_P(EncodingLaws, SameContentEverywhereIsTheSameByEitherWay) {
  constexpr int kQueries = 70, kKeys = 140;
  for_all([&](const EncodingModel& model) {
    const TokenMatrix query = random_rows(1, model.settings().dim, 5), key = random_rows(1, model.settings().dim, 6);
    const int term_count = static_cast<int>(model.term_names().size());
    for (int term = kTotal; term < term_count; ++term) {
      const ScoreMatrixOptions options{
          .first_query = 100, .first_key = 3, .query_count = kQueries, .key_count = kKeys, .term = term};
      const TokenMatrix fast = model.score_matrix<double>(query, key, options);
      const TokenMatrix general =
          model.score_matrix<double>(query.replicate(kQueries, 1), key.replicate(kKeys, 1), options);
      EXPECT_LT(largest_gap(fast, general), 1e-12 * size_of(general)) << term;
      const TokenMatrix mixed = model.score_matrix<double>(query, key.replicate(kKeys, 1), options);
      EXPECT_LT(largest_gap(mixed, general), 1e-12 * size_of(general)) << term;
    }
  });
}

TEST_P(EncodingLaws, ScoresByDistanceAreTheScores) {
  for_all([](const EncodingModel& model) {
    const Eigen::VectorXd q = random_vector(model.settings().dim, 7), k = random_vector(model.settings().dim, 8);
    std::vector<std::int64_t> distances(100);
    std::iota(distances.begin(), distances.end(), -20);
    const ScoresByDistance scores = model.score_by_distance(q, k, distances, 120);
    for (std::size_t i = 0; i < distances.size(); ++i) {
      const auto row = static_cast<Eigen::Index>(i);
      EXPECT_NEAR(scores.total[row], model.score(q, k, 120, 120 - distances[i]),
                  1e-13 * (1 + std::abs(scores.total[row])));
      EXPECT_EQ(scores.terms(row, 0), model.terms(q, k, 120, 120 - distances[i])[0].value);
    }
  });
}

TEST_P(EncodingLaws, DefinedPastTheTrainedLengthAsDeclared) {
  for_all([this](const EncodingModel& model) {
    const int dim = model.settings().dim;
    const Eigen::VectorXd q = random_vector(dim, 9), k = random_vector(dim, 10);
    const TokenMatrix content = random_rows(20, dim, 11);
    for (const std::int64_t first : {std::int64_t{kTrainedLength - 10}, std::int64_t{-10}}) {
      const TokenMatrix scores =
          model.score_matrix<double>(content, content, {.first_query = first, .first_key = first});
      for (int i = 0; i < 20; ++i) {
        for (int j = 0; j < 20; ++j) {
          const auto inside = [&](int token) { return is_defined_at(encoding(), model.settings(), first + token); };
          EXPECT_EQ(std::isfinite(scores(i, j)), inside(i) && inside(j));
        }
      }
    }
    for (const std::int64_t outside : {std::int64_t{kTrainedLength}, std::int64_t{-1}, std::int64_t{100000}}) {
      if (is_defined_at(encoding(), model.settings(), outside)) {
        EXPECT_TRUE(std::isfinite(model.score(q, k, outside, outside)));
        continue;
      }
      EXPECT_THROW(model.score(q, k, outside, 0), InputError);
      try {
        model.score(q, k, 0, outside);
        ADD_FAILURE() << outside;
      } catch (const InputError& error) {
        const std::string what = error.what();
        EXPECT_NE(what.find(encoding().name), std::string::npos) << what;
        EXPECT_NE(what.find("position=" + std::to_string(outside)), std::string::npos) << what;
      }
    }
    EXPECT_TRUE(std::isfinite(model.score(q, k, kTrainedLength - 1, 0)));
  });
}

TEST_P(EncodingLaws, ParametersAreTheEntriesOfTheTables) {
  for_all([this](const EncodingModel& model) {
    std::int64_t entries = 0;
    for (const EncodingTable& table : model.tables()) {
      entries += table.values.size();
      EXPECT_TRUE(table.values.allFinite()) << table.name;
    }
    EXPECT_EQ(encoding().parameters(model.settings()), entries);
    EXPECT_EQ(encoding().learned, entries > 0);
  });
}

TEST_P(EncodingLaws, ValuesAreFiniteAndTheMapShowsThem) {
  for_all([this](const EncodingModel& model) {
    EXPECT_EQ(encoding().values_by == ValuesBy::none, encoding().value_parts.empty());
    for (const std::string_view part : encoding().value_parts) {
      const std::int64_t first = encoding().values_by == ValuesBy::distance ? -50 : 13;
      std::vector<std::int64_t> rows(100);
      std::iota(rows.begin(), rows.end(), first);
      const TokenMatrix values = model.values(part, rows);
      ASSERT_EQ(values.cols(), static_cast<Eigen::Index>(model.value_columns(part).size()));
      ASSERT_GT(values.cols(), 0);
      EXPECT_TRUE(values.allFinite());
      const RowMatrix<float> map = model.value_map(part, first, 100, {2});
      EXPECT_LT(largest_gap(map.cast<double>(), values), 1e-6 * size_of(values)) << part;
    }
    EXPECT_THROW(model.value_columns("nonsense"), InputError);
  });
}

TEST_P(EncodingLaws, WhatActsOnVectorsScoresByTheirProduct) {
  for_all([this](const EncodingModel& model) {
    const Eigen::VectorXd q = random_vector(model.settings().dim, 12), k = random_vector(model.settings().dim, 13);
    if (!encoding().linear_attention) {
      EXPECT_FALSE(model.plan().encode.has_value());
      return;
    }
    for (const auto& [m, n] : {std::pair{40, 7}, std::pair{3, 90}, std::pair{0, 0}}) {
      const double product = model.scale() * encode_query(model, q, m).dot(encode_key(model, k, n));
      EXPECT_NEAR(product, model.score(q, k, m, n), 1e-12);
    }
  });
}

TEST_P(EncodingLaws, ExactlyTheListedFieldsMatter) {
  // Everything there is to see: scores over both signs and the values.
  const auto everything = [this](const EncodingValues& settings) {
    const auto model = make_model(encoding(), settings);
    const TokenMatrix scores = model->score_matrix<double>(random_rows(60, 16, 14), random_rows(60, 16, 15));
    std::vector<double> numbers(scores.data(), scores.data() + scores.size());
    for (const std::string_view part : encoding().value_parts) {
      const TokenMatrix values = model->values(part, std::vector<std::int64_t>{1, 2, 30});
      numbers.insert(numbers.end(), values.data(), values.data() + values.size());
    }
    return numbers;
  };
  EncodingValues settings = small_fields(16);
  const std::vector<double> before = everything(settings);
  ASSERT_EQ(encoding().settings.front().name, "dim");
  for (const EncodingField& field : all_encoding_fields()) {
    if (field.name == "dim") continue;
    EncodingValues changed = settings;
    // A seed of the projections matters only where there are some.
    changed.seeded_projections = field.name == "seed";
    // How a table is taken apart matters only past its rows.
    const bool past_rows = field.name == "coarse" && takes(encoding(), field.name);
    if (past_rows) changed.trained_length = 10;
    const std::vector<double> reference = changed.seeded_projections || past_rows ? everything(changed) : before;
    set_value(changed, field, another_value(field, value_of(changed, field)));
    EXPECT_EQ(everything(changed) != reference, takes(encoding(), field.name)) << field.name;
  }
}

TEST_P(EncodingLaws, StopsWithoutHalfAResult) {
  std::stop_source source;
  source.request_stop();
  const auto model = make_model(encoding(), small_fields(16));
  const TokenMatrix content = random_rows(30, 16, 16);
  EXPECT_EQ(model->score_matrix<float>(content, content, {}, source.get_token()).size(), 0);
  EXPECT_EQ(model
                ->score_matrix<float>(content.topRows(1), content.topRows(1), {.query_count = 9, .key_count = 9},
                                      source.get_token())
                .size(),
            0);
  const std::vector<std::int64_t> distances = {0, 1, 2};
  EXPECT_EQ(
      model->score_by_distance(content.row(0), content.row(1), distances, 5, {1, source.get_token()}).total.size(), 0);
  for (const std::string_view part : encoding().value_parts) {
    EXPECT_EQ(model->value_map(part, 0, 10, {1, source.get_token()}).size(), 0);
  }
}

TEST_P(EncodingLaws, WrongShapesAreNamed) {
  const auto model = make_model(encoding(), small_fields(16));
  const TokenMatrix content = random_rows(5, 16, 17), narrow = random_rows(5, 14, 18);
  EXPECT_THROW(model->score(narrow.row(0), content.row(0), 0, 0), InputError);
  EXPECT_THROW(model->score_matrix<float>(content, narrow), InputError);
  EXPECT_THROW(model->score_matrix<float>(content.topRows(0), content), InputError);
  EXPECT_THROW(model->score_matrix<float>(content, content, {.query_count = 6}), InputError);
  EXPECT_THROW(model->score(content.row(0), content.row(0), std::int64_t{1} << 51, 0), InputError);
}

INSTANTIATE_TEST_SUITE_P(All, EncodingLaws, testing::ValuesIn(all_encodings().begin(), all_encodings().end()), kByName);

}  // namespace ropescope
