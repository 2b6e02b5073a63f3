// User data from files: curves and custom ladders, parsed by core/formats/curve_file.h and ladder_text.h and stored in
// the fields of an experiment, which is complete without the files. Read experiment.h first.
#pragma once

#include <optional>
#include <string>

#include "app/experiment/experiment.h"
#include "core/formats/curve_file.h"

namespace ropescope {

/// Returns whether a ladder is the name of a file of numbers, which edits read immediately; spec_of() opens no file.
bool names_ladder_file(const std::string& text);
/// Returns the numbers in a file, in the form of give_ladder(), if the text ends like the name of a file of numbers;
/// otherwise the text itself. Throws InputError if the file cannot be read.
std::string load_ladder(const std::string& text);
/// Replaces a file name by the numbers in it. If they cannot be read the name stays, and spec_of() reports why.
void take_ladder_file(std::string& text);

/// Replaces the numbers of a curve by those of a file; an empty `path` removes the curve. Its look is kept, and so are
/// its name and title if the user changed them. Throws InputError as parse_curve_table(), map_file() and curve_in(),
/// but not if the meaning of the columns is still to be chosen; the fields are then unchanged but for the file name.
void take_curve_file(UserCurveFields& own, const std::string& path);
/// Loads a file as the next of the user curves, or again if it is one of them; returns its index. Throws InputError as
/// take_curve_file(), and if there are kMaxUserCurves already.
std::size_t add_curve_file(UserCurves& curves, const std::string& path);
/// Returns the curve in the fields; nullopt if there is none. Throws InputError if its numbers, or those of a file not
/// read before, cannot be read. `key` names the fields in errors: "own2".
std::optional<CurveFile> curve_of(const UserCurveFields& own, const std::string& key = "own");

}  // namespace ropescope
