// Exceptions of both modules, and conversion of Python arrays to tensors and back. Read binding.h first.
//
// Contents: Tensors of NumPy; Tensors by DLPack; Results; Objects; Errors; Wrong arguments; Modules.

#include "app/python/binding.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/experiment/experiment.h"
#include "app/resources/places.h"
#include "app/resources/text.h"
#include "core/formats/json.h"
#include "core/message.h"
#include "core/precision/precision.h"

namespace ropescope::python {

// --- Tensors of NumPy ----------------------------------------------------------------------------------------------

namespace {

/// Keeps a Python object alive; the last thread that needs it may be any thread.
std::shared_ptr<const void> kept(py::object object) {
  return {new py::object(std::move(object)), [](const void* held) {
            const py::gil_scoped_acquire acquire;
            delete static_cast<const py::object*>(held);
          }};
}

[[noreturn]] void refuse_numbers(const std::string& name, const std::string& found) {
  throw py::type_error(name + " contains " + found +
                       "; expected floats of 16, 32 or 64 bits, bfloat16, integers or complex numbers");
}

std::optional<Storage> storage_of(char kind, std::size_t bytes) {
  switch (kind) {
    case 'f':
      return bytes == 8   ? std::optional(Storage::float64)
             : bytes == 4 ? std::optional(Storage::float32)
             : bytes == 2 ? std::optional(Storage::float16)
                          : std::nullopt;
    case 'i':
      return bytes == 8 ? Storage::int64 : bytes == 4 ? Storage::int32 : bytes == 2 ? Storage::int16 : Storage::int8;
    case 'u':
      return bytes == 8   ? Storage::uint64
             : bytes == 4 ? Storage::uint32
             : bytes == 2 ? Storage::uint16
                          : Storage::uint8;
    case 'c':
      return bytes == 8    ? std::optional(Storage::complex64)
             : bytes == 16 ? std::optional(Storage::complex128)
                           : std::nullopt;
    default:
      return std::nullopt;
  }
}

/// Returns the bytes from the first element to the end of the last one.
std::size_t extent(const StoredTensor& tensor) {
  if (tensor.count() == 0) return 0;
  std::int64_t last = 0;
  for (std::size_t axis = 0; axis < tensor.shape.size(); ++axis) {
    last += (tensor.shape[axis] - 1) * tensor.strides[axis];
  }
  return (static_cast<std::size_t>(last) + 1) * storage_bytes(tensor.storage);
}

StoredTensor read_array_tensor(py::array array, const std::string& name) {
  const py::dtype dtype = array.dtype();
  const std::string type_name = py::str(dtype.attr("name"));
  const auto item = static_cast<std::int64_t>(dtype.itemsize());
  const auto storage = type_name == storage_name(Storage::bfloat16)
                           ? std::optional(Storage::bfloat16)  // from the package ml_dtypes
                           : storage_of(dtype.kind(), static_cast<std::size_t>(item));
  if (!storage) refuse_numbers(name, type_name);
  const auto runs_oddly = [&] {
    for (std::int64_t axis = 0; axis < array.ndim(); ++axis) {
      if (array.strides(axis) < 0 || array.strides(axis) % item != 0) return true;
    }
    return false;
  };
  if (runs_oddly()) array = py::module_::import("numpy").attr("ascontiguousarray")(array);
  StoredTensor tensor;
  tensor.name = name;
  tensor.storage = *storage;
  const std::string order = py::str(dtype.attr("byteorder"));
  tensor.big_endian = order.starts_with('>');
  for (std::int64_t axis = 0; axis < array.ndim(); ++axis) {
    tensor.shape.push_back(array.shape(axis));
    tensor.strides.push_back(array.strides(axis) / item);
  }
  tensor.bytes = {static_cast<const std::byte*>(array.data()), extent(tensor)};
  tensor.owner = kept(std::move(array));
  return tensor;
}

// --- Tensors by DLPack ---------------------------------------------------------------------------------------------

/// The structures of DLPack 0.x as in its header (github.com/dmlc/dlpack, include/dlpack/dlpack.h).
struct DlDevice {
  std::int32_t type, id;
};
struct DlType {
  std::uint8_t code, bits;
  std::uint16_t lanes;
};
struct DlTensor {
  void* data;
  DlDevice device;
  std::int32_t axes;
  DlType type;
  std::int64_t* shape;
  std::int64_t* strides;  ///< null: row-major
  std::uint64_t offset;
};
struct DlManaged {
  DlTensor tensor;
  void* context;
  void (*deleter)(DlManaged*);
};
constexpr std::int32_t kDlCpu = 1, kDlPinned = 3;

std::optional<Storage> storage_of(const DlType& type) {
  constexpr char kKinds[] = {'i', 'u', 'f', '-', 'b', 'c'};
  if (type.lanes != 1 || type.code >= std::size(kKinds)) return std::nullopt;
  if (kKinds[type.code] == 'b') return type.bits == 16 ? std::optional(Storage::bfloat16) : std::nullopt;
  return storage_of(kKinds[type.code], type.bits / 8U);
}

StoredTensor read_dlpack_tensor(const py::handle& object, const std::string& name) {
  const py::tuple device = object.attr("__dlpack_device__")();
  const auto type = device[0].cast<std::int32_t>();
  if (type != kDlCpu && type != kDlPinned) {
    throw InputError(name + " is not on the CPU; pass " + name + ".cpu()");
  }
  const auto capsule = py::reinterpret_steal<py::object>(object.attr("__dlpack__")().release());
  auto* managed = static_cast<DlManaged*>(PyCapsule_GetPointer(capsule.ptr(), "dltensor"));
  if (managed == nullptr) throw py::error_already_set();
  // This name marks the capsule as consumed; the consumer then calls the deleter.
  PyCapsule_SetName(capsule.ptr(), "used_dltensor");
  const std::shared_ptr<const void> owner(managed, [](const void* held) {
    const py::gil_scoped_acquire acquire;
    auto* own = static_cast<DlManaged*>(const_cast<void*>(held));
    if (own->deleter != nullptr) own->deleter(own);
  });
  const DlTensor& given = managed->tensor;
  const auto storage = storage_of(given.type);
  if (!storage) refuse_numbers(name, "elements of " + std::to_string(given.type.bits) + " bits");
  StoredTensor tensor;
  tensor.name = name;
  tensor.storage = *storage;
  tensor.shape.assign(given.shape, given.shape + given.axes);
  tensor.strides = given.strides ? std::vector<std::int64_t>(given.strides, given.strides + given.axes)
                                 : row_major_strides(tensor.shape);
  tensor.bytes = {static_cast<const std::byte*>(given.data) + given.offset, extent(tensor)};
  tensor.owner = owner;
  return tensor;
}

/// Throws TypeError for what NumPy makes no array of numbers of: strings, None, generators, sets and mappings.
void require_array_like(const py::handle& object, const std::string& name) {
  if (object.is_none()) throw py::type_error(name + " is None; expected numbers");
  if (py::isinstance<py::str>(object) || py::isinstance<py::bytes>(object)) {
    throw py::type_error(name + " is a string; expected numbers");
  }
  const bool array = py::hasattr(object, "__array__") || py::hasattr(object, "__array_interface__") ||
                     PyObject_CheckBuffer(object.ptr()) != 0;
  if (!array && py::hasattr(object, "__iter__") && PySequence_Check(object.ptr()) == 0) {
    throw py::type_error(name + " is a " + type_name(object) + "; expected numbers, such as list(" + name + ")");
  }
}

}  // namespace

StoredTensor tensor_of(const py::handle& object, const std::string& name) {
  if (py::isinstance<py::array>(object)) return read_array_tensor(py::reinterpret_borrow<py::array>(object), name);
  // A tensor in a gradient graph gives no numbers; its detached copy does.
  const py::object given =
      py::hasattr(object, "detach") ? object.attr("detach")() : py::reinterpret_borrow<py::object>(object);
  if (py::hasattr(given, "__dlpack__") && py::hasattr(given, "__dlpack_device__"))
    return read_dlpack_tensor(given, name);
  require_array_like(given, name);
  try {
    return read_array_tensor(py::module_::import("numpy").attr("asarray")(given), name);
  } catch (py::error_already_set& error) {
    // A ragged list; NumPy's message does not name the argument.
    if (!error.matches(PyExc_ValueError)) throw;
    throw InputError(name + " is not an array of numbers: " + std::string(py::str(error.value())));
  }
}

Numbers numbers_of(const py::handle& object, const std::string& name) {
  StoredTensor tensor = tensor_of(object, name);
  if (is_complex(tensor.storage)) throw py::type_error(name + " contains complex numbers; expected real numbers");
  Numbers numbers;
  numbers.shape.assign(tensor.shape.begin(), tensor.shape.end());
  numbers.values.resize(static_cast<std::size_t>(tensor.count()));
  // Read as a single row, because one row per number would take ten times as long.
  if (tensor.strides == row_major_strides(tensor.shape)) {
    tensor.shape = {1, tensor.count()};
    tensor.strides = row_major_strides(tensor.shape);
  }
  if (!numbers.values.empty()) read_rows(tensor, 0, tensor.shape.front(), numbers.values.data());
  return numbers;
}

// --- Results -------------------------------------------------------------------------------------------------------

py::array_t<double> array_of(std::vector<double> numbers, std::vector<std::int64_t> shape) {
  auto owned = std::make_unique<std::vector<double>>(std::move(numbers));
  const double* first = owned->data();
  const py::capsule owner(owned.get(), [](void* held) { delete static_cast<std::vector<double>*>(held); });
  static_cast<void>(owned.release());
  return py::array_t<double>(std::move(shape), first, owner);
}

py::object result_of(std::vector<double> numbers, std::vector<std::int64_t> shape) {
  if (shape.empty()) return py::module_::import("numpy").attr("float64")(numbers.front());
  return array_of(std::move(numbers), std::move(shape));
}

py::array_t<double> matrix_array(const RowMatrixXd& matrix) {
  return array_of({matrix.data(), matrix.data() + matrix.size()}, {matrix.rows(), matrix.cols()});
}

Storage float_format(const py::handle& dtype) {
  // torch.float32 is identified by its string, numpy.float32 and "float32" by NumPy.
  std::string name = py::str(dtype);
  const bool of_torch = name.rfind("torch.", 0) == 0;
  if (of_torch) name = name.substr(6);
  if (name == storage_name(Storage::bfloat16)) {
    throw InputError("NumPy has no bfloat16; request float32, and round it with torch, .to(torch.bfloat16)");
  }
  const py::dtype type =
      py::dtype::from_args(of_torch ? py::object(py::str(name)) : py::reinterpret_borrow<py::object>(dtype));
  const auto storage = type.kind() == 'f' ? storage_of('f', static_cast<std::size_t>(type.itemsize())) : std::nullopt;
  if (!storage) throw InputError("dtype is " + name + "; expected float64, float32 or float16");
  return *storage;
}

py::array empty_array(Storage format, const std::vector<std::int64_t>& shape) {
  return py::array(py::dtype(std::string(storage_name(format))), shape);
}

void put_numbers(py::array& array, Storage format, std::int64_t at, std::span<const double> numbers) {
  auto* first =
      static_cast<std::byte*>(const_cast<void*>(array.data())) + static_cast<std::size_t>(at) * storage_bytes(format);
  if (format == Storage::float64) {
    std::memcpy(first, numbers.data(), numbers.size_bytes());
  } else if (format == Storage::float32) {
    auto* out = reinterpret_cast<float*>(first);
    std::transform(numbers.begin(), numbers.end(), out, [](double number) { return static_cast<float>(number); });
  } else {
    auto* out = reinterpret_cast<std::uint16_t*>(first);
    std::transform(numbers.begin(), numbers.end(), out, [](double number) { return float16_bits(number); });
  }
}

const Text& shared_text(const std::string& language, Text::FormulaForm form) {
  static std::mutex mutex;
  static std::map<std::pair<std::string, Text::FormulaForm>, Text> texts;
  const std::lock_guard lock(mutex);
  const std::pair key(language, form);
  auto found = texts.find(key);
  if (found == texts.end()) found = texts.emplace(key, Text::load(find_places().assets, language, form)).first;
  return found->second;
}

int require_threads(int threads) {
  constexpr int kMaxThreads = 256;
  if (threads >= 0 && threads <= kMaxThreads) return threads;
  throw InputError("threads is " + std::to_string(threads) + "; expected an integer from 0 to 256");
}

std::string type_name(const py::handle& object) {
  return object.is_none() ? "None" : std::string(py::str(py::type::handle_of(object).attr("__name__")));
}

std::string repr_of(const py::handle& object) {
  return py::repr(object);
}

std::vector<std::string> sentences(const Message::List& words) {
  return to_english(words);
}

std::size_t word_index(const std::string& name, const std::string& word, std::span<const std::string_view> words) {
  const auto found = std::find(words.begin(), words.end(), word);
  if (found != words.end()) return static_cast<std::size_t>(found - words.begin());
  throw InputError(name + " is \"" + word + "\"; expected " +
                   to_english(one_of(std::vector<std::string>(words.begin(), words.end()))));
}

void bind_keywords(FieldList fields, const std::string& group,
                   std::initializer_list<std::pair<std::string_view, std::string>> keywords) {
  for (const auto& [name, text] : keywords) {
    set_typed(*find_field(fields, group + "." + std::string(name)), std::string(name), text);
  }
}

// --- Objects -------------------------------------------------------------------------------------------------------

void require_initialised(const py::handle& object, const py::handle& type) {
  if (!object || !PyObject_TypeCheck(object.ptr(), reinterpret_cast<PyTypeObject*>(type.ptr()))) return;
  for (const py::detail::value_and_holder& value :
       py::detail::values_and_holders(reinterpret_cast<py::detail::instance*>(object.ptr()))) {
    if (value.holder_constructed()) continue;
    throw py::type_error("this " + std::string(py::str(type.attr("__name__"))) + " was created without its value");
  }
}

// --- Errors --------------------------------------------------------------------------------------------------------

namespace {

/// Sentences of core that name an option and its values, as Python's arguments.
constexpr std::pair<std::string_view, std::string_view> kArguments[] = {
    {"--q-layout thd (tokens first) or htd (heads first)", "heads=\"thd\" (tokens first) or \"htd\" (heads first)"},
    {"--q-layout", "heads="},
    {"--scaling and its options", "with_scaling()"},
    {"\"ropescope sweep --list\"", "rs.readouts()"},
    {"\"ropescope models\" lists", "rs.presets() lists"},
    {"the released pipeline, like --fit, uses", "the released pipeline uses"},
    {"--table", "table"},
    {"--head", "head"}};

/// Returns whether the text at this place is an option, not a part of a path or a name such as "models--org--name".
bool is_option(std::string_view message, std::size_t at) {
  constexpr std::string_view kBefore = " \t\n\"'([", kAfter = " \t\n\"')],;:.=";
  const std::size_t end = message.find_first_not_of("abcdefghijklmnopqrstuvwxyz-", at);
  return (at == 0 || kBefore.find(message[at - 1]) != std::string_view::npos) &&
         (end == std::string_view::npos || kAfter.find(message[end]) != std::string_view::npos);
}

/// Returns a message with "pass show=\"phasors\"" for "add --set decay.show=phasors".
std::string name_fields(std::string message) {
  constexpr std::string_view kOption = "add --set ";
  const std::size_t at = message.find(kOption);
  if (at == std::string::npos) return message;
  const std::size_t key = at + kOption.size(), equals = message.find('=', key), dot = message.find('.', key);
  if (dot == std::string::npos || equals == std::string::npos || dot > equals) return message;
  const std::size_t end = std::min(message.find_first_of(" ,;\n", equals), message.size());
  const std::string field = message.substr(dot + 1, equals - dot - 1),
                    value = message.substr(equals + 1, end - equals - 1);
  const bool number = parse_number(value).has_value();
  const std::string quote = number ? "" : "\"";
  return message.replace(at, end - at, "pass " + field + "=" + quote + value + quote);
}

/// Returns a message with "rows=" for the option --rows, and "threads is 9" for "--threads is 9".
std::string name_arguments(std::string message) {
  message = name_fields(std::move(message));
  for (const auto& [option, argument] : kArguments) {
    for (std::size_t at = message.find(option); at != std::string::npos; at = message.find(option, at)) {
      if (option.front() == '-' && !is_option(message, at)) {
        at += option.size();
        continue;
      }
      message.replace(at, option.size(), argument);
      at += argument.size();
    }
  }
  for (std::size_t at = message.find("--"); at != std::string::npos; at = message.find("--", at)) {
    std::size_t end = at + 2;
    while (end < message.size() &&
           (std::islower(static_cast<unsigned char>(message[end])) != 0 || message[end] == '-')) {
      ++end;
    }
    if (end == at + 2 || !is_option(message, at)) {
      at = end;
      continue;
    }
    std::string name = message.substr(at + 2, end - at - 2);
    std::replace(name.begin(), name.end(), '-', '_');
    // A value follows: "--rows 3:9".
    const bool value = end + 1 < message.size() && message[end] == ' ' &&
                       std::islower(static_cast<unsigned char>(message[end + 1])) == 0;
    if (value) name += "=";
    message.replace(at, end - at + (value ? 1 : 0), name);
    at += name.size();
  }
  return message;
}

/// Returns an error message as one line, in which repeated input is short, with the names of Python's arguments.
std::string error_line(const std::string& message) {
  constexpr std::size_t kMaxLength = 2000;
  return beginning_of(one_line(shorten_echoes(name_arguments(message))), kMaxLength);
}

// --- Wrong arguments -----------------------------------------------------------------------------------------------

/// pybind11's entry into all bound functions.
PyCFunctionWithKeywords dispatch = nullptr;

/// A parameter of a bound function.
struct Parameter {
  std::string name, type;
  bool has_default = false, keyword_only = false;
};

/// A bound function as pybind11 describes it in an error.
struct Signature {
  std::string name;  ///< "Rope.cos_sin", "Rope" for a constructor
  std::vector<Parameter> parameters;
  bool any_keyword = false;  ///< accepts **kwargs
};

/// Splits a list at its commas, except within brackets and quotes.
std::vector<std::string> split_arguments(std::string_view list) {
  std::vector<std::string> parts(1);
  int depth = 0;
  char quote = 0;
  for (const char letter : list) {
    if (quote != 0) {
      if (letter == quote) quote = 0;
    } else if (letter == '\'' || letter == '"') {
      quote = letter;
    } else {
      depth += letter == '[' || letter == '(' || letter == '{'   ? 1
               : letter == ']' || letter == ')' || letter == '}' ? -1
                                                                 : 0;
    }
    if (letter == ',' && depth == 0 && quote == 0) {
      parts.emplace_back();
    } else if (!(parts.back().empty() && letter == ' ')) {
      parts.back() += letter;
    }
  }
  return parts;
}

/// Types of pybind11 with the names that Python's users have for them.
constexpr std::pair<std::string_view, const char*> kTypes[] = {
    {"Tuple[int, int]", "a pair of int"}, {"List", "list"}, {"handle", "an object"}, {"object", "an object"}};

/// Returns a type of pybind11 as Python's users write it: "Optional[int]" is "int or None".
std::string type_words(std::string type) {
  for (const auto& [begin, rest] :
       {std::pair<std::string, std::string>("Optional[", " or None"), {"List[", ""}, {"ropescope.", ""}}) {
    if (!type.starts_with(begin)) continue;
    if (begin.back() == '.') return type.substr(begin.size());
    const std::string inner = type_words(type.substr(begin.size(), type.size() - begin.size() - 1));
    return begin == "List[" ? "a list of " + inner : inner + rest;
  }
  for (const auto& [name, words] : kTypes) {
    if (type == name) return words;
  }
  return type;
}

/// Reads pybind11's message on arguments that do not fit; nullopt for any other message.
std::optional<Signature> read_signature(const std::string& message) {
  constexpr std::string_view kBegin = "(): incompatible ", kExpected = "supported:\n    1. ";
  const std::size_t name = message.find(kBegin), expected = message.find(kExpected);
  if (name == std::string::npos || expected == std::string::npos) return {};
  const std::size_t first = expected + kExpected.size();
  std::string text = message.substr(first, message.find('\n', first) - first);
  text = text.substr(0, text.find(" -> "));
  const std::size_t open = text.find('(');
  if (open == std::string::npos || text.back() != ')') return {};
  Signature signature;
  const bool constructor = message.starts_with("__init__()");
  signature.name = constructor ? type_words(text.substr(0, open)) : message.substr(0, name);
  bool keyword_only = false;
  for (const std::string& part : split_arguments(std::string_view(text).substr(open + 1, text.size() - open - 2))) {
    if (part.starts_with("**")) {
      signature.any_keyword = true;
    } else if (part.starts_with('*')) {
      keyword_only = true;
    } else if (!part.empty()) {
      Parameter parameter{part, "object", false, keyword_only};
      if (const std::size_t equals = part.find(" = "); equals != std::string::npos) {
        parameter.has_default = true;
        parameter.name = part.substr(0, equals);
      }
      if (const std::size_t colon = parameter.name.find(": "); colon != std::string::npos) {
        parameter.type = parameter.name.substr(colon + 2);
        parameter.name.resize(colon);
      }
      if (parameter.name == "self") {
        if (!constructor) signature.name = type_words(parameter.type) + "." + signature.name;
        continue;
      }
      signature.parameters.push_back(std::move(parameter));
    }
  }
  return signature;
}

/// Returns whether an argument is of a simple type of pybind11; true for types that are not looked into.
bool fits(const py::handle& value, std::string_view type) {
  if (type.starts_with("Optional[")) {
    return value.is_none() || fits(value, type.substr(9, type.size() - 10));
  }
  struct SimpleType {
    std::string_view name;
    bool (*holds)(PyObject*);
  };
  static constexpr SimpleType kSimpleTypes[] = {
      {"int", [](PyObject* object) { return PyIndex_Check(object) != 0; }},
      {"float", [](PyObject* object) { return PyNumber_Check(object) != 0 && PyComplex_Check(object) == 0; }},
      {"str", [](PyObject* object) { return PyUnicode_Check(object) != 0; }},
      {"bool", [](PyObject* object) { return PyBool_Check(object) != 0; }},
      {"dict", [](PyObject* object) { return PyDict_Check(object) != 0; }}};
  for (const auto& [name, holds] : kSimpleTypes) {
    if (type == name) return holds(value.ptr());
  }
  if (type.starts_with("Tuple[")) {
    if (PyUnicode_Check(value.ptr()) != 0 || PySequence_Check(value.ptr()) == 0) return false;
    const auto entries = py::reinterpret_borrow<py::sequence>(value);
    return entries.size() == 2 && fits(entries[0], "int") && fits(entries[1], "int");
  }
  if (type.starts_with("List[")) return PyUnicode_Check(value.ptr()) == 0 && PySequence_Check(value.ptr()) != 0;
  return true;
}

/// Returns what was given instead of a type: a sequence is shown itself.
std::string describe_misfit(const py::handle& value, std::string_view type) {
  const bool sequence = PySequence_Check(value.ptr()) != 0 && PyUnicode_Check(value.ptr()) == 0;
  return sequence && type.find("Tuple[") != std::string_view::npos ? elide_middle(repr_of(value)) : type_name(value);
}

/// Returns why arguments do not fit a function, as Python itself says it: "Rope.cos_sin() argument 'threads' must be
/// int, not str".
std::string describe_misfit(const Signature& signature, const py::list& positional, const py::dict& keywords) {
  const std::string function = signature.name + "() ";
  const std::vector<Parameter>& parameters = signature.parameters;
  for (const auto& [key, value] : keywords) {
    const std::string name = py::str(key);
    const auto found =
        std::find_if(parameters.begin(), parameters.end(), [&](const auto& one) { return one.name == name; });
    if (found == parameters.end() && !signature.any_keyword) {
      return function + "got an unexpected keyword argument '" + elide_middle(name) + "'; its arguments are " +
             joined(parameters, ", ", &Parameter::name);
    }
    if (found < parameters.begin() + std::min(std::ssize(positional), std::ssize(parameters)) &&
        found != parameters.end()) {
      return function + "got multiple values for argument '" + name + "'";
    }
  }
  const auto most =
      std::count_if(parameters.begin(), parameters.end(), [](const auto& one) { return !one.keyword_only; });
  if (std::ssize(positional) > most) {
    return function + "takes at most " + std::to_string(most) + " positional argument" + (most == 1 ? "" : "s") +
           ", but " + std::to_string(positional.size()) + " were given";
  }
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const Parameter& parameter = parameters[i];
    py::object value;
    if (i < positional.size()) {
      value = positional[i];
    } else if (keywords.contains(parameter.name.c_str())) {
      value = keywords[parameter.name.c_str()];
    } else if (!parameter.has_default) {
      return function + "missing required argument '" + parameter.name + "'";
    } else {
      continue;
    }
    if (!fits(value, parameter.type)) {
      return function + "argument '" + parameter.name + "' must be " + type_words(parameter.type) + ", not " +
             describe_misfit(value, parameter.type);
    }
  }
  // A list whose entries do not fit, or a number that is out of range.
  constexpr std::string_view kFitAlways[] = {"object", "handle", "str"};
  std::string given;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    if (i >= positional.size() && !keywords.contains(parameters[i].name.c_str())) continue;
    if (std::find(std::begin(kFitAlways), std::end(kFitAlways), parameters[i].type) != std::end(kFitAlways)) continue;
    given += (given.empty() ? "" : ", ") + parameters[i].name + " (" + type_words(parameters[i].type) + ")";
  }
  return function + "arguments do not fit: " + given;
}

