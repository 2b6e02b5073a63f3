#pragma once

#include "core/formats/npy.h"
#include "tests/angles_of.h"
#include "tests/npy_files.h"
#include "tests/temporary_folder.h"
#include "tests/test.h"

/// Tables as somebody's program would have dumped them, computed here from the formula.
namespace ropescope {

struct MadeTables {
  std::int64_t tokens = 0, pairs = 0;
  std::vector<double> cosine, sine;
};

inline MadeTables tables_of(const TokenLayout& layout) {
  MadeTables tables;
  tables.tokens = layout.row_count();
  tables.pairs = layout.pair_count();
  for (std::int64_t row = 0; row < tables.tokens; ++row) {
    for (const double angle : angles_of(layout, row)) {
      tables.cosine.push_back(std::cos(angle));
      tables.sine.push_back(std::sin(angle));
    }
  }
  return tables;
}

/// Of a rope of one axis: position p turns pair i by p·b^(−2i/d).
inline MadeTables rope_tables(double base, std::int64_t pairs, std::int64_t tokens, double first = 0) {
  MadeTables tables;
  tables.tokens = tokens;
  tables.pairs = pairs;
  for (std::int64_t row = 0; row < tokens; ++row) {
    for (std::int64_t pair = 0; pair < pairs; ++pair) {
      const double exponent = -static_cast<double>(pair) / static_cast<double>(pairs);
      const double angle = (first + static_cast<double>(row)) * std::pow(base, exponent);
      tables.cosine.push_back(std::cos(angle));
      tables.sine.push_back(std::sin(angle));
    }
  }
  return tables;
}

inline std::string save_npy(const fs::path& path, const std::vector<std::int64_t>& shape,
                            const std::vector<double>& values, NumberFormat format = NumberFormat::float32) {
  const std::vector<std::byte> bytes = write_npy({shape, format, false, values});
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  return path.string();
}

/// "cos.npy" and "sin.npy" of a folder.
inline void save_tables(const fs::path& folder, const MadeTables& tables) {
  save_npy(folder / "cos.npy", {tables.tokens, tables.pairs}, tables.cosine);
  save_npy(folder / "sin.npy", {tables.tokens, tables.pairs}, tables.sine);
}

}  // namespace ropescope
