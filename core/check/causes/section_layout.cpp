#include "core/check/causes/cause.h"

namespace ropescope {

namespace {

/// Which of t, row and column turns each pair, dealt by turns or in contiguous sections (theory: M-RoPE).
std::vector<Eigen::Index> owners_of_section_layout(const std::vector<int>& sections, Eigen::Index pairs,
                                                   bool by_turns) {
  std::vector<Eigen::Index> owners;
  for (Eigen::Index pair = 0; pair < pairs; ++pair) {
    if (by_turns) {
      const auto turn = pair % 3;
      owners.push_back(turn != 0 && pair < 3 * sections[static_cast<std::size_t>(turn)] ? turn : 0);
    } else {
      owners.push_back(pair < sections[0] ? 0 : pair < sections[0] + sections[1] ? 1 : 2);
    }
  }
  return owners;
}

void propose_section_layout(const Situation& situation, std::vector<Proposal>& proposals) {
  const Layout* layout = situation.reference.layout;
  if (layout == nullptr || !takes(*layout, "sections") || situation.model.tokens.axes.size() != 3) return;
  std::vector<int> sections = situation.reference.request.sections;
  if (sections.empty()) {
    for (const AxisDefault& axis : layout->axes) sections.push_back(axis.rotary_dim / 2);
  }
  const Eigen::MatrixXd& old = situation.model.tokens.frequencies;
  for (const bool by_turns : {false, true}) {
    Proposal found = situation.proposal();
    Eigen::MatrixXd& frequencies = found.model.tokens.frequencies;
    frequencies.setZero();
    const std::vector<Eigen::Index> owners = owners_of_section_layout(sections, old.cols(), by_turns);
    for (Eigen::Index pair = 0; pair < old.cols(); ++pair) {
      frequencies(owners[static_cast<std::size_t>(pair)], pair) = old.col(pair).sum();
    }
    if (frequencies == old) continue;
    found.parameters = {{"kind", by_turns ? Words("check.value.section.interleaved") : named_value("contiguous")}};
    found.evidence =
        Words(by_turns ? "check.section-layout.evidence_by_turns" : "check.section-layout.evidence_contiguous");
    found.advice = Words(by_turns ? "check.section-layout.advice_contiguous" : "check.section-layout.advice_by_turns");
    proposals.push_back(std::move(found));
  }
}

}  // namespace

/// M-RoPE's sections contiguous where they are interleaved, or the reverse.
constinit const Cause kSectionLayout{.name = "section-layout",
                                     .group = CauseGroup::channels,
                                     .seen_in = "alibaba/MNN#4133",
                                     .propose = propose_section_layout};

}  // namespace ropescope
