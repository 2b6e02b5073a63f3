#include "core/check/causes/cause.h"

namespace ropescope {

namespace {

void propose_table_format(const Situation& situation, std::vector<Proposal>& proposals) {
  const Evidence& evidence = situation.evidence;
  const bool in_tables = evidence.table_format != ShortFormat::none;
  const ShortFormat format = in_tables ? evidence.table_format : evidence.vector_format;
  const CheckModel& model = situation.model;
  const bool known = model.table_format == evidence.table_format && model.vector_format == evidence.vector_format;
  if (format == ShortFormat::none || known) return;
  Proposal found = situation.proposal();
  found.model = with_told_formats(model, evidence);
  const std::string name(format_name(format));
  found.parameters = {{"format", as_it_is(name)}};
  found.evidence =
      Words(in_tables ? "check.table-format.evidence" : "check.table-format.evidence_vectors", {{"format", name}});
  found.advice = Words("check.table-format.advice", {{"format", name}});
  proposals.push_back(std::move(found));
}

}  // namespace

/// [pairs, tokens] where [tokens, pairs] is due: told where the tables are read (take_tensors()), and looked through.
constinit const Cause kTableTransposed{.name = "table-transposed",
                                       .group = CauseGroup::values,
                                       .seen_in = "",
                                       .propose = [](const Situation&, std::vector<Proposal>&) {}};

/// The tensors of another embedding of the same model: told before anything is looked for (check()).
constinit const Cause kProfile{.name = "profile",
                               .group = CauseGroup::frequencies,
                               .seen_in = "",
                               .propose = [](const Situation&, std::vector<Proposal>&) {}};

/// Only cos and sin rounded: the error is flat. Told from the numbers themselves, beside any other cause.
constinit const Cause kTableFormat{.name = "table-format",
                                   .group = CauseGroup::values,
                                   .seen_in = "",
                                   .harm = Harm::none,
                                   .propose = propose_table_format};

}  // namespace ropescope
