// Rope and Layout of Python: each method fills one request of core, lets it run without Python's lock, and gives the
// numbers as an array.
//
// Contents: Ropes; Tables of cos and sin; Rotation; Curves and limits; Rope; Layouts; Layout.

#include "app/python/ropes.h"

#include <pybind11/stl.h>

#include <algorithm>
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
#include "core/parallel.h"
#include "core/precision/precision.h"
#include "core/rotary/rotation.h"
#include "core/scaling/context_limits.h"
#include "core/scaling/scaling.h"
#include "core/words.h"

namespace ropescope::python {

// --- Ropes ---------------------------------------------------------------------------------------------------------

std::optional<double> PythonRope::length_for(double asked_positions) const {
  if (length || !find_scaling_method(spec().extension.method).depends_on_length) return length;
  return asked_positions > 0 ? std::optional(std::ceil(asked_positions)) : std::nullopt;
}

std::size_t PythonRope::axis(const std::optional<std::string>& name) const {
  const std::vector<RotaryAxis>& axes = spec().axes;
  if (!name) return 0;
  const auto found = std::find_if(axes.begin(), axes.end(), [&](const RotaryAxis& one) { return one.name == *name; });
  if (found != axes.end()) return static_cast<std::size_t>(found - axes.begin());
  throw InputError("axis is \"" + *name + "\"; one of " + joined(axes, ", ", &RotaryAxis::name) + " was expected");
}

namespace {

Pairing pairing_of(const std::string& word) {
  for (const Pairing pairing : {Pairing::interleaved, Pairing::half_split}) {
    if (word == word_of(pairing)) return pairing;
  }
  throw InputError("pairing is \"" + word + "\"; interleaved or half was expected");
}

PythonRope rope_of_model(ModelConfig model, const std::string& source, const std::optional<std::string>& profile) {
  PythonRope rope;
  rope.source = source;
  rope.profile = find_profile(model.profiles, profile.value_or(""), source);
  rope.asked = profile.has_value();
  rope.model = std::make_shared<const ModelConfig>(std::move(model));
  return rope;
}

PythonRope rope_of_path(const std::string& path, const std::optional<std::string>& profile) {
  PythonRope rope =
      unlocked([&](const std::stop_token&) { return rope_of_model(load_model_config(path), path, profile); });
  rope.config = path;
  rope.label = short_name(path);
  return rope;
}

/// A mapping, or what has to_dict(), as the text of a config.json. What JSON has no word for (a dtype) is written as
/// its text: no rotary embedding depends on it.
std::string json_of(const py::handle& source) {
  const py::object said = py::hasattr(source, "to_dict") ? py::object(source.attr("to_dict")())
                                                         : py::reinterpret_borrow<py::object>(source);
  const py::object dumps = py::module_::import("json").attr("dumps");
  return py::str(dumps(said, py::arg("default") = py::module_::import("builtins").attr("str")));
}

}  // namespace

PythonRope rope_of(const py::handle& source, const std::optional<std::string>& profile) {
  if (py::isinstance<PythonRope>(source)) {
    PythonRope rope = source.cast<PythonRope>();
    if (!profile) return rope;
    if (!rope.model) throw InputError(rope.source + " has no profiles");
    rope.profile = find_profile(rope.model->profiles, *profile, rope.source);
    rope.asked = true;
    return rope;
  }
  if (py::isinstance<py::str>(source) || py::hasattr(source, "__fspath__")) {
    const py::object path = py::module_::import("os").attr("fspath")(source);
    return rope_of_path(py::str(path), profile);
  }
  if (py::isinstance<py::dict>(source) || py::hasattr(source, "to_dict")) {
    return rope_of_model(parse_model_config(json_of(source), "the config"), "the config", profile);
  }
  const std::string kind = py::str(py::type::of(source).attr("__name__"));
  throw InputError("the config is of type " + kind +
                   "; a path, a mapping as config.json holds it, or what has to_dict() was expected");
}

namespace {

PythonRope preset_rope(const std::string& id, const std::optional<std::string>& profile) {
  Preset preset = load_preset(find_places().assets, id);
  PythonRope rope = rope_of_model({"", std::move(preset.profiles)}, "preset " + id, profile);
  rope.label = preset.name;
  rope.preset = id;
  return rope;
}

/// None, a formula, or the frequencies.
using OwnLadder = std::variant<std::monostate, std::string, std::vector<double>>;

struct OwnNumbers {
  int dim = 128;
  double base = 10000;
  OwnLadder ladder;
  std::string pairing = "half";
  std::optional<int> head_dim;
  std::optional<double> trained_length;
};

PythonRope own_rope(const OwnNumbers& own) {
  PythonRope rope;
  RotarySpec& spec = rope.profile.spec;
  rope.profile.name = "custom";
  spec.axes.front().rotary_dim = own.dim;
  spec.axes.front().base = own.base;
  spec.head_dim = own.head_dim.value_or(own.dim);
  spec.pairing = pairing_of(own.pairing);
  spec.trained_length = own.trained_length;
  if (const auto* formula = std::get_if<std::string>(&own.ladder)) give_ladder(spec, *formula, "ladder");
  if (const auto* numbers = std::get_if<std::vector<double>>(&own.ladder)) {
    spec.axes.front().ladder = Ladder::given;
    spec.axes.front().frequencies = *numbers;
  }
  validate(spec);
  return rope;
}

/// The rope under another method; numbers and lists under the methods' own names. What a config would have to say is
/// taken as it was released.
PythonRope with_scaling(PythonRope rope, const std::string& method, const std::optional<double>& trained_length,
                        const std::optional<double>& length, const py::kwargs& given) {
  RotarySpec& spec = rope.profile.spec;
  const ScalingMethod& declared = find_scaling_method(method);
  spec.extension = {.method = method, .numbers = {}, .lists = {}};
  for (const auto& [key, value] : given) {
    const auto name = key.cast<std::string>();
    // NumPy's scalars too, which are no arrays.
    if (PyNumber_Check(value.ptr()) != 0 && PySequence_Check(value.ptr()) == 0) {
      spec.extension.numbers[name] = value.cast<double>();
    } else {
      spec.extension.lists[name] = numbers_of(value, name).values;
    }
  }
  for (const ScalingField& parameter : declared.parameters) {
    if (parameter.required && !parameter.says_how_far) {
      spec.extension.numbers.try_emplace(std::string(parameter.name), parameter.initial);
    }
  }
  if (trained_length) spec.trained_length = trained_length;
  if (length) rope.length = length;
  rope.changed = true;
  validate(spec);
  check_extension(spec, rope.length);
  return rope;
}

py::array_t<double> frequencies_of(const PythonRope& rope) {
  const Eigen::VectorXd frequencies = head_ladder(rope.spec(), rope.length).frequencies;
  return array_of({frequencies.begin(), frequencies.end()}, {frequencies.size()});
}

// --- Tables of cos and sin -----------------------------------------------------------------------------------------

/// So many numbers are computed between two looks at whether the work is stopped.
constexpr std::int64_t kNumbersAtOnce = 1 << 14;

/// Positions of tokens, one for each axis of the rope.
struct Places {
  std::vector<double> values;       ///< [tokens × axes]
  std::vector<std::int64_t> shape;  ///< of the tokens
  std::size_t axes = 1;
  std::int64_t count() const { return static_cast<std::int64_t>(values.size() / axes); }
  std::span<const double> at(std::int64_t token) const {
    return {values.data() + static_cast<std::size_t>(token) * axes, axes};
  }
  double farthest() const { return values.empty() ? 0 : *std::max_element(values.begin(), values.end()); }
};

/// Of a rope with several axes the last axis of the array has their positions; an array of one axis holds positions
/// that all of them count.
Places places_of(const PythonRope& rope, const py::handle& positions) {
  Numbers numbers = numbers_of(positions, "positions");
  if (!std::all_of(numbers.values.begin(), numbers.values.end(), [](double each) { return std::isfinite(each); })) {
    throw InputError("positions holds a number that is not finite");
  }
  const std::size_t axes = rope.spec().axes.size();
  if (axes == 1) return {std::move(numbers.values), std::move(numbers.shape)};
  if (numbers.shape.size() < 2) {
    Places same{{}, std::move(numbers.shape), axes};
    for (const double value : numbers.values) same.values.insert(same.values.end(), axes, value);
    return same;
  }
  if (numbers.shape.back() != static_cast<std::int64_t>(axes)) {
    throw InputError("positions has " + std::to_string(numbers.shape.back()) + " numbers for a token; " +
                     std::to_string(axes) +
                     " were expected, one for each axis: " + joined(rope.spec().axes, ", ", &RotaryAxis::name));
  }
  numbers.shape.pop_back();
  return {std::move(numbers.values), std::move(numbers.shape), axes};
}

/// How a table is computed and laid out.
struct TableForm {
  const PrecisionPolicy* policy = nullptr;  ///< null: exactly
  bool as_transformers = false;             ///< every column twice, and the amplitude in float32 too
};

TableForm form_of(const std::string& how) {
  if (how == "exact") return {};
  if (how == "transformers") return {&find_precision_policy("float32"), true};
  return {&find_precision_policy(how), false};
}

/// cos and sin of one token, for all pairs of the head.
struct HeadRow {
  Eigen::VectorXd cosine, sine;
};

class TableMaker {
 public:
  TableMaker(const RotarySpec& spec, std::optional<double> length, const TableForm& form)
      : form_(form), pairing_(spec.pairing) {
    for (std::size_t axis = 0; axis < spec.axes.size(); ++axis) {
      ladders_.push_back(scaled_ladder(spec, axis, length));
      pairs_ += ladders_.back().frequencies.size();
    }
  }

