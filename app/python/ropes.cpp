// Rope and Layout of Python: each method fills one request of core, runs it without Python's lock, and returns the
// numbers as an array.
//
// Contents: Ropes; Tables of cos and sin; Rotation; Curves; Rope; Layouts; Layout.

#include "app/python/ropes.h"

#include <pybind11/stl.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <numeric>
#include <span>
#include <variant>

#include "app/experiment/experiment.h"
#include "app/python/docs.h"
#include "app/resources/models.h"
#include "app/resources/places.h"
#include "core/decay/distances.h"
#include "core/formats/config_layout.h"
#include "core/formats/ladder_text.h"
#include "core/layouts/similarity.h"
#include "core/message.h"
#include "core/parallel.h"
#include "core/precision/precision.h"
#include "core/rotary/rotary_tables.h"
#include "core/scaling/scaling.h"

namespace ropescope::python {

// --- Ropes ---------------------------------------------------------------------------------------------------------

std::optional<double> PythonRope::length_for(double requested_positions) const {
  if (length || !find_scaling_method(spec().extension.method).depends_on_length) return length;
  return requested_positions > 0 ? std::optional(std::ceil(requested_positions)) : std::nullopt;
}

std::size_t PythonRope::axis(const std::optional<std::string>& name) const {
  const std::vector<RotaryAxis>& axes = spec().axes;
  if (!name) return 0;
  const auto found = std::find_if(axes.begin(), axes.end(), [&](const RotaryAxis& one) { return one.name == *name; });
  if (found != axes.end()) return static_cast<std::size_t>(found - axes.begin());
  throw InputError("axis is \"" + *name + "\"; expected one of " + joined(axes, ", ", &RotaryAxis::name));
}

namespace {

PythonRope make_rope_of_model(ModelConfig model, const std::string& source, const std::optional<std::string>& profile) {
  PythonRope rope;
  rope.source = source;
  rope.profile = find_profile(model.profiles, profile.value_or(""), source);
  rope.asked = profile.has_value();
  rope.model = std::make_shared<const ModelConfig>(std::move(model));
  return rope;
}

PythonRope preset_rope(const std::string& id, const std::optional<std::string>& profile) {
  Preset preset = load_preset(find_places().assets, id);
  PythonRope rope = make_rope_of_model({"", std::move(preset.profiles)}, "preset " + id, profile);
  rope.label = preset.name;
  rope.preset = id;
  return rope;
}

/// Reads a model by any of its names (resolve_model).
PythonRope load_python_rope(const std::string& name, const std::optional<std::string>& profile) {
  const NamedModel model = resolve_model(name);
  if (model.preset) return preset_rope(*model.preset, profile);
  PythonRope rope = unlocked(
      [&](const std::stop_token&) { return make_rope_of_model(load_model_config(model.path), name, profile); });
  rope.config = model.path;
  rope.label = short_name(name);
  rope.given = name;
  return rope;
}

/// Returns a mapping, or an object with to_dict(), as the text of a config.json. Values that JSON cannot represent (a
/// dtype) are written as strings: no rotary embedding depends on them.
std::string json_of(const py::handle& source) {
  const py::object said = py::hasattr(source, "to_dict") ? py::object(source.attr("to_dict")())
                                                         : py::reinterpret_borrow<py::object>(source);
  const py::object dumps = py::module_::import("json").attr("dumps");
  return py::str(dumps(said, py::arg("default") = py::module_::import("builtins").attr("str")));
}

/// Reads the ladder of an axis: None, a formula, or the frequencies.
void set_ladder(RotarySpec& spec, std::size_t axis, const py::object& ladder) {
  if (ladder.is_none()) return;
  if (py::isinstance<py::str>(ladder)) {
    if (axis > 0 || spec.axes.size() > 1) throw InputError("ladder of an axis is a string; expected frequencies");
    return give_ladder(spec, ladder.cast<std::string>(), "ladder");
  }
  const std::string name = spec.axes.size() > 1 ? "ladder of axis " + std::to_string(axis) : "ladder";
  std::vector<double> values = numbers_of(ladder, name).values;
  const int dim = spec.axes[axis].rotary_dim;
  if (dim > 0 && dim % 2 == 0 && std::ssize(values) != dim / 2) {
    throw InputError(name + " has " + std::to_string(values.size()) + " values; expected " + std::to_string(dim / 2) +
                     ", one per pair");
  }
  spec.axes[axis].ladder = Ladder::given;
  spec.axes[axis].frequencies = std::move(values);
}

/// Reads one of axes=[{"name": "row", "dim": 56, "base": 10000.0}, …], as Rope.__repr__() writes them.
void put_axis(RotarySpec& spec, std::size_t index, const py::dict& numbers) {
  RotaryAxis& axis = spec.axes[index];
  const py::dict given = numbers.attr("copy")();
  const auto take = [&given](const char* name) -> py::object {
    return given.contains(name) ? py::object(given.attr("pop")(name)) : py::object();
  };
  if (const py::object name = take("name")) axis.name = py::str(name);
  if (const py::object dim = take("dim")) axis.rotary_dim = require<int>(dim, "dim of an axis", "int");
  if (const py::object base = take("base")) axis.base = require<double>(base, "base of an axis", "float");
  for (const auto& [name, member] :
       {std::pair("live_fraction", &RotaryAxis::live_fraction), {"factor", &RotaryAxis::factor}}) {
    const py::object value = take(name);
    if (!value) continue;
    axis.ladder = Ladder::proportional;
    axis.*member = require<double>(value, std::string(name) + " of an axis", "float");
  }
  const py::object ladder = take("ladder");
  for (const auto& [key, value] : given) {
    throw InputError("axis " + std::to_string(index) + " has an unknown key " +
                     elide_middle(std::string(py::str(key))) +
                     "; expected name, dim, base, ladder, live_fraction or factor");
  }
  set_ladder(spec, index, ladder ? ladder : py::none());
}

/// Sets the axes of a rope: a single one, or those of axes=.
void put_axes(RotarySpec& spec, const std::optional<int>& dim, const std::optional<double>& base,
              const py::object& ladder, const py::object& axes) {
  if (axes.is_none()) {
    RotaryAxis& axis = spec.axes.front();
    if (dim && (*dim < 2 || *dim > kLargestDimension || *dim % 2 != 0)) {
      throw InputError("dim is " + std::to_string(*dim) + "; expected an even number from 2 to " +
                       std::to_string(kLargestDimension));
    }
    axis.rotary_dim = dim.value_or(axis.rotary_dim);
    axis.base = base.value_or(axis.base);
    return set_ladder(spec, 0, ladder);
  }
  if (dim || base || !ladder.is_none()) {
    throw InputError("axes is given with dim, base or ladder; expected them in each axis");
  }
  if (!py::isinstance<py::list>(axes) && !py::isinstance<py::tuple>(axes)) {
    throw py::type_error("axes must be a list of dict or None, not " + type_name(axes));
  }
  const py::list each(axes);
  spec.axes.resize(each.size());
  for (std::size_t i = 0; i < spec.axes.size(); ++i) {
    put_axis(spec, i, require<py::dict>(each[i], "axes[" + std::to_string(i) + "]", "dict"));
  }
}

/// Reads scaling="linear", or {"method": "yarn", "factor": 4.0}.
void put_scaling(PythonRope& rope, const py::object& scaling) {
  if (scaling.is_none()) return;
  if (py::isinstance<py::str>(scaling)) return extend_rope(rope, scaling.cast<std::string>(), {}, {}, {});
  if (!py::isinstance<py::dict>(scaling) && !py::hasattr(scaling, "keys")) {
    throw py::type_error("scaling must be a str, a dict or None, not " + type_name(scaling));
  }
  const py::dict given = py::dict(scaling).attr("copy")();
  if (!given.contains("method")) throw InputError("scaling has no \"method\"");
  const std::string method = py::str(given.attr("pop")("method"));
  extend_rope(rope, method, given, {}, {});
}

/// Returns the rope under another method, and remembers the call for repr().
PythonRope with_scaling(PythonRope rope, const std::string& method, const std::optional<double>& trained_length,
                        const std::optional<double>& length, const py::kwargs& given) {
  extend_rope(rope, method, given, trained_length, length);
  std::string call = ".with_scaling(" + repr_of(py::str(method));
  const auto add = [&call](const std::string& name, const py::object& value) {
    call.append(", ").append(name).append("=").append(repr_of(value));
  };
  for (const auto& [name, value] : rope.spec().extension.numbers) {
    if (given.contains(name.c_str())) add(name, py::float_(value));
  }
  for (const auto& [name, values] : rope.spec().extension.lists) add(name, py::cast(values));
  if (trained_length) add("trained_length", py::float_(*trained_length));
  if (length) add("length", py::float_(*length));
  rope.steps += call + ")";
  return rope;
}

// --- Tables of cos and sin -----------------------------------------------------------------------------------------

/// Number of elements computed between two checks for cancellation.
constexpr std::int64_t kNumbersAtOnce = 1 << 14;

/// Positions of tokens, one per axis of the rope.
struct Places {
  std::vector<double> values;       ///< [tokens × axes]
  std::vector<std::int64_t> shape;  ///< shape of the tokens
  std::size_t axes = 1;
  std::int64_t count() const { return static_cast<std::int64_t>(values.size() / axes); }
  std::span<const double> at(std::int64_t token) const {
    return {values.data() + static_cast<std::size_t>(token) * axes, axes};
  }
  double farthest() const { return values.empty() ? 0 : *std::max_element(values.begin(), values.end()); }
};

/// Returns the positions in an array. For a rope with several axes, the array's last axis indexes them; a
/// one-dimensional array gives positions shared by all of them.
Places places_of(const PythonRope& rope, const py::handle& positions) {
  Numbers numbers = numbers_of(positions, "positions");
  if (!std::all_of(numbers.values.begin(), numbers.values.end(), [](double each) { return std::isfinite(each); })) {
    throw InputError("positions contains a number that is not finite");
  }
  const std::size_t axes = rope.spec().axes.size();
  if (axes == 1) return {std::move(numbers.values), std::move(numbers.shape)};
  if (numbers.shape.size() < 2) {
    Places same{{}, std::move(numbers.shape), axes};
    for (const double value : numbers.values) same.values.insert(same.values.end(), axes, value);
    return same;
  }
  if (numbers.shape.back() != static_cast<std::int64_t>(axes)) {
    throw InputError("positions has " + std::to_string(numbers.shape.back()) + " numbers per token; expected " +
                     std::to_string(axes) + ", one per axis: " + joined(rope.spec().axes, ", ", &RotaryAxis::name));
  }
  numbers.shape.pop_back();
  return {std::move(numbers.values), std::move(numbers.shape), axes};
}

/// Returns the ladders of all axes at a length.
std::vector<TableLadder> ladders_of(const RotarySpec& spec, std::optional<double> length) {
  std::vector<TableLadder> ladders;
  for (std::size_t axis = 0; axis < spec.axes.size(); ++axis) {
    ScaledLadder ladder = scaled_ladder(spec, axis, length);
    ladders.push_back({std::move(ladder.frequencies), ladder.amplitude});
  }
  return ladders;
}

/// cos and sin as arrays.
struct TableArrays {
  Storage format;
  std::int64_t columns = 0;
  py::array cosine, sine;

