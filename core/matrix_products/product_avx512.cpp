// The loops of a product for processors with AVX-512; empty if the compiler does not support it.

#include "core/matrix_products/product_loops.h"

#if defined(__AVX512F__) && defined(__FMA__)

namespace ropescope {

namespace {
using ProductAvx512Floats = float __attribute__((vector_size(64)));
using ProductAvx512Doubles = double __attribute__((vector_size(64)));
}  // namespace

constinit const ProductPath kAvx512Product = product_path<ProductAvx512Floats, ProductAvx512Doubles, 12>("avx512");

}  // namespace ropescope

#else

namespace ropescope {
constinit const ProductPath kAvx512Product = {"avx512", 0, 0, 0, nullptr, nullptr};
}

#endif
