#include "app/views/shared/notes.h"

#include <charconv>

namespace ropescope {

namespace {

constexpr std::string_view kBegin = "note.", kPlace = ".place", kWords = ".words";

}  // namespace

void add_notes(ViewResult& result, const Experiment& experiment, const Text& text) {
  for (std::size_t i = 0; i < experiment.notes.size(); ++i) {
    const Note& note = experiment.notes[i];
    if (note.view != experiment.view) continue;
    const std::string key = std::string(kBegin) + std::to_string(i);
    for (Panel& panel : result.panels) {
      Figure& figure = panel.figure;
      if (figure.name != note.figure) continue;
      figure.notes.push_back({note.text, note.x, note.y, note.text_x, note.text_y});
      figure.handles.push_back({key + std::string(kPlace), note.x, note.y, 0, true, text["shell.tip.note_place"]});
      figure.handles.push_back(
          {key + std::string(kWords), note.text_x, note.text_y, 0, true, text["shell.tip.note_words"]});
    }
  }
}

std::optional<std::size_t> note_of(const std::string& handle) {
  if (!handle.starts_with(kBegin)) return std::nullopt;
  std::size_t index = 0;
  const auto [end, error] = std::from_chars(handle.data() + kBegin.size(), handle.data() + handle.size(), index);
  return error == std::errc() && *end == '.' ? std::optional(index) : std::nullopt;
}

void move_note(Experiment& experiment, const FigureEvent& event) {
  const auto index = note_of(event.handle);
  if (!index || *index >= experiment.notes.size()) return;
  Note& note = experiment.notes[*index];
  (event.handle.ends_with(kPlace) ? note.x : note.text_x) = event.x;
  (event.handle.ends_with(kPlace) ? note.y : note.text_y) = event.y;
}

}  // namespace ropescope
