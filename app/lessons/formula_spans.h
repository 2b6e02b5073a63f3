#pragma once

#include <string>
#include <string_view>

namespace ropescope {

/// The Markdown with the dollars of every $formula$ as backticks, so that whatever reads it takes formulas for code: of
/// as many bytes, each at its place. md4c's own formulas are none after or before a letter since its version 0.5.1, as
/// they stand in Japanese and Korean ("$\theta$는"). A formula stands in one paragraph, outside of code and not beside
/// it;
/// $$formula$$ is one as well, "\$" begins none.
std::string formulas_as_code(std::string_view markdown);

}  // namespace ropescope
