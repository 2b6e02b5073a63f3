#pragma once

#include <Eigen/Core>

#include "tests/places.h"
#include "tests/test.h"

namespace ropescope {

/// A file of tests/reference, whose headers say which code made the numbers.
inline json read_reference(const std::string& path) {
  const std::string full = source_folder() + "/tests/reference/" + path;
  std::ifstream file(full);
  if (!file) throw std::runtime_error("cannot read " + full);
  return json::parse(file);
}

inline Eigen::VectorXd vector_of(const json& numbers) {
  Eigen::VectorXd vector(static_cast<Eigen::Index>(numbers.size()));
  for (std::size_t i = 0; i < numbers.size(); ++i) vector[static_cast<Eigen::Index>(i)] = numbers[i].get<double>();
  return vector;
}

}  // namespace ropescope
