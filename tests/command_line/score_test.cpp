#include "core/encodings/encoding.h"
#include "tests/command_line/program.h"
#include "tests/said.h"

namespace ropescope {
namespace {

using Score = InWorkplace;

Words call(const std::string& name, const std::string& m, const std::string& k, Words more = {}) {
  Words words =
      Words{"score",          name, "--dim", "4", "--query", "1,2,0.5,-1", "--key", "-2,0,1,3", "--query-position", m,
            "--key-position", k} +
      more;
  return words;
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

}  // namespace
}  // namespace ropescope