/// Calls a bound function; an error about its arguments becomes one line.
PyObject* call(PyObject* self, PyObject* arguments, PyObject* keywords) {
  PyObject* const result = dispatch(self, arguments, keywords);
  if (result != nullptr || PyErr_ExceptionMatches(PyExc_TypeError) == 0) return result;
  PyObject *type = nullptr, *value = nullptr, *trace = nullptr;
  PyErr_Fetch(&type, &value, &trace);
  PyErr_NormalizeException(&type, &value, &trace);
  PyObject* const text = PyObject_Str(value);
  const char* const letters = text != nullptr ? PyUnicode_AsUTF8(text) : nullptr;
  const std::optional<Signature> signature = letters != nullptr ? read_signature(letters) : std::nullopt;
  const bool has_self = letters != nullptr && (std::string_view(letters).find("1. (self: ") != std::string_view::npos ||
                                               std::string_view(letters).starts_with("__init__()"));
  Py_XDECREF(text);
  PyErr_Clear();
  PyErr_Restore(type, value, trace);
  if (!signature) return nullptr;
  py::list positional(py::reinterpret_borrow<py::object>(arguments));
  if (has_self && !positional.empty()) positional.attr("pop")(0);
  const py::dict named = keywords != nullptr ? py::reinterpret_borrow<py::dict>(keywords) : py::dict();
  PyErr_SetString(PyExc_TypeError, error_line(describe_misfit(*signature, positional, named)).c_str());
  return nullptr;
}

