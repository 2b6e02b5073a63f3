#include "core/check/causes/cause.h"

namespace ropescope {

namespace {

/// Whether the frequencies that were given have the other sign, nearly all of them.
bool given_backwards(const Situation& situation) {
  const std::vector<double>& given = situation.evidence.frequencies;
  const std::vector<double> due = stored_frequencies(situation.model);
  std::size_t turned = 0, kept = 0;
  for (std::size_t i = 0; i < due.size() && due.size() == given.size(); ++i) {
    turned += given[i] * due[i] < 0 ? 1 : 0;
    kept += given[i] * due[i] > 0 ? 1 : 0;
  }
  return turned > 0 && turned > 8 * kept;
}

void propose_sign(const Situation& situation, std::vector<Proposal>& proposals) {
  const bool allowed = situation.reference.allowed.contains(kSign.name);
  const Words advice(allowed ? "check.sign.advice_allowed" : "check.sign.advice");
  if (given_backwards(situation)) {
    const auto apply = [](const CheckModel& model) {
      CheckModel turned = model;
      turned.tokens.frequencies *= -1;
      return turned;
    };
    Proposal found = situation.proposal();
    found.model = apply(situation.model);
    found.again = apply;
    found.evidence = Words("check.sign.evidence_frequencies");
    found.advice = advice;
    proposals.push_back(std::move(found));
  }
  if (!situation.evidence.has_rotation()) return;
  Proposal found = situation.proposal();
  found.model.conjugate = !found.model.conjugate;
  const bool back = situation.reference.turns_back && !situation.evidence.has_tables();
  found.evidence = Words(back ? "check.sign.evidence_back" : "check.sign.evidence");
  found.advice = back ? Words("check.sign.advice_back") : advice;
  proposals.push_back(std::move(found));
}

}  // namespace

/// The conjugate table. Of q turned by R(−m) and k by R(−n) a score is R(m − n) in place of R(n − m): weights that were
/// trained with the other sign are given other scores.
constinit const Cause kSign{.name = "sign",
                            .group = CauseGroup::values,
                            .seen_in = "karpathy/nanochat#489",
                            .harm = Harm::by_weights,
                            .propose = propose_sign};

namespace {

void propose_exchange(const Situation& situation, std::vector<Proposal>& proposals) {
  if (!situation.evidence.has_rotation()) return;
  Proposal found = situation.proposal();
  found.model.exchanged = !found.model.exchanged;
  found.evidence = Words("check.cos-sin-exchanged.evidence");
  found.advice = Words("check.cos-sin-exchanged.advice");
  proposals.push_back(std::move(found));
}

}  // namespace

/// What is taken for cos is the sine, and the reverse: two files, two halves of a packed table, two results.
constinit const Cause kCosSinExchanged{
    .name = "cos-sin-exchanged", .group = CauseGroup::values, .seen_in = "", .propose = propose_exchange};

}  // namespace ropescope
