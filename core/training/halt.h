#pragma once

#include <cstdint>
#include <functional>
#include <stop_token>

namespace ropescope {

/// Is looked at before every unit of a step's work, so that a stop is soon heard, however large the model: no unit is
/// more than 70 million multiplications (some milliseconds), whatever the length and the batch.
class Halt {
 public:
  /// Told of every unit before it begins: about how many multiplications it is. By any thread.
  using Watch = std::function<void(std::int64_t)>;

  Halt() = default;
  /// Both must outlive it.
  Halt(const std::stop_token& stop, const Watch& watch) : stop_(&stop), watch_(watch ? &watch : nullptr) {}

  /// True where the unit, and all that would follow, is not wanted any more.
  bool before(std::int64_t multiplications) const {
    if (watch_) (*watch_)(multiplications);
    return requested();
  }
  bool requested() const { return stop_ && stop_->stop_requested(); }

 private:
  const std::stop_token* stop_ = nullptr;
  const Watch* watch_ = nullptr;
};

struct RowRange {
  std::int64_t begin, count;
};
/// work(range) for `at_once` of the rows at a time, each a unit; false where it was halted.
template <class Work>
bool for_rows(std::int64_t rows, std::int64_t at_once, std::int64_t multiplications_of_row, const Halt& halt,
              const Work& work) {
  for (std::int64_t begin = 0; begin < rows; begin += at_once) {
    const RowRange some{begin, rows - begin < at_once ? rows - begin : at_once};
    if (halt.before(some.count * multiplications_of_row)) return false;
    work(some);
  }
  return true;
}

}  // namespace ropescope
