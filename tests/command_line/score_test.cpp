#include "core/encodings/encoding.h"
#include "core/formats/npy.h"
#include "tests/command_line/program.h"
#include "tests/npy_files.h"
#include "tests/said.h"

namespace ropescope {
namespace {

using Score = InWorkplace;

std::string make_score_npy(std::vector<std::int64_t> shape, std::vector<double> values) {
  Tensor tensor;
  tensor.shape = std::move(shape);
  tensor.values = std::move(values);
  const std::vector<std::byte> bytes = write_npy(tensor);
  return std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

Words call(const std::string& name, const std::string& m, const std::string& k, Words more = {}) {
  Words words =
      Words{"score",          name, "--dim", "4", "--query", "1,2,0.5,-1", "--key", "-2,0,1,3", "--query-position", m,
            "--key-position", k} +
      more;
  return words;
}

TEST_F(Score, NoneIsTheScaledProduct) {
  const json found = json::parse(place.good(call("none", "5", "9")));
  EXPECT_EQ(found["total"], -4.5 / 2);
  EXPECT_EQ(found["scale"], 0.5);
  EXPECT_FALSE(found.contains("terms"));
  EXPECT_EQ(found.size(), 2u);
}

TEST_F(Score, RopeByHand) {
  // Half-split pairs (0, 2) and (1, 3) with θ = 1 and 0.1; q turned by 3 against k at 0.
  const auto turned = [](double a, double b, double angle) {
    return std::pair(a * std::cos(angle) - b * std::sin(angle), a * std::sin(angle) + b * std::cos(angle));
  };
  const auto [q0, q2] = turned(1, 0.5, 3);
  const auto [q1, q3] = turned(2, -1, 0.3);
  const json half = json::parse(place.good(call("rope", "10", "7", {"--base", "100"})));
  EXPECT_NEAR(half["total"], (q0 * -2 + q1 * 0 + q2 * 1 + q3 * 3) / 2, 1e-13);
  const json interleaved =
      json::parse(place.good(call("rope", "3", "0", {"--base", "100", "--pairing", "interleaved"})));
  const auto [a0, a1] = turned(1, 2, 3);
  const auto [a2, a3] = turned(0.5, -1, 0.3);
  EXPECT_NEAR(interleaved["total"], (a0 * -2 + a1 * 0 + a2 * 1 + a3 * 3) / 2, 1e-13);
}

TEST_F(Score, TermsAddUpForEveryEncoding) {
  for (const Encoding& encoding : all_encodings()) {
    SCOPED_TRACE(encoding.name);
    const json found = json::parse(place.good(
        call(std::string(encoding.name), "20", "3", {"--terms", "--heads", "4", "--head", "2", "--seed", "3"})));
    EncodingValues settings;
    settings.dim = 4;
    settings.heads = 4;
    settings.head = 2;
    settings.seed = 3;
    settings.pairing = Pairing::half_split;
    const auto model = make_model(encoding, settings);
    const Eigen::Vector4d q(1, 2, 0.5, -1), k(-2, 0, 1, 3);
    double sum = 0;
    ASSERT_EQ(found["terms"].size(), model->term_names().size());
    for (std::size_t i = 0; i < found["terms"].size(); ++i) {
      EXPECT_EQ(found["terms"][i]["name"], said(term_words(model->term_names()[i])));
      sum += found["terms"][i]["value"].get<double>();
    }
    EXPECT_NEAR(found["total"].get<double>(), sum, 1e-14);
    EXPECT_NEAR(found["total"].get<double>(), model->score(q, k, 20, 3), 1e-14);
    EXPECT_EQ(found["scale"], model->scale());
  }
}

TEST_F(Score, AnExtensionTurnsAndMultiplies) {
  const auto total = [&](Words more) {
    return json::parse(place.good(call("rope", "9", "9", std::move(more))))["total"].get<double>();
  };
  const double amplitude = 0.1 * std::log(4) + 1;
  EXPECT_NEAR(total({"--scaling", "yarn", "--factor", "4", "--trained-length", "64"}),
              amplitude * amplitude * total({}), 1e-13);
  const auto at = [&](const char* m, Words more) {
    return json::parse(place.good(call("rope", m, "0", std::move(more))))["total"].get<double>();
  };
  EXPECT_NEAR(at("80", {"--scaling", "linear", "--factor", "8"}), at("10", {}), 1e-13);
}

TEST_F(Score, RelativeEncodingsDoNotSeeAShift) {
  for (const char* name : {"rope", "alibi", "t5", "xpos", "shaw"}) {
    const json here = json::parse(place.good(call(name, "20", "3"))),
               there = json::parse(place.good(call(name, "1020", "1003")));
    EXPECT_NEAR(here["total"].get<double>(), there["total"].get<double>(), 1e-12) << name;
  }
  EXPECT_NE(json::parse(place.good(call("sinusoidal", "20", "3")))["total"],
            json::parse(place.good(call("sinusoidal", "30", "13")))["total"]);
}

TEST_F(Score, FilesAndSeededProjections) {
  place.write("q.npy", make_score_npy({4}, {1, 2, 0.5, -1}));
  place.write("k.npy", make_score_npy({1, 4}, {-2, 0, 1, 3}));
  EXPECT_EQ(place.good({"score", "learned", "--dim", "4", "--query", "q.npy", "--key", "k.npy", "--query-position", "8",
                        "--key-position", "2"}),
            place.good(call("learned", "8", "2")));
  EXPECT_NE(place.good(call("learned", "8", "2", {"--seeded-projections", "true"})),
            place.good(call("learned", "8", "2")));
  EXPECT_EQ(place.good(call("learned", "8", "2", {"--seeded-projections", "false"})),
            place.good(call("learned", "8", "2")));
}

TEST_F(Score, AListIsNoFileWhateverFilesAreCalled) {
  const auto score = [&](const std::string& query) {
    return place.good({"score", "rope", "--dim", "4", "--query", query, "--key", "1,2,3,4", "--query-position", "3",
                       "--key-position", "1"});
  };
  const std::string listed = score("1:4"), others = score("4,3,2,1");
  const std::vector<std::byte> bytes = write_npy({{4}, NumberFormat::float64, false, {4, 3, 2, 1}});
  place.write("1:4", std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
  EXPECT_EQ(score("1:4"), listed);
  EXPECT_EQ(score("./1:4"), others);
}

TEST_F(Score, BadInput) {
  place.write("wide.npy", make_score_npy({5}, {1, 2, 3, 4, 5}));
  place.write("nan.npy", make_score_npy({4}, {1, std::nan(""), 3, 4}));
  place.write("good.npy", make_score_npy({4}, {1, 2, 3, 4}));
  place.write("text.npy", "no array");
  const auto with = [](const std::string& query, const std::string& key, const std::string& m = "1") {
    return Words{"score", "rope",           "--dim", "4", "--query", query, "--key", key, "--query-position",
                 m,       "--key-position", "2"};
  };
  place.bad(with("wide.npy", "1,2,3,4"), {"wide.npy", "[5]", "[4]"});
  place.bad(with("1,2,3,4", "nan.npy"), {"nan.npy", "finite"});
  place.bad(with("1,2,3", "good.npy"), {"--query", "3", "4"});
  place.bad(with("good.npy", "1,2,x,4"), {"--key", "x"});
  place.bad(with("text.npy", "good.npy"), {"text.npy"});
  place.bad(with("missing.npy", "good.npy"), {"missing.npy"});
  place.bad(with("good.npy", "good.npy", "0.5"), {"--query-position", "0.5"});
  place.bad(with("1e300,1,1,1", "1e300,1,1,1"), {"overflows"});
  place.bad(call("learned", "600", "2"), {"learned", "600", "512"});
  place.bad(call("learned", "2", "-1"), {"learned", "-1"});
  place.bad(call("tupe", "2", "512"), {"tupe", "512"});
  place.bad({"score", "rope", "--dim", "4"}, {"--query"});
}

}  // namespace
}  // namespace ropescope
