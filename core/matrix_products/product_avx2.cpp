// The loops of a product for processors with AVX2; empty if the compiler does not support it.

#include "core/matrix_products/product_loops.h"

#if defined(__AVX2__) && defined(__FMA__)

namespace ropescope {

namespace {
using ProductAvx2Floats = float __attribute__((vector_size(32)));
using ProductAvx2Doubles = double __attribute__((vector_size(32)));
}  // namespace

constinit const ProductPath kAvx2Product = product_path<ProductAvx2Floats, ProductAvx2Doubles, 6>("avx2");

}  // namespace ropescope

#else

namespace ropescope {
constinit const ProductPath kAvx2Product = {"avx2", 0, 0, 0, nullptr, nullptr};
}

#endif
