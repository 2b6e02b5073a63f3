#pragma once

#include "app/views/compare/view.h"

#include "app/resources/models.h"
#include "app/views/shared/messages.h"
#include "core/attention/attention.h"
#include "core/message.h"
#include "tests/figures/view_parts.h"

namespace ropescope {

class CompareView : public TestOfView<kCompareView> {
 protected:
  CompareFields& fields = experiment.compare;

  void SetUp() override {
    experiment.rope.rotary_dim = 32;
    experiment.rope.head_dim = 32;
  }
  QueryAndKey content() { return query_and_key({fields.content == ContentKind::random, 1}, 32); }
};

inline std::vector<std::string> all_names() {
  std::vector<std::string> names;
  for (const Encoding& encoding : all_encodings()) names.emplace_back(encoding.name);
  return names;
}

}  // namespace ropescope
