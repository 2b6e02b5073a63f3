#pragma once

#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "app/resources/dumps.h"
#include "core/formats/dump_means.h"

namespace ropescope {

/// A dump of q and k, and how its pairs turn.
struct VectorSide {
  std::string path;
  std::vector<std::int64_t> layers;  ///< their numbers; 0 alone where the file gives none
  bool numbered = false;
  std::int64_t tokens = 0, heads = 0, key_heads = 0, head_dim = 0;
  Pairing pairing = Pairing::half_split;
  Eigen::VectorXd frequencies;
  double amplitude = 1;
};

/// Opens a file as far as its shapes. Throws InputError that names it.
VectorSide open_side(const std::string& path);

/// What is said of real vectors, as numbered rows.
struct VectorTable {
  std::vector<std::string> places;  ///< columns that say where: "layer", "head", "pair"
  std::vector<std::string> values;
  std::vector<std::string> compared;  ///< of two sides alone
};
/// "pairs": what each pair of each head holds, and where it points; "scores": by distance, with bound and bias;
/// "heads": a few numbers for each head. Throws InputError for another name.
VectorTable vector_table(const std::string& what);

/// What is asked for.
struct VectorRequest {
  std::string what;
  std::vector<VectorSide> sides;                       ///< one, or two that are compared
  std::vector<std::int64_t> layers;                    ///< those that are told of
  std::int64_t first_head = 0, heads = 0, tokens = 0;  ///< counted from 0
  int threads = 0;
};

/// The rows of one layer: places, values of the first side, values of the second, what compares them. The layer is read
/// and let go again. Empty where it was stopped.
RowMatrixXd vector_rows(const VectorRequest& request, std::int64_t layer, const std::stop_token& stop);
/// How many rows a layer has.
std::int64_t rows_of_layer(const VectorRequest& request);

}  // namespace ropescope
