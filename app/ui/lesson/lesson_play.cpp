// Playback of lessons: navigation between steps, answers and guesses, and adding steps to lectures.
//
// Contents: Playing; Guesses; Writing.

#include "app/ui/lesson/lesson_play.h"

#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "app/experiment/fields.h"
#include "app/lessons/lesson.h"
#include "app/lessons/step_page.h"
#include "app/resources/files.h"
#include "app/resources/formulas.h"
#include "app/ui/app.h"
#include "app/ui/drawing/screen.h"
#include "app/ui/lesson/presentation.h"
#include "app/views/shared/ropes.h"
#include "app/views/view.h"
#include "core/message.h"

namespace ropescope::ui {

// --- Playing -------------------------------------------------------------------------------------------------------

namespace {

constexpr double kGlide = 0.6, kLongestLessonFrame = 0.1, kLessonFileCheckInterval = 0.5;

/// Animates numbers from their old values: linearly, or in the logarithm if the slider is logarithmic.
void glide(const Experiment& from, Experiment& next, double share) {
  std::map<std::string_view, double> before;
  for (const Field& field : fields_of(from)) {
    if (field.kind == Field::Kind::number) before.emplace(field.key, field.as<double>());
  }
  for (Field& field : fields_of(next)) {
    if (field.kind != Field::Kind::number || before.at(field.key) == field.as<double>()) continue;
    double& value = field.as<double>();
    const double start = slider_fraction(field, before.at(field.key)), end = slider_fraction(field, value);
    value = slider_value(field, start + share * (end - start));
  }
}

double ease(double share) {
  return share * share * (3 - 2 * share);
}

Lesson read(App& app, const std::string& source) {
  Lesson lesson = load_lesson(app.places.assets, source, app.text.language());
  if (app.text.formulas()) set_formulas(lesson, *app.text.formulas(), true);
  return lesson;
}

/// Reports the first fault of a step; `ropescope lesson FILE --check` reports all of them.
void show_lesson_errors(App& app, const Lesson& lesson, const StepState& state) {
  std::vector<LessonError> faults = lesson.faults;
  faults.insert(faults.end(), state.faults.begin(), state.faults.end());
  if (faults.empty()) return;
  const LessonError& first = faults.front();
  const std::string said =
      app.text.format("lesson.faults", {{"count", {std::to_string(faults.size()), static_cast<double>(faults.size())}},
                                        {"file", std::filesystem::path(first.file).filename().string()},
                                        {"line", std::to_string(first.line)},
                                        {"reason", app.text.render(first.reason)}});
  if (app.lesson) app.lesson->fault = said;
  // Faults of a lecture concern its lecturer, not the audience.
  if (app.lesson && app.lesson->room) return;
  app.messages.push_back({said});
}

void keep_place(App& app) {
  LessonPlay& play = *app.lesson;
  app.settings.lesson_places[play.source] = play.lesson.steps[play.step].name;
  app.settings.lesson_open = play.source;
}

/// Returns the visible step after or before this one; nullopt at the ends.
std::optional<std::size_t> step_beside(const LessonPlay& play, int by) {
  for (std::size_t step = play.step + static_cast<std::size_t>(by); step < play.lesson.steps.size();
       step += static_cast<std::size_t>(by)) {
    if (is_shown(play, play.lesson.steps[step])) return step;
  }
  return std::nullopt;
}

/// Keeps the picture on screen until the frame that shows the change is final.
void expect_change(LessonPlay& play) {
  constexpr int kFramesToSettle = 3;
  play.fresh_frames = kFramesToSettle;
  play.held = 0;
}

void record_put(App& app, const Experiment& next) {
  app.history.amend(next);
  app.lesson->put = app.history.current();
  app.animated = true;
}

/// Returns the step's state with its sweeps at their current values; fields tied to a swept number follow it.
Experiment swept(const LessonPlay& play) {
  Experiment next = play.state;
  for (const RunningSweep& each : play.sweeps) apply_variation(next, each.sweep, each.at / each.seconds);
  const View& view = find_view(next.view);
  if (view.settle) view.settle(play.state, next);
  clamp(next);
  return next;
}

void advance_glide(App& app, double seconds) {
  LessonPlay& play = *app.lesson;
  play.gliding = std::max(0.0, play.gliding - seconds);
  Experiment next = swept(play);
  if (play.gliding > 0) {
    glide(play.from, next, ease(1 - play.gliding / kGlide));
    clamp(next);
  }
  record_put(app, next);
}

void advance_sweeps(App& app, double seconds) {
  LessonPlay& play = *app.lesson;
  for (RunningSweep& each : play.sweeps) each.at = std::min(each.at + seconds, each.seconds);
  const Experiment next = swept(play);
  std::erase_if(play.sweeps, [](const RunningSweep& each) { return each.at >= each.seconds; });
  record_put(app, next);
}

/// Reads the lesson again if its file changed (the user edits it with another program), or if the language changed.
void read_again(App& app) {
  LessonPlay& play = *app.lesson;
  const double now = ImGui::GetTime();
  if (now - play.looked_at < kLessonFileCheckInterval && play.language == app.text.language()) return;
  play.looked_at = now;
  const FileStamp stamp = stamp_of(play.lesson.file);
  if (stamp == play.stamp && play.language == app.text.language()) return;
  const bool only_words = std::exchange(play.language, app.text.language()) != app.text.language();
  play.stamp = stamp;
  try {
    Lesson lesson = read(app, play.source);
    if (lesson.steps.empty()) return;  // between two writes of an editor
    const std::string name = play.lesson.steps[play.step].name;
    play.lesson = std::move(lesson);
    play.ahead.reset();
    play.step = find_step(play.lesson, name).value_or(std::min(play.step, play.lesson.steps.size() - 1));
    if (!only_words) go_to_step(app, play.step);
    measure_parts(play);
  } catch (const InputError&) {
    // It is missing for now: the text read before stays.
  }
}

/// Uncovers the answer without one from the user; the lesson itself reaches a goal.
void skip_question(App& app) {
  if (!question_is_open(app)) return;
  LessonPlay& play = *app.lesson;
  play.answer.skipped = true;
  play.answer.xs.clear();
  play.answer.ys.clear();
  const LessonAsk& ask = *play.lesson.steps[play.step].ask;
  if (ask.kind == LessonAsk::Kind::reach && !ask.solved.empty()) {
    play.gliding = 0;
    play.sweeps.clear();
    record_put(app, state_of(play.lesson, play.step, app.places.assets).solved);
  }
  answer_question(app);
}

/// Requests the glyphs of a whole lesson at once. Requested step by step, the fonts would be rebuilt at almost every
/// step.
void request_glyphs(const App& app, const Lesson& lesson) {
  const auto request = [&app](std::string_view words) { want_glyphs(app.ui.fonts.body, words); };
  request(lesson.title);
  for (const LessonStep& step : lesson.steps) {
    request(step.title);
    for (const LessonParagraph& paragraph : step.text) request(text_of(paragraph));
    for (const LessonParagraph& paragraph : step.notes) request(text_of(paragraph));
    if (!step.ask) continue;
    request(step.ask->question);
    request(step.ask->after);
    for (const LessonAsk::Choice& choice : step.ask->choices) request(choice.text);
  }
}

// --- Guesses -------------------------------------------------------------------------------------------------------

// A guess drawn over a covered curve, and the true curve drawn progressively over it.

constexpr double kGuessLineWidth = 2, kGuessMargin = 24;

const LessonAsk* drawing(const App& app) {
  if (!app.lesson) return nullptr;
  const std::optional<LessonAsk>& ask = app.lesson->lesson.steps[app.lesson->step].ask;
  return ask && ask->kind == LessonAsk::Kind::draw ? &*ask : nullptr;
}

/// Returns the first part of a line, as far as it is drawn.
Line grow_line(const Line& line, double share) {
  if (share >= 1 || !line.series || line.series->ys.empty()) return line;
  const Series& series = *line.series;
  const auto count = static_cast<std::size_t>(std::ceil(share * static_cast<double>(series.ys.size())));
  const std::size_t shown = std::clamp<std::size_t>(count, 1, series.ys.size());
  Line part = line;
  std::vector<double> ys(series.ys.begin(), series.ys.begin() + static_cast<std::ptrdiff_t>(shown));
  if (series.xs.empty()) {
    part.series = make_series(series.first_x, series.step, std::move(ys));
  } else {
    part.series =
        make_series({series.xs.begin(), series.xs.begin() + static_cast<std::ptrdiff_t>(shown)}, std::move(ys));
  }
  return part;
}

/// Inserts a point into the guess, replacing earlier points there: it stays a function of x.
void add_point(LessonAnswer& answer, double last, double x, double y) {
  const double low = std::min(last, x), high = std::max(last, x);
  for (std::size_t i = answer.xs.size(); i-- > 0;) {
    if (answer.xs[i] < low || answer.xs[i] > high) continue;
    const bool kept = answer.xs[i] == last && last != x;
    if (kept) continue;
    answer.xs.erase(answer.xs.begin() + static_cast<std::ptrdiff_t>(i));
    answer.ys.erase(answer.ys.begin() + static_cast<std::ptrdiff_t>(i));
  }
  const auto place = std::lower_bound(answer.xs.begin(), answer.xs.end(), x);
  answer.ys.insert(answer.ys.begin() + (place - answer.xs.begin()), y);
  answer.xs.insert(place, x);
}

// --- Writing -------------------------------------------------------------------------------------------------------

// A user's lecture: the current state becomes its next step.

std::map<std::string, std::string> values_of(const Experiment& experiment) {
  std::map<std::string, std::string> values;
  for (const std::string& assignment : set_arguments(experiment)) {
    const std::size_t equals = assignment.find('=');
    values.emplace(assignment.substr(0, equals), assignment.substr(equals + 1));
  }
  return values;
}

/// Returns the `set` lines that change one experiment into the other.
std::string settings_between(const Experiment& before, const Experiment& after) {
  const std::map<std::string, std::string> had = values_of(before), has = values_of(after);
  std::string lines = "view = " + after.view + "\n";
  for (const auto& [key, value] : has) {
    const auto same = had.find(key);
    const bool changed = same == had.end() || same->second != value;
    if (key != kViewKey && changed) lines.append(key).append(" = ").append(value).append("\n");
  }
  std::map<std::string, std::string> initial;
  for (const FieldInfo& field : list_fields()) initial.emplace(field.key, field.value);
  for (const auto& [key, value] : had) {
    if (key == kViewKey || has.contains(key)) continue;
    const auto found = initial.find(key);
    lines += key + " = " + (found == initial.end() ? "[]" : found->second) + "\n";
  }
  return lines;
}

}  // namespace

void leave_lesson(App& app) {
  if (!app.lesson) return;
  if (!step_beside(*app.lesson, 1)) app.settings.lesson_places.erase(app.lesson->source);
  app.settings.lesson_open.clear();
}

void open_lesson(App& app, const std::string& id_or_path, const std::string& step, Staging staging) {
  try {
    Lesson lesson = read(app, id_or_path);
    if (lesson.chapter && app.lesson && app.lesson->room) toggle_presentation(app);
    if (lesson.chapter) app.figure_alone = false;
    if (lesson.steps.empty()) {
      show_lesson_errors(app, lesson, {});
      return;
    }
    if (step.empty() || (app.lesson && app.lesson->source != id_or_path)) leave_lesson(app);
    LessonPlay play;
    play.source = id_or_path;
    play.language = app.text.language();
    play.stamp = stamp_of(lesson.file);
    play.staged = app.lesson && app.lesson->staged;
    if (play.staged) play.before = app.lesson->before;
    play.room = app.lesson && app.lesson->room;
    play.lesson = std::move(lesson);
    const auto kept = app.settings.lesson_places.find(id_or_path);
    const std::string& wanted = step.empty() && kept != app.settings.lesson_places.end() ? kept->second : step;
    const std::size_t place = find_step(play.lesson, wanted).value_or(0);
    app.lesson = std::make_unique<LessonPlay>(std::move(play));
    request_glyphs(app, app.lesson->lesson);
    app.lessons_listed = app.drawer_open = false;
    show_lesson_errors(app, app.lesson->lesson, {});
    go_to_step(app, place, staging);
  } catch (const InputError& error) {
    app.messages.push_back({app.text.render(error.words())});
  }
}

void open_handbook(App& app) {
  load_lesson_titles(app);
  const std::string view = app.history.current().view;
  for (const LessonTitle& title : app.lesson_titles) {
    for (const LessonTitle::Step& step : title.steps) {
      if (title.chapter && step.view == view) return open_lesson(app, title.id, step.name, Staging::on_request);
    }
  }
  app.lessons_listed = app.chapters_listed = true;
}

void close_lesson(App& app) {
  if (!app.lesson) return;
  leave_lesson(app);
  if (app.lesson->room) app.requests.rebuild_fonts = true;
  const std::optional<Experiment> before = app.lesson->staged ? std::optional(app.lesson->before) : std::nullopt;
  app.lesson.reset();
  if (before) app.history.record(*before, false);
  app.result_of.reset();
}

bool is_shown(const LessonPlay& play, const LessonStep& step) {
  return !play.room || play.with_reserve || !step.reserve;
}

std::string time_spent(const App& app) {
  const LessonPlay& play = *app.lesson;
  const int whole = static_cast<int>(play.seconds), rest = whole % 60;
  std::string spent = std::to_string(whole / 60) + (rest < 10 ? ":0" : ":") + std::to_string(rest);
  if (!(play.lesson.minutes > 0)) return spent;
  return app.text.format("lesson.time", {{"spent", spent}, {"planned", shortest_number(play.lesson.minutes)}});
}

void load_lesson_titles(App& app) {
  if (app.lesson_titles_in == app.text.language()) return;
  app.lesson_titles_in = app.text.language();
  app.lesson_titles.clear();
  std::vector<LessonEntry> entries = list_lessons(app.places.assets), chapters = list_chapters(app.places.assets);
  entries.insert(entries.end(), chapters.begin(), chapters.end());
  for (const LessonEntry& entry : entries) {
    try {
      Lesson lesson = load_lesson(app.places.assets, entry.id, app.text.language());
      if (app.text.formulas()) set_formulas(lesson, *app.text.formulas(), false);
      LessonTitle title{entry.id, lesson.title, lesson.minutes, {}, lesson.chapter};
      for (const LessonStep& step : lesson.steps) {
        const auto view = std::find_if(step.set.begin(), step.set.end(),
                                       [](const LessonSetting& setting) { return setting.key == kViewKey; });
        title.steps.push_back({step.name, step.title, view == step.set.end() ? "" : view->value});
      }
      app.lesson_titles.push_back(std::move(title));
    } catch (const InputError& error) {
      app.messages.push_back({app.text.render(error.words())});
    }
  }
}

std::string step_place(const LessonPlay& play) {
  std::size_t number = 0, count = 0;
  for (std::size_t i = 0; i < play.lesson.steps.size(); ++i) {
    const bool counts = i == play.step || is_shown(play, play.lesson.steps[i]);
    count += counts ? 1 : 0;
    number += counts && i <= play.step ? 1 : 0;
  }
  return std::to_string(number) + " / " + std::to_string(count);
}

bool has_state(const LessonPlay& play) {
  const LessonStep& step = play.lesson.steps[play.step];
  return !play.lesson.chapter || !step.set.empty() || !step.sweeps.empty();
}

void go_to_step(App& app, std::size_t step, Staging staging) {
  LessonPlay& play = *app.lesson;
  play.step = std::min(step, play.lesson.steps.size() - 1);
  const LessonStep& entered = play.lesson.steps[play.step];
  const StepState state = state_of(play.lesson, play.step, app.places.assets);
  if (!state.faults.empty()) show_lesson_errors(app, {}, state);
  play.state = state.experiment;
  play.from = app.history.current();
  play.answer = {};
  app.turned_to_figures = false;
  play.passing = play.show_question = play.leaving = play.from_end = false;
  expect_change(play);
  if (entered.ask && entered.ask->kind == LessonAsk::Kind::number) play.answer.guess = first_guess(*entered.ask, {});
  play.part = 0;
  measure_parts(play);
  play.step_seconds = 0;
  play.scroll_to_top = play.turn_page = true;
  play.sweeps.clear();
  play.gliding = 0;
  if (!has_state(play) || staging == Staging::on_request) {
    play.put = app.history.current();
    return keep_place(app);
  }
  if (!std::exchange(play.staged, true)) play.before = app.history.current();
  for (const LessonSweep& sweep : entered.sweeps) {
    // A question refers to the state at the end of the sweep.
    if (find_number(play.state, sweep.moved.key)) play.sweeps.push_back({sweep.moved, sweep.seconds, 0});
  }
  app.ui.sweep.end();
  const bool same_view = play.from.view == play.state.view;
  play.gliding = same_view && app.settings.motion ? kGlide : 0;
  if (!app.settings.motion) play.sweeps.clear();
  Experiment first = play.gliding > 0 ? play.from : swept(play);
  first.view = play.state.view;
  app.history.record(play.state, false);
  app.history.amend(first);
  play.put = app.history.current();
  app.result_of.reset();
  app.pen.strokes.clear();
  keep_place(app);
}

void next_step(App& app, int by) {
  LessonPlay& play = *app.lesson;
  const std::size_t parts = parts_of(play).size();
  const bool passing = std::exchange(play.passing, false), leaving = std::exchange(play.leaving, false);
  play.from_end = false;
  expect_change(play);
  if (by > 0 && play.part + 1 < parts) {
    ++play.part;
  } else if (by < 0 && play.part > 0) {
    --play.part;
  } else if (by > 0 && question_is_open(app)) {
    play.passing = play.show_question = !passing;
    if (passing) skip_question(app);
  } else if (const std::optional<std::size_t> step = step_beside(play, by)) {
    go_to_step(app, *step);
    if (by > 0) return;
    play.part = parts_of(play).size() - 1;
    play.from_end = true;
  } else if (const std::string id = by > 0 ? lesson_after(app) : ""; !id.empty()) {
    // One press too many does not replace the last step; a chapter is read on.
    play.leaving = !leaving && !play.lesson.chapter;
    if (play.leaving) return;
    app.settings.lesson_places.erase(id);
    open_lesson(app, id);
  }
}

const LessonPlay* find_linked_lesson(const App& app) {
  const LessonPlay* const lesson = app.lesson.get();
  return lesson && lesson->staged && lesson->source.find('/') == std::string::npos ? lesson : nullptr;
}

std::string link_here(const App& app, std::string_view address, bool student) {
  const Experiment& shown = app.history.current();
  const LessonPlay* const lesson = find_linked_lesson(app);
  std::string link;
  if (lesson) link.append(kLessonLink).append(lesson->source + '/' + lesson->lesson.steps[lesson->step].name);
  if (!lesson || shown != lesson->put) link += (lesson ? "&" : "") + view_link(shown, "");
  if (student) link.append("&").append(kStudentLink);
  return std::string(address) + link;
}

std::string lesson_after(App& app) {
  load_lesson_titles(app);
  const std::vector<LessonTitle>& titles = app.lesson_titles;
  for (std::size_t i = 0; i + 1 < titles.size(); ++i) {
    if (titles[i].id == app.lesson->source) return titles[i].chapter == titles[i + 1].chapter ? titles[i + 1].id : "";
  }
  return {};
}

void restart_lesson(App& app) {
  app.lesson->seconds = 0;
  go_to_step(app, 0);
}

void restore_step(App& app) {
  go_to_step(app, app.lesson->step);
}

void play_lesson(App& app, double seconds) {
  if (!app.lesson) return;
  read_again(app);
  LessonPlay& play = *app.lesson;
  play.seconds += seconds;
  play.step_seconds += seconds;
  const double passed = std::min(seconds, kLongestLessonFrame);
  if (play.answer.given) play.answer.since += passed;
  if (play.answer.given && play.answer.since < kGuessGrows && has_guess(app)) app.animated = true;
  const bool moved_by_hand = !(app.history.current() == play.put);
  if (moved_by_hand) {
    play.gliding = 0;
    play.sweeps.clear();
  }
  if (play.gliding > 0) {
    advance_glide(app, passed);
  } else if (!play.sweeps.empty()) {
    advance_sweeps(app, passed);
  }
}

void prepare_next_step(App& app) {
  if (!app.lesson || app.stopped || app.store.at_once()) return;
  LessonPlay& play = *app.lesson;
  const std::optional<std::size_t> next = step_beside(play, 1);
  const bool moving = play.gliding > 0 || !play.sweeps.empty() || play.fresh_frames > 0;
  if (!next || moving || (play.ahead == next && (play.prepared || app.store.busy()))) return;
  if (play.ahead != next) {
    play.next = state_of(play.lesson, *next, app.places.assets).experiment;
    play.ahead = next;
    // What plays by itself, as a race does, begins when it is seen.
    const Player* player = find_player(play.next);
    play.prepared = play.lesson.chapter || (player && player->playing(play.next));
  }
  if (play.prepared) return;
  app.store.enter_scope("next.");
  app.store.begin_pass();
  try {
    const bool stale = draw_view(find_view(play.next.view), play.next, app.text, app.store).stale;
    play.prepared = !stale || !app.store.failure().empty();
  } catch (const std::exception&) {
    play.prepared = true;  // as after a failure of a worker, its error is shown with the step
  }
  app.store.end_pass();
  app.store.enter_scope({});
}

bool holds_lesson_picture(App& app, double seconds) {
  constexpr double kLongestHeld = 2;
  if (!app.lesson) return false;
  LessonPlay& play = *app.lesson;
  if (play.fresh_frames == 0) return false;
  const bool waits = play.measured || app.requests.rebuild_fonts || (app.result.stale && !app.stopped);
  if (!waits) --play.fresh_frames;
  play.held += seconds;
  if (play.held > kLongestHeld) play.fresh_frames = 0;
  return play.fresh_frames > 0;
}

bool question_is_open(const App& app) {
  return app.lesson && app.lesson->lesson.steps[app.lesson->step].ask && !app.lesson->answer.given;
}

void cover_lesson(App& app) {
  if (!app.lesson) return;
  app.lesson->whole = app.result;
  const ViewResult& whole = app.lesson->whole;
  if (app.lesson->room) {
    keep_pointed(app.result, app.lesson->lesson.steps[app.lesson->step], app.lesson->answer.given);
  }
  const std::optional<LessonAsk>& ask = app.lesson->lesson.steps[app.lesson->step].ask;
  if (!ask) return;
  LessonAnswer& answer = app.lesson->answer;
  if (ask->kind == LessonAsk::Kind::number && !app.result.stale && !std::exchange(answer.placed, true)) {
    answer.guess = first_guess(*ask, number_of(whole, ask->answer));
  }
  if (ask->kind == LessonAsk::Kind::reach) {
    const bool moving = app.lesson->gliding > 0 || app.result.stale;
    if (!app.lesson->answer.given && !moving && has_reached_goals(*ask, whole)) app.lesson->answer.given = true;
  }
  if (!app.lesson->answer.given) cover(app.result, *ask, app.text);
}

void answer_choice(App& app, std::size_t choice) {
  if (!question_is_open(app)) return;
  const LessonAsk& ask = *app.lesson->lesson.steps[app.lesson->step].ask;
  if (ask.kind != LessonAsk::Kind::choice || choice >= ask.choices.size()) return;
  app.lesson->answer.choice = choice;
  answer_question(app);
}

double first_guess(const LessonAsk& ask, std::optional<double> answer) {
  const auto at = [&](double share) {
    return ask.logarithmic ? ask.low * std::pow(ask.high / ask.low, share) : ask.low + share * (ask.high - ask.low);
  };
  const auto whole = [&](double value) { return ask.logarithmic ? value : std::round(value); };
  if (!answer || ((*answer <= at(0.375) || *answer >= at(0.625)) && whole(at(0.5)) != *answer)) return whole(at(0.5));
  const bool above = *answer >= at(0.5);
  const double guess = whole(at(above ? 0.25 : 0.75));
  return guess != *answer ? guess : above ? ask.low : ask.high;
}

void answer_question(App& app) {
  if (!question_is_open(app)) return;
  // The answer refers to the step's state, whatever the user has changed meanwhile.
  LessonPlay& play = *app.lesson;
  play.answer.given = true;
  play.passing = false;
  expect_change(play);
  play.answer.drawing = false;
  play.answer.since = 0;
  play.cut.bare = false;  // the words after it may refer to the controls
  play.part = parts_of(play).size() - 1;
  app.result_of.reset();
}

double mean_distance(const LessonAnswer& answer, const Line& line) {
  constexpr int kSamples = 400;
  if (answer.xs.size() < 2 || !line.series || line.series->ys.empty()) return 0;
  double sum = 0;
  int count = 0;
  for (int i = 0; i <= kSamples; ++i) {
    const double x = answer.xs.front() + (answer.xs.back() - answer.xs.front()) * i / kSamples;
    const auto above = std::lower_bound(answer.xs.begin(), answer.xs.end(), x);
    const auto k = static_cast<std::size_t>(
        std::clamp<std::ptrdiff_t>(above - answer.xs.begin(), 1, static_cast<std::ptrdiff_t>(answer.xs.size()) - 1));
    const double width = answer.xs[k] - answer.xs[k - 1];
    const double share = width > 0 ? (x - answer.xs[k - 1]) / width : 0;
    const double guessed = answer.ys[k - 1] + share * (answer.ys[k] - answer.ys[k - 1]);
    const double truth = line.series->ys[nearest_index(*line.series, x)];
    if (!std::isfinite(truth)) continue;
    sum += std::abs(guessed - truth);
    ++count;
  }
  return count > 0 ? sum / count : 0;
}

bool has_guess(const App& app) {
  return drawing(app) != nullptr && (question_is_open(app) || !app.lesson->answer.xs.empty());
}

std::vector<Panel> add_guess_lines(std::vector<Panel> panels, const LessonPlay& play) {
  const std::optional<LessonAsk>& ask = play.lesson.steps[play.step].ask;
  if (!ask || ask->kind != LessonAsk::Kind::draw) return panels;
  for (Panel& panel : panels) {
    Figure& figure = panel.figure;
    if (figure.name != ask->figure) continue;
    for (Line& line : figure.lines) {
      if (play.answer.given && line.key == ask->curve) line = grow_line(line, play.answer.since / kGuessGrows);
    }
    if (play.answer.xs.size() > 1) {
      figure.paths.push_back({"guess", {1, false}, Role::curve, play.answer.xs, play.answer.ys, kGuessLineWidth});
    }
  }
  return panels;
}

bool react_to_guess(App& app, const Figure& figure, const FigureLayout& layout) {
  const LessonAsk* ask = drawing(app);
  if (!ask || !question_is_open(app) || figure.name != ask->figure) return false;
  LessonAnswer& answer = app.lesson->answer;
  const ImVec2 at = ImGui::GetIO().MousePos;
  const Vec2 mouse{at.x, at.y};
  if (!ImGui::GetIO().MouseDown[0]) answer.drawing = false;
  // A curve that starts in a corner is begun beside it, by a finger above all.
  const Rect& plot = layout.plot;
  const double margin = app.ui.px(kGuessMargin);
  const Rect around{plot.left - margin, plot.top - margin, plot.width + 2 * margin, plot.height + 2 * margin};
  const bool begins = ImGui::IsItemHovered() && ImGui::IsMouseClicked(ImGuiMouseButton_Left) && around.contains(mouse);
  if (!begins && !answer.drawing) return true;
  const double x = layout.x.to_value(std::clamp(mouse.x, layout.plot.left, layout.plot.right()));
  const double y = layout.y.to_value(std::clamp(mouse.y, layout.plot.top, layout.plot.bottom()));
  add_point(answer, begins ? x : answer.last, x, y);
  answer.last = x;
  answer.drawing = true;
  return true;
}

void add_step_to_lecture(App& app) {
  const bool own = app.lesson && app.lesson->source.ends_with(".md");
  if (!own) {
    app.messages.push_back({app.text["lesson.no_lecture"], false});
    return;
  }
  LessonPlay& play = *app.lesson;
  try {
    const std::size_t count = play.lesson.steps.size();
    const Experiment before = state_of(play.lesson, count - 1, app.places.assets).experiment;
    std::string name;
    for (std::size_t number = count + 1; name.empty() || find_step(play.lesson, name); ++number) {
      name = "step-" + std::to_string(number);
    }
    std::string content = read_file(play.lesson.file);
    while (!content.empty() && content.back() == '\n') content.pop_back();
    content += "\n\n## " + app.text["lesson.new_step"] + " {" + name + "}\n\n```set\n" +
               settings_between(before, app.history.current()) + "```\n\n" + app.text["lesson.new_words"] + "\n";
    write_file(play.lesson.file, content);
    play.looked_at = -1;
    app.messages.push_back({app.text.format("lesson.step_added", {{"name", name}}), false});
  } catch (const InputError& error) {
    app.messages.push_back({app.text.render(error.words())});
  }
}

}  // namespace ropescope::ui