  std::int64_t columns() const { return form_.as_transformers ? 2 * pairs_ : pairs_; }

  void fill(std::span<const double> positions, HeadRow& row, HeadRow& part) const {
    row.cosine.resize(pairs_), row.sine.resize(pairs_);
    Eigen::Index first = 0;
    for (std::size_t axis = 0; axis < ladders_.size(); ++axis) {
      const ScaledLadder& ladder = ladders_[axis];
      const Eigen::Index count = ladder.frequencies.size();
      if (form_.policy) {
        form_.policy->table(ladder.frequencies, positions[axis], part.cosine, part.sine);
        row.cosine.segment(first, count) = part.cosine * ladder.amplitude;
        row.sine.segment(first, count) = part.sine * ladder.amplitude;
      } else {
        for (Eigen::Index pair = 0; pair < count; ++pair) {
          const Phasor turned = phasor(ladder.frequencies[pair], positions[axis]);
          row.cosine[first + pair] = turned.cosine * ladder.amplitude;
          row.sine[first + pair] = turned.sine * ladder.amplitude;
        }
      }
      first += count;
    }
  }

  /// The columns of a row; rounded to float32 first where that is how they are made.
  void lay_out(const Eigen::VectorXd& pairs, double* out) const {
    if (!form_.as_transformers) {
      std::copy(pairs.begin(), pairs.end(), out);
      return;
    }
    for (Eigen::Index pair = 0; pair < pairs_; ++pair) {
      const double number = static_cast<float>(pairs[pair]);
      const bool halves = pairing_ == Pairing::half_split;
      out[halves ? pair : 2 * pair] = number;
      out[halves ? pair + pairs_ : 2 * pair + 1] = number;
    }
  }

