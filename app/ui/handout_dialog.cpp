#include <imgui.h>

#include <memory>
#include <utility>

#include "app/lessons/handout.h"
#include "app/ui/file_job.h"
#include "app/ui/modal.h"
#include "app/ui/shell.h"
#include "core/error.h"

namespace ropescope::ui {

namespace {

/// The lesson that is open, and whether it is to be printed alone.
bool prints_one(const App& app) {
  return app.lesson && app.dialog.lessons == "one";
}

std::vector<std::string> sources_of(const App& app) {
  if (prints_one(app)) return {app.lesson->source};
  std::vector<std::string> all;
  for (const LessonEntry& entry : list_lessons(app.places.assets)) all.push_back(entry.id);
  return all;
}

/// A handout in the language of the window, made beside it.
void start_handout(App& app) {
  Dialog& dialog = app.dialog;
  try {
    if (dialog.path.empty()) throw InputError(Words("shell.dialog.no_path"));
    if (!may_write(app)) return;
    HandoutOptions options;
    options.paper = parse_paper(dialog.paper);
    options.answers = dialog.answers;
    const auto make = [options, sources = sources_of(app), html = dialog.format == "html", text = app.text,
                       assets = app.places.assets](const std::stop_token& stop, const FileJob::Progress& progress) {
      HandoutOptions own = options;
      own.progress = progress;
      own.stop = stop;
      std::vector<Lesson> lessons;
      for (const std::string& source : sources) {
        lessons.push_back(load_lesson(assets, source, text.language()));
        if (text.formulas()) set_formulas(lessons.back(), *text.formulas(), true);
      }
      Store store(Store::Mode::synchronous, 1);  // the window goes on beside it
      return html ? handout_html(lessons, assets, text, store, own) : handout_pdf(lessons, assets, text, store, own);
    };
    const std::filesystem::path path = whole_path(typed_path(dialog));
    app.settings.folder = path.parent_path().string();
    app.file_job = std::make_shared<FileJob>(make, path.string());
    close_modal(app);
  } catch (const InputError& error) {
    dialog.error = app.text.say(error.words());
  }
}

/// Everything above the buttons; true where Enter confirmed the name.
bool draw_choices_handout_dialog(App& app) {
  Dialog& dialog = app.dialog;
  const Dialog before = dialog;
  if (dialog.just_opened) {
    dialog.format = "pdf";
    dialog.lessons = app.lesson ? "one" : "all";
  }
  if (app.lesson) {
    choice_control(app.ui, {.key = "dialog.lessons", .options = {"one", "all"}, .initial = "one"}, dialog.lessons);
  }
  choice_control(app.ui, {.key = "dialog.handout_format", .options = {"pdf", "html"}, .initial = "pdf"}, dialog.format);
  if (dialog.format == "pdf") {
    choice_control(app.ui, {.key = "dialog.paper", .options = {"a4", "letter"}, .initial = "a4"}, dialog.paper);
  }
  toggles_control(app.ui, "row.dialog.answers", {{{.key = "dialog.answers"}, &dialog.answers}});
  if (dialog.just_opened || before.format != dialog.format || before.lessons != dialog.lessons) {
    const std::string stem = prints_one(app) ? app.lesson->lesson.id : "rope-lessons";
    dialog.path = free_name(dialog.folder, stem, dialog.format);
    dialog.error.clear();
    if (!dialog.just_opened) dialog.focus = Dialog::Focus::text;
  }
  ImGui::TextUnformatted(app.text["shell.dialog.file"].c_str());
  const bool go = path_field(app);
  error_line(app);
  return go;
}

}  // namespace

void draw_handout(App& app, const Rect& screen) {
  Ui& ui = app.ui;
  if (!begin_modal(app, "dialog.handout", app.text["shell.dialog.handout"], screen, {560, 470})) return;
  ImGui::BeginChild("choices", {0, ImGui::GetContentRegionAvail().y - height_above_buttons(ui)});
  bool go = draw_choices_handout_dialog(app);
  ImGui::EndChild();
  go |= write_buttons(app, "dialog.do_handout");
  if (go && app.dialog.kind == DialogKind::handout) start_handout(app);
  ImGui::EndPopup();
}

}  // namespace ropescope::ui