/// Moves pybind11's signature, the first line of a docstring, to where inspect.signature() and editors read it:
/// "cos_sin(self: Rope, positions: object, ...) -> tuple" becomes "cos_sin(self, positions, ...)\n--\n".
void expose_signature(PyMethodDef* method) {
  const std::string doc = method->ml_doc == nullptr ? "" : method->ml_doc;
  const std::size_t end = std::min(doc.find('\n'), doc.size());
  const std::size_t arrow = doc.rfind(") -> ", end), open = doc.find('(');
  if (arrow == std::string::npos || doc.substr(0, open) != method->ml_name) return;
  std::string parameters;
  for (const std::string& part : split_arguments(std::string_view(doc).substr(open + 1, arrow - open - 1))) {
    const std::size_t colon = part.find(": "), equals = part.find(" = ");
    const std::string name = part.substr(0, std::min(colon, equals));
    parameters += (parameters.empty() ? "" : ", ") + name;
    if (equals != std::string::npos) parameters += "=" + part.substr(equals + 3);
  }
  // pybind11 frees what it has allocated in the same way.
  std::free(const_cast<char*>(method->ml_doc));  // NOLINT(cppcoreguidelines-no-malloc)
  method->ml_doc =
      strdup((doc.substr(0, open + 1) + parameters + ")\n--\n\n" + doc.substr(std::min(end + 2, doc.size()))).c_str());
}