 private:
  TableForm form_;
  Pairing pairing_;
  std::vector<ScaledLadder> ladders_;
  Eigen::Index pairs_ = 0;
};

py::tuple cos_sin(const PythonRope& rope, const py::handle& positions, const py::handle& dtype, const std::string& how,
                  int threads) {
  checked_threads(threads);
  const Storage format = float_format(dtype);
  const TableForm form = form_of(how);
  const Places places = places_of(rope, positions);
  const TableMaker maker(rope.spec(), rope.length_for(places.farthest() + 1), form);
  const std::int64_t columns = maker.columns();
  std::vector<std::int64_t> shape = places.shape;
  shape.push_back(columns);
  py::array cosine = empty_array(format, shape), sine = empty_array(format, shape);
  unlocked([&](const std::stop_token& stop) {
    const std::int64_t rows_at_once = std::max<std::int64_t>(1, kNumbersAtOnce / columns);
    share_blocks(places.count(), rows_at_once, {threads, stop}, [&](std::int64_t begin, std::int64_t count) {
      HeadRow row, part;
      std::vector<double> cosines(static_cast<std::size_t>(count * columns)), sines(cosines.size());
      for (std::int64_t i = 0; i < count; ++i) {
        maker.fill(places.at(begin + i), row, part);
        maker.lay_out(row.cosine, cosines.data() + i * columns);
        maker.lay_out(row.sine, sines.data() + i * columns);
      }
      put_numbers(cosine, format, begin * columns, cosines);
      put_numbers(sine, format, begin * columns, sines);
    });
    return true;
  });
  return py::make_tuple(cosine, sine);
}

// --- Rotation ------------------------------------------------------------------------------------------------------

/// The positions of the rows of a tensor, the shape of its leading axes: as NumPy broadcasts, [tokens] beside [batch,
/// heads, tokens]. A rope of several axes has theirs last.
py::object spread(const py::handle& positions, const std::vector<std::int64_t>& rows, std::size_t axes) {
  const py::module_ numpy = py::module_::import("numpy");
  Numbers numbers = numbers_of(positions, "positions");
  py::object array = array_of(std::move(numbers.values), std::move(numbers.shape));
  py::list shape;
  for (const std::int64_t each : rows) shape.append(each);
  if (axes > 1) {
    if (array.attr("ndim").cast<int>() < 2) {
      array = numpy.attr("repeat")(array[py::make_tuple(py::ellipsis(), py::none())], axes, -1);
    }
    shape.append(axes);
  }
  try {
    return numpy.attr("broadcast_to")(array, py::tuple(shape));
  } catch (py::error_already_set& error) {
    if (!error.matches(PyExc_ValueError)) throw;
    throw InputError("positions of shape " + std::string(py::str(array.attr("shape"))) +
                     " do not fit the rows of x, which are " + std::string(py::str(py::tuple(shape))) +
                     "; one for each token was expected, as NumPy broadcasts");
  }
}

/// Rows of a tensor as they follow each other, whichever axes they are on.
StoredTensor as_rows(const py::handle& given, StoredTensor tensor) {
  const std::int64_t channels = tensor.shape.back();
  if (tensor.strides != row_major_strides(tensor.shape)) {
    if (tensor.storage == Storage::bfloat16) throw InputError("x of bfloat16 lies in pieces; give x.contiguous()");
    tensor = tensor_of(py::module_::import("numpy").attr("ascontiguousarray")(given), tensor.name);
  }
  const std::int64_t rows = channels > 0 ? tensor.count() / channels : 0;
  tensor.shape = {rows, channels};
  tensor.strides = row_major_strides(tensor.shape);
  return tensor;
}

py::array rotate(const PythonRope& rope, const py::handle& x, const py::handle& positions,
                 const std::optional<std::string>& pairing, int threads) {
  checked_threads(threads);
  RotarySpec spec = rope.spec();
  if (pairing) spec.pairing = pairing_of(*pairing);
  const StoredTensor given = tensor_of(x, "x");
  if (given.shape.size() < 2 || given.shape.back() != spec.head_dim) {
    throw InputError("x of shape [" +
                     joined(given.shape, ", ", [](std::int64_t each) { return std::to_string(each); }) +
                     "] has no head vectors; [..., tokens, " + std::to_string(spec.head_dim) + "] was expected");
  }
  if (is_complex(given.storage) || is_integer(given.storage)) throw InputError("x holds no floats");
  const std::vector<std::int64_t> rows(given.shape.begin(), given.shape.end() - 1);
  const Places places = places_of(rope, spread(positions, rows, spec.axes.size()));
  const Storage format = given.storage == Storage::bfloat16 ? Storage::float32 : given.storage;
  py::array out = empty_array(format, {given.shape.begin(), given.shape.end()});
  const StoredTensor tensor = as_rows(x, given);
  const Eigen::VectorXd frequencies = head_ladder(spec, rope.length_for(places.farthest() + 1)).frequencies;
  spec.amplitude = head_ladder(spec, rope.length_for(places.farthest() + 1)).amplitude;
  unlocked([&](const std::stop_token& stop) {
    const std::int64_t rows_at_once = std::max<std::int64_t>(1, kNumbersAtOnce / spec.head_dim);
    share_blocks(tensor.shape[0], rows_at_once, {threads, stop}, [&](std::int64_t begin, std::int64_t count) {
      Eigen::VectorXd vector(spec.head_dim);
      for (std::int64_t row = begin; row < begin + count; ++row) {
        read_rows(tensor, row, 1, vector.data());
        const std::span<const double> at = places.at(row);
        const TableRow table = head_table_row(spec, frequencies, {at.begin(), at.end()});
        const Eigen::VectorXd turned = rotate_by_row(spec, table, vector);
        put_numbers(out, format, row * spec.head_dim, {turned.data(), static_cast<std::size_t>(turned.size())});
      }
    });
    return true;
  });
  return out;
}

// --- Curves and limits ---------------------------------------------------------------------------------------------

PairOrder order_of(const std::string& word) {
  for (const PairOrder order : {PairOrder::fast_first, PairOrder::slow_first}) {
    if (word == word_of(order)) return order;
  }
  throw InputError("order is \"" + word + "\"; fast-first or slow-first was expected");
}

struct CurveQuestion {
  std::optional<std::string> axis;
  PairOrder order = PairOrder::fast_first;
  bool bound = false;
  int threads = 0;
};

py::array_t<double> curve_of(const PythonRope& rope, const py::handle& distances, const CurveQuestion& asked) {
  checked_threads(asked.threads);
  Numbers numbers = numbers_of(distances, "distances");
  double farthest = 0;
  for (const double distance : numbers.values) farthest = std::max(farthest, std::abs(distance));
  const Eigen::VectorXd frequencies =
      scaled_ladder(rope.spec(), rope.axis(asked.axis), rope.length_for(farthest)).frequencies;
  KernelCurves curves = unlocked([&](const std::stop_token& stop) {
    return curves_at(numbers.values, frequencies, asked.order, {asked.threads, stop}, asked.bound);
  });
  return array_of(std::move(asked.bound ? curves.bound : curves.similarity), std::move(numbers.shape));
}

template <class Number>
py::object or_none(const std::optional<Number>& number) {
  return number ? py::object(py::cast(*number)) : py::object(py::none());
}

py::dict limits(const PythonRope& rope, std::optional<double> context, const std::optional<std::string>& axis,
                int threads) {
  checked_threads(threads);
  LimitsQuestion question{rope.spec(), rope.axis(axis), {}, context ? context : rope.spec().trained_length};
  question.length = rope.length_for(context.value_or(0));
  if (context && !(*context >= 1 && *context <= static_cast<double>(kFarthestDistance))) {
    throw InputError("context is " + number_text(*context) + "; a number from 1 to " +
                     std::to_string(kFarthestDistance) + " was expected");
  }
  const ContextLimits found = unlocked([&](const std::stop_token& stop) {
    return context_limits(question, {threads, stop});
  });
  py::dict answer;
  answer["context"] = or_none(question.context);
  answer["first_negative_distance"] = or_none(found.negative);
  answer["largest_context"] = found.negative ? py::object(py::int_(*found.negative - 1)) : py::object(py::none());
  answer["shaken_context"] = or_none(found.shaken ? found.shaken->largest() : std::nullopt);
  answer["smallest_base"] =
      found.smallest ? py::object(py::float_(found.smallest->window.low)) : py::object(py::none());
  answer["window"] = found.smallest
                         ? py::object(py::make_tuple(found.smallest->window.low, found.smallest->window.high))
                         : py::object(py::none());
  answer["robust_base"] = found.robust ? py::object(py::float_(found.robust->base)) : py::object(py::none());
  answer["effective_pairs"] = or_none(found.effective_pairs);
  answer["critical_dimension"] = or_none(found.critical_dimension);
  answer["unseen_pairs"] = or_none(found.unseen_pairs);
  return answer;
}

std::string text_of(const PythonRope& rope) {
  const RotarySpec& spec = rope.spec();
  std::string text = "<ropescope.Rope " + (rope.label.empty() ? rope.profile.name : rope.label) + ": ";
  for (const RotaryAxis& axis : spec.axes) {
    text += (spec.axes.size() > 1 ? axis.name + " " : std::string()) + "d " + std::to_string(axis.rotary_dim) +
            (axis.ladder == Ladder::given ? ", own ladder, " : ", base " + number_text(axis.base) + ", ");
  }
  const std::string extension = extension_text(spec.extension);
  return text + (extension.empty() ? "" : extension + ", ") + std::string(word_of(spec.pairing)) + ">";
}

}  // namespace

// --- Rope ----------------------------------------------------------------------------------------------------------

void declare_ropes(py::module_& module) {
  using py::arg;
  const auto none = py::none();
  py::class_<PythonRope>(module, "Rope", docs::kRope)
      .def(py::init([](int dim, double base, const OwnLadder& ladder, const std::string& pairing,
                       std::optional<int> head_dim, std::optional<double> trained_length) {
             return own_rope({dim, base, ladder, pairing, head_dim, trained_length});
           }),
           arg("dim") = 128, arg("base") = 10000.0, py::kw_only(), arg("ladder") = none, arg("pairing") = "half",
           arg("head_dim") = none, arg("trained_length") = none)
      .def_static("from_config", &rope_of, arg("config"), arg("profile") = none, docs::kFromConfig)
      .def_static("from_preset", &preset_rope, arg("name"), arg("profile") = none, docs::kFromPreset)
      .def_property_readonly("profile", [](const PythonRope& rope) { return rope.profile.name; })
      .def_property_readonly("profiles",
                             [](const PythonRope& rope) {
                               if (!rope.model) return std::vector<std::string>{rope.profile.name};
                               std::vector<std::string> names;
                               for (const Profile& each : rope.model->profiles) names.push_back(each.name);
                               return names;
                             })
      .def_property_readonly("pairing",
                             [](const PythonRope& rope) { return std::string(word_of(rope.spec().pairing)); })
      .def_property_readonly("head_dim", [](const PythonRope& rope) { return rope.spec().head_dim; })
      .def_property_readonly("rotary_dim", [](const PythonRope& rope) { return total_rotary_dim(rope.spec()); })
      .def_property_readonly("trained_length", [](const PythonRope& rope) { return rope.spec().trained_length; })
      .def_property_readonly("scaling", [](const PythonRope& rope) { return rope.spec().extension.method; })
      .def_property_readonly("axes",
                             [](const PythonRope& rope) {
                               std::vector<std::string> names;
                               for (const RotaryAxis& axis : rope.spec().axes) names.push_back(axis.name);
                               return names;
                             })
      .def_property_readonly("notes", [](const PythonRope& rope) { return sentences(rope.profile.notes); })
      .def_property_readonly("inverse_frequencies", &frequencies_of, docs::kInverseFrequencies)
      .def_property_readonly(
          "amplitude", [](const PythonRope& rope) { return head_ladder(rope.spec(), rope.length).amplitude; },
          docs::kAmplitude)
      .def("cos_sin", &cos_sin, arg("positions"), arg("dtype") = "float32", arg("how") = "transformers", py::kw_only(),
           arg("threads") = 0, docs::kCosSin)
      .def("rotate", &rotate, arg("x"), arg("positions"), arg("pairing") = none, py::kw_only(), arg("threads") = 0,
           docs::kRotate)
      .def(
          "similarity",
          [](const PythonRope& rope, const py::handle& distances, const std::optional<std::string>& axis, int threads) {
            return curve_of(rope, distances, {axis, PairOrder::fast_first, false, threads});
          },
          arg("distances"), py::kw_only(), arg("axis") = none, arg("threads") = 0, docs::kSimilarity)
      .def(
          "bound",
          [](const PythonRope& rope, const py::handle& distances, const std::string& order,
             const std::optional<std::string>& axis, int threads) {
            return curve_of(rope, distances, {axis, order_of(order), true, threads});
          },
          arg("distances"), py::kw_only(), arg("order") = "fast-first", arg("axis") = none, arg("threads") = 0,
          docs::kBound)
      .def("limits", &limits, arg("context") = none, py::kw_only(), arg("axis") = none, arg("threads") = 0,
           docs::kLimits)
      .def(
          "with_scaling",
          [](const PythonRope& rope, const std::string& method, const std::optional<double>& trained_length,
             const std::optional<double>& length,
             const py::kwargs& given) { return with_scaling(rope, method, trained_length, length, given); },
          arg("method"), py::kw_only(), arg("trained_length") = none, arg("length") = none, docs::kWithScaling)
      .def("__repr__", &text_of);
}

// --- Layouts -------------------------------------------------------------------------------------------------------

namespace {

/// (width, height), or "1664x928".
ImageSize size_of(const py::handle& given, const std::string& name, bool in_pixels) {
  int numbers[2] = {};
  if (py::isinstance<py::str>(given)) {
    const auto text = given.cast<std::string>();
    char rest = 0;
    if (std::sscanf(text.c_str(), "%dx%d%c", &numbers[0], &numbers[1], &rest) != 2) {
      throw InputError(name + " is \"" + text + "\"; a pair of whole numbers was expected");
    }
  } else {
    const Numbers pair = numbers_of(given, name);
    if (pair.values.size() != 2) throw InputError(name + " is no pair of whole numbers");
    for (std::size_t i = 0; i < 2; ++i) numbers[i] = static_cast<int>(pair.values[i]);
  }
  return in_pixels ? ImageSize::pixels(numbers[0], numbers[1]) : ImageSize::tokens(numbers[0], numbers[1]);
}

/// Puts a field of the layout into the request, as its declaration says where it is kept.
void give_field(LayoutRequest& request, const LayoutField& field, const py::handle& value) {
  const std::string name(field.name);
  if (const auto* text = std::get_if<std::string LayoutRequest::*>(&field.member)) {
    if (!py::isinstance<py::str>(value)) throw InputError(name + " is no text");
    request.** text = value.cast<std::string>();
  } else if (const auto* references = std::get_if<std::vector<ImageSize> LayoutRequest::*>(&field.member)) {
    for (const py::handle each : value) (request.**references).push_back(size_of(each, name, true));
  } else if (const auto* list = std::get_if<std::vector<int> LayoutRequest::*>(&field.member)) {
    for (const double each : numbers_of(value, name).values) (request.**list).push_back(static_cast<int>(each));
  } else if (const auto* pairing = std::get_if<std::optional<Pairing> LayoutRequest::*>(&field.member)) {
    request.** pairing = pairing_of(value.cast<std::string>());
  } else if (std::holds_alternative<std::optional<ImageSize> LayoutRequest::*>(field.member) ||
             std::holds_alternative<std::vector<CustomAxis> LayoutRequest::*>(field.member) ||
             std::holds_alternative<Eigen::MatrixXd LayoutRequest::*>(field.member)) {
    throw InputError(name + " cannot be given here");
  } else {
    const Numbers number = numbers_of(value, name);
    if (number.values.size() != 1) throw InputError(name + " is no number");
    if (field.whole && number.values.front() != std::floor(number.values.front()))
      throw InputError(name + " is " + number_text(number.values.front()) + "; a whole number was expected");
    set_value(request, field, number.values.front());
  }
}

PythonLayout layout_of(const std::string& name, const py::object& size, const py::object& grid,
                       const py::kwargs& fields) {
  PythonLayout made;
  made.layout = &find_layout(name);
  if (!size.is_none() && !grid.is_none())
    throw InputError("size and grid are two ways to say the same; one was expected");
  if (!size.is_none()) made.request.image = size_of(size, "size", true);
  if (!grid.is_none()) made.request.image = size_of(grid, "grid", false);
  for (const auto& [key, value] : fields) {
    const auto field_name = key.cast<std::string>();
    const LayoutField* field = find_field(*made.layout, field_name);
    if (!field) {
      throw InputError("the layout " + name + " has no " + field_name + "; it looks at " +
                       joined(made.layout->settings, ", ", &LayoutField::name));
    }
    give_field(made.request, *field, value);
  }
  made.tables = unlocked([&](const std::stop_token&) {
    return std::make_shared<const LayoutTables>(arrange(*made.layout, made.request));
  });
  return made;
}

py::array_t<double> ids_of_layout(const PythonLayout& layout) {
  const TokenLayout& tokens = layout.tables->layout();
  const auto rows = tokens.row_count(), axes = static_cast<std::int64_t>(tokens.axes.size());
  std::vector<double> ids(static_cast<std::size_t>(rows * axes));
  Eigen::Map<Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>(ids.data(), rows, axes) =
      id_rows(tokens, 0, rows);
  return array_of(std::move(ids), {rows, axes});
}

py::tuple tables_of_layout(const PythonLayout& layout, const py::handle& dtype, int threads) {
  checked_threads(threads);
  const Storage format = float_format(dtype);
  const TokenLayout& tokens = layout.tables->layout();
  const std::int64_t rows = tokens.row_count(), pairs = tokens.pair_count();
  py::array cosine = empty_array(format, {rows, pairs}), sine = empty_array(format, {rows, pairs});
  unlocked([&](const std::stop_token& stop) {
    const std::int64_t rows_at_once = std::max<std::int64_t>(1, kNumbersAtOnce / std::max<std::int64_t>(1, pairs));
    share_blocks(rows, rows_at_once, {threads, stop}, [&](std::int64_t begin, std::int64_t count) {
      std::vector<double> cosines(static_cast<std::size_t>(count * pairs)), sines(cosines.size());
      layout.tables->table_rows(begin, count, cosines.data(), sines.data());
      put_numbers(cosine, format, begin * pairs, cosines);
      put_numbers(sine, format, begin * pairs, sines);
    });
    return true;
  });
  return py::make_tuple(cosine, sine);
}

/// A row of the tables; or (row, column) or (frame, row, column) of the image.
std::int64_t row_of_patch(const TokenLayout& tokens, const py::handle& patch) {
  if (PyIndex_Check(patch.ptr()) != 0 && PySequence_Check(patch.ptr()) == 0) {
    return py::int_(py::reinterpret_borrow<py::object>(patch)).cast<std::int64_t>();
  }
  const std::vector<double> place = numbers_of(patch, "patch").values;
  const TokenBlock& image = image_block(tokens);
  if (place.size() != 2 && place.size() != 3) {
    throw InputError("patch is no row of the tables, (row, column) or (frame, row, column)");
  }
  const double frame = place.size() == 3 ? place[0] : 0, row = place[place.size() - 2], column = place.back();
  if (!(frame >= 0 && frame < image.frames && row >= 0 && row < image.rows && column >= 0 &&
        column < static_cast<double>(image.columns))) {
    throw InputError("patch lies outside the image, which has " + std::to_string(image.frames) + " frames of " +
                     std::to_string(image.rows) + " rows and " + std::to_string(image.columns) + " columns");
  }
  const auto line = static_cast<std::int64_t>(frame) * image.rows + static_cast<std::int64_t>(row);
  return image.first_row + line * image.columns + static_cast<std::int64_t>(column);
}

py::array_t<double> similarity_of_layout(const PythonLayout& layout, const py::handle& patch) {
  const std::int64_t row = row_of_patch(layout.tables->layout(), patch);
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

}  // namespace

// --- Layout --------------------------------------------------------------------------------------------------------

void declare_layouts(py::module_& module) {
  using py::arg;
  py::class_<PythonLayout>(module, "Layout", docs::kLayout)
      .def_property_readonly("name", [](const PythonLayout& layout) { return std::string(layout.layout->name); })
      .def_property_readonly("ids", &ids_of_layout, docs::kIds)
      .def_property_readonly("axes",
                             [](const PythonLayout& layout) {
                               std::vector<std::string> names;
                               for (const LayoutAxis& axis : layout.tables->layout().axes) names.push_back(axis.name);
                               return names;
                             })
      .def_property_readonly(
          "pairing", [](const PythonLayout& layout) { return std::string(word_of(layout.tables->layout().pairing)); })
      .def_property_readonly(
          "inverse_frequencies",
          [](const PythonLayout& layout) {
            const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> all =
                layout.tables->layout().frequencies;
            return array_of({all.data(), all.data() + all.size()}, {all.rows(), all.cols()});
          },
          docs::kLayoutFrequencies)
      .def_property_readonly("blocks", &blocks_of, docs::kBlocks)
      .def_property_readonly("notes",
                             [](const PythonLayout& layout) { return sentences(layout.tables->layout().notes); })
      .def("cos_sin", &tables_of_layout, arg("dtype") = "float32", py::kw_only(), arg("threads") = 0,
           docs::kLayoutCosSin)
      .def("similarity", &similarity_of_layout, arg("patch"), docs::kLayoutSimilarity)
      .def("__len__", [](const PythonLayout& layout) { return layout.tables->layout().row_count(); })
      .def("__repr__", [](const PythonLayout& layout) {
        return "<ropescope.Layout " + std::string(layout.layout->name) + ": " +
               std::to_string(layout.tables->layout().row_count()) + " tokens>";
      });
  module.def("layout", &layout_of, arg("name"), arg("size") = py::none(), arg("grid") = py::none(), docs::kMakeLayout);
}

}  // namespace ropescope::python
