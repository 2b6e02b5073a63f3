#include "app/views/shared/cards.h"

#include "tests/figures/view_parts.h"

namespace ropescope {
namespace {

class Cards : public testing::Test {
 protected:
  Text text = Text::load(kAssets);
  std::string shown(const ReadoutValue& value) { return value_text(value, text); }
};

TEST_F(Cards, ANumberIsWrittenAsItsFormatSays) {
  EXPECT_EQ(shown(Quantity{as_whole(1707), "tokens"}), "1\u202f707");
  EXPECT_EQ(shown(Quantity{with_digits(0.000012345, 3)}), "1.23 × 10⁻⁵");
  EXPECT_EQ(shown(Quantity{with_decimals(-0.5, 4)}), "−0.5000");
  EXPECT_EQ(shown(Quantity{with_digits(std::nan(""), 3)}), text["readout.undefined"]);
  EXPECT_EQ(shown(Quantity{with_digits(12.5, 3), "percent", "readout.percent"}), "12.5 %");
}

TEST_F(Cards, ACountChoosesItsPlural) {
  EXPECT_EQ(shown(count_of_pairs(18, 64)), "18 of 64 pairs");
  EXPECT_EQ(shown(count_of_pairs(0, 1)), "0 of 1 pair");
  EXPECT_EQ(shown(count_of(2, 3)), "2 of 3");
}

TEST_F(Cards, WordsAndPositions) {
  EXPECT_EQ(shown(no_number()), "none");
  EXPECT_EQ(shown(verbatim("RoPE")), "RoPE");
  EXPECT_EQ(shown(Position{{0, 17.5, -3}}), "(0, 17.5, −3)");
  EXPECT_EQ(shown(Position{{12}}), "12");
}

TEST_F(Cards, TheFirstPinStandsBeforeTheNote) {
  Readout readout = start_card("decay.first_negative", text);
  EXPECT_EQ(readout.name, "decay.first_negative");
  EXPECT_EQ(readout.label, text["readout.decay.first_negative.label"]);
  readout.note = "A note.";
  compare_with_pin(readout, Quantity{as_whole(59), "tokens"}, text);
  EXPECT_EQ(readout.note, "First pin: 59. A note.");
}

/// Names are what others refer to: VIEW.CARD, each once.
TEST(CardNames, AreStable) {
  const Text text = Text::load(kAssets);
  for (const View* view : all_views()) {
    Store store(Store::Mode::synchronous);
    Experiment experiment = small_experiment();
    experiment.view = view->id;
    std::set<std::string> names;
    for (const Readout& one : draw_view(*view, experiment, text, store).readouts) {
      const bool image = view->id == "layout" || view->id == "similarity";
      EXPECT_THAT(one.name, StartsWith(image ? "patch." : std::string(view->id) + "."));
      EXPECT_TRUE(names.insert(one.name).second) << one.name << " stands there twice";
    }
  }
}

}  // namespace
}  // namespace ropescope
