// What the sources of the Python module share: arrays in and out, work that answers Ctrl+C, and the ropes and layouts
// that functions take. binding.cpp makes the module; ropes.cpp, judged.cpp and figures.cpp hold what it offers. They
// fill the requests of core and the experiment as the command line does, and compute nothing themselves. Read
// core/rotary/spec.h and app/experiment/experiment.h before.
#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "core/check/reading/stored_tensor.h"
#include "core/words.h"

namespace ropescope::python {

namespace py = pybind11;

// --- Arrays --------------------------------------------------------------------------------------------------------

/// A tensor that Python owns, where it lies: an array of NumPy, whatever has __dlpack__ (torch on the CPU; bfloat16
/// too) or __array__, or a list of numbers. Only what runs backwards in memory is copied. `name` is for messages.
/// Throws InputError: no numbers, or they lie on another device.
StoredTensor tensor_of(const py::handle& object, const std::string& name);
/// The same as doubles, row by row, with its shape; a single number has none. Throws InputError for complex numbers.
struct Numbers {
  std::vector<double> values;
  std::vector<std::int64_t> shape;
};
Numbers numbers_of(const py::handle& object, const std::string& name);

/// The array of these numbers, which it owns: nothing is copied.
py::array_t<double> array_of(std::vector<double> numbers, std::vector<std::int64_t> shape);

/// What "float32" or numpy.float32 means as the format of a result. Throws InputError: NumPy has no such floats.
Storage float_format(const py::handle& dtype);
/// An empty array of a float format, and the place of its first number.
py::array empty_array(Storage format, const std::vector<std::int64_t>& shape);
/// Puts numbers into an array from place `at` on, each rounded once.
void put_numbers(py::array& array, Storage format, std::int64_t at, std::span<const double> numbers);

// --- Long work -----------------------------------------------------------------------------------------------------

/// Calls work(token) on another thread while Python's own lock is free, and looks for Ctrl+C meanwhile: the token is
/// then asked to stop, and KeyboardInterrupt is thrown once the work has ended. What `work` throws is thrown here.
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

// --- The module ----------------------------------------------------------------------------------------------------

/// Words of core as Python says them, in English.
std::vector<std::string> sentences(const Words::List& words);

// Each declares its part of the module.
void declare_ropes(py::module_& module);
void declare_layouts(py::module_& module);
void declare_judgements(py::module_& module);
void declare_figures(py::module_& module);

}  // namespace ropescope::python
