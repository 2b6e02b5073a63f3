#include "core/products/product_loops.h"

namespace ropescope {

namespace {
using Floats = float __attribute__((vector_size(16)));
using Doubles = double __attribute__((vector_size(16)));
}  // namespace

constinit const ProductPath kPortableProduct = product_path<Floats, Doubles, 5>("portable");

}  // namespace ropescope
