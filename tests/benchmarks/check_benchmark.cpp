#include <benchmark/benchmark.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>

#include "core/check/check.h"
#include "core/layouts/tables.h"

namespace ropescope {

namespace {

constexpr std::int64_t kTokens = 1048576;
constexpr std::int64_t kPairs = 64;

/// cos and sin of a million positions as float32 files, mapped.
class MillionTokens {
 public:
  MillionTokens() {
    std::vector<double> positions(static_cast<std::size_t>(kTokens));
    // Not one after the other, so that nothing can be read off the order.
    for (std::int64_t i = 0; i < kTokens; ++i) positions[static_cast<std::size_t>(i)] = static_cast<double>(i ^ 5);
    reference_ = reference_from_rope(RotarySpec{}, {}, positions);
    folder_ = std::filesystem::temp_directory_path() / ("ropescope-check-benchmark-" + std::to_string(getpid()));
    std::filesystem::create_directories(folder_);
    write_tables();
    inputs_.cosine = mapped("cos");
    inputs_.sine = mapped("sin");
  }
  MillionTokens(const MillionTokens&) = delete;
  ~MillionTokens() { std::filesystem::remove_all(folder_); }

  const CheckReference& reference() const { return reference_; }
  const CheckInputs& inputs() const { return inputs_; }
  std::string path(const char* name) const { return (folder_ / name).string(); }

 private:
  void write_tables() const {
    constexpr std::int64_t kPiece = 4096;
    const LayoutTables tables(reference_.tokens);
    std::ofstream cosines(path("cos"), std::ios::binary), sines(path("sin"), std::ios::binary);
    std::vector<float> cosine(static_cast<std::size_t>(kPiece * kPairs)), sine(cosine.size());
    for (std::int64_t row = 0; row < kTokens; row += kPiece) {
      tables.table_rows<float>(row, kPiece, cosine.data(), sine.data());
      const auto bytes = static_cast<std::streamsize>(cosine.size() * sizeof(float));
      cosines.write(reinterpret_cast<const char*>(cosine.data()), bytes);
      sines.write(reinterpret_cast<const char*>(sine.data()), bytes);
    }
  }
  StoredTensor mapped(const char* name) const {
    const std::size_t size = static_cast<std::size_t>(kTokens * kPairs) * sizeof(float);
    const int file = open(path(name).c_str(), O_RDONLY);
    void* begin = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file, 0);
    close(file);
    StoredTensor tensor;
    tensor.name = name;
    tensor.shape = {kTokens, kPairs};
    tensor.strides = row_major_strides(tensor.shape);
    tensor.bytes = {static_cast<const std::byte*>(begin), size};
    tensor.owner = std::shared_ptr<void>(begin, [](void* at) { munmap(at, size); });
    return tensor;
  }

  CheckReference reference_;
  CheckInputs inputs_;
  std::filesystem::path folder_;
};

/// Reading both files once, one after the other, 1 MiB at a time.
void read_files(const MillionTokens& tokens) {
  std::vector<char> buffer(std::size_t{1} << 20);
  for (const char* name : {"cos", "sin"}) {
    const int file = open(tokens.path(name).c_str(), O_RDONLY);
    while (read(file, buffer.data(), buffer.size()) > 0) benchmark::DoNotOptimize(buffer.data());
    close(file);
  }
}

double seconds_of(const std::function<void()>& act) {
  const auto begin = std::chrono::steady_clock::now();
  act();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

/// The verdict `agrees` over 1 048 576 tokens × 64 pairs of cos and sin. Aim: `ratio` to reading both files at most 3.
void check_agrees(benchmark::State& state) {
  const MillionTokens tokens;
  read_files(tokens);
  double reading = 0, checking = 0;
  for (auto _ : state) {
    reading += seconds_of([&] { read_files(tokens); });
    checking += seconds_of([&] {
      if (check(tokens.reference(), tokens.inputs()).verdict != Verdict::agrees) state.SkipWithError("disagrees");
    });
  }
  state.counters["ratio"] = checking / reading;
  state.counters["read_ms"] = 1e3 * reading / static_cast<double>(state.iterations());
  state.counters["check_ms"] = 1e3 * checking / static_cast<double>(state.iterations());
}
BENCHMARK(check_agrees)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace

}  // namespace ropescope
