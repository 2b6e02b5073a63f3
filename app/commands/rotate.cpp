#include <algorithm>
#include <cmath>
#include <memory>
#include <span>
#include <utility>

#include "app/commands/commands.h"
#include "app/commands/npy_numbers.h"
#include "app/commands/rope_options.h"
#include "app/experiment/experiment.h"
#include "app/resources/mapped_file.h"
#include "core/check/reading/planes.h"
#include "core/error.h"
#include "core/formats/npy.h"
#include "core/precision/precision.h"
#include "core/rotary/rotation.h"
#include "core/scaling/scaling.h"

namespace ropescope {

namespace {

struct RotateValues {
  RopeOptions rope;
  std::optional<std::string> input, positions, output;
};

/// A .npy of plain numbers as it lies.
struct NpyFile {
  std::shared_ptr<const MappedFile> file;
  StoredTensor tensor;
};

NpyFile open_npy(const std::string& path) {
  NpyFile opened;
  opened.file = map_file(path);
  opened.tensor = view_npy(opened.file->bytes(), opened.file, path, NpyNumbers::plain);
  opened.file->check_unchanged();
  return opened;
}

void check_input(const StoredTensor& tensor, const RotarySpec& spec, const std::string& path) {
  const std::vector<std::int64_t>& shape = tensor.shape;
  if ((shape.size() != 2 && shape.size() != 3) || shape.back() != spec.head_dim) {
    const std::string head_dim = std::to_string(spec.head_dim);
    throw InputError(path + ": the shape is " + shape_text(shape) + "; [tokens, " + head_dim + "] or [tokens, heads, " +
                     head_dim + "] was expected, as head_dim is " + head_dim);
  }
  // A token is held in doubles.
  constexpr std::int64_t kMostOfToken = std::int64_t{1} << 22;
  if (shape.size() == 3 && shape[1] > kMostOfToken / spec.head_dim) {
    throw InputError(path + ": the shape is " + shape_text(shape) + "; at most " +
                     std::to_string(kMostOfToken / spec.head_dim) + " heads of head_dim " +
                     std::to_string(spec.head_dim) + " were expected");
  }
  if (is_integer(tensor.storage)) {
    throw InputError(path + ": the dtype is an integer; float64, float32 or float16 was expected");
  }
}

/// Positions [tokens × axes], row by row: those of a list, or of a file a few at a time.
class Positions {
 public:
  Positions(const std::string& text, std::int64_t tokens, std::int64_t axes) : text_(text), axes_(axes) {
    if (names_npy_file(text)) {
      open(tokens);
    } else {
      read_list(tokens);
    }
  }

  void read(std::int64_t first, std::int64_t count, double* out) const {
    if (stored_.file) return read_rows(stored_.tensor, first, count, out);
    std::copy_n(list_.begin() + first, count, out);
  }
  double farthest() const { return farthest_; }
  void check_unchanged() const {
    if (stored_.file) stored_.file->check_unchanged();
  }

 private:
  void read_list(std::int64_t tokens) {
    if (axes_ > 1) {
      throw InputError("--positions is a list, but there are " + std::to_string(axes_) +
                       " axes; a .npy file of shape [tokens, " + std::to_string(axes_) + "] was expected");
    }
    list_ = parse_list(text_, "--positions");
    if (static_cast<std::int64_t>(list_.size()) != tokens) {
      throw InputError("--positions has " + std::to_string(list_.size()) + " numbers; " + std::to_string(tokens) +
                       ", one per token of the input, were expected");
    }
    look_at(list_);
  }

  void open(std::int64_t tokens) {
    stored_ = open_npy(text_);
    const std::vector<std::int64_t>& shape = stored_.tensor.shape;
    const bool fits =
        shape == std::vector<std::int64_t>{tokens, axes_} || (axes_ == 1 && shape == std::vector<std::int64_t>{tokens});
    if (!fits) {
      throw InputError(text_ + ": the shape is " + shape_text(shape) + "; " +
                       (axes_ == 1 ? shape_text({tokens}) : shape_text({tokens, axes_})) + " was expected");
    }
    // All of them before anything is written.
    std::vector<double> piece(static_cast<std::size_t>(kTokens * axes_));
    for (std::int64_t first = 0; first < tokens; first += kTokens) {
      const std::int64_t count = std::min(kTokens, tokens - first);
      read_rows(stored_.tensor, first, count, piece.data());
      const bool finite = std::all_of(piece.begin(), piece.begin() + static_cast<std::ptrdiff_t>(count * axes_),
                                      [](double position) { return std::isfinite(position); });
      if (!finite) throw InputError(text_ + ": a position is not finite; finite numbers were expected");
      look_at(std::span(piece).first(static_cast<std::size_t>(count * axes_)));
    }
  }

  void look_at(std::span<const double> positions) {
    for (const double position : positions) farthest_ = std::max(farthest_, position);
  }

