// Tables of commands: aligned below their question on a terminal, CSV in a pipe or a file, and the same numbers as
// JSON.

#include "app/commands/answers.h"
#include "tests/command_line/program.h"
#include "tests/said.h"

namespace ropescope {
namespace {

using Answers = InWorkplace;

struct TableCommand {
  Words words;
  std::size_t rows;
};

const std::vector<TableCommand>& table_commands() {
  static const std::vector<TableCommand> commands = {
      {{"decay", "--dim", "8", "--base", "10000", "--distances", "0:3,100000"}, 5},
      {{"frequencies", "--model", "flux.1-dev"}, 64},
      {{"precision", "--dim", "8", "--base", "100", "--policy", "float16-inputs", "--positions", "1,65535"}, 2},
      {{"similarity", "flux.1", "--grid", "4x4", "--from", "0", "--against", "raster"}, 16}};
  return commands;
}

std::size_t count_lines(const std::string& text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

TEST_F(Answers, AFileAndAPipeHaveTheSameCsv) {
  for (const TableCommand& command : table_commands()) {
    const std::string csv = place.good(command.words);
    EXPECT_EQ(parse_csv(csv).size(), command.rows + 1);
    place.good(command.words + Words{"-o", "table.csv"});
    EXPECT_EQ(place.read("table.csv"), csv);
    EXPECT_EQ(place.on_terminal(command.words + Words{"-o", "-"}), csv) << "asked for by -o -";
  }
}

TEST_F(Answers, JsonHasTheQuestionAndTheNumbersOfTheCsv) {
  for (const TableCommand& command : table_commands()) {
    if (command.words.front() == "frequencies") continue;  // has an object of its own
    const auto rows = parse_csv(place.good(command.words));
    const json found = json::parse(place.good(command.words + Words{"--json"}));
    EXPECT_TRUE(found["question"].is_object());
    EXPECT_TRUE(found["notes"].is_array());
    ASSERT_EQ(found["rows"].size(), command.rows);
    for (std::size_t i = 0; i < command.rows; ++i) {
      ASSERT_EQ(found["rows"][i].size(), rows[0].size());
      for (std::size_t c = 0; c < rows[0].size(); ++c) {
        const json& value = found["rows"][i][rows[0][c]];
        const std::string& cell = rows[i + 1][c];
        if (value.is_number()) {
          EXPECT_EQ(value.get<double>(), std::stod(cell));
        } else {
          EXPECT_EQ(cell, value.is_null() ? "nan" : value.get<std::string>());
        }
      }
    }
  }
}

TEST_F(Answers, ATerminalShowsAnAlignedTableBelowTheQuestion) {
  for (const TableCommand& command : table_commands()) {
    const std::string text = place.on_terminal(command.words);
    EXPECT_THAT(text, Not(StartsWith(place.good(command.words).substr(0, 8))));
    EXPECT_GT(count_lines(text), command.rows + 2) << text;
    EXPECT_THAT(text, Not(HasSubstr("e-0"))) << "numbers are for people";
  }
  const std::string decay = place.on_terminal(table_commands().front().words);
  EXPECT_THAT(decay, AllOf(HasSubstr("10000  (--base)"), HasSubstr("\n     3  "), HasSubstr("\n100000  ")));
}

TEST_F(Answers, FrequenciesSayWhichPairsNeverCompleteATurn) {
  const Words llama = {"frequencies", "--model", "llama-3.1-8b"};
  const std::string text = place.on_terminal(llama);
  EXPECT_THAT(text, AllOf(Says("answer.lengths", {{"trained", "8192"}, {"extended", "131072"}}),
                          Says("answer.frequencies"), HasSubstr("35 to 63")));
  const json found = json::parse(place.good(llama + Words{"--json"}));
  EXPECT_EQ(found["question"]["context_length"], 131072);
  EXPECT_EQ(found["frequencies"].size(), 64u);
  EXPECT_THAT(place.on_terminal({"frequencies", "--model", "llama-4-scout-17b-16e"}),
              Says("config_note.one_unrotated_in_of"));
}

TEST_F(Answers, ScoreShowsItsTerms) {
  const Words score = {
      "score", "rope",           "--dim", "4", "--query", "1,2,0.5,-1", "--key", "2,0,1,1", "--query-position",
      "9",     "--key-position", "2"};
  const json piped = json::parse(place.good(score));
  EXPECT_EQ(piped.size(), 2u) << "as without a terminal before";
  const json found = json::parse(place.good(score + Words{"--json"}));
  EXPECT_EQ(found["total"], piped["total"]);
  EXPECT_EQ(found["question"]["query_position"], 9);
  EXPECT_EQ(found["terms"].size(), 1u);
  EXPECT_THAT(place.on_terminal(score), AllOf(HasSubstr("10000"), HasSubstr(english_text()["answer.score.total"])));
}

TEST_F(Answers, ModelsShowTheirValuesOnATerminal) {
  const std::string text = place.on_terminal({"models"});
  EXPECT_THAT(text, AllOf(HasSubstr("llama-3.1-8b"),
                          Says("answer.lengths", {{"trained", "8192"}, {"extended", "131072"}}), HasSubstr("500000")));
  const json found = json::parse(place.good({"models", "--json"}))["models"];
  EXPECT_EQ(found.size() + 3, count_lines(text)) << "a heading, an empty line and a sentence";
  const auto llama =
      std::find_if(found.begin(), found.end(), [](const json& one) { return one["id"] == "llama-3.1-8b"; });
  ASSERT_NE(llama, found.end());
  EXPECT_EQ((*llama)["profiles"][0]["base"], 500000);
  EXPECT_EQ((*llama)["profiles"][0]["context_length"], 131072);
  EXPECT_EQ(place.good({"models"}).find("500000"), std::string::npos) << "as before in a pipe";
  EXPECT_EQ(json::parse(place.good({"models", "--cached", "--json"}))["repositories"], json::array());
}

}  // namespace
}  // namespace ropescope
