// Following the advice leads to agreement, in both directions: every mistake on every layout and rope, with its advice
// and its suggested lines applied.

#include "check_advice.h"
#include "check_configs.h"
#include "check_faults.h"
#include "core/formats/config_layout.h"
#include "core/formats/programs/check_fix.h"
#include "core/scaling/scaling.h"

namespace ropescope {
namespace {

/// Values of one name anywhere in a sentence.
void add_values(const Message& words, std::string_view name, std::vector<std::string>& all) {
  for (const Message::Named& named : words.values) {
    if (named.name == name) {
      Message alone;
      alone.values = {named};
      all.push_back(said(alone));
    }
    if (const auto* list = std::get_if<Message::List>(&named.value)) {
      for (const Message& one : *list) add_values(one, name, all);
    }
  }
}

/// A number that is said to be found never equals the number that is said to be due.
void expect_report_differs_from_reference(const Message& evidence) {
  std::vector<std::string> found, due;
  add_values(evidence, "found", found), add_values(evidence, "due", due);
  for (std::size_t i = 0; i < std::min(found.size(), due.size()); ++i) EXPECT_NE(found[i], due[i]) << said(evidence);
}

/// The lines to write in a config mean the reference when they are read back.
void expect_lines_mean_reference(const CheckReference& reference, const CheckCause& cause) {
  const std::string lines = fix_of(cause, reference).config;
  if (lines.empty()) return;
  if (reference.layout != nullptr) {
    const std::string_view type = reference.layout->classes[0].name;
    if (type.empty()) return;
    const bool by_class = type.find("Transformer") != type.npos || type.find("Model") != type.npos;
    const std::string text = std::string("{\"") + (by_class ? "_class_name" : "model_type") + "\": \"" +
                             std::string(type) + "\", " + lines + "}";
    const auto config = find_layout_config(text, "config.json");
    if (!config || !fits_layout(config->layout, reference.layout->name)) return;
    LayoutRequest request = reference.request;
    if (config->request.base) request.base = config->request.base;
    if (!config->request.sections.empty()) request.sections = config->request.sections;
    if (!config->request.axis_dims.empty()) request.axis_dims = config->request.axis_dims;
    if (config->request.head_dim) request.head_dim = config->request.head_dim;
    const TokenLayout again = arrange(*reference.layout, request);
    EXPECT_TRUE(again.frequencies.isApprox(reference.tokens.frequencies, 1e-12)) << lines;
    return;
  }
  const std::string text =
      "{\"model_type\": \"phi3\", \"hidden_size\": 4096, \"num_attention_heads\": 32, " + lines + "}";
  const ModelConfig config = parse_model_config(text, "config.json");
  const HeadLadder due = head_ladder(*reference.rope, reference.length),
                   found = head_ladder(config.profiles.front().spec, reference.length);
  ASSERT_EQ(found.frequencies.size(), due.frequencies.size()) << lines;
  EXPECT_LE((found.frequencies - due.frequencies).cwiseAbs().maxCoeff(), 1e-12) << lines;
  EXPECT_NEAR(found.amplitude, due.amplitude, 1e-12) << lines;
}

/// `followed`: counts those whose one cause was named, and its advice applied.
void expect_followed(const CheckCase& one, const Fault& fault, Storage storage, int& followed) {
  SCOPED_TRACE(one.name + ": " + fault.cause + " " + fault.variant);
  Dump faulty = true_dump(one.reference);
  ASSERT_TRUE(fault.commit(one, faulty));
  const CheckReport report = check(one.reference, inputs_of(faulty, storage, {&fault}));
  for (const CheckCause& cause : report.causes) {
    if (cause.name == "unknown") continue;
    expect_report_differs_from_reference(cause.evidence);
    expect_lines_mean_reference(one.reference, cause);
  }
  if (report.causes.size() != 1 || report.causes[0].name == "unknown") return;
  ++followed;
  expect_fixed(one, report.causes[0], faulty, [&](const Dump& dump) { return inputs_of(dump, storage, {&fault}); });
}

/// Layouts with the axes of a custom one in either order, all ropes, and those of the presets.
std::vector<CheckCase> cases_to_follow() {
  std::vector<CheckCase> cases = layout_and_rope_cases();
  LayoutRequest request{.image = ImageSize::tokens(5, 7), .axes = {{"column", 24, {}}, {"row", 24, {}}}};
  cases.push_back({"custom, columns first", reference_from_layout(find_layout("custom"), request)});
  for (CheckCase& one : model_cases()) cases.push_back(std::move(one));
  return cases;
}

TEST(CheckFollowed, AdviceAndLinesLeadToAgreement) {
  const std::vector<CheckCase> cases = cases_to_follow();
  const std::vector<CheckCell> cells = cells_of(cases);
  const std::vector<Fault> faults = all_faults();
  int taken = 0, followed = 0;
  Sample sample("advice followed: faults × layouts, ropes and presets × formats", 5);
  for (std::size_t i = 0; i < faults.size(); ++i) {
    const auto is_there = [&](const CheckCell& cell) { return exists(faults[i], cell); };
    for (const CheckCell& cell : sample.of(i, cells, is_there)) {
      ++taken;
      expect_followed(*cell.one, faults[i], cell.storage, followed);
    }
  }
  EXPECT_GT(followed, 0.9 * taken) << followed << " of " << taken;
}

/// The direction of an exchange: columns before rows in the layouts that have them so.
TEST(CheckFollowed, ExchangedAxesAreNamedInTheOrderOfTheModel) {
  int named = 0;
  for (const CheckCase& one : cases_to_follow()) {
    const int row = axis_along(one, Along::row), column = axis_along(one, Along::column);
    if (is_rope(one) || row < 0 || column < 0) continue;
    SCOPED_TRACE(one.name);
    Dump faulty = true_dump(one.reference);
    const Dump truth = faulty;
    for (auto& ids : faulty.ids) std::swap(ids[static_cast<std::size_t>(row)], ids[static_cast<std::size_t>(column)]);
    if (!is_visible(truth, faulty, Storage::float32)) continue;
    CheckInputs inputs = ids_in(faulty);
    const CheckReport report = check(one.reference, inputs);
    ASSERT_FALSE(report.causes.empty());
    // Where both sides are alike, or the columns run as another order does, that is named.
    if (report.causes[0].name != "axes-swapped") continue;
    ++named;
    expect_fixed(one, report.causes[0], faulty, [](const Dump& dump) { return ids_in(dump); });
  }
  EXPECT_GT(named, 20);
}

/// How pairs are assigned to axes: alternating where the model has blocks, blocks where it alternates, one ladder cut
/// in halves where the model takes every second frequency. Pixtral's own code: huggingface/transformers
/// modeling_pixtral.py.
TEST(CheckFollowed, PairsInOtherPlacesAreASectionLayout) {
  for (const char* name : {"qwen-vision", "moonvit", "pixtral", "dinov3", "sam-3"}) {
    const CheckCase one = layout_case(name, 6, 8);
    SCOPED_TRACE(name);
    Dump faulty = true_dump(one.reference);
    const bool alternates = std::string(name) == "moonvit";
    std::vector<std::vector<double>> ladders(2);
    for (std::size_t axis = 0; axis < 2; ++axis) {
      for (double& frequency : faulty.frequencies[axis]) {
        if (frequency != 0) ladders[axis].push_back(frequency);
        frequency = 0;
      }
    }
    const std::size_t half = ladders[0].size();
    for (std::size_t pair = 0; pair < 2 * half; ++pair) {
      const std::size_t axis = alternates ? pair / half : pair % 2, at = alternates ? pair % half : pair / 2;
      faulty.frequencies[axis][pair] = ladders[axis][at];
    }
    const CheckReport report = check(one.reference, tables_of(faulty));
    ASSERT_EQ(names_of(report), "section-layout");
    expect_report_differs_from_reference(report.causes[0].evidence);
    expect_fixed(one, report.causes[0], faulty, [](const Dump& dump) { return tables_of(dump); });
  }
  const CheckCase pixtral = layout_case("pixtral", 6, 8);
  Dump cut = true_dump(pixtral.reference);
  for (std::size_t pair = 0; pair < cut.pairs(); ++pair) {
    const double frequency = std::pow(10000, -static_cast<double>(pair) / static_cast<double>(cut.pairs()));
    for (std::size_t axis = 0; axis < 2; ++axis)
      cut.frequencies[axis][pair] = axis == 2 * pair / cut.pairs() ? frequency : 0;
  }
  const CheckReport report = check(pixtral.reference, tables_of(cut));
  ASSERT_EQ(names_of(report), "section-layout");
  EXPECT_THAT(said(report.causes[0].advice), HasSubstr("(row, column) x 16"));
  expect_fixed(pixtral, report.causes[0], cut, [](const Dump& dump) { return tables_of(dump); });
}

}  // namespace
}  // namespace ropescope