  static constexpr std::int64_t kTokens = 4096;
  std::string text_;
  double farthest_ = 0;
  std::int64_t axes_;
  std::vector<double> list_;
  NpyFile stored_;
};

double stored_as(Storage storage, double value) {
  if (storage == Storage::float16) return round_to_float16(value);
  return storage == Storage::float32 ? round_to_float32(value) : value;
}

/// The rotated vectors as the bytes of a .npy, a few tokens at a time.
class Rotation {
 public:
  Rotation(NpyFile input, Positions positions, const RotarySpec& spec, const HeadLadder& ladder)
      : input_(std::move(input)), positions_(std::move(positions)), spec_(spec), ladder_(ladder) {
    spec_.amplitude = ladder.amplitude;
    const std::vector<std::int64_t>& shape = input_.tensor.shape;
    heads_ = shape.size() == 3 ? shape[1] : 1;
    // An axis of no elements may be as long as it likes.
    tokens_ = heads_ == 0 ? 0 : shape[0];
    pieces_ = std::max<std::int64_t>(1, kNumbers / std::max<std::int64_t>(1, heads_ * shape.back()));
  }

  /// Header first; empty after the last.
  std::string_view next() {
    if (!std::exchange(begun_, true)) {
      bytes_ = npy_header_of(input_.tensor);
      return bytes_;
    }
    const std::int64_t count = std::min(pieces_, tokens_ - done_);
    if (count == 0) return {};
    rotate_next(count);
    done_ += count;
    return bytes_;
  }

  /// Says which of the numbers written are infinite or NaN: those that were, and those too large for the format.
  void notice_infinite(const std::string& output) const {
    if (infinite_ == 0) return;
    const std::int64_t channels = spec_.head_dim, vector = first_infinite_ / channels;
    const std::string head = input_.tensor.shape.size() == 3 ? ", head " + std::to_string(vector % heads_) : "";
    put_notice(output + ": " + std::to_string(infinite_) + " of " + std::to_string(tokens_ * heads_ * channels) +
               " numbers are infinite or NaN, first at token " + std::to_string(vector / heads_) + head + ", channel " +
               std::to_string(first_infinite_ % channels) + "; " +
               (given_infinite_ ? "some stood in the input"
                                : std::string(storage_name(input_.tensor.storage)) + " holds no larger ones"));
  }

 private:
  void rotate_next(std::int64_t count) {
    const std::size_t axes = spec_.axes.size();
    const std::int64_t channels = spec_.head_dim;
    std::vector<double> numbers(static_cast<std::size_t>(count * heads_ * channels));
    std::vector<double> ids(static_cast<std::size_t>(count) * axes);
    read_rows(input_.tensor, done_, count, numbers.data());
    positions_.read(done_, count, ids.data());
    input_.file->check_unchanged();
    positions_.check_unchanged();
    const auto is_finite = [](double number) { return std::isfinite(number); };
    given_infinite_ = given_infinite_ || !std::all_of(numbers.begin(), numbers.end(), is_finite);
    for (std::int64_t token = 0; token < count; ++token) {
      const auto first = ids.begin() + static_cast<std::ptrdiff_t>(token * static_cast<std::int64_t>(axes));
      const TableRow row =
          head_table_row(spec_, ladder_.frequencies, {first, first + static_cast<std::ptrdiff_t>(axes)});
      for (std::int64_t head = 0; head < heads_; ++head) {
        Eigen::Map<Eigen::VectorXd> x(numbers.data() + (token * heads_ + head) * channels, spec_.head_dim);
        x = rotate_by_row(spec_, row, x);
      }
    }
    count_infinite(numbers);
    const std::vector<std::byte> stored = store_numbers(numbers, input_.tensor.storage, input_.tensor.big_endian);
    bytes_.assign(reinterpret_cast<const char*>(stored.data()), stored.size());
  }

  void count_infinite(const std::vector<double>& numbers) {
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      if (std::isfinite(stored_as(input_.tensor.storage, numbers[i]))) continue;
      if (infinite_++ == 0) first_infinite_ = done_ * heads_ * spec_.head_dim + static_cast<std::int64_t>(i);
    }
  }

  /// Held at a time.
  static constexpr std::int64_t kNumbers = std::int64_t{1} << 18;
  NpyFile input_;
  Positions positions_;
  RotarySpec spec_;
  HeadLadder ladder_;
  std::int64_t heads_ = 1, tokens_ = 0, pieces_ = 1, done_ = 0;
  std::int64_t infinite_ = 0, first_infinite_ = 0;
  bool begun_ = false, given_infinite_ = false;
  std::string bytes_;
};

void run_rotate(const RotateValues& values) {
  Rope rope = resolve_rope(values.rope);
  const RotarySpec& spec = rope.profile.spec;
  NpyFile input = open_npy(*values.input);
  check_input(input.tensor, spec, *values.input);
  Positions positions(*values.positions, input.tensor.shape.front(), static_cast<std::int64_t>(spec.axes.size()));
  ask_length(rope, positions.farthest() + 1);
  Rotation rotation(std::move(input), std::move(positions), spec, head_ladder(spec, rope.length));
  put_result(values.output, [&rotation] { return rotation.next(); });
  rotation.notice_infinite(*values.output == "-" ? "standard output" : *values.output);
  notice_length(values.rope, rope);
}

}  // namespace

Action declare_rotate(Arguments& arguments) {
  const auto values = std::make_shared<RotateValues>();
  add_rope_options(arguments, values->rope);
  arguments.option("--input", "X.npy", values->input, "Vectors [tokens, head_dim] or [tokens, heads, head_dim]",
                   Arguments::Need::required);
  arguments.option("--positions", "LIST|P.npy", values->positions,
                   "One position per token; for several axes a file [tokens, axes]", Arguments::Need::required);
  arguments.option("-o,--output", "Y.npy", values->output, "File to write; - is standard output",
                   Arguments::Need::required);
  return [values] { run_rotate(*values); };
}

}  // namespace ropescope
