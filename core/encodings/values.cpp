#include <algorithm>
#include <atomic>
#include <string>

#include "core/decay/share_work.h"
#include "core/encodings/parts.h"
#include "core/error.h"

namespace ropescope {

namespace {

constexpr std::int64_t kValuesShare = 32;

const PlanValues& find_part(const EncodingModel& model, std::string_view name) {
  const auto& parts = model.plan().values;
  const auto found =
      std::find_if(parts.begin(), parts.end(), [name](const PlanValues& part) { return part.name == name; });
  if (found != parts.end()) return *found;
  if (parts.empty()) throw InputError(model.encoding().name, "encodings.no_values", {{"part", name}});
  Words::List known;
  for (const PlanValues& part : parts) known.push_back(as_it_is(part.name));
  throw InputError(model.encoding().name, "encodings.values", {{"part", name}, {"known", known}});
}

}  // namespace

std::vector<std::string> EncodingModel::value_columns(std::string_view part) const {
  return find_part(*this, part).columns;
}

TokenMatrix EncodingModel::values(std::string_view part, std::span<const std::int64_t> rows) const {
  const PlanValues& found = find_part(*this, part);
  TokenMatrix values(static_cast<Eigen::Index>(rows.size()), static_cast<Eigen::Index>(found.columns.size()));
  for (std::size_t row = 0; row < rows.size(); ++row) {
    found.row(rows[row], {values.row(static_cast<Eigen::Index>(row)).data(), found.columns.size()});
  }
  return values;
}

RowMatrix<float> EncodingModel::value_map(std::string_view part, std::int64_t first, std::int64_t count, int threads,
                                          std::stop_token stop) const {
  const PlanValues& found = find_part(*this, part);
  if (count < 0) throw InputError("encodings.rows", {{"count", count}});
  if (found.sinusoids) return sinusoid_map(*found.sinusoids, first, count, threads, stop);
  const auto width = static_cast<Eigen::Index>(found.columns.size());
  RowMatrix<float> map(count, width);
  std::atomic<std::int64_t> next = 0;
  share_work(threads, [&] {
    Eigen::RowVectorXd exact(width);
    for (std::int64_t begin = next.fetch_add(kValuesShare); begin < count && !stop.stop_requested();
         begin = next.fetch_add(kValuesShare)) {
      for (std::int64_t row = begin; row < std::min(count, begin + kValuesShare); ++row) {
        found.row(first + row, {exact.data(), found.columns.size()});
        map.row(row) = exact.cast<float>();
      }
    }
  });
  if (stop.stop_requested()) return {};
  return map;
}

}  // namespace ropescope