  TableArrays(Storage stored, std::vector<std::int64_t> shape, std::int64_t width)
      : format(stored),
        columns(width),
        cosine(empty_array(stored, with_columns(shape, width))),
        sine(empty_array(stored, with_columns(std::move(shape), width))) {}

  template <class Real>
  std::pair<Real*, Real*> at(std::int64_t row) {
    return {static_cast<Real*>(cosine.mutable_data()) + row * columns,
            static_cast<Real*>(sine.mutable_data()) + row * columns};
  }

 private:
  static std::vector<std::int64_t> with_columns(std::vector<std::int64_t> shape, std::int64_t width) {
    shape.push_back(width);
    return shape;
  }
};

/// Fills the arrays by blocks of rows: write(begin, count, cosine, sine) for float or double.
template <class Write>
void fill_arrays(TableArrays& arrays, std::int64_t rows, int threads, const Write& write) {
  // The arrays' addresses are asked for before Python's lock is released.
  const auto floats = arrays.format == Storage::float32 ? arrays.at<float>(0) : std::pair<float*, float*>();
  const auto doubles = arrays.format == Storage::float64 ? arrays.at<double>(0) : std::pair<double*, double*>();
  const std::int64_t columns = arrays.columns;
  unlocked([&](const std::stop_token& stop) {
    const std::int64_t rows_at_once = std::max<std::int64_t>(1, kNumbersAtOnce / std::max<std::int64_t>(1, columns));
    parallel_for_blocks(rows, rows_at_once, {threads, stop}, [&](std::int64_t begin, std::int64_t count) {
      const std::int64_t at = begin * columns;
      if (floats.first) {
        write(begin, count, floats.first + at, floats.second + at);
      } else if (doubles.first) {
        write(begin, count, doubles.first + at, doubles.second + at);
      } else {
        std::vector<double> cosines(static_cast<std::size_t>(count * columns)), sines(cosines.size());
        write(begin, count, cosines.data(), sines.data());
        put_numbers(arrays.cosine, arrays.format, at, cosines);
        put_numbers(arrays.sine, arrays.format, at, sines);
      }
    });
    return true;
  });
}

/// Writes rows under a policy of core/precision, times the amplitude.
template <class Real>
void write_policy_rows(const PrecisionPolicy& policy, std::span<const TableLadder> ladders, const Places& places,
                       std::int64_t begin, std::int64_t count, Real* cosine, Real* sine) {
  Eigen::VectorXd c, s;
  for (std::int64_t row = begin; row < begin + count; ++row) {
    for (std::size_t axis = 0; axis < ladders.size(); ++axis) {
      const TableLadder& ladder = ladders[axis];
      policy.table(ladder.frequencies, places.at(row)[axis], c, s);
      for (Eigen::Index pair = 0; pair < ladder.frequencies.size(); ++pair) {
        *cosine++ = static_cast<Real>(c[pair] * ladder.amplitude);
        *sine++ = static_cast<Real>(s[pair] * ladder.amplitude);
      }
    }
  }
}

/// The tables of cos_sin() that are not of a policy.
constexpr std::pair<std::string_view, TableAngles> kTables[] = {{"transformers", TableAngles::float32},
                                                                {"exact", TableAngles::exact}};

/// Returns the angles of such tables, or the policy of this name.
std::variant<TableAngles, const PrecisionPolicy*> angles_of(const std::string& how) {
  for (const auto& [name, angles] : kTables) {
    if (name == how) return angles;
  }
  for (const PrecisionPolicy& policy : all_precision_policies()) {
    if (policy.name == how) return &policy;
  }
  throw InputError("how is \"" + how + "\"; expected transformers, exact, or a policy of precision(): " +
                   joined(names_of(all_precision_policies())));
}

py::tuple cos_sin(const PythonRope& rope, const py::handle& positions, const py::handle& dtype, const std::string& how,
                  int threads) {
  require_threads(threads);
  const Storage format = float_format(dtype);
  const std::variant<TableAngles, const PrecisionPolicy*> computed = angles_of(how);
  const Places places = places_of(rope, positions);
  std::vector<TableLadder> ladders = ladders_of(rope.spec(), rope.length_for(places.farthest() + 1));
  if (const auto* policy = std::get_if<const PrecisionPolicy*>(&computed)) {
    std::int64_t pairs = 0;
    for (const TableLadder& ladder : ladders) pairs += ladder.frequencies.size();
    TableArrays arrays(format, places.shape, pairs);
    fill_arrays(arrays, places.count(), threads, [&](std::int64_t begin, std::int64_t count, auto* cosine, auto* sine) {
      write_policy_rows(**policy, ladders, places, begin, count, cosine, sine);
    });
    return py::make_tuple(arrays.cosine, arrays.sine);
  }
  const auto angles = std::get<TableAngles>(computed);
  const TableColumns columns = angles == TableAngles::exact                 ? TableColumns::once
                               : rope.spec().pairing == Pairing::half_split ? TableColumns::halves
                                                                            : TableColumns::adjacent;
  const RotaryTables tables =
      unlocked([&](const std::stop_token&) { return RotaryTables(std::move(ladders), angles, places.values); });
  TableArrays arrays(format, places.shape, tables.width(columns));
  fill_arrays(arrays, places.count(), threads, [&](std::int64_t begin, std::int64_t count, auto* cosine, auto* sine) {
    tables.rows(begin, count, columns, cosine, sine);
  });
  return py::make_tuple(arrays.cosine, arrays.sine);
}

// --- Rotation ------------------------------------------------------------------------------------------------------

/// The row of a table that each row of a tensor is rotated by: its positions broadcast to the tensor's leading axes.
struct RowsOfTable {
  Places places;
  std::vector<std::int64_t> rows;
};

/// Returns the positions and their rows: [tokens] with [batch, heads, tokens]. A rope with several axes has these last.
RowsOfTable spread(const PythonRope& rope, const py::handle& positions, const std::vector<std::int64_t>& leading) {
  RowsOfTable spread{places_of(rope, positions), {}};
  const std::vector<std::int64_t>& shape = spread.places.shape;
  const auto fits = [&] {
    if (shape.size() > leading.size()) return false;
    for (std::size_t back = 1; back <= shape.size(); ++back) {
      const std::int64_t own = shape[shape.size() - back];
      if (own != 1 && own != leading[leading.size() - back]) return false;
    }
    return true;
  };
  const auto text = [](const std::vector<std::int64_t>& sides) {
    return "(" + joined(sides, ", ", [](std::int64_t side) { return std::to_string(side); }) + ")";
  };
  if (!fits()) {
    throw InputError("positions of shape " + text(shape) + " do not fit the rows of x, which are " + text(leading) +
                     "; expected one per token, or a shape that NumPy broadcasts to that");
  }
  // Strides of the positions along the leading axes; 0 where they are repeated.
  std::vector<std::int64_t> strides(leading.size());
  std::int64_t stride = 1;
  for (std::size_t back = 1; back <= shape.size(); ++back) {
    if (shape[shape.size() - back] != 1) strides[leading.size() - back] = stride;
    stride *= shape[shape.size() - back];
  }
  std::int64_t count = 1;
  for (const std::int64_t side : leading) count *= side;
  spread.rows.resize(static_cast<std::size_t>(count));
  std::vector<std::int64_t> index(leading.size());
  std::int64_t row = 0;
  for (std::int64_t& at : spread.rows) {
    at = row;
    for (std::size_t axis = leading.size(); axis-- > 0;) {
      row += strides[axis];
      if (++index[axis] < leading[axis]) break;
      row -= strides[axis] * leading[axis];
      index[axis] = 0;
    }
  }
  return spread;
}

/// Returns the tensor as consecutive rows, whichever axes they are on.
StoredTensor to_rows(const py::handle& given, StoredTensor tensor) {
  const std::int64_t channels = tensor.shape.back();
  if (tensor.strides != row_major_strides(tensor.shape)) {
    if (tensor.storage == Storage::bfloat16) throw InputError("x of bfloat16 is not contiguous; pass x.contiguous()");
    tensor = tensor_of(py::module_::import("numpy").attr("ascontiguousarray")(given), tensor.name);
  }
  const std::int64_t rows = channels > 0 ? tensor.count() / channels : 0;
  tensor.shape = {rows, channels};
  tensor.strides = row_major_strides(tensor.shape);
  return tensor;
}

py::array rotate(const PythonRope& rope, const py::handle& x, const py::handle& positions,
                 const std::optional<std::string>& pairing, int threads) {
  require_threads(threads);
  RotarySpec spec = rope.spec();
  if (pairing) spec.pairing = choice_of<Pairing>("pairing", *pairing);
  const StoredTensor given = tensor_of(x, "x");
  if (given.shape.size() < 2 || given.shape.back() != spec.head_dim) {
    throw InputError("x of shape [" +
                     joined(given.shape, ", ", [](std::int64_t each) { return std::to_string(each); }) +
                     "] has no head vectors; expected [..., tokens, " + std::to_string(spec.head_dim) + "]");
  }
  if (is_complex(given.storage) || is_integer(given.storage)) {
    throw py::type_error("x contains " + std::string(storage_name(given.storage)) +
                         "; expected float64, float32, float16 or bfloat16");
  }
  const RowsOfTable spread_rows = spread(rope, positions, {given.shape.begin(), given.shape.end() - 1});
  const Places& places = spread_rows.places;
  const Storage format = given.storage == Storage::bfloat16 ? Storage::float32 : given.storage;
  py::array out = empty_array(format, {given.shape.begin(), given.shape.end()});
  const StoredTensor tensor = to_rows(x, given);
  const std::optional<double> length = rope.length_for(places.farthest() + 1);
  // Read where it is, if it has the machine's byte order and the result's format.
  const bool direct = given.storage == format && !tensor.big_endian && std::endian::native == std::endian::little &&
                      reinterpret_cast<std::uintptr_t>(tensor.bytes.data()) % storage_bytes(format) == 0;
  auto* const floats = static_cast<float*>(out.mutable_data());
  auto* const doubles = static_cast<double*>(out.mutable_data());
  unlocked([&](const std::stop_token& stop) {
    const RotaryTables tables(ladders_of(spec, length), TableAngles::exact, places.values);
    const std::int64_t pairs = tables.pair_count();
    std::vector<double> cosine(static_cast<std::size_t>(tables.row_count() * pairs)), sine(cosine.size());
    const std::int64_t table_rows = std::max<std::int64_t>(1, kNumbersAtOnce / std::max<std::int64_t>(1, pairs));
    parallel_for_blocks(tables.row_count(), table_rows, {threads, stop}, [&](std::int64_t begin, std::int64_t count) {
      tables.rows(begin, count, TableColumns::once, cosine.data() + begin * pairs, sine.data() + begin * pairs);
    });
    const RowRotation rotation{cosine, sine, pairs, spec.head_dim, spec.pairing == Pairing::interleaved};
    const std::int64_t rows_at_once = std::max<std::int64_t>(1, kNumbersAtOnce / spec.head_dim);
    parallel_for_blocks(tensor.shape[0], rows_at_once, {threads, stop}, [&](std::int64_t begin, std::int64_t count) {
      const std::span<const std::int64_t> rows =
          std::span(spread_rows.rows).subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(count));
      const std::int64_t at = begin * spec.head_dim;
      if (direct && format == Storage::float32) {
        return rotate_rows(rotation, rows, reinterpret_cast<const float*>(tensor.bytes.data()) + at, floats + at);
      }
      if (direct && format == Storage::float64) {
        return rotate_rows(rotation, rows, reinterpret_cast<const double*>(tensor.bytes.data()) + at, doubles + at);
      }
      std::vector<double> vectors(static_cast<std::size_t>(count * spec.head_dim));
      read_rows(tensor, begin, count, vectors.data());
      rotate_rows<double>(rotation, rows, vectors.data(), vectors.data());
      put_numbers(out, format, at, vectors);
    });
    return true;
  });
  return out;
}

// --- Curves ------------------------------------------------------------------------------------------------------

/// Returns the similarity, or the bound by blocks of pairs in this order.
py::object curve_of(const PythonRope& rope, const py::handle& distances, const std::optional<std::string>& axis,
                    const std::optional<PairOrder>& bound, int threads) {
  require_threads(threads);
  Numbers numbers = numbers_of(distances, "distances");
  double farthest = 0;
  for (const double distance : numbers.values) farthest = std::max(farthest, std::abs(distance));
  const Eigen::VectorXd frequencies =
      scaled_ladder(rope.spec(), rope.axis(axis), rope.length_for(farthest)).frequencies;
  KernelCurves curves = unlocked([&](const std::stop_token& stop) {
    return curves_at(numbers.values, frequencies, bound.value_or(PairOrder::fast_first), {threads, stop},
                     bound.has_value());
  });
  return result_of(std::move(bound ? curves.bound : curves.similarity), std::move(numbers.shape));
}

// --- Layouts -------------------------------------------------------------------------------------------------------

/// Parses (width, height), or "1664x928".
ImageSize size_of(const py::handle& given, const std::string& name, bool in_pixels) {
  int numbers[2] = {};
  if (py::isinstance<py::str>(given)) {
    const auto text = given.cast<std::string>();
    char rest = 0;
    if (std::sscanf(text.c_str(), "%dx%d%c", &numbers[0], &numbers[1], &rest) != 2) {
      throw InputError(name + " is \"" + text + "\"; expected a pair of integers");
    }
  } else {
    const Numbers pair = numbers_of(given, name);
    if (pair.values.size() != 2) {
      throw InputError(name + " is " + elide_middle(repr_of(given)) + "; expected " +
                       (in_pixels ? "(width, height) in pixels" : "(rows, columns) in tokens"));
    }
    for (std::size_t i = 0; i < 2; ++i) numbers[i] = static_cast<int>(pair.values[i]);
  }
  return in_pixels ? ImageSize::pixels(numbers[0], numbers[1]) : ImageSize::tokens(numbers[0], numbers[1]);
}

/// Sets a field of the layout in the request, in the member that its declaration specifies. Returns the parsed value
/// as an immutable Python value that sets the field to the same.
py::object give_field(LayoutRequest& request, const LayoutField& field, const py::handle& value) {
  const std::string name(field.name);
  if (const auto* text = std::get_if<std::string LayoutRequest::*>(&field.member)) {
    if (!py::isinstance<py::str>(value)) throw InputError(name + " is not a string");
    request.** text = value.cast<std::string>();
    return py::str(request.**text);
  } else if (const auto* references = std::get_if<std::vector<ImageSize> LayoutRequest::*>(&field.member)) {
    py::list parsed;
    for (const py::handle each : value) {
      const ImageSize size = size_of(each, name, true);
      (request.**references).push_back(size);
      parsed.append(py::make_tuple(size.columns, size.rows));
    }
    return py::tuple(parsed);
  } else if (const auto* list = std::get_if<std::vector<int> LayoutRequest::*>(&field.member)) {
    for (const double each : numbers_of(value, name).values) (request.**list).push_back(static_cast<int>(each));
    return py::tuple(py::cast(request.**list));
  } else if (const auto* pairing = std::get_if<std::optional<Pairing> LayoutRequest::*>(&field.member)) {
    request.** pairing = choice_of<Pairing>("pairing", value.cast<std::string>());
    return py::str(value.cast<std::string>());
  } else if (std::holds_alternative<std::optional<ImageSize> LayoutRequest::*>(field.member) ||
             std::holds_alternative<std::vector<CustomAxis> LayoutRequest::*>(field.member) ||
             std::holds_alternative<Eigen::MatrixXd LayoutRequest::*>(field.member)) {
    throw InputError(name + " cannot be set here");
  } else {
    const Numbers number = numbers_of(value, name);
    if (number.values.size() != 1) throw InputError(name + " is not a number");
    if (field.whole && number.values.front() != std::floor(number.values.front()))
      throw InputError(name + " is " + number_text(number.values.front()) + "; expected an integer");
    set_value(request, field, number.values.front());
    return py::float_(number.values.front());
  }
}

PythonLayout layout_of(const std::string& name, const py::object& size, const py::object& grid,
                       const py::kwargs& fields) {
  PythonLayout made;
  made.layout = &find_layout(name);
  if (!size.is_none() && !grid.is_none()) throw InputError("size and grid are alternatives; expected only one of them");
  made.arguments["name"] = name;
  if (!size.is_none()) {
    const ImageSize image = size_of(size, "size", true);
    made.request.image = image;
    made.arguments["size"] = py::make_tuple(image.columns, image.rows);
  }
  if (!grid.is_none()) {
    const ImageSize image = size_of(grid, "grid", false);
    made.request.image = image;
    made.arguments["grid"] = py::make_tuple(image.rows, image.columns);
  }
  for (const auto& [key, value] : fields) {
    const auto field_name = key.cast<std::string>();
    const LayoutField* field = find_field(*made.layout, field_name);
    if (!field) {
      throw InputError("the layout " + name + " has no " + field_name + "; its fields are " +
                       joined(made.layout->settings, ", ", &LayoutField::name));
    }
    made.arguments[key] = give_field(made.request, *field, value);
  }
  made.tables = unlocked([&](const std::stop_token&) {
    return std::make_shared<const LayoutTables>(arrange(*made.layout, made.request));
  });
  return made;
}

py::array_t<double> list_layout_ids(const PythonLayout& layout) {
  const TokenLayout& tokens = layout.tables->layout();
  const auto rows = tokens.row_count(), axes = static_cast<std::int64_t>(tokens.axes.size());
  std::vector<double> ids(static_cast<std::size_t>(rows * axes));
  Eigen::Map<Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>(ids.data(), rows, axes) =
      id_rows(tokens, 0, rows);
  return array_of(std::move(ids), {rows, axes});
}

py::tuple compute_layout_tables(const PythonLayout& layout, const py::handle& dtype, int threads) {
  require_threads(threads);
  const Storage format = float_format(dtype);
  const TokenLayout& tokens = layout.tables->layout();
  const std::int64_t rows = tokens.row_count(), pairs = tokens.pair_count();
  py::array cosine = empty_array(format, {rows, pairs}), sine = empty_array(format, {rows, pairs});
  unlocked([&](const std::stop_token& stop) {
    const std::int64_t rows_at_once = std::max<std::int64_t>(1, kNumbersAtOnce / std::max<std::int64_t>(1, pairs));
    parallel_for_blocks(rows, rows_at_once, {threads, stop}, [&](std::int64_t begin, std::int64_t count) {
      std::vector<double> cosines(static_cast<std::size_t>(count * pairs)), sines(cosines.size());
      layout.tables->table_rows(begin, count, cosines.data(), sines.data());
      put_numbers(cosine, format, begin * pairs, cosines);
      put_numbers(sine, format, begin * pairs, sines);
    });
    return true;
  });
  return py::make_tuple(cosine, sine);
}

/// Returns the row of a patch: a row of the tables; or (row, column) or (frame, row, column) in the image.
std::int64_t find_patch_row(const TokenLayout& tokens, const py::handle& patch) {
  if (PyIndex_Check(patch.ptr()) != 0 && PySequence_Check(patch.ptr()) == 0) {
    return py::int_(py::reinterpret_borrow<py::object>(patch)).cast<std::int64_t>();
  }
  const std::vector<double> place = numbers_of(patch, "patch").values;
  const TokenBlock& image = image_block(tokens);
  if (place.size() != 2 && place.size() != 3) {
    throw InputError("patch is not a row of the tables, (row, column) or (frame, row, column)");
  }
  const double frame = place.size() == 3 ? place[0] : 0, row = place[place.size() - 2], column = place.back();
  if (!(frame >= 0 && frame < image.frames && row >= 0 && row < image.rows && column >= 0 &&
        column < static_cast<double>(image.columns))) {
    throw InputError("patch is outside the image, which has " + std::to_string(image.frames) + " frames of " +
                     std::to_string(image.rows) + " rows and " + std::to_string(image.columns) + " columns");
  }
  const auto line = static_cast<std::int64_t>(frame) * image.rows + static_cast<std::int64_t>(row);
  return image.first_row + line * image.columns + static_cast<std::int64_t>(column);
}

py::array_t<double> compute_layout_similarity(const PythonLayout& layout, const py::handle& patch) {
  const std::int64_t row = find_patch_row(layout.tables->layout(), patch);
  const Eigen::VectorXd total =
      unlocked([&](const std::stop_token&) { return Eigen::VectorXd(similarity_from(*layout.tables, row).total); });
  return array_of({total.begin(), total.end()}, {total.size()});
}

py::list blocks_of(const PythonLayout& layout) {
  py::list blocks;
  for (const TokenBlock& block : layout.tables->layout().blocks) {
    py::dict one;
    one["part"] = block.part;
    one["frames"] = block.frames;
    one["rows"] = block.rows;
    one["columns"] = block.columns;
    one["first_row"] = block.first_row;
    one["first_token"] = block.first_token;
    blocks.append(one);
  }
  return blocks;
}

/// Returns the base that all axes share; None if they differ, or if the frequencies are given.
std::optional<double> base_of(const PythonRope& rope) {
  const std::vector<RotaryAxis>& axes = rope.spec().axes;
  const bool one = std::all_of(axes.begin(), axes.end(), [&](const RotaryAxis& axis) {
    return axis.base == axes.front().base && axis.ladder != Ladder::given;
  });
  return one ? std::optional(axes.front().base) : std::nullopt;
}

}  // namespace

