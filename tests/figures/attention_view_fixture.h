#pragma once

#include "app/views/attention/figures.h"

#include "app/experiment/experiment.h"
#include "app/resources/models.h"
#include "app/views/attention/inputs.h"
#include "core/attention/attention.h"
#include "core/formats/npy.h"
#include "tests/figures/view_parts.h"
#include "tests/npy_files.h"
#include "tests/temporary_folder.h"

namespace ropescope {

class AttentionView : public TestOfView<kAttentionView> {
 protected:
  AttentionFields& fields = experiment.attention;
  TemporaryFolder folder;

  AttentionView() {
    experiment.rope.rotary_dim = experiment.rope.head_dim = 16;
    fields.tokens = 40;
    fields.row = 25;
    fields.content = AttentionSource::random;
    fields.longest = 256;
  }

  static const std::string& message(const ViewResult& result) { return result.panels.at(0).figure.empty_message; }

  AttentionInput content() const {
    return make_content(fields.content == AttentionSource::aligned ? ContentKind::aligned : ContentKind::random,
                        static_cast<int>(fields.tokens), 16, 16, static_cast<std::uint64_t>(fields.seed));
  }

  /// A stacked .npy of q and k (and v): [parts, tokens, heads, dim].
  std::string write_file(const std::string& name, std::vector<std::int64_t> shape) {
    Tensor tensor;
    tensor.shape = std::move(shape);
    tensor.format = NumberFormat::float32;
    std::int64_t count = 1;
    for (const std::int64_t side : tensor.shape) count *= side;
    for (std::int64_t i = 0; i < count; ++i) tensor.values.push_back(std::sin(static_cast<double>(i * i % 1009)));
    const std::vector<std::byte> bytes = write_npy(tensor);
    const fs::path path = folder.path / name;
    std::ofstream(path, std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    return path.string();
  }
};

}  // namespace ropescope
