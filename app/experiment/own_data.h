// Numbers of somebody's own from files: a curve, and the ladder of a rope. core/formats/curve_file.h and ladder_text.h
// read them; here they become fields of an experiment, which is complete without the files. Read experiment.h before.
#pragma once

#include <optional>
#include <string>

#include "app/experiment/experiment.h"
#include "core/formats/curve_file.h"

namespace ropescope {

/// Whether a ladder is the name of a file of numbers. Whoever edits a rope reads it at once; spec_of() opens no file.
bool names_ladder_file(const std::string& text);
/// A file's name as it stands, in place of one that ends as files of numbers do: its numbers as give_ladder() takes
/// them. Any other text comes back. Throws InputError where the file cannot be read.
std::string ladder_of_file(const std::string& text);
/// Puts the numbers of the file that a text names in its place; what cannot be read stays, and spec_of() says why.
void take_ladder_file(std::string& text);

/// The curve of a file. Throws InputError as parse_curve() and map_file() do.
CurveFile load_curve(const std::string& path);
/// Puts the file's curve, and what it is called, into the fields, without what was there of another one; an empty
/// `path` leaves none. Throws InputError as load_curve(): the file's name alone is there then.
void take_curve_file(OwnFields& own, const std::string& path);
/// The curve of the fields; none where there is none. Throws InputError where its numbers, or those of a file that was
/// not read yet, cannot be read.
std::optional<CurveFile> curve_of(const OwnFields& own);

}  // namespace ropescope
