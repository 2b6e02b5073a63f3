#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/formats/dumps/pickle.h"
#include "core/formats/dumps/torch_file.h"
#include "core/message.h"
#include "tests/fuzz/stored.h"

namespace {

void expect_one_line(const ropescope::InputError& error) {
  if (std::string_view(error.what()).find('\n') != std::string_view::npos) __builtin_trap();
}

/// Every tensor stays within its storage, and repeats it no more than a table of heads does.
void check_reach(const ropescope::PickledTensor& tensor) {
  if (tensor.shape.size() != tensor.strides.size() || tensor.first < 0) __builtin_trap();
  std::int64_t last = tensor.first, numbers = 1;
  for (std::size_t side = 0; side < tensor.shape.size(); ++side) {
    if (tensor.shape[side] == 0) return;
    last += (tensor.shape[side] - 1) * tensor.strides[side];
    numbers *= tensor.shape[side];
  }
  if (last >= tensor.stored || (numbers > tensor.stored && numbers > 1 << 24)) __builtin_trap();
}

void read_whole(std::span<const std::byte> bytes) {
  const ropescope::ZipLimits limits{std::uint64_t{1} << 20, 64, {}};
  for (const std::string& name : ropescope::list_torch(bytes, "fuzzed.pt", limits)) {
    try {
      const ropescope::StoredTensor declared = ropescope::declare_torch(bytes, "fuzzed.pt", name, limits);
      // A small storage may be repeated up to 4 GiB.
      if (declared.count() > 1 << 16) continue;
      const ropescope::StoredTensor tensor = ropescope::open_torch(bytes, "fuzzed.pt", name, limits);
      if (tensor.shape != declared.shape) __builtin_trap();
      std::vector<double> values(static_cast<std::size_t>(tensor.count()) * 2 + 1);
      if (tensor.count() > 0) {
        ropescope::read_rows(tensor, 0, tensor.shape.empty() ? 1 : tensor.shape[0], values.data());
      }
    } catch (const ropescope::InputError& error) {
      expect_one_line(error);
    }
  }
}

}  // namespace

/// Any bytes as a .pt, or as its pickle alone: tensors that stay within their storages, or an InputError of one line;
/// nothing else, and nothing is run.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto bytes = std::as_bytes(std::span(data, size));
  try {
    if (size > 1 && data[0] == 'P' && data[1] == 'K') {
      read_whole(bytes);
    } else {
      for (const ropescope::PickledTensor& tensor : ropescope::read_pickled_tensors(bytes, "fuzzed.pt")) {
        check_reach(tensor);
      }
    }
  } catch (const ropescope::InputError& error) {
    expect_one_line(error);
  }
  return 0;
}