void extend_rope(PythonRope& rope, const std::string& method, const py::dict& given,
                 const std::optional<double>& trained_length, const std::optional<double>& length) {
  RotarySpec& spec = rope.profile.spec;
  const ScalingMethod& declared = find_scaling_method(method);
  spec.extension = {.method = method, .numbers = {}, .lists = {}};
  for (const auto& [key, value] : given) {
    const std::string name = py::str(key);
    // Includes NumPy's scalars, which are not arrays.
    if (PyNumber_Check(value.ptr()) != 0 && PySequence_Check(value.ptr()) == 0) {
      spec.extension.numbers[name] = require<double>(value, name, "float");
    } else {
      spec.extension.lists[name] = numbers_of(value, name).values;
    }
  }
  for (const ScalingField& parameter : declared.parameters) {
    if (parameter.required && !parameter.is_extension_factor) {
      spec.extension.numbers.try_emplace(std::string(parameter.name), parameter.initial);
    }
  }
  if (trained_length) spec.trained_length = trained_length;
  if (length) rope.length = length;
  rope.changed = true;
  validate(spec);
  check_extension(spec, rope.length);
}

py::array_t<double> frequencies_of(const PythonRope& rope) {
  const Eigen::VectorXd frequencies = head_ladder(rope.spec(), rope.length).frequencies;
  return array_of({frequencies.begin(), frequencies.end()}, {frequencies.size()});
}

