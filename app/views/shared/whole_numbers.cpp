#include "app/views/shared/whole_numbers.h"

#include <cmath>

#include "app/experiment/experiment.h"
#include "core/error.h"
#include "core/formats/json_reader.h"

namespace ropescope {

std::vector<std::int64_t> whole_numbers_of(const std::string& text, const WholeNumbers& expected) {
  std::vector<std::int64_t> numbers;
  if (text.empty()) return numbers;
  for (const double number : parse_list(text, std::string(expected.field), expected.count)) {
    if (number < 0 || number > static_cast<double>(expected.most) || number != std::floor(number)) {
      throw InputError("whole_numbers",
                       {{"field", expected.field}, {"text", in_quotes(text)}, {"most", expected.most}});
    }
    numbers.push_back(std::llround(number));
  }
  return numbers;
}

}  // namespace ropescope
