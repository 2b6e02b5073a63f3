#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "app/figure/figure.h"
#include "app/resources/text.h"
#include "core/check/check.h"

namespace ropescope {

/// How the names of readouts begin that hold what to write for a cause, beside its card: `CARD.write.config`, `.ids`
/// and
/// `.numpy`. They have no cards of their own.
inline constexpr std::string_view kWritePart = ".write.";

/// The verdict, the causes, the largest difference and how far positions reach, in words. `applied` is the cause that
/// the reference is given ("all": all of them).
/// `reference`: what the check was asked with, for what to write.
std::vector<Readout> check_readouts(const CheckReport& report, const CheckReference& reference,
                                    const std::string& applied, const Text& text);

/// The key of a card's button that applies a cause; act_on_check takes it.
std::string apply_key(const std::string& cause);

}  // namespace ropescope
