#include <imgui.h>

#include "app/ui/modal.h"
#include "app/ui/shell.h"
#include "app/ui/style.h"

namespace ropescope::ui {

namespace {

/// A dialog of one text: its texts "shell.dialog.TITLE", "….TITLE_hint" and "shell.dialog.do_TITLE".
struct WordsDialog {
  std::string title;
  bool removable = false;
};
enum class Answer { none, confirmed, removed };

Answer draw_words(App& app, const Rect& screen, const WordsDialog& asked) {
  const auto words = [&app](const std::string& key) -> const std::string& { return app.text["shell.dialog." + key]; };
  if (!begin_modal(app, "dialog.words", words(asked.title), screen, {520, 210})) return Answer::none;
  wrapped_text(words(asked.title + "_hint"), room_for_text());
  Answer answer = path_field(app) ? Answer::confirmed : Answer::none;
  if (asked.removable) {
    ImGui::SetCursorPosY(ImGui::GetWindowHeight() - app.ui.px(48));
    if (button(app.ui, "dialog.remove", words("remove"))) answer = Answer::removed;
  }
  if (end_buttons(app, "dialog.do_words", words("do_" + asked.title))) answer = Answer::confirmed;
  if (answer != Answer::none) close_modal(app);
  ImGui::EndPopup();
  return answer;
}

}  // namespace

void open_rename_dialog(App& app, std::size_t pin, const std::string& name) {
  open_dialog(app, DialogKind::rename);
  app.dialog.index = pin;
  app.dialog.path = name;
}

void draw_rename(App& app, const Rect& screen, Experiment& edited) {
  Dialog& dialog = app.dialog;
  if (draw_words(app, screen, {"rename"}) == Answer::none) return;
  if (dialog.index && *dialog.index < edited.pins.size()) edited.pins[*dialog.index].name = dialog.path;
}

void open_note_dialog(App& app, std::optional<std::size_t> index, const Note& note) {
  open_dialog(app, DialogKind::note);
  app.dialog.index = index;
  app.dialog.note = note;
  app.dialog.path = note.text;
}

void draw_note(App& app, const Rect& screen, Experiment& edited) {
  Dialog& dialog = app.dialog;
  const bool known = dialog.index && *dialog.index < edited.notes.size();
  const Answer answer = draw_words(app, screen, {"note", known});
  if (answer == Answer::none) return;
  if (known && (answer == Answer::removed || dialog.path.empty())) {
    edited.notes.erase(edited.notes.begin() + static_cast<std::ptrdiff_t>(*dialog.index));
  } else if (known) {
    edited.notes[*dialog.index].text = dialog.path;
  } else if (!dialog.path.empty()) {
    dialog.note.text = dialog.path;
    edited.notes.push_back(dialog.note);
  }
}

}  // namespace ropescope::ui
