// The module ropescope._core itself: its exceptions, and how arrays of Python become tensors of core and back.
//
// Contents: Tensors of NumPy; Tensors by DLPack; Results; The module.

#include "app/python/binding.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <span>

#include "app/resources/text.h"
#include "core/precision/precision.h"
#include "core/words.h"

namespace ropescope::python {

// --- Tensors of NumPy ----------------------------------------------------------------------------------------------

namespace {

/// Keeps something of Python's alive; whichever thread is the last one to need it.
std::shared_ptr<const void> kept(py::object object) {
  return {new py::object(std::move(object)), [](const void* held) {
            const py::gil_scoped_acquire acquire;
            delete static_cast<const py::object*>(held);
          }};
}

[[noreturn]] void refuse_numbers(const std::string& name, const std::string& found) {
  throw InputError(name + " holds " + found +
                   "; numbers were expected: floats of 16, 32 or 64 bits, bfloat16, integers or complex numbers");
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

/// The bytes from the first element to the end of the last one.
std::size_t extent(const StoredTensor& tensor) {
  if (tensor.count() == 0) return 0;
  std::int64_t last = 0;
  for (std::size_t axis = 0; axis < tensor.shape.size(); ++axis) {
    last += (tensor.shape[axis] - 1) * tensor.strides[axis];
  }
  return (static_cast<std::size_t>(last) + 1) * storage_bytes(tensor.storage);
}

StoredTensor tensor_of_array(py::array array, const std::string& name) {
  const py::dtype dtype = array.dtype();
  const std::string type_name = py::str(dtype.attr("name"));
  const auto item = static_cast<std::int64_t>(dtype.itemsize());
  const auto storage = type_name == "bfloat16" ? std::optional(Storage::bfloat16)  // of the package ml_dtypes
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
  tensor.big_endian = order == ">";
  for (std::int64_t axis = 0; axis < array.ndim(); ++axis) {
    tensor.shape.push_back(array.shape(axis));
    tensor.strides.push_back(array.strides(axis) / item);
  }
  tensor.bytes = {static_cast<const std::byte*>(array.data()), extent(tensor)};
  tensor.owner = kept(std::move(array));
  return tensor;
}

// --- Tensors by DLPack ---------------------------------------------------------------------------------------------

/// The structures of DLPack 0.x as its header lays them out (github.com/dmlc/dlpack, include/dlpack/dlpack.h).
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
  std::int64_t* strides;  ///< null: row by row
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

StoredTensor tensor_of_dlpack(const py::handle& object, const std::string& name) {
  const py::tuple device = object.attr("__dlpack_device__")();
  const auto type = device[0].cast<std::int32_t>();
  if (type != kDlCpu && type != kDlPinned) {
    throw InputError(name + " lies on another device than the processor; give " + name + ".cpu()");
  }
  const auto capsule = py::reinterpret_steal<py::object>(object.attr("__dlpack__")().release());
  auto* managed = static_cast<DlManaged*>(PyCapsule_GetPointer(capsule.ptr(), "dltensor"));
  if (managed == nullptr) throw py::error_already_set();
  // Whoever takes the tensor out of the capsule says so by this name, and calls the deleter in its place.
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

}  // namespace

StoredTensor tensor_of(const py::handle& object, const std::string& name) {
  if (py::isinstance<py::array>(object)) return tensor_of_array(py::reinterpret_borrow<py::array>(object), name);
  // What is part of a graph of gradients gives no numbers; its detached twin does.
  const py::object given =
      py::hasattr(object, "detach") ? object.attr("detach")() : py::reinterpret_borrow<py::object>(object);
  if (py::hasattr(given, "__dlpack__") && py::hasattr(given, "__dlpack_device__")) return tensor_of_dlpack(given, name);
  const py::array array = py::module_::import("numpy").attr("asarray")(given);
  return tensor_of_array(array, name);
}

Numbers numbers_of(const py::handle& object, const std::string& name) {
  StoredTensor tensor = tensor_of(object, name);
  if (is_complex(tensor.storage)) refuse_numbers(name, "complex numbers");
  Numbers numbers;
  numbers.shape.assign(tensor.shape.begin(), tensor.shape.end());
  numbers.values.resize(static_cast<std::size_t>(tensor.count()));
  if (tensor.shape.empty()) {
    tensor.shape = {1};
    tensor.strides = {1};
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

Storage float_format(const py::handle& dtype) {
  // torch.float32 is known by its text, numpy.float32 and "float32" by NumPy.
  std::string name = py::str(dtype);
  const bool of_torch = name.rfind("torch.", 0) == 0;
  if (of_torch) name = name.substr(6);
  if (name == "bfloat16") {
    throw InputError("NumPy has no bfloat16: ask for float32, and let torch round it, .to(torch.bfloat16)");
  }
  const py::dtype type =
      py::dtype::from_args(of_torch ? py::object(py::str(name)) : py::reinterpret_borrow<py::object>(dtype));
  const auto storage = type.kind() == 'f' ? storage_of('f', static_cast<std::size_t>(type.itemsize())) : std::nullopt;
  if (!storage) throw InputError("dtype is " + name + "; float64, float32 or float16 was expected");
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

std::vector<std::string> sentences(const Words::List& words) {
  return said_in_english(words);
}

// --- The module ----------------------------------------------------------------------------------------------------

PYBIND11_MODULE(_core, module) {
  // Stubs say the types; a docstring begins with what it is for.
  py::options options;
  options.disable_function_signatures();
  module.doc() = "Core of ropescope. Import ropescope, which documents what is meant for others.";
  static py::exception<InputError> input_error(module, "InputError", PyExc_ValueError);
  input_error.attr("__module__") = "ropescope";
  input_error.attr("__doc__") =
      "Bad input: a file, a field or an argument that cannot be used. Its text is the sentence that the program says.";
  py::register_exception_translator([](std::exception_ptr thrown) {
    try {
      if (thrown) std::rethrow_exception(thrown);
    } catch (const InputError& error) {
      input_error(said_in_english(error.words()).c_str());
    }
  });
  declare_ropes(module);
  declare_layouts(module);
  declare_judgements(module);
  declare_figures(module);
}

}  // namespace ropescope::python