PythonRope rope_of(const py::handle& source, const std::optional<std::string>& profile, const std::string& argument) {
  if (py::isinstance<PythonRope>(source)) {
    PythonRope rope = source.cast<PythonRope>();
    if (!profile) return rope;
    if (!rope.model) throw InputError(rope.source + " has no profiles");
    rope.profile = find_profile(rope.model->profiles, *profile, rope.source);
    rope.asked = true;
    rope.changed = false;
    rope.steps.clear();
    return rope;
  }
  if (py::isinstance<py::str>(source) || py::hasattr(source, "__fspath__")) {
    const py::object path = py::module_::import("os").attr("fspath")(source);
    return load_python_rope(py::str(path), profile);
  }
  if (py::isinstance<py::dict>(source) || py::hasattr(source, "to_dict")) {
    return make_rope_of_model(parse_model_config(json_of(source), "the config"), "the config", profile);
  }
  throw py::type_error(
      argument + " must be a path, a name, a mapping as in config.json, an object with to_dict() or a Rope, not " +
      type_name(source));
}

// --- Rope ----------------------------------------------------------------------------------------------------------

namespace {

void declare_rope_sources(py::class_<PythonRope>& rope_class) {
  using py::arg;
  const auto none = py::none();
  rope_class
      .def(py::init([](std::optional<int> dim, std::optional<double> base, const py::object& ladder,
                       const std::string& pairing, std::optional<int> head_dim, std::optional<double> trained_length,
                       const py::object& axes, const py::object& scaling, std::optional<double> length,
                       double amplitude) {
             PythonRope rope;
             rope.profile.name = "custom";
             RotarySpec& spec = rope.profile.spec;
             spec.pairing = choice_of<Pairing>("pairing", pairing);
             put_axes(spec, dim, base, ladder, axes);
             spec.head_dim = head_dim.value_or(total_rotary_dim(spec));
             spec.trained_length = trained_length;
             spec.amplitude = amplitude;
             validate(spec);
             if (!(amplitude > 0 && std::isfinite(amplitude))) {
               throw InputError("amplitude is " + number_text(amplitude) + "; expected a positive number");
             }
             rope.length = length;
             put_scaling(rope, scaling);
             rope.changed = false;
             return rope;
           }),
           arg("dim") = none, arg("base") = none, py::kw_only(), arg("ladder") = none, arg("pairing") = "half",
           arg("head_dim") = none, arg("trained_length") = none, arg("axes") = none, arg("scaling") = none,
           arg("length") = none, arg("amplitude") = 1.0)
      .def_static(
          "from_config",
          [](const py::object& config, const std::optional<std::string>& profile) { return rope_of(config, profile); },
          arg("config"), arg("profile") = none, docs::kFromConfig)
      .def_static("from_preset", &preset_rope, arg("name"), arg("profile") = none, docs::kFromPreset);
}

void declare_rope_properties(py::class_<PythonRope>& rope_class) {
  rope_class
      .def_property_readonly(
          "profile", [](const PythonRope& rope) { return rope.profile.name; }, docs::kProfile)
      .def_property_readonly(
          "profiles",
          [](const PythonRope& rope) {
            return rope.model ? names_of(rope.model->profiles) : std::vector<std::string>{rope.profile.name};
          },
          docs::kProfiles)
      .def_property_readonly(
          "pairing", [](const PythonRope& rope) { return std::string(word_of(rope.spec().pairing)); }, docs::kPairing)
      .def_property_readonly(
          "head_dim", [](const PythonRope& rope) { return rope.spec().head_dim; }, docs::kHeadDim)
      .def_property_readonly(
          "rotary_dim", [](const PythonRope& rope) { return total_rotary_dim(rope.spec()); }, docs::kRotaryDim)
      .def_property_readonly(
          "trained_length", [](const PythonRope& rope) { return rope.spec().trained_length; }, docs::kTrainedLength)
      .def_property_readonly(
          "original_length", [](const PythonRope& rope) { return rope.spec().trained_length; }, docs::kOriginalLength)
      .def_property_readonly(
          "context_length",
          [](const PythonRope& rope) {
            return rope.profile.context_length ? rope.profile.context_length : rope.spec().trained_length;
          },
          docs::kContextLength)
      .def_property_readonly("base", &base_of, docs::kBase)
      .def_property_readonly(
          "scaling", [](const PythonRope& rope) { return rope.spec().extension.method; }, docs::kScaling)
      .def_property_readonly(
          "axes", [](const PythonRope& rope) { return names_of(rope.spec().axes); }, docs::kAxes)
      .def_property_readonly(
          "notes", [](const PythonRope& rope) { return sentences(rope.profile.notes); }, docs::kNotes)
      .def_property_readonly("inverse_frequencies", &frequencies_of, docs::kInverseFrequencies)
      .def_property_readonly("frequencies", &frequencies_of, docs::kInverseFrequencies)
      .def_property_readonly(
          "amplitude", [](const PythonRope& rope) { return head_ladder(rope.spec(), rope.length).amplitude; },
          docs::kAmplitude);
}

void declare_rope_methods(py::class_<PythonRope>& rope_class) {
  using py::arg;
  const auto none = py::none();
  rope_class
      .def("cos_sin", &cos_sin, arg("positions"), arg("dtype") = "float32", arg("how") = "transformers", py::kw_only(),
           arg("threads") = 0, docs::kCosSin)
      .def("rotate", &rotate, arg("x"), arg("positions"), arg("pairing") = none, py::kw_only(), arg("threads") = 0,
           docs::kRotate)
      .def(
          "similarity",
          [](const PythonRope& rope, const py::handle& distances, const std::optional<std::string>& axis, int threads) {
            return curve_of(rope, distances, axis, {}, threads);
          },
          arg("distances"), py::kw_only(), arg("axis") = none, arg("threads") = 0, docs::kSimilarity)
      .def(
          "bound",
          [](const PythonRope& rope, const py::handle& distances, const std::string& order,
             const std::optional<std::string>& axis,
             int threads) { return curve_of(rope, distances, axis, choice_of<PairOrder>("order", order), threads); },
          arg("distances"), py::kw_only(), arg("order") = "fast-first", arg("axis") = none, arg("threads") = 0,
          docs::kBound)
      .def(
          "with_scaling",
          [](const PythonRope& rope, const std::string& method, const std::optional<double>& trained_length,
             const std::optional<double>& length,
             const py::kwargs& given) { return with_scaling(rope, method, trained_length, length, given); },
          arg("method"), py::kw_only(), arg("trained_length") = none, arg("length") = none, docs::kWithScaling);
}

}  // namespace

