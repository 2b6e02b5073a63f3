#pragma once

#include "app/experiment/experiment.h"
#include "app/views/shared/layouts.h"
#include "tests/figures/check_tables.h"
#include "tests/places.h"

/// Experiments with files: what views show of these is seen in no experiment of fields alone.
namespace ropescope {

namespace opened {

inline Experiment on(const std::string& view) {
  Experiment experiment;
  experiment.view = view;
  experiment.rope.rotary_dim = experiment.rope.head_dim = 16;
  experiment.layout.size_by = SizeBy::tokens;
  experiment.layout.rows = 4;
  experiment.layout.columns = 6;
  experiment.layout["text"] = 3;
  experiment.attention.longest = 256;
  return experiment;
}

inline Experiment check_of(CheckAgainst against, const std::filesystem::path& folder, const MadeTables& tables) {
  std::filesystem::create_directories(folder);
  save_tables(folder, tables);
  Experiment experiment = on("check");
  experiment.check.against = against;
  experiment.check.files[CheckRole::cosine] = (folder / "cos.npy").string();
  experiment.check.files[CheckRole::sine] = (folder / "sin.npy").string();
  return experiment;
}

inline TokenLayout layout_of(const Experiment& experiment) {
  return arrange(find_layout(experiment.layout.name), request_of(experiment.layout));
}

/// Verdicts with a cause, with two, with none, that agree, and of two dumps.
inline std::vector<Experiment> checks(const std::filesystem::path& folder) {
  std::vector<Experiment> all = {check_of(CheckAgainst::rope, folder / "base", rope_tables(20'000, 8, 64)),
                                 check_of(CheckAgainst::rope, folder / "offset", rope_tables(10'000, 8, 64, 5))};
  all.push_back(all.front());
  all.back().check.applied = "base";
  all.push_back(all.front());
  all.back().check.show = CheckShow::mine;

  const TokenLayout layout = layout_of(on("check"));
  MadeTables image = tables_of(layout);
  all.push_back(check_of(CheckAgainst::layout, folder / "image", image));
  for (double& sine : image.sine) sine *= -1.25;
  for (double& cosine : image.cosine) cosine *= 1.25;
  all.push_back(check_of(CheckAgainst::layout, folder / "two", image));
  for (std::size_t i = 0; i < image.cosine.size(); ++i)
    image.cosine[i] = image.sine[i] = 1.0 / static_cast<double>(i + 1);
  all.push_back(check_of(CheckAgainst::layout, folder / "unknown", image));

  std::vector<double> ids;
  for (std::int64_t row = 0; row < layout.row_count(); ++row) {
    for (const double id : ids_of(layout, row)) ids.push_back(id + 1);
  }
  const auto axes = static_cast<std::int64_t>(layout.axes.size());
  all.push_back(on("check"));
  all.back().check.files[CheckRole::ids] = save_npy(folder / "ids.npy", {layout.row_count(), axes}, ids);

  all.push_back(check_of(CheckAgainst::dump, folder / "first", rope_tables(10'000, 8, 64)));
  std::filesystem::create_directories(folder / "second");
  save_tables(folder / "second", rope_tables(10'000, 8, 64, 1));
  all.back().check.files[CheckRole::against_cosine] = (folder / "second" / "cos.npy").string();
  all.back().check.files[CheckRole::against_sine] = (folder / "second" / "sin.npy").string();
  return all;
}

inline Experiment attention_of(const std::string& file) {
  Experiment experiment = on("attention");
  experiment.attention.content = AttentionSource::file;
  experiment.attention.file = file;
  return experiment;
}

inline Experiment layout_with(const std::string& picture) {
  Experiment experiment = on("layout");
  experiment.layout.picture = picture;
  return experiment;
}

}  // namespace opened

/// A checkpoint of tests/reference/weights.
inline Experiment weights_of(const std::string& name) {
  Experiment experiment = opened::on("weights");
  experiment.weights.path = source_folder() + "/tests/reference/weights/" + name;
  return experiment;
}

/// What a view shows of files, which are written into this folder.
inline std::vector<Experiment> experiments_with_files(const std::string& view, const std::filesystem::path& folder) {
  std::filesystem::create_directories(folder);
  if (view == "check") return opened::checks(folder);
  if (view == "layout") return {opened::layout_with(source_folder() + "/assets/pictures/decay-dark.png")};
  if (view == "weights") return {weights_of("qwen2"), weights_of("qwen3")};
  if (view != "attention") return {};
  std::vector<double> numbers;
  for (int i = 0; i < 3 * 12 * 2 * 16; ++i) numbers.push_back(std::sin(i * i % 1009));
  return {opened::attention_of(save_npy(folder / "stacked.npy", {3, 12, 2, 16}, numbers))};
}

/// Files that are missing, or something else than the view asks for, and a size that the model cannot take.
inline std::vector<Experiment> experiments_with_faults(const std::string& view, const std::filesystem::path& folder) {
  std::filesystem::create_directories(folder);
  const std::string wrong = (folder / "wrong.npy").string(), missing = (folder / "missing.npy").string();
  std::ofstream(wrong) << "no array";
  std::vector<Experiment> all;
  for (const std::string& file : {wrong, missing}) {
    if (view == "attention") all.push_back(opened::attention_of(file));
    if (view == "layout") all.push_back(opened::layout_with(file));
    if (view == "weights") all.push_back(opened::on(view));
    if (view == "weights") all.back().weights.path = file;
    if (view != "check") continue;
    all.push_back(opened::on("check"));
    all.back().check.files[CheckRole::ids] = file;
  }
  if (view != "layout" && view != "similarity" && view != "check") return all;
  all.push_back(opened::on(view));
  all.back().layout.size_by = SizeBy::pixels;
  all.back().layout.width = 1001;
  if (view == "check")
    all.back().check.files[CheckRole::ids] = save_npy(folder / "ids.npy", {2, 3}, {0, 0, 0, 0, 0, 1});
  return all;
}

}  // namespace ropescope
