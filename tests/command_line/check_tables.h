#pragma once

#include "core/formats/npy.h"
#include "tests/command_line/program.h"
#include "tests/npy_files.h"

namespace ropescope {

/// A plain ladder: tokens × dim/2 cosines and sines.
struct PlainTable {
  std::int64_t tokens = 40, dim = 32;
  double base = 10000, offset = 0;

  std::vector<double> values(double (*turn)(double)) const {
    std::vector<double> table;
    for (std::int64_t token = 0; token < tokens; ++token) {
      for (std::int64_t pair = 0; pair < dim / 2; ++pair) {
        const double frequency = std::pow(base, -2 * static_cast<double>(pair) / static_cast<double>(dim));
        table.push_back(turn((static_cast<double>(token) + offset) * frequency));
      }
    }
    return table;
  }
  std::vector<double> cosines() const {
    return values([](double angle) { return std::cos(angle); });
  }
  std::vector<double> sines() const {
    return values([](double angle) { return std::sin(angle); });
  }
  std::vector<std::int64_t> shape() const { return {tokens, dim / 2}; }
};

inline std::string npy(const std::vector<std::int64_t>& shape, const std::vector<double>& values,
                       Storage storage = Storage::float32) {
  const std::vector<std::byte> bytes = write_npy({shape, storage, false, values});
  return std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

/// Writes cos.npy and sin.npy.
inline void write_tables(const Workplace& place, const PlainTable& table, Storage storage = Storage::float32) {
  place.write("cos.npy", npy(table.shape(), table.cosines(), storage));
  place.write("sin.npy", npy(table.shape(), table.sines(), storage));
}

/// check against the plain ladder of 32 channels and base 10000.
inline std::vector<std::string> plain_check(const std::vector<std::string>& more) {
  std::vector<std::string> words = {"check", "--dim", "32", "--base", "10000"};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}
inline std::vector<std::string> tables_of(const Workplace& place) {
  return {"--cos", place.path("cos.npy"), "--sin", place.path("sin.npy")};
}

}  // namespace ropescope
