// The interface between a product and its loops: one block of work, and its functions for each kind of processor. Read
// products.h first. Files compiled for newer processors include this header: do not define inline functions here (see
// core/decay/kernel_path.h).
#pragma once

#include <cstdint>

// Included by files that are compiled for newer processors than the rest: do not define inline functions here (see
// core/decay/kernel_path.h).

namespace ropescope {

/// Number of rows of the right matrix that are packed, and multiplied, at a time.
inline constexpr std::int64_t kProductDepth = 256;

/// One C = A·B, or C += A·B, for some columns of B and, out of its rows, as many as A has columns.
template <class Cell>
struct ProductBlock {
  std::int64_t rows, depth, columns;
  const Cell* left;  ///< A [rows × depth], rows `left_step` cells apart; `across`: stored as Aᵀ [depth × rows]
  std::int64_t left_step;
  bool across;
  const Cell* right;            ///< B in panels: for every kProductDepth of its rows, and in them for every panel of
                                ///< columns, the panel's rows in sequence
  std::int64_t padded_columns;  ///< over all panels: a multiple of their width; padding is 0
  std::int64_t packed_depth;    ///< rows of B
  std::int64_t first_depth;     ///< first row of B that is used
  std::int64_t first_column;    ///< first column of B that is used, a multiple of the width of a panel
  Cell* result;                 ///< C [rows × columns], rows `result_step` cells apart
  std::int64_t result_step;
  bool add;
};

/// The inner loops for one kind of processor. The functions are null if this build lacks the path.
struct ProductPath {
  const char* name;
  int float_columns, double_columns;  ///< width of a panel
  int rows;                           ///< rows of A processed at a time: multiples of it are the most efficient
  void (*of_floats)(const ProductBlock<float>&);
  void (*of_doubles)(const ProductBlock<double>&);
};

extern const ProductPath kAvx512Product;
extern const ProductPath kAvx2Product;
extern const ProductPath kPortableProduct;

}  // namespace ropescope
