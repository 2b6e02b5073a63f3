#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "app/experiment/experiment.h"

namespace ropescope {

/// Small multiples in one direction: a knob and the values that it takes.
struct Facet {
  std::string key;                  ///< whole key of any field, or kFacetModel
  std::vector<std::string> values;  ///< as --set takes them; of kFacetModel the names of presets
  bool operator==(const Facet&) const = default;
};
/// In place of a key: the models that give the rope.
inline constexpr std::string_view kFacetModel = "model";
/// More would be too small to read.
inline constexpr std::size_t kMostFacetCells = 24;

/// Values of a range whose number is not said.
inline constexpr std::size_t kPointsOfFacet = 4;

/// "rope.base=1e4,5e5,1e6", a short key where --set takes one (`looks_at` as for full_field_key()); values that hold
/// commas are parted by semicolons. Of a number also a range as sweeps take it, "rope.base=1e3..1e7:5:log", which is
/// turned into its values. Throws InputError that names `option`: no values, an unknown key (near ones), values that
/// the field does not take, more than kMostFacetCells.
Facet read_facet(const std::string& text, const Experiment& experiment, const char* option,
                 std::string_view looks_at = {});
/// The same as FacetKnobs holds it.
std::string facet_text(const Facet& facet);

/// Both directions; one that is not asked for has no values.
struct FacetPair {
  Facet across, down;
  std::size_t columns() const { return across.values.empty() ? 1 : across.values.size(); }
  std::size_t rows() const { return down.values.empty() ? 1 : down.values.size(); }
};
bool has_facets(const Experiment& experiment);
/// Those of the experiment. Throws InputError, also where both are of one knob or there are too many cells.
FacetPair facets_of(const Experiment& experiment, std::string_view looks_at = {});
/// Whether they show several ropes, so that no name of the current one is true of all.
bool change_rope(const FacetPair& pair);
bool facets_change_rope(const Experiment& experiment);

/// The field takes the next direction that is free, with values to begin with: a number its own and two others of its
/// slider, a choice its options. Asked for again it is no facet any more. Nothing happens to fields of other kinds, and
/// where both directions are taken.
void toggle_facet(Experiment& experiment, std::string_view key);
/// The presets of the current rope and the pinned ones side by side; of fewer than two, two of a family.
void facet_models(Experiment& experiment);

}  // namespace ropescope
