#pragma once

#include "app/views/check/view.h"
#include "app/views/shared/layouts.h"
#include "tests/figures/check_tables.h"
#include "tests/figures/view_parts.h"

namespace ropescope {

/// A rope of 8 pairs and a FLUX.1 image of 4 × 6 patches after 3 text tokens, and a folder for dumps.
struct CheckView : TestOfView<kCheckView> {
  TemporaryFolder folder;
  CheckFields& fields = experiment.check;

  CheckView() {
    experiment.rope.base = 10'000;
    experiment.rope.rotary_dim = experiment.rope.head_dim = 16;
    LayoutFields& layout = experiment.layout;
    layout.size_by = SizeBy::tokens;
    layout.rows = 4;
    layout.columns = 6;
    layout["text"] = 3;
  }
  std::string message() {
    const ViewResult result = draw();
    return result.panels.front().figure.empty_message;
  }
  TokenLayout layout() const { return arrange(find_layout(experiment.layout.name), request_of(experiment.layout)); }
  void give(const MadeTables& tables) {
    save_tables(folder.path, tables);
    fields.files[CheckRole::cosine] = (folder.path / "cos.npy").string();
    fields.files[CheckRole::sine] = (folder.path / "sin.npy").string();
  }
  /// Tables of another program, in a folder of its own.
  void give_other(const MadeTables& tables) {
    fields.against = CheckAgainst::dump;
    const auto other = folder.path / "other";
    fs::create_directory(other);
    save_tables(other, tables);
    fields.files[CheckRole::against_cosine] = (other / "cos.npy").string();
    fields.files[CheckRole::against_sine] = (other / "sin.npy").string();
  }
  /// A rope of base 10 000 against a table of another base.
  void give_wrong_base(std::int64_t tokens = 512) {
    fields.against = CheckAgainst::rope;
    give(rope_tables(20'000, 8, tokens));
  }
};

}  // namespace ropescope
