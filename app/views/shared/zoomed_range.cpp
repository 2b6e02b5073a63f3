#include "app/views/shared/zoomed_range.h"

#include "app/experiment/partial_fields.h"

namespace ropescope {

namespace {

/// The zoomed range that a field keeps.
class ZoomedRange : public PartialFields {
 public:
  explicit ZoomedRange(std::string_view key) : key_(key) {}
  std::optional<Range> found;
  void range(const RangeField& field, std::optional<Range>& value) override {
    if (field.key == key_) found = value;
  }

 private:
  std::string_view key_;
};

}  // namespace

std::optional<Range> zoomed_range(const Experiment& experiment, std::string_view key) {
  ZoomedRange visitor(key);
  Experiment read = experiment;
  if (!key.empty()) describe(visitor, read);
  return visitor.found;
}

}  // namespace ropescope
