// Lessons as JSON, and all that is wrong with them, for the commands `lessons` and `lesson`. Read lesson.h before.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "app/lessons/lesson.h"
#include "app/resources/text.h"
#include "app/store/store.h"

namespace ropescope {

/// [{"id", "minutes", "title": {"en", …}, "steps": [names], "languages": [codes]}] of the lessons of the assets.
std::string lessons_json(const std::filesystem::path& assets);

/// Told after every step how much of the work is done: 0 to 1.
using LessonProgress = std::function<void(double share)>;

/// A lesson whose formulas stand in plain Unicode: {"id", "language", "title", "minutes", "steps": [{"name", "reserve",
/// "title", "text", "notes", "set": {key: value}, "readouts": {name: number}, "ask": null or {"kind", "question",
/// "choices": [{"text", "right"}], "answer", "after"}}]}, readouts filled in; of one step alone where one is given.
/// "readouts" holds those that are numbers, "answer" the number that is asked for or the words of the right choice.
std::string lesson_json(const Lesson& lesson, std::optional<std::size_t> step, const std::filesystem::path& assets,
                        const Text& text, Store& store, const LessonProgress& progress = {});

/// Everything that is wrong with a lesson, its steps drawn one after the other; about a thousand faults end the search.
std::vector<LessonFault> all_faults(const Lesson& lesson, const std::filesystem::path& assets, const Text& text,
                                    Store& store, const LessonProgress& progress = {});
/// "FILE:LINE: reason".
std::string fault_text(const LessonFault& fault, const Text& text);

}  // namespace ropescope
