#include <cmath>
#include <memory>
#include <span>

#include "app/commands/commands.h"
#include "app/commands/rope_options.h"
#include "app/experiment/experiment.h"
#include "app/resources/files.h"
#include "core/error.h"
#include "core/formats/npy.h"
#include "core/rotary/rotation.h"
#include "core/scaling/scaling.h"

namespace ropescope {

namespace {

struct Values {
  RopeOptions rope;
  std::optional<std::string> input, positions, output;
};

std::string shape_text(const std::vector<std::int64_t>& shape) {
  std::string text = "[";
  for (std::size_t i = 0; i < shape.size(); ++i) text += (i ? ", " : "") + std::to_string(shape[i]);
  return text + "]";
}

Tensor load_npy(const std::string& path) {
  const std::string content = read_file(path);
  return parse_npy(std::as_bytes(std::span(content)), path);
}

void check_input(const Tensor& tensor, const RotarySpec& spec, const std::string& path) {
  const std::vector<std::int64_t>& shape = tensor.shape;
  if ((shape.size() != 2 && shape.size() != 3) || shape.back() != spec.head_dim) {
    const std::string head_dim = std::to_string(spec.head_dim);
    throw InputError(path + ": the shape is " + shape_text(shape) + "; [tokens, " + head_dim + "] or [tokens, heads, " +
                     head_dim + "] was expected, as head_dim is " + head_dim);
  }
  const bool floating = tensor.format == NumberFormat::float64 || tensor.format == NumberFormat::float32 ||
                        tensor.format == NumberFormat::float16;
  if (!floating) throw InputError(path + ": the dtype is an integer; float64, float32 or float16 was expected");
}

/// [tokens × axes] positions, row by row, from a list or a .npy file.
std::vector<double> read_positions(const std::string& text, std::size_t tokens, std::size_t axes) {
  if (!text.ends_with(".npy")) {
    if (axes > 1) {
      throw InputError("--positions is a list, but there are " + std::to_string(axes) +
                       " axes; a .npy file of shape [tokens, " + std::to_string(axes) + "] was expected");
    }
    std::vector<double> positions = parse_list(text, "--positions");
    if (positions.size() != tokens) {
      throw InputError("--positions has " + std::to_string(positions.size()) + " numbers; " + std::to_string(tokens) +
                       ", one per token of the input, were expected");
    }
    return positions;
  }
  Tensor tensor = load_npy(text);
  const auto rows = static_cast<std::int64_t>(tokens), columns = static_cast<std::int64_t>(axes);
  const bool fits = tensor.shape == std::vector<std::int64_t>{rows, columns} ||
                    (axes == 1 && tensor.shape == std::vector<std::int64_t>{rows});
  if (!fits) {
    throw InputError(text + ": the shape is " + shape_text(tensor.shape) + "; " +
                     (axes == 1 ? shape_text({rows}) : shape_text({rows, columns})) + " was expected");
  }
  for (const double position : tensor.values) {
    if (!std::isfinite(position)) throw InputError(text + ": a position is not finite; finite numbers were expected");
  }
  return std::move(tensor.values);
}

/// Rotates every head of every token in place.
void rotate(Tensor& tensor, const std::vector<double>& positions, RotarySpec spec, const HeadLadder& ladder) {
  spec.amplitude = ladder.amplitude;
  const auto tokens = static_cast<std::size_t>(tensor.shape.front());
  const std::size_t axes = spec.axes.size();
  const std::size_t heads = tensor.shape.size() == 3 ? static_cast<std::size_t>(tensor.shape[1]) : 1;
  const auto channels = static_cast<std::size_t>(spec.head_dim);
  for (std::size_t token = 0; token < tokens; ++token) {
    const auto first = positions.begin() + static_cast<std::ptrdiff_t>(token * axes);
    const TableRow row = head_table_row(spec, ladder.frequencies, {first, first + static_cast<std::ptrdiff_t>(axes)});
    for (std::size_t head = 0; head < heads; ++head) {
      Eigen::Map<Eigen::VectorXd> x(tensor.values.data() + (token * heads + head) * channels, spec.head_dim);
      x = rotate_by_row(spec, row, x);
    }
  }
}

void run(const Values& values) {
  const Rope rope = resolve_rope(values.rope);
  const RotarySpec& spec = rope.profile.spec;
  Tensor tensor = load_npy(*values.input);
  check_input(tensor, spec, *values.input);
  const auto tokens = static_cast<std::size_t>(tensor.shape.front());
  rotate(tensor, read_positions(*values.positions, tokens, spec.axes.size()), spec, head_ladder(spec, rope.length));
  const std::vector<std::byte> bytes = write_npy(tensor);
  put_result(values.output, std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
}

}  // namespace

Action declare_rotate(Arguments& arguments) {
  const auto values = std::make_shared<Values>();
  add_rope_options(arguments, values->rope);
  arguments.option("--input", "X.npy", values->input, "Vectors [tokens, head_dim] or [tokens, heads, head_dim]",
                   Arguments::Need::required);
  arguments.option("--positions", "LIST|P.npy", values->positions,
                   "One position per token; for several axes a file [tokens, axes]", Arguments::Need::required);
  arguments.option("-o,--output", "Y.npy", values->output, "File to write; - is standard output",
                   Arguments::Need::required);
  return [values] { run(*values); };
}

}  // namespace ropescope
