// Public interface of `check`, which compares tables with a model and reports a verdict. It is implemented in folders,
// each of which depends only on the previous ones: reading, model, compare, evidence, causes, search, report. Start
// with reading/planes.h and model/model.h; check.cpp calls them in turn. specs compares two models without tables.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "core/check/types.h"

namespace ropescope {

/// Returns the causes that change no score if the weights were trained with them, but all scores of a released model:
/// "sign". A reference without released weights allows all of them; any other allows those that the user lists.
std::vector<std::string_view> causes_with_allow_option();

/// Creates a reference from a layout. Throws InputError like arrange().
CheckReference reference_from_layout(const Layout& layout, const LayoutRequest& request);
/// Creates a reference from a spec. Throws InputError like head_ladder(), or if positions are empty or not finite.
CheckReference reference_from_rope(const RotarySpec& spec, std::optional<double> length = {},
                                   std::optional<std::vector<double>> positions = {});
/// Creates a reference from the tables of another dump, without a model.
CheckReference reference_from_tables(const StoredTensor& cosine, const StoredTensor& sine);

/// Checks whether the inputs agree with the reference. If not, finds known causes that explain the difference (order
/// and ties: core/check/causes/registry.cpp). If they agree but would with any reference, reports no evidence. Throws
/// InputError naming the input: for a shape that is unknown or ambiguous (with the option that settles it), NaN or
/// infinity, tables of different shapes, or no input at all.
CheckReport check(const CheckReference& reference, const CheckInputs& inputs, const CheckOptions& options = {});

/// Returns what the report is about: the reference, or the entry of its `others` that the tensors match.
const CheckReference& find_reported_reference(const CheckReference& reference, const CheckReport& report);

/// For a reference made of tables, returns the ladder over positions 0, 1, … that gives them, or a reference with the
/// tables if no ladder does. Returns any other reference unchanged. Throws InputError for a wrong shape or without an
/// input cosine.
CheckReference make_modelled_reference(const CheckReference& given, const CheckInputs& inputs);

}  // namespace ropescope
