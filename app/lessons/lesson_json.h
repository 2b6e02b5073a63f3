// Lessons as JSON, and all their errors, for the commands `lessons` and `lesson`. Read lesson.h first.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "app/lessons/lesson.h"
#include "app/resources/text.h"
#include "app/store/store.h"

namespace ropescope {

/// Returns the assets' lessons: [{"id", "minutes", "title": {"en", …}, "steps": [names], "languages": [codes]}].
std::string lessons_json(const std::filesystem::path& assets);

/// Called after every step with the completed share of the work, 0 to 1.
using LessonProgress = std::function<void(double share)>;

/// Returns a lesson with formulas in plain Unicode and readouts filled in: {"id", "language", "title", "minutes",
/// "steps": [{"name", "reserve", "title", "text", "notes", "set": {key: value}, "readouts": {name: number}, "ask": null
/// or {"kind", "question", "choices": [{"text", "right"}], "answer", "after"}}]}; only one step if `step` is set.
/// "readouts" has those with numbers; "answer" is the requested number or the text of the right choice.
std::string lesson_json(const Lesson& lesson, std::optional<std::size_t> step, const std::filesystem::path& assets,
                        const Text& text, Store& store, const LessonProgress& progress = {});

/// Returns all errors in a lesson, its steps drawn in order; the search ends at about a thousand.
std::vector<LessonError> all_faults(const Lesson& lesson, const std::filesystem::path& assets, const Text& text,
                                    Store& store, const LessonProgress& progress = {});
/// Returns "FILE:LINE: reason".
std::string to_error_text(const LessonError& fault, const Text& text);

}  // namespace ropescope
