#include "app/views/views.h"

#include "app/resources/models.h"
#include "tests/figures/view_parts.h"
#include "tests/said.h"
#include "tests/temporary_folder.h"

namespace ropescope {
namespace {

class ReportedView : public TestOfView<kReportedView> {
 protected:
  ReportedFields& fields = experiment.reported;

  std::vector<std::string> numbers(const Figure& figure) {
    std::vector<std::string> found;
    for (const Label& label : figure.labels) {
      if (!label.text.empty() && std::isdigit(static_cast<unsigned char>(label.text[0])) != 0)
        found.push_back(label.text);
    }
    return found;
  }
  bool has(const std::string& name) {
    const ViewResult result = draw();
    return std::any_of(result.readouts.begin(), result.readouts.end(),
                       [&](const Readout& one) { return one.name == name; });
  }
};

/// Written down once more from the paper, beside the file.
TEST_F(ReportedView, DrawsTheNumbersOfThePaper) {
  fields.table = PaperTable::wmt_2014;
  EXPECT_THAT(numbers(figure(draw(), "reported")), ElementsAre("27.3", "27.5"));
  fields.table = PaperTable::glue;
  EXPECT_THAT(numbers(figure(draw(), "reported")), ElementsAre("88.9", "89.5", "93.5", "90.7", "90.5", "88.0", "85.8",
                                                               "87.0", "71.2", "86.4", "84.6", "80.2", "83.4", "79.8"));
  fields.table = PaperTable::cail2019_scm;
  EXPECT_THAT(numbers(figure(draw(), "reported")),
              ElementsAre("64.13", "64.07", "64.13", "66.07", "67.77", "68.10", "68.29", "69.79"));
}

TEST_F(ReportedView, TheCardsSpeakOfTheChosenTask) {
  EXPECT_EQ(value("reported.baseline"), "71.2");
  EXPECT_EQ(value("reported.roformer"), "86.4");
  EXPECT_EQ(value("reported.difference"), "15.2");
  EXPECT_EQ(value("reported.better"), "3 of 6");
  EXPECT_FALSE(has("reported.longer"));
  fields.task = PaperTask::mnli_mm;
  EXPECT_EQ(value("reported.difference"), "−3.6");
  fields.task = PaperTask::sst_2;
  EXPECT_EQ(value("reported.difference"), "−2.8");
}

TEST_F(ReportedView, TheOtherTablesHaveTheirCards) {
  fields.table = PaperTable::wmt_2014;
  EXPECT_EQ(value("reported.baseline"), "27.3");
  EXPECT_EQ(value("reported.roformer"), "27.5");
  EXPECT_EQ(value("reported.difference"), "0.2");
  EXPECT_EQ(readout(draw(), "reported.baseline").label, "Transformer-base");
  EXPECT_FALSE(has("reported.better"));
  fields.table = PaperTable::cail2019_scm;
  EXPECT_EQ(value("reported.baseline"), "68.10");
  EXPECT_EQ(readout(draw(), "reported.baseline").label, "WoBERT-512");
  EXPECT_EQ(value("reported.roformer"), "68.29");
  EXPECT_EQ(value("reported.difference"), "0.19");
  EXPECT_EQ(value("reported.longer"), "69.79");
  EXPECT_EQ(value("reported.longer_gain"), "1.50");
  EXPECT_NE(readout(draw(), "reported.longer_gain").note.find("1\u202f536"), std::string::npos);
  EXPECT_FALSE(has("reported.better"));
  fields.part = PaperPart::validation;
  EXPECT_EQ(value("reported.difference"), "0.06");
  EXPECT_EQ(value("reported.longer_gain"), "1.94");
}

TEST_F(ReportedView, BarsBeginAtZeroAndTheTitleNamesPaperTableAndMeasure) {
  for (const auto& [table, number, measure] : {std::tuple(PaperTable::wmt_2014, "Table 1", "BLEU"),
                                               {PaperTable::glue, "Table 2", "Spearman"},
                                               {PaperTable::cail2019_scm, "Table 5", "accuracy"}}) {
    fields.table = table;
    const ViewResult result = draw();
    const Figure& shown = figure(result, "reported");
    EXPECT_EQ(shown.x.range.low, 0);
    for (const char* part : {"RoFormer", "2104.09864v5", number, measure}) {
      EXPECT_NE(shown.title.find(part), std::string::npos) << shown.title;
    }
    EXPECT_NE(result.status.find(number), std::string::npos) << result.status;
    for (const Box& box : shown.boxes) EXPECT_GE(box.x.low, 0);
  }
}

TEST_F(ReportedView, TheKeyLooksLikeTheBarsBelowIt) {
  const ViewResult result = draw();
  const Figure& shown = figure(result, "reported");
  std::map<std::pair<double, int>, int> key, bars;  // by place in the row and colour
  const auto place = [](const Box& box, double row) { return std::round(1e6 * (box.y.low - row)) / 1e6; };
  for (const Box& box : shown.boxes) {
    if (box.role != Role::curve) continue;
    const double row = std::round((box.y.low + box.y.high) / 2);
    ++(row < 0 ? key : bars)[{place(box, row), box.style.slot}];
  }
  ASSERT_EQ(key.size(), 2u);
  ASSERT_EQ(bars.size(), 2u);
  EXPECT_TRUE(std::equal(key.begin(), key.end(), bars.begin(),
                         [](const auto& a, const auto& b) { return a.first == b.first; }));
  for (const char* name : {"BERT · test server", "RoFormer · validation set"}) {
    const auto label =
        std::find_if(shown.labels.begin(), shown.labels.end(), [name](const Label& one) { return one.text == name; });
    ASSERT_NE(label, shown.labels.end()) << name;
    EXPECT_LT(label->y, -0.5) << "above the first task";
    EXPECT_LT(label->x, 12) << "next to the beginnings of the bars";
  }
}

TEST_F(ReportedView, WhatIsOfAnotherSetIsHatched) {
  EXPECT_EQ(figure(draw(), "reported").paths.size(), 8u) << "BERT's bars and its place in the legend";
  for (const PaperTable table : {PaperTable::wmt_2014, PaperTable::cail2019_scm}) {
    fields.table = table;
    EXPECT_TRUE(figure(draw(), "reported").paths.empty()) << word_of(table);
  }
}

TEST_F(ReportedView, TheChosenOneIsFramed) {
  const auto frames = [&] {
    const Figure shown = figure(draw(), "reported");
    return std::count_if(shown.boxes.begin(), shown.boxes.end(),
                         [](const Box& box) { return box.role == Role::secondary; });
  };
  EXPECT_EQ(frames(), 1);
  fields.table = PaperTable::cail2019_scm;
  EXPECT_EQ(frames(), 1);
  fields.table = PaperTable::wmt_2014;
  EXPECT_EQ(frames(), 0) << "there is nothing to choose";
}

TEST_F(ReportedView, OffersWhatTheTableHas) {
  const auto keys_of = [&](PaperTable table) {
    fields.table = table;
    const Controls fields(panel_fields(kReportedView, experiment));
    return fields.keys;
  };
  using Keys = std::set<std::string, std::less<>>;
  EXPECT_EQ(keys_of(PaperTable::wmt_2014), (Keys{"reported.table"}));
  EXPECT_EQ(keys_of(PaperTable::glue), (Keys{"reported.table", "reported.task"}));
  EXPECT_EQ(keys_of(PaperTable::cail2019_scm), (Keys{"reported.table", "reported.part"}));
}

TEST(ReportedFile, FaultsAreNamed) {
  const TemporaryFolder folder;
  const auto why = [&](const std::string& content) {
    fs::create_directories(folder.path / "reported");
    std::ofstream(folder.path / "reported" / "roformer.json") << content;
    return refusal_of([&] { load_reported(folder.path); });
  };
  EXPECT_THROW(load_reported(folder.path / "nowhere"), InputError);
  EXPECT_NE(why("{").find("roformer.json"), std::string::npos);
  EXPECT_NE(why("{}").find("paper"), std::string::npos);
  const std::string head = R"({"paper": "P", "source": "S", "tables": [{"name": "t", "number": 1, "decimals": 1, )";
  EXPECT_NE(why(head + R"("columns": 3}]})").find("columns"), std::string::npos);
  EXPECT_NE(why(head + R"("columns": ["a"], "rows": []}]})").find("rows"), std::string::npos);
  EXPECT_NE(
      why(head + R"("columns": ["a"], "rows": [{"name": "r", "role": "other", "values": [1, 2]}]}]})").find("values"),
      std::string::npos);
  EXPECT_NE(
      why(head + R"("columns": ["a"], "rows": [{"name": "r", "role": "other", "values": [1]}]}]})").find("pretraining"),
      std::string::npos);
}

}  // namespace
}  // namespace ropescope
