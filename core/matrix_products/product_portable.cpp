// The loops of a product for any processor.

#include "core/matrix_products/product_loops.h"

namespace ropescope {

namespace {
using ProductPortableFloats = float __attribute__((vector_size(16)));
using ProductPortableDoubles = double __attribute__((vector_size(16)));
}  // namespace

constinit const ProductPath kPortableProduct =
    product_path<ProductPortableFloats, ProductPortableDoubles, 5>("portable");

}  // namespace ropescope