/// Makes a bound function, method or property run through call(), which shortens its errors, and exposes its signature.
void shorten_errors(py::handle bound) {
  if (PyInstanceMethod_Check(bound.ptr())) bound = PyInstanceMethod_GET_FUNCTION(bound.ptr());
  if (PyObject_TypeCheck(bound.ptr(), &PyStaticMethod_Type)) bound = bound.attr("__func__");
  if (PyObject_TypeCheck(bound.ptr(), &PyProperty_Type)) bound = bound.attr("fget");
  if (!PyCFunction_Check(bound.ptr())) return;
  PyMethodDef* const method = reinterpret_cast<PyCFunctionObject*>(bound.ptr())->m_ml;
  if (method->ml_flags != (METH_VARARGS | METH_KEYWORDS)) return;
  const auto own = reinterpret_cast<PyCFunctionWithKeywords>(reinterpret_cast<void (*)()>(method->ml_meth));
  if (dispatch == nullptr) dispatch = own;
  if (own != dispatch) return;
  method->ml_meth = reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(call));
  expose_signature(method);
}

/// Applies shorten_errors() to every function and class of the module.
void shorten_all_errors(const py::module_& module) {
  const py::dict names = module.attr("__dict__");
  for (const auto& [name, member] : names) {
    shorten_errors(member);
    if (!PyType_Check(member.ptr())) continue;
    const py::dict members(member.attr("__dict__"));
    for (const auto& [key, method] : members) shorten_errors(method);
  }
}

}  // namespace

// --- Modules -------------------------------------------------------------------------------------------------------

void register_errors(py::module_& module) {
  static py::exception<InputError> input_error(module, "InputError", PyExc_ValueError);
  input_error.attr("__module__") = "ropescope";
  input_error.attr("__doc__") =
      "Invalid input: a file, a field or an argument that cannot be used. Its text is the program's error message.";
  py::register_exception_translator([](std::exception_ptr thrown) {
    try {
      if (thrown) std::rethrow_exception(thrown);
    } catch (const InputError& error) {
      input_error(error_line(to_english(error.words())).c_str());
    } catch (const py::cast_error&) {
      PyErr_SetString(PyExc_TypeError, "an argument has a type that cannot be used");
    }
  });
}

void finish_module(py::module_& module) {
  const py::dict names = module.attr("__dict__");
  for (const auto& [name, member] : names) {
    // Pickles and messages name the public module.
    if (PyType_Check(member.ptr()) != 0) member.attr("__module__") = "ropescope";
  }
  shorten_all_errors(module);
}

}  // namespace ropescope::python
