#include "core/check/cause.h"

namespace ropescope {

namespace {

void propose(const Situation& situation, std::vector<Proposal>& proposals) {
  const ShortFormat format = situation.evidence.table_format;
  if (format == ShortFormat::none || !situation.evidence.has_tables()) return;
  Proposal found = situation.proposal();
  found.model.table_format = format;
  const std::string name(format_name(format));
  found.parameters = {{"format", name}};
  found.evidence = "Every number of the tables is one of " + name + ": they were rounded once, after cos and sin.";
  found.advice = "Nothing: the error is half a unit of " + name + " and does not grow with the position.";
  proposals.push_back(std::move(found));
}

}  // namespace

/// Only cos and sin rounded: the error is flat.
constinit const Cause kTableFormat{
    .name = "table-format", .group = CauseGroup::values, .seen_in = "", .harmless = true, .propose = propose};

}  // namespace ropescope
