// The interface between a product and its loops: one block of work, and the functions that do it on one kind of
// processor. Read products.h first. Included by files that are compiled for newer processors than the rest: nothing
// inline may be defined here (see core/decay/kernel_path.h).
#pragma once

#include <cstdint>

// Included by files that are compiled for newer processors than the rest: nothing inline may be defined here (see
// core/decay/kernel_path.h).

namespace ropescope {

/// Rows of the right matrix that are packed, and multiplied, at a time.
inline constexpr std::int64_t kProductDepth = 256;

/// One C = A·B, or C += A·B, for some columns of B, and some of its rows: those of A's depth.
template <class Cell>
struct ProductBlock {
  std::int64_t rows, depth, columns;
  const Cell* left;  ///< A [rows × depth], rows `left_step` cells apart; `across`: Aᵀ [depth × rows] is what lies there
  std::int64_t left_step;
  bool across;
  const Cell* right;            ///< B in panels: for every kProductDepth of its rows, and in them for every panel of
                                ///< columns, the panel's rows one after the other
  std::int64_t padded_columns;  ///< of all panels: a multiple of their width; what lies beyond the matrix is 0
  std::int64_t packed_depth;    ///< rows of B
  std::int64_t first_depth;     ///< of B's rows that is wanted
  std::int64_t first_column;    ///< of B that is wanted, a multiple of the width of a panel
  Cell* result;                 ///< C [rows × columns], rows `result_step` cells apart
  std::int64_t result_step;
  bool add;
};

/// The inner loops for one kind of processor; null functions where this build has no such path.
struct ProductPath {
  const char* name;
  int float_columns, double_columns;  ///< width of a panel
  int rows;                           ///< of A that pass at a time: a multiple of them wastes nothing
  void (*of_floats)(const ProductBlock<float>&);
  void (*of_doubles)(const ProductBlock<double>&);
};

extern const ProductPath kAvx512Product;
extern const ProductPath kAvx2Product;
extern const ProductPath kPortableProduct;

}  // namespace ropescope