void declare_ropes(py::module_& module) {
  py::class_<PythonRope> rope_class = declare_class<PythonRope>(module, "Rope", docs::kRope);
  declare_rope_sources(rope_class);
  declare_rope_properties(rope_class);
  declare_rope_methods(rope_class);
  declare_rope_values(rope_class);
  declare_rope_limits(rope_class);
  module.def(
      "presets",
      [] {
        std::vector<std::string> names;
        for (const Preset& preset : load_presets(find_places().assets)) names.push_back(preset.id);
        return names;
      },
      docs::kPresets);
}

// --- Layout --------------------------------------------------------------------------------------------------------

void declare_layouts(py::module_& module) {
  using py::arg;
  py::class_<PythonLayout> layout_class = declare_class<PythonLayout>(module, "Layout", docs::kLayout);
  const auto reduced = [](const PythonLayout& layout, const py::args&) {
    return py::make_tuple(py::module_::import("ropescope.configs").attr("restore_layout"),
                          py::make_tuple(layout.arguments.attr("copy")()));
  };
  layout_class.def("__reduce__", reduced)
      .def("__reduce_ex__", reduced)
      .def_property_readonly(
          "name", [](const PythonLayout& layout) { return std::string(layout.layout->name); }, docs::kLayoutName)
      .def_property_readonly("ids", &list_layout_ids, docs::kIds)
      .def_property_readonly(
          "axes", [](const PythonLayout& layout) { return names_of(layout.tables->layout().axes); }, docs::kLayoutAxes)
      .def_property_readonly(
          "pairing", [](const PythonLayout& layout) { return std::string(word_of(layout.tables->layout().pairing)); },
          docs::kPairing)
      .def_property_readonly(
          "inverse_frequencies",
          [](const PythonLayout& layout) {
            const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> all =
                layout.tables->layout().frequencies;
            return array_of({all.data(), all.data() + all.size()}, {all.rows(), all.cols()});
          },
          docs::kLayoutFrequencies)
      .def_property_readonly("blocks", &blocks_of, docs::kBlocks)
      .def_property_readonly(
          "notes", [](const PythonLayout& layout) { return sentences(layout.tables->layout().notes); },
          docs::kLayoutNotes)
      .def("cos_sin", &compute_layout_tables, arg("dtype") = "float32", py::kw_only(), arg("threads") = 0,
           docs::kLayoutCosSin)
      .def("similarity", &compute_layout_similarity, arg("patch"), docs::kLayoutSimilarity)
      .def("__len__", [](const PythonLayout& layout) { return layout.tables->layout().row_count(); })
      .def("__repr__", [](const PythonLayout& layout) {
        return "<ropescope.Layout " + std::string(layout.layout->name) + ": " +
               std::to_string(layout.tables->layout().row_count()) + " tokens>";
      });
  module.def(
      "layouts", [] { return names_of(all_layouts()); }, docs::kLayouts);
  module.def("layout", &layout_of, arg("name"), arg("size") = py::none(), arg("grid") = py::none(), docs::kMakeLayout);
}

}  // namespace ropescope::python
