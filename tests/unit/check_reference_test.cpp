#include "check_dump.h"
#include "tests/unit/layouts_reference.h"

namespace ropescope {

namespace {

/// A number of a token of a file and where it belongs.
struct RealNumber {
  std::int64_t row = 0, pair = 0;
  double cosine = 0, sine = 0;
};
std::vector<RealNumber> collect_real_numbers(const CheckReference& reference, const json& file) {
  const json& tokens = file.contains("batch") ? file["batch"][0]["tokens"] : file["tokens"];
  EXPECT_FALSE(tokens.empty());
  std::vector<RealNumber> numbers;
  for (const json& token : tokens) {
    const std::int64_t row = row_of(reference.tokens, file, token);
    for (std::size_t i = 0; i < token["cos"].size(); ++i) {
      const std::int64_t pair =
          file.contains("pairs") ? file["pairs"][i].get<std::int64_t>() : static_cast<std::int64_t>(i);
      numbers.push_back({row, pair, token["cos"][i].get<double>(), token["sin"][i].get<double>()});
    }
  }
  return numbers;
}

/// The layout with the frequencies that the program had: its rounding of one is the same in all rows, those too that
/// the file leaves out.
TokenLayout with_real_frequencies(TokenLayout tokens, const std::vector<RealNumber>& numbers) {
  Eigen::VectorXd deviation = Eigen::VectorXd::Zero(tokens.pair_count()), squares = deviation;
  for (const RealNumber& number : numbers) {
    const double angle = angles_of(tokens, number.row)[static_cast<Eigen::Index>(number.pair)];
    const double turned = number.sine * std::cos(angle) - number.cosine * std::sin(angle);
    deviation[number.pair] += angle * turned;
    squares[number.pair] += angle * angle;
  }
  for (Eigen::Index pair = 0; pair < tokens.pair_count(); ++pair) {
    const bool one_axis = (tokens.frequencies.col(pair).array() != 0).count() == 1;
    if (one_axis && squares[pair] > 0) tokens.frequencies.col(pair) *= 1 + deviation[pair] / squares[pair];
  }
  return tokens;
}

/// The tables of the reference with the rows that a program made put in.
CheckInputs with_real_rows(const CheckReference& reference, const json& file) {
  const std::int64_t rows = reference.tokens.row_count(), pairs = reference.tokens.pair_count();
  std::vector<double> cosine(static_cast<std::size_t>(rows * pairs)), sine(cosine.size());
  const std::vector<RealNumber> numbers = collect_real_numbers(reference, file);
  const TokenLayout others = with_real_frequencies(reference.tokens, numbers);
  LayoutTables(others).table_rows<double>(0, rows, cosine.data(), sine.data());
  for (const RealNumber& number : numbers) {
    const auto at = static_cast<std::size_t>(number.row * pairs + number.pair);
    cosine[at] = number.cosine;
    sine[at] = number.sine;
  }
  return cos_and_sin({rows, pairs}, cosine, sine, Storage::float64);
}

}  // namespace

TEST(CheckReferenceFiles, TablesOfOtherProgramsAgree) {
  std::size_t checked = 0;
  const json checked_files = read_layout_file("checked");
  for (const auto& [layout, files] : checked_files.items()) {
    for (const std::string name : files) {
      SCOPED_TRACE(name);
      ++checked;
      const json file = read_layout_file(name);
      json config = config_of(file);
      if (file.contains("batch")) config["cap_len"] = file["batch"][0]["cap_len"];
      const CheckReference reference = reference_from_layout(find_layout(layout), request_of(layout, config));
      EXPECT_EQ(names_of(check(reference, with_real_rows(reference, file))), "agrees");
    }
  }
  EXPECT_EQ(checked, 21u);
}

TEST(CheckReferenceFiles, AnOddGridCentredByTheOtherRuleIsNamed) {
  const json file = read_layout_file("qwen_5x7_odd");
  const CheckReference reference =
      reference_from_layout(find_layout("qwen-image"), request_of("qwen-image", config_of(file)));
  Dump dump = true_dump(reference);
  ASSERT_EQ(dump.ids[3], file["img_ids"][0].get<std::vector<double>>());
  EXPECT_EQ(dump.ids[3], (std::vector<double>{0, -3, -4}));
  // ⌊h/2⌋ in place of ⌈h/2⌉.
  for (std::size_t row = 3; row < dump.rows(); ++row) dump.ids[row][1] += 1, dump.ids[row][2] += 1;
  CheckInputs ids = ids_in(dump);
  for (const CheckInputs& inputs : {tables_of(dump), tables_of(dump, Storage::bfloat16), ids}) {
    EXPECT_TRUE(finds(check(reference, inputs), "centring", {{"offset", std::vector<double>{0, 1, 1}}}));
  }
}

}  // namespace ropescope
