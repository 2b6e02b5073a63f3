// Layouts beyond their trained resolution: DyPE's released numbers, ComfyUI's positions, rejected input, the effects of
// a larger picture on its axes, and the causes that check reports if a program extends differently.
#include "core/layouts/extension.h"

#include "check_dump.h"
#include "core/formats/programs/equivalents.h"
#include "layouts_reference.h"
#include "tests/python_programs.h"

namespace ropescope {
namespace {

using Numbers = std::map<std::string, double, std::less<>>;

LayoutRequest request_of_resolution(int rows, int columns, const std::string& scaling, Numbers numbers = {}) {
  return {.image = ImageSize::tokens(rows, columns), .text = 1, .scaling = scaling, .numbers = std::move(numbers)};
}

// --- Released numbers ----------------------------------------------------------------------------------------------

/// The method and time of a case; static YaRN of DyPE's code is DyPE at t = 1.
LayoutRequest request_of_dype(const json& one) {
  const bool ntk = one["method"] == "ntk", timed = !one["time"].is_null();
  Numbers numbers;
  if (timed || !ntk) numbers["diffusion_time"] = timed ? one["time"].get<double>() : 1;
  return request_of_resolution(one["rows"].get<int>(), one["columns"].get<int>(),
                               !ntk    ? "dype"
                               : timed ? "dype-ntk"
                                       : "ntk-aware",
                               numbers);
}

TEST(Resolutions, DypeHasTheNumbersOfItsRelease) {
  const json file = read_reference("resolutions/flux1_dype.json");
  for (const json& one : file["cases"]) {
    SCOPED_TRACE(one["method"].dump() + " " + one["time"].dump() + " " + one["rows"].dump());
    const LayoutTables tables(arrange(find_layout("flux.1"), request_of_dype(one)));
    const TokenLayout& layout = tables.layout();
    for (Eigen::Index axis = 1; axis < 3; ++axis) {
      const Eigen::VectorXd due = vector_of(one["frequencies"][static_cast<std::size_t>(axis - 1)]);
      const Eigen::VectorXd found = layout.frequencies.row(axis).segment(axis == 1 ? 8 : 36, 28).transpose();
      EXPECT_LE((found.array() / due.array() - 1).abs().maxCoeff(), 1e-12);
      EXPECT_NEAR(layout.axes[static_cast<std::size_t>(axis)].amplitude,
                  one["amplitude"][static_cast<std::size_t>(axis)].get<double>(), 1e-14);
    }
    Eigen::VectorXd cosine(64), sine(64);
    for (const json& token : one["tokens"]) {
      const auto row = token["row"].get<std::int64_t>();
      EXPECT_EQ(ids_of(layout, row), numbers_of(token["id"]));
      tables.table_rows<double>(row, 1, cosine.data(), sine.data());
      EXPECT_LE((cosine - vector_of(token["cos"])).cwiseAbs().maxCoeff(), 1e-6) << row;
      EXPECT_LE((sine - vector_of(token["sin"])).cwiseAbs().maxCoeff(), 1e-6) << row;
    }
  }
}

TEST(Resolutions, PositionsAreThoseOfComfyUi) {
  const json file = read_reference("resolutions/comfyui.json");
  for (const json& one : file["cases"]) {
    LayoutRequest request = request_of_resolution(one["rows"].get<int>(), one["columns"].get<int>(), "none");
    const Layout& layout = find_layout(one["layout"].get<std::string>());
    request.frames = one.value("frames", 1);
    request.text = takes(layout, "references") || layout.name == "flux.1" ? 2 : 0;
    for (const auto& [name, value] : one["options"].items()) request.numbers[name] = value.get<double>();
    const TokenLayout arranged = arrange(layout, request);
    const std::int64_t first = first_row_of(arranged, "image");
    for (std::size_t i = 0; i < one["ids"].size(); ++i) {
      const std::vector<double> found = ids_of(arranged, first + static_cast<std::int64_t>(i));
      const std::vector<double> due = numbers_of(one["ids"][i]);
      for (std::size_t axis = 0; axis < due.size(); ++axis) EXPECT_NEAR(found[axis], due[axis], 2e-6) << i;
    }
    if (first > 0) EXPECT_EQ(ids_of(arranged, 0), std::vector<double>(arranged.axes.size(), 0)) << "texts stay";
  }
}

TEST(Resolutions, CentredPositionsAreScaledFromTheMiddle) {
  const LayoutRequest request = request_of_resolution(4, 4, "none", {{"scale_y", 0.5}});
  const TokenLayout arranged = arrange(find_layout("qwen-image"), request);
  EXPECT_THAT(arranged.blocks[1].ids[1].listed, ElementsAre(-1, -0.5, 0, 0.5));
}

// --- Factors -------------------------------------------------------------------------------------------------------

std::vector<double> factors_of_resolution(const char* layout, const LayoutRequest& request) {
  const Layout& family = find_layout(layout);
  std::vector<double> factors;
  for (const AxisExtension& one : axis_extensions(family, request, arrange(family, remove_extension(request)))) {
    factors.push_back(one.factor);
  }
  return factors;
}

TEST(Resolutions, EachSideIsExtendedByItself) {
  EXPECT_THAT(factors_of_resolution("flux.1", request_of_resolution(128, 32, "yarn")), ElementsAre(1, 2, 1));
  EXPECT_THAT(factors_of_resolution("flux.1", request_of_resolution(128, 96, "yarn", {{"trained_side", 32}})),
              ElementsAre(1, 4, 3));
  EXPECT_THAT(factors_of_resolution("flux.1", request_of_resolution(128, 96, "yarn", {{"factor_x", 8}})),
              ElementsAre(1, 2, 8));
  EXPECT_THAT(factors_of_resolution("qwen-image", request_of_resolution(166, 83, "linear")), ElementsAre(1, 2, 1));
  LayoutRequest video = request_of_resolution(60, 52, "linear");
  video.text = 0;
  video.frames = 42;
  EXPECT_THAT(factors_of_resolution("wan", video), ElementsAre(2, 2, 1));
}

TEST(Resolutions, WhatCannotBeExtendedIsRefused) {
  const auto refused = [](const char* layout, const LayoutRequest& request) {
    return refusal_of([&] { arrange(find_layout(layout), request); });
  };
  EXPECT_THAT(refused("flux.1", request_of_resolution(8, 8, "longrope")),
              Says("error.layouts.not_of_axes", {{"method", "longrope"}}));
  EXPECT_THAT(refused("flux.1", request_of_resolution(8, 8, "none", {{"factor_x", 2}})), HasSubstr("factor_x"));
  EXPECT_THAT(refused("flux.1", request_of_resolution(8, 8, "yarn", {{"diffusion_time", 0.5}})),
              HasSubstr("diffusion_time"));
  EXPECT_THAT(refused("cogview4", request_of_resolution(8, 8, "yarn")),
              Says("error.layouts.no_trained_side", {{"method", "yarn"}}));
  EXPECT_THAT(refused("pixtral",
                      [] {
                        LayoutRequest request = request_of_resolution(128, 128, "ntk-aware");
                        request.text = 0;
                        return request;
                      }()),
              Says("error.layouts.no_ladder_to_extend", {{"method", "ntk-aware"}}));
  LayoutRequest text = request_of_resolution(8, 8, "none", {{"scale_x", 2}});
  text.image.reset();
  EXPECT_THAT(refused("text", text), Says("error.layouts.not_taken", {{"setting", "scale_x"}}));
}

// --- What a picture asks -------------------------------------------------------------------------------------------

std::vector<AxisBeyond> beyond_of(const LayoutRequest& request) {
  const Layout& flux = find_layout("flux.1");
  const TokenLayout plain = arrange(flux, remove_extension(request));
  return beyond_training(arrange(flux, request), plain, axis_extensions(flux, request, plain));
}

TEST(Resolutions, ALargerPictureAsksForPhasesThatTrainingDidNotShow) {
  const std::vector<AxisBeyond> plain = beyond_of(request_of_resolution(256, 64, "none"));
  int unseen = 0, waves = 0;
  for (int pair = 0; pair < 28; ++pair) {
    const double wave = 2 * std::numbers::pi * std::pow(10000.0, pair / 28.0);
    unseen += wave > 64 ? 1 : 0;
    waves += wave > 64 && wave < 256 ? 1 : 0;
  }
  EXPECT_EQ(plain[1].pairs, 28);
  EXPECT_EQ(plain[1].unseen, unseen);
  EXPECT_EQ(plain[1].waves, waves);
  EXPECT_EQ(plain[2].unseen, 0) << "a side as long as in training";
  EXPECT_EQ(plain[2].repeat, 0);
  EXPECT_EQ(plain[1].neighbours, plain[1].trained_neighbours);
  EXPECT_GE(plain[1].repeat, 64);
  // Interpolation shows nothing new, and makes neighbours more alike.
  const std::vector<AxisBeyond> divided = beyond_of(request_of_resolution(256, 64, "linear"));
  EXPECT_EQ(divided[1].unseen, 0);
  EXPECT_EQ(divided[1].waves, 0);
  EXPECT_GT(divided[1].neighbours, divided[1].trained_neighbours);
  double mean = 0;
  for (int pair = 0; pair < 28; ++pair) mean += std::cos(std::pow(10000.0, -pair / 28.0) / 4) / 28;
  EXPECT_NEAR(divided[1].neighbours, mean, 1e-14);
  // A scale of 1/4 does the same.
  const std::vector<AxisBeyond> scaled = beyond_of(request_of_resolution(256, 64, "none", {{"scale_y", 0.25}}));
  EXPECT_NEAR(scaled[1].neighbours, mean, 1e-14);
  EXPECT_EQ(scaled[1].unseen, 0);
}

// --- Check ---------------------------------------------------------------------------------------------------------

/// The dump of what a program makes with one request, judged against another.
CheckReport judged(const LayoutRequest& due, const LayoutRequest& made, const char* layout = "flux.1") {
  const Layout& family = find_layout(layout);
  return check(reference_from_layout(family, due), exact_tables(arrange(family, made), Storage::float32));
}

TEST(Resolutions, CheckAgreesWithWhatIsExtendedAsAsked) {
  for (const char* method : {"linear", "ntk-aware", "yarn", "dype", "dype-ntk", "ntk-by-parts-released"}) {
    const LayoutRequest request = request_of_resolution(96, 128, method);
    EXPECT_EQ(names_of(judged(request, request)), "agrees") << method;
  }
}

TEST(Resolutions, CheckNamesAMissingExtension) {
  for (const char* method : {"linear", "ntk-aware", "yarn", "dype"}) {
    EXPECT_TRUE(finds(judged(request_of_resolution(96, 128, method), request_of_resolution(96, 128, "none")),
                      "axis-extension", {{"kind", "missing"}}))
        << method;
  }
}

TEST(Resolutions, CheckNamesTheMethodThatAProgramUses) {
  const LayoutRequest plain = request_of_resolution(96, 128, "none");
  for (const char* method : {"linear", "ntk-aware", "yarn", "ntk-by-parts-released", "diffusers-ntk"}) {
    EXPECT_TRUE(finds(judged(plain, request_of_resolution(96, 128, method)), "axis-extension",
                      {{"kind", "method"}, {"method", method}, {"factor", std::vector<double>{1, 1.5, 2}}}))
        << method;
  }
}

TEST(Resolutions, CheckNamesTheDiffusionTime) {
  for (const char* method : {"dype", "dype-ntk"}) {
    EXPECT_TRUE(finds(judged(request_of_resolution(96, 128, method, {{"diffusion_time", 1}}),
                             request_of_resolution(96, 128, method, {{"diffusion_time", 0.6}})),
                      "axis-extension", {{"kind", "time"}, {"diffusion_time", 0.6}}))
        << method;
  }
}

TEST(Resolutions, CheckNamesAFactorForBothSidesWhereEachHasItsOwn) {
  EXPECT_TRUE(finds(judged(request_of_resolution(96, 128, "yarn"),
                           request_of_resolution(96, 128, "yarn", {{"factor_x", 2}, {"factor_y", 2}})),
                    "axis-extension", {{"kind", "factor"}, {"factor", std::vector<double>{1, 2, 2}}}));
  EXPECT_TRUE(finds(judged(request_of_resolution(96, 128, "yarn"),
                           request_of_resolution(96, 128, "yarn", {{"factor_x", 2}, {"factor_y", 1}})),
                    "axis-extension", {{"factor", std::vector<double>{1, 1, 2}}}));
}

TEST(Resolutions, CheckNamesScalesAndShiftsOfAxes) {
  const LayoutRequest plain = request_of_resolution(24, 32, "none");
  EXPECT_TRUE(finds(judged(plain, request_of_resolution(24, 32, "none", {{"scale_x", 2}, {"scale_y", 0.5}})),
                    "position-scale", {{"factor", std::vector<double>{1, 0.5, 2}}}));
  EXPECT_TRUE(finds(judged(plain, request_of_resolution(24, 32, "none", {{"shift_x", 3}, {"shift_y", -1.5}})),
                    "position-offset", {{"offset", std::vector<double>{0, -1.5, 3}}}));
  EXPECT_EQ(names_of(judged(plain, request_of_resolution(24, 32, "none", {{"scale_x", 2}, {"shift_y", 4}}))),
            "position-scale + position-offset");
  const CheckReport missing = judged(request_of_resolution(24, 32, "none", {{"scale_x", 2}}), plain);
  ASSERT_EQ(names_of(missing), "position-scale");
  EXPECT_THAT(said(missing.causes[0].evidence), Says("check.position-scale.without_options"));
}

// --- NumPy ---------------------------------------------------------------------------------------------------------

TEST(Resolutions, NumPyLeavesIdsAndTables) {
  struct Case {
    const char* layout;
    LayoutRequest request;
  };
  std::vector<Case> cases;
  for (const char* method : {"linear", "ntk-aware", "yarn", "dype", "dype-ntk", "ntk-by-parts"}) {
    for (const char* layout : {"flux.1", "qwen-image", "qwen2-vl"}) {
      LayoutRequest request = request_of_resolution(6, 9, method, {{"trained_side", 4}});
      if (std::string(method).starts_with("dype")) request.numbers["diffusion_time"] = 0.5;
      request.numbers["scale_x"] = 1.5;
      request.numbers["shift_y"] = -2;
      cases.push_back({layout, request});
    }
  }
  cases.push_back({"vit-mixed", request_of_resolution(6, 9, "linear", {{"factor_x", 2}, {"factor_y", 3}})});
  cases.back().request.text = 0;
  std::vector<std::string> programs;
  for (const Case& one : cases) {
    programs.push_back(numpy_layout(arrange(find_layout(one.layout), one.request), one.request));
  }
  const auto left = run_with_numpy(programs, "[x for n in ('ids', 'cos', 'sin') for x in left[n].ravel()]");
  if (!left) GTEST_SKIP() << "no python3 with NumPy is there";
  for (std::size_t i = 0; i < cases.size(); ++i) {
    SCOPED_TRACE(std::string(cases[i].layout) + " " + cases[i].request.scaling);
    const LayoutTables tables(arrange(find_layout(cases[i].layout), cases[i].request));
    const std::vector<double>& found = (*left)[i];
    const std::int64_t rows = tables.layout().row_count();
    const Eigen::Index pairs = tables.layout().pair_count(), axes = std::ssize(tables.layout().axes);
    ASSERT_EQ(static_cast<std::int64_t>(found.size()), rows * (axes + 2 * pairs));
    std::vector<double> cosine(static_cast<std::size_t>(rows * pairs)), sine(cosine.size());
    tables.table_rows<double>(0, rows, cosine.data(), sine.data());
    double largest = 0;
    for (std::size_t at = 0; at < cosine.size(); ++at) {
      const auto begin = static_cast<std::size_t>(rows * axes);
      largest = std::max(largest, std::abs(found[begin + at] - cosine[at]));
      largest = std::max(largest, std::abs(found[begin + cosine.size() + at] - sine[at]));
    }
    EXPECT_LE(largest, 1e-12);
    const auto ids = id_rows(tables.layout(), 0, rows);
    for (Eigen::Index at = 0; at < ids.size(); ++at) {
      EXPECT_NEAR(found[static_cast<std::size_t>(at)], ids.data()[at], 1e-12);
    }
  }
}

}  // namespace
}  // namespace ropescope
