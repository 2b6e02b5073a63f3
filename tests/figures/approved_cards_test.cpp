// The cards of every view as people read them in English: caption, value and note. One approved text per view
// (tests/approved/cards) holds them for a few fixed experiments, so that other tests compare numbers and keys alone.
// ROPESCOPE_APPROVE=1 writes the texts anew: read their difference before it is committed.

#include "app/resources/files.h"
#include "app/resources/models.h"
#include "tests/figures/opened_files.h"
#include "tests/figures/view_parts.h"

namespace ropescope {
namespace {

const fs::path kApproved = fs::path(source_folder()) / "tests/approved/cards";

/// An experiment and what distinguishes it from the view's first.
struct NamedExperiment {
  std::string name;
  Experiment experiment;
};

/// Each picture of the view; then a model with an extended ladder beside a pinned rope; then files.
std::vector<NamedExperiment> fixed_experiments(const View& view, const fs::path& folder) {
  Experiment first = small_experiment();
  first.view = view.id;
  first.race.layers = 1, first.race.width = 32, first.race.heads = 2, first.race.length = 32, first.race.batch = 2;
  first.race.steps = 4;
  first.race.running = true;
  std::vector<NamedExperiment> all;
  for (const std::string& picture : pictures_of(view, first)) {
    all.push_back({picture.empty() ? "the picture" : picture, first});
    choose_picture(view, all.back().experiment, picture);
  }
  Experiment pinned = first;
  pinned.pins.push_back({pinned.rope, 1});
  pinned.rope = load_preset_rope("llama-3.1-8b");
  all.push_back({"Llama 3.1 8B beside a pinned rope", pinned});
  if (view.id == "decay") {
    choose_picture(view, pinned, "differences");
    all.push_back({"differences from a pinned rope", pinned});
  }
  for (const Experiment& experiment : experiments_with_files(std::string(view.id), folder)) {
    all.push_back({"files " + std::to_string(all.size()), experiment});
  }
  return all;
}

/// Without what differs from machine to machine: what is left of rounding is 0, and trained numbers are left out.
std::string without_noise(const std::string& words, bool trained) {
  static const std::regex rounding("(−)?[0-9.]+ × 10⁻¹(³|⁴|⁵|⁶|⁷|⁸|⁹)"), number("[0-9]([0-9.]|\u202f)*");
  return trained ? std::regex_replace(words, number, "…") : std::regex_replace(words, rounding, "0");
}

/// "Caption: value" and the indented note of each card; those for lessons and files alone begin with a dash. Of a value
/// of several lines (a program), the first.
std::string collect_cards(const View& view) {
  const TemporaryFolder folder;
  const Text text = Text::load(kAssets);
  Store store(Store::Mode::synchronous);
  const bool trained = view.id == "race";
  std::string page;
  for (const NamedExperiment& one : fixed_experiments(view, folder.path)) {
    page += (page.empty() ? "# " : "\n# ") + one.name + "\n";
    for (const Readout& card : draw_view(view, one.experiment, text, store).readouts) {
      // Times are measured on this machine, so every text about them varies.
      const bool measured = one.name == "cost";
      const std::string value = card.text.substr(0, card.text.find('\n'));
      page += (card.aside ? "- " : "") + card.label + ": " + (measured ? "…" : without_noise(value, trained)) + "\n";
      if (measured || card.note.empty()) continue;
      const std::string note = without_noise(card.note, trained);
      page += "    " + std::regex_replace(note, std::regex("\n"), "\n    ") + "\n";
    }
  }
  return page;
}

class ApprovedCards : public testing::TestWithParam<const View*> {};

TEST_P(ApprovedCards, SayWhatWasApproved) {
  const View& view = *GetParam();
  const fs::path file = kApproved / (std::string(view.id) + ".txt");
  const std::string page = collect_cards(view);
  if (std::getenv("ROPESCOPE_APPROVE") != nullptr) write_file(file, page);
  EXPECT_EQ(page, fs::exists(file) ? read_file(file) : "")
      << "if the new cards read well, approve them: ROPESCOPE_APPROVE=1 ./test -R approved_cards";
}

INSTANTIATE_TEST_SUITE_P(Views, ApprovedCards, testing::ValuesIn(all_views().begin(), all_views().end()),
                         [](const auto& each) { return std::string(each.param->id); });

TEST(ApprovedTexts, BelongToOneViewEach) {
  std::set<std::string> expected, found;
  for (const View* view : all_views()) expected.insert(std::string(view->id) + ".txt");
  for (const auto& entry : fs::directory_iterator(kApproved)) found.insert(entry.path().filename().string());
  EXPECT_EQ(found, expected);
}

}  // namespace
}  // namespace ropescope
