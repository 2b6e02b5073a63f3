// Shared parts of the Python modules: arrays in and out, and work that Ctrl+C can stop. Its functions are in ropes.cpp,
// rope_values.cpp, rope_limits.cpp, encodings.cpp, judged.cpp, figures.cpp and sweeps.cpp, which fill requests of core
// and the experiment as the command line does, and compute nothing themselves. Their declare_ functions are declared
// here. Read core/rotary/spec.h and app/experiment/experiment.h first, then ropes.h.
#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <initializer_list>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "app/experiment/fields.h"
#include "app/resources/text.h"
#include "core/check/reading/stored_tensor.h"
#include "core/machine.h"
#include "core/message.h"

namespace ropescope::python {

namespace py = pybind11;

// --- Arrays --------------------------------------------------------------------------------------------------------

/// Returns a Python object as a tensor without copying (except for negative strides): a NumPy array, an object with
/// __dlpack__ (torch on the CPU; bfloat16 too) or __array__, or a list of numbers. `name` is for messages. Throws
/// InputError if it has no numbers, or they are on another device.
StoredTensor tensor_of(const py::handle& object, const std::string& name);
/// Doubles of a tensor, row-major, and its shape, empty for a scalar. Throws InputError for complex numbers.
struct Numbers {
  std::vector<double> values;
  std::vector<std::int64_t> shape;
};
Numbers numbers_of(const py::handle& object, const std::string& name);

/// Returns an array that owns these numbers, without copying.
py::array_t<double> array_of(std::vector<double> numbers, std::vector<std::int64_t> shape);
/// Returns a number of NumPy (float64) for an empty shape, else such an array.
py::object result_of(std::vector<double> numbers, std::vector<std::int64_t> shape);
/// Returns a matrix as an array [rows, columns].
py::array_t<double> matrix_array(const RowMatrixXd& matrix);

/// Returns the format for "float32" or numpy.float32. Throws InputError if it is not a NumPy float format.
Storage float_format(const py::handle& dtype);
/// Returns an uninitialised array with a float format.
py::array empty_array(Storage format, const std::vector<std::int64_t>& shape);
/// Writes numbers into an array from index `at` on, each rounded once.
void put_numbers(py::array& array, Storage format, std::int64_t at, std::span<const double> numbers);

/// Returns the program's texts; each language and form is loaded once.
const Text& shared_text(const std::string& language = "en", Text::FormulaForm form = Text::FormulaForm::plain);

// --- Objects -------------------------------------------------------------------------------------------------------

/// Throws TypeError for an object of a class of this module without its value: one created by __new__() alone, or by
/// copy.copy(). pybind11 would pass memory that was never initialised.
void require_initialised(const py::handle& object, const py::handle& type);

/// The conversion of a bound class from Python, for `pybind11::detail::type_caster<T>`: each bound class needs it.
template <class T>
class InitialisedCaster : public py::detail::type_caster_base<T> {
 public:
  bool load(py::handle object, bool convert) {
    require_initialised(object, py::type::handle_of<T>());
    return py::detail::type_caster_base<T>::load(object, convert);
  }
};

/// Declares a class whose objects never change: a copy is the object itself.
template <class T>
py::class_<T> declare_class(py::module_& module, const char* name, const char* doc) {
  return py::class_<T>(module, name, doc)
      .def("__copy__", [](py::object self) { return self; })
      .def(
          "__deepcopy__", [](py::object self, const py::object&) { return self; }, py::arg("memo"));
}

/// Makes objects of a class raise TypeError when pickled: Python's own way would lose the value, and abort in the old
/// protocols.
template <class T>
void refuse_pickling(py::class_<T>& type) {
  const std::string name = py::str(type.attr("__name__"));
  const auto refuse = [name](const py::object&, const py::args&) -> py::object {
    throw py::type_error("cannot pickle a " + name);
  };
  type.def("__reduce__", refuse).def("__reduce_ex__", refuse);
}

/// Returns the names of a registry's entries.
template <class Entries>
std::vector<std::string> names_of(const Entries& entries) {
  std::vector<std::string> names;
  for (const auto& entry : entries) names.emplace_back(entry.name);
  return names;
}

/// Returns repr(object).
std::string repr_of(const py::handle& object);

/// Returns the name of an object's type as in messages, "None" for None.
std::string type_name(const py::handle& object);

/// Converts an argument, or throws TypeError: "threads must be int, not str".
template <class T>
T require(const py::handle& value, const std::string& name, const char* expected) {
  try {
    return value.cast<T>();
  } catch (const py::cast_error&) {
  } catch (const py::error_already_set& error) {  // dict(5), for a dict
    if (!error.matches(PyExc_TypeError)) throw;
  }
  throw py::type_error(name + " must be " + expected + ", not " + type_name(value));
}

/// Returns the index of a word among those of an enumeration. Throws InputError: "pairing is "x"; expected interleaved
/// or half".
std::size_t word_index(const std::string& name, const std::string& word, std::span<const std::string_view> words);
/// Returns the enumerator with this word.
template <Worded E>
E choice_of(const std::string& name, const std::string& word) {
  return static_cast<E>(word_index(name, word, kWordsOf<E>));
}

/// Sets fields of a group from keywords of their names: "save.theme" from "theme". Throws InputError that names the
/// keyword.
void bind_keywords(FieldList fields, const std::string& group,
                   std::initializer_list<std::pair<std::string_view, std::string>> keywords);

// --- Long work -----------------------------------------------------------------------------------------------------

/// Returns the number of threads, as --threads: 0 for one per core. Throws InputError.
int require_threads(int threads);

/// Calls work(token) on another thread without Python's lock, and checks for Ctrl+C meanwhile: it requests a stop, and
/// throws KeyboardInterrupt after the work has ended. Exceptions of `work` are rethrown here.
template <class Body>
auto unlocked(Body&& work) {
  using Result = decltype(work(std::stop_token()));
  std::stop_source stop;
  std::optional<Result> result;
  std::exception_ptr failure;
  std::optional<py::error_already_set> interrupted;
  {
    const py::gil_scoped_release release;
    std::mutex mutex;
    std::condition_variable ended;
    bool done = false;
    std::jthread worker([&] {
      try {
        result.emplace(work(stop.get_token()));
      } catch (...) {
        failure = std::current_exception();
      }
      const std::lock_guard lock(mutex);
      done = true;
      ended.notify_one();
    });
    std::unique_lock lock(mutex);
    while (!ended.wait_for(lock, std::chrono::milliseconds(50), [&] { return done; })) {
      if (interrupted) continue;
      lock.unlock();
      {
        const py::gil_scoped_acquire acquire;
        if (PyErr_CheckSignals() != 0) interrupted.emplace();
      }
      if (interrupted) stop.request_stop();
      lock.lock();
    }
  }
  if (interrupted) throw py::error_already_set(std::move(*interrupted));
  if (failure) std::rethrow_exception(failure);
  return std::move(*result);
}

// --- The modules ---------------------------------------------------------------------------------------------------

/// Declares InputError, and makes Python errors of exceptions, in both modules.
void register_errors(py::module_& module);
/// Makes errors about arguments readable, and names the public module, after everything has been declared.
void finish_module(py::module_& module);

/// Returns messages of core in English, as sentences.
std::vector<std::string> sentences(const Message::List& words);

// Each declares its part of a module: _core (core_module.cpp), and _figures (figures_module.cpp) for the last two.
void declare_ropes(py::module_& module);
void declare_layouts(py::module_& module);
void declare_judgements(py::module_& module);
void declare_encodings(py::module_& module);
void declare_figures(py::module_& module);
void declare_sweeps(py::module_& module);
void declare_weights(py::module_& module);

}  // namespace ropescope::python
