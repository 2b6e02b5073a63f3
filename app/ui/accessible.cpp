// Controls for assistive technology. Read accessible.h first.

#include "app/ui/accessible.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "app/experiment/fields.h"
#include "app/figure/pages/page.h"
#include "app/lessons/lesson.h"
#include "app/lessons/step_page.h"
#include "app/resources/formulas.h"
#include "app/resources/models.h"
#include "app/ui/control_panel.h"
#include "app/ui/controls.h"
#include "app/ui/lesson/lesson_play.h"
#include "app/ui/shell.h"
#include "app/views/shared/ropes.h"
#include "app/views/view.h"

namespace ropescope::ui {

namespace {

using AccessibleKind = AccessibleControl::Kind;
using AccessibleList = std::vector<AccessibleControl>;

void add_button(AccessibleList& list, std::string key, std::string label, std::function<void(App&)> act,
                bool enabled = true) {
  AccessibleControl& button = list.emplace_back();
  button.key = std::move(key);
  button.label = std::move(label);
  button.enabled = enabled;
  button.set = [act = std::move(act)](App& app, const std::string&) { act(app); };
}

/// `unlisted`: the label of a current value that is not an option, such as a file.
void add_choice(AccessibleList& list, std::string key, std::string label, std::vector<ListItem> options,
                std::string current, std::function<void(App&, const std::string&)> choose,
                const std::string& unlisted = "–") {
  AccessibleControl& choice = list.emplace_back();
  choice.kind = AccessibleKind::choice;
  choice.key = std::move(key);
  choice.label = std::move(label);
  choice.options = std::move(options);
  choice.value = std::move(current);
  // Choosing it again changes nothing.
  const auto is_current = [&](const ListItem& option) { return option.id == choice.value; };
  if (std::none_of(choice.options.begin(), choice.options.end(), is_current)) {
    choice.options.insert(choice.options.begin(), {choice.value, unlisted, {}});
  }
  choice.set = [choose = std::move(choose), known = choice.options, now = choice.value](App& app,
                                                                                        const std::string& to) {
    const bool is_known = std::any_of(known.begin(), known.end(), [&](const ListItem& item) { return item.id == to; });
    if (is_known && to != now) choose(app, to);
  };
}

// --- Fields --------------------------------------------------------------------------------------------------------

/// Returns the steps of a slider for arrow keys: those of its values if they are few, else hundredths.
double count_steps(const NumberField& field) {
  constexpr double kHundredths = 100, kMax = 1000;
  const double step = field.step > 0 ? field.step : field.whole ? 1 : 0;
  if (!field.linear || step <= 0 || !((field.highest - field.lowest) / step <= kMax)) return kHundredths;
  return std::max(1.0, std::round((field.highest - field.lowest) / step));
}

constexpr std::string_view kExact = ".value";

void set_position(Field& field, const std::string& to) {
  const double share = std::clamp(parse_number(to).value_or(0) / count_steps(field), 0.0, 1.0);
  field.as<double>() = dragged_value(field, share, true);
}

/// Adds a text for the exact number of a range, whose slider has few positions.
void add_number(AccessibleList& list, const Ui& ui, const Field& field) {
  AccessibleControl& number = list.emplace_back();
  const std::string key(field.key);
  number.kind = AccessibleKind::text;
  number.key = key + std::string(kExact);
  number.label = ui.text->format("shell.exact", {{"label", label_of(ui, key)}});
  // In full: "5e+05" is hard to follow when it is read out.
  const double shown = shown_number(field);
  constexpr double kMaxInFull = 1e15;
  const bool in_full = shown == std::floor(shown) && std::abs(shown) < kMaxInFull;
  number.value = in_full ? std::to_string(std::llround(shown)) : shortest_number(shown);
  number.set = [key](App& app, const std::string& to) {
    const std::optional<double> wanted = parse_number(to);
    if (wanted) edit_field(app, key, [&](Field& edited) { edited.as<double>() = clamp_to(edited, *wanted); });
  };
}

/// Adds a toggle for each name of a set.
void add_names(AccessibleList& list, const Ui& ui, const Field& field) {
  const std::vector<std::string> labels = option_labels(ui, field);
  const auto& on = field.as<Field::Names>();
  for (std::size_t i = 0; i < labels.size(); ++i) {
    AccessibleControl& toggle = list.emplace_back();
    const std::string key(field.key), name = field.options[i];
    toggle.kind = AccessibleKind::toggle;
    toggle.key = key + "." + name;
    toggle.label = label_of(ui, key) + ": " + labels[i];
    toggle.value = std::find(on.begin(), on.end(), name) != on.end() ? "1" : "";
    toggle.set = [key, name](App& app, const std::string& to) {
      edit_field(app, key, [&](Field& set) {
        Field::Names& names = set.as<Field::Names>();
        std::erase(names, name);
        if (!to.empty()) names.push_back(name);
        names = clamp_to(set, names);
      });
    };
  }
}

void add_field(AccessibleList& list, const Ui& ui, const Field& field) {
  if (field.kind == Field::Kind::names) return add_names(list, ui, field);
  AccessibleControl control;
  const std::string key(field.key);
  control.key = key;
  control.label = label_of(ui, key);
  control.help = help_of(ui, key);
  std::function<void(Field&, const std::string&)> set;
  if (field.kind == Field::Kind::number) {
    control.kind = AccessibleKind::range;
    control.steps = count_steps(field);
    control.position = std::round(slider_fraction(field, shown_number(field)) * control.steps);
    control.value = displayed_number(ui, field, shown_number(field));
    set = set_position;
  } else if (field.kind == Field::Kind::choice) {
    control.kind = AccessibleKind::choice;
    const std::vector<std::string> labels = option_labels(ui, field);
    for (std::size_t i = 0; i < labels.size(); ++i) control.options.push_back({field.options[i], labels[i], {}});
    control.value = shown_choice(field);
    set = [](Field& choice, const std::string& to) {
      if (std::find(choice.options.begin(), choice.options.end(), to) != choice.options.end()) choice.set_word(to);
    };
  } else if (field.kind == Field::Kind::toggle) {
    control.kind = AccessibleKind::toggle;
    control.value = field.as<bool>() ? "1" : "";
    set = [](Field& toggle, const std::string& to) { toggle.as<bool>() = !to.empty(); };
  } else if (field.kind == Field::Kind::action) {
    set = [](Field& action, const std::string&) { std::get<std::function<void()>>(action.value)(); };
  } else {
    control.kind = AccessibleKind::text;
    control.value = field.as<std::string>();
    set = [](Field& text, const std::string& to) { text.as<std::string>() = to; };  // clamped at a whole character
  }
  control.set = [key, set](App& app, const std::string& to) {
    edit_field(app, key, [&](Field& edited) { set(edited, to); });
  };
  list.push_back(std::move(control));
  if (field.kind == Field::Kind::number) add_number(list, ui, field);
}

void add_fields(AccessibleList& list, const App& app) {
  Experiment shown = app.history.current();
  const View& view = find_view(shown.view);
  std::string group;
  for (const Field& field : panel_fields(view, shown)) {
    if (field.kind == Field::Kind::group) group = (*app.ui.text)["group." + std::string(field.key)];
    if (!field.control || field.kind == Field::Kind::group || field.kind == Field::Kind::note ||
        field.kind == Field::Kind::range) {
      continue;
    }
    // A group without controls has no label.
    if (!group.empty()) list.push_back({AccessibleKind::heading, {}, std::exchange(group, {})});
    add_field(list, app.ui, field);
  }
}

// --- Lesson --------------------------------------------------------------------------------------------------------

void add_question(AccessibleList& list, const App& app) {
  const LessonPlay& play = *app.lesson;
  const std::optional<LessonAsk>& ask = play.lesson.steps[play.step].ask;
  if (!ask) return;
  const Formulas* const formulas = app.text.formulas().get();
  const bool open = !play.answer.given;
  for (const LessonBlock& block : blocks_of(play.lesson.steps[play.step], {}, play.whole)) {
    const std::string said = plain_text(formulas, text_of(block.said));
    if (block.kind == LessonBlock::Kind::question) list.push_back({AccessibleKind::heading, {}, said});
    if (block.kind != LessonBlock::Kind::choice) continue;
    const std::string number = std::to_string(block.number), name = app.student ? letter_of(block.number - 1) : number;
    const auto act = [choice = block.number - 1](App& a) { answer_choice(a, choice); };
    add_button(list, "lesson.choice." + number, name + ": " + said, act, open);
  }
  if (ask->kind == LessonAsk::Kind::number && open) {
    AccessibleControl& slider = list.emplace_back();
    const NumberField field{
        .minimum = ask->low, .maximum = ask->high, .whole = ask->high - ask->low > 4, .linear = !ask->logarithmic};
    slider.kind = AccessibleKind::range;
    slider.key = "lesson.slider";
    slider.label = app.text["lesson.answer"];
    slider.value = readable_number(play.answer.guess);
    slider.steps = count_steps(field);
    slider.position = std::round(slider_fraction(field, play.answer.guess) * slider.steps);
    slider.set = [field](App& a, const std::string& to) {
      LessonAnswer& answer = a.lesson->answer;
      answer.guess =
          dragged_value(field, std::clamp(parse_number(to).value_or(0) / count_steps(field), 0.0, 1.0), true);
      answer.typed.clear();
      answer.placed = true;
    };
    add_button(list, "lesson.answer", app.text["lesson.show_answer"], answer_question);
  }
}

void add_lesson(AccessibleList& list, const App& app) {
  if (!app.lesson) return;
  const LessonPlay& play = *app.lesson;
  list.push_back({AccessibleKind::heading, {}, play.lesson.title});
  add_question(list, app);
  const std::string place = " (" + step_place(play) + ")";
  const std::string tip = play.lesson.chapter ? "handbook.tip." : "lesson.tip.";
  add_button(
      list, "lesson.previous", app.text["lesson.previous"], [](App& a) { next_step(a, -1); }, play.step > 0);
  add_button(list, "lesson.next", app.text["lesson.next"] + place, [](App& a) { next_step(a, 1); });
  add_button(list, "lesson.close", app.text[tip + "close"], close_lesson);
}

// --- Model and bar -------------------------------------------------------------------------------------------------

void add_model(AccessibleList& list, const App& app) {
  const Experiment& shown = app.history.current();
  const View& view = find_view(shown.view);
  if (view.subject && !view.subject(shown, app.text).empty()) return;
  std::vector<ListItem> presets, profiles;
  for (const Preset& preset : app.presets) presets.push_back({preset.id, preset.name, {}});
  for (const Profile& profile : app.profiles) {
    profiles.push_back({profile.name, profile_label(app.text, profile.name), {}});
  }
  add_choice(
      list, "model", app.text["shell.model"], std::move(presets), shown.rope.model,
      [](App& a, const std::string& id) {
        a.pending = {PendingOpen::Kind::preset, id, {}};
      },
      shown.rope.label.empty() ? app.text["shell.own_values"] : rope_name(shown.rope, app.text));
  if (profiles.size() < 2) return;
  add_choice(list, "profile", app.text["shell.profile"], std::move(profiles), shown.rope.profile,
             [](App& a, const std::string& name) {
               a.pending = {PendingOpen::Kind::profile, name};
             });
}

void add_text_size(AccessibleList& list, const App& app) {
  constexpr double kStep = 5;
  AccessibleControl& size = list.emplace_back();
  size.kind = AccessibleKind::range;
  size.key = "shell.text_size";
  size.label = app.text["shell.tip.text_size"];
  size.value = readable_integer(app.settings.text_scale) + " %";
  size.steps = (kLargestText - kSmallestText) / kStep;
  size.position = (app.settings.text_scale - kSmallestText) / kStep;
  size.set = [steps = size.steps](App& a, const std::string& to) {
    const double step = std::clamp(std::round(parse_number(to).value_or(0)), 0.0, steps);
    a.settings.text_scale = kSmallestText + kStep * step;
    a.requests.rebuild_fonts = true;
  };
}

/// Adds a button for each format of the Save dialog, for CSV one per figure. The options of pictures are as saved last.
void add_saving(AccessibleList& list, const App& app) {
  const auto add = [&](const std::string& format, const std::string& figure, const std::string& label) {
    const std::string key = "shell.save." + format + (figure.empty() ? "" : "." + figure);
    add_button(list, key, app.text["shell.save"] + ": " + label,
               [format, figure](App& a) { save_directly(a, format, figure); });
  };
  for (const std::string& format : save_formats()) {
    const std::string label = app.text["option.dialog.format." + format];
    if (!saves_one_figure(format)) add(format, {}, label);
    for (const Panel& panel : app.result.panels) {
      if (saves_one_figure(format)) add(format, panel.figure.name, label + ", " + panel.figure.y.label);
    }
  }
}

void add_bar(AccessibleList& list, const App& app) {
  std::vector<ListItem> views, codes, lessons, chapters;
  for (const View* view : all_views()) {
    const std::string id(view->id);
    views.push_back({id, app.text["view." + id + ".name"], {}});
  }
  add_choice(list, "view", app.text["shell.tip.view"], std::move(views), app.history.current().view,
             [](App& a, const std::string& id) {
               Experiment next = a.history.current();
               next.view = id;
               a.history.record(next, false);
             });
  for (const LessonTitle& title : app.lesson_titles) {
    (title.chapter ? chapters : lessons).push_back({title.id, title.chapter ? title.title : title.numbered(), {}});
  }
  const std::string open = app.lesson ? app.lesson->source : "";
  const auto read = [](App& a, const std::string& id) { open_lesson(a, id); };
  add_choice(list, "lessons", app.text["lesson.list"], std::move(lessons), open, read);
  add_choice(list, "chapters", app.text["handbook.list"], std::move(chapters), open, read);
  for (const std::string& code : languages(app.places.assets))
    codes.push_back({code, app.text["language." + code], {}});
  add_choice(list, "language", app.text["shell.tip.language"], std::move(codes), app.text.language(),
             [](App& a, const std::string& code) { a.settings.language = code; });
  add_button(list, "shell.theme", app.text["key.theme"], [](App& a) { toggle_theme(a); });
  add_button(list, "shell.contrast", app.text[app.settings.contrast ? "shell.contrast_on" : "shell.contrast_off"],
             [](App& a) {
               a.settings.contrast = !a.settings.contrast;
               apply_theme(a);
             });
  add_text_size(list, app);
  add_button(list, "shell.open", app.text["shell.open"], [](App& a) { open_dialog(a, DialogKind::open); });
  add_saving(list, app);
  const auto step = [](App& a, void (History::*by)()) {
    a.history.end_merge();
    (a.history.*by)();
  };
  add_button(
      list, "key.undo", app.text["key.undo"], [step](App& a) { step(a, &History::undo); }, app.history.can_undo());
  add_button(
      list, "key.redo", app.text["key.redo"], [step](App& a) { step(a, &History::redo); }, app.history.can_redo());
}

void add_pins(AccessibleList& list, const App& app) {
  if (!find_view(app.history.current().view).compares_ropes) return;
  add_button(list, "chip.pin", app.text["key.pin"], [](App& a) {
    Experiment next = a.history.current();
    pin_current(a, next);
    a.history.record(next, false);
  });
}

void add_player(AccessibleList& list, const App& app) {
  const Experiment& shown = app.history.current();
  const Player* const player = find_player(shown);
  if (!player) return;
  const bool playing = player->playing(shown);
  const auto edit = [](App& a, const std::function<void(const Player&, Experiment&)>& act) {
    Experiment next = a.history.current();
    if (const Player* const found = find_player(next)) act(*found, next);
    a.history.record(next, false);
  };
  const auto by = [&](int steps) {
    return
        [edit, steps](App& a) { edit(a, [steps](const Player& found, Experiment& next) { found.step(next, steps); }); };
  };
  if (player->goes_back) add_button(list, "player.back", app.text["shell.step_back"], by(-1), !playing);
  add_button(list, "player.play", app.text[playing ? "shell.pause" : "shell.play"], [edit](App& a) {
    edit(a, [](const Player& found, Experiment& next) { found.play(next, !found.playing(next)); });
  });
  add_button(list, "player.step", app.text["shell.step"], by(1), !playing);
}

/// Adds what the student's view draws.
void add_student(AccessibleList& list, const App& app) {
  const LessonPlay* const play = app.lesson.get();
  if (play) add_question(list, app);
  Experiment shown = app.history.current();
  const std::string first =
      find_first_control(shown, play ? play->lesson.steps[play->step].points : std::vector<std::string>());
  const FieldList fields = panel_fields(find_view(shown.view), shown);
  if (const Field* const field = find_field(fields, first)) add_field(list, app.ui, *field);
  if (play && can_hold_up(*play)) {
    const bool up = play->answer.held_up;
    add_button(list, up ? "lesson.held_up" : "lesson.hold_up", app.text[up ? "shell.dialog.close" : "lesson.hold_up"],
               [](App& a) { a.lesson->answer.held_up = !a.lesson->answer.held_up; });
  }
  if (play && play->step + 1 < play->lesson.steps.size()) {
    add_button(list, "lesson.next", app.text["lesson.next"], [](App& a) { next_step(a, 1); });
  }
  add_button(list, "shell.whole", app.text["shell.whole"], [](App& a) { a.student = false; });
}

}  // namespace

std::vector<AccessibleControl> list_accessible(const App& app) {
  AccessibleList list;
  const bool room = app.lesson && app.lesson->room;
  if (app.student && !room) {
    add_student(list, app);
    return list;
  }
  if (!room) add_bar(list, app);
  add_lesson(list, app);
  if (room) return list;
  add_model(list, app);
  add_fields(list, app);
  add_pins(list, app);
  add_player(list, app);
  return list;
}

bool set_accessible(App& app, const std::string& key, const std::string& to) {
  for (const AccessibleControl& control : list_accessible(app)) {
    if (control.key != key || !control.set || !control.enabled) continue;
    control.set(app, to);
    return true;
  }
  return false;
}

void focus_accessible(App& app, const std::string& key) {
  const std::string drawn = key.ends_with(kExact) ? key.substr(0, key.size() - kExact.size()) : key;
  Experiment shown = app.history.current();
  if (!app.record.find(drawn)) {
    const FieldList fields = panel_fields(find_view(shown.view), shown);
    if (!find_field(fields, drawn)) return;
    app.drawer_open = app.controls_shown = true;
  }
  app.ui.state.focus_key = drawn;
}

std::string announcement(const App& app) {
  std::string said;
  for (const WindowMessage& message : app.messages) said += plain_text(app.text.formulas().get(), message.text) + "\n";
  if (!app.lesson || !app.lesson->answer.given) return said;
  if (app.student && can_hold_up(*app.lesson)) said += letter_of(app.lesson->answer.choice) + ". ";
  for (const LessonBlock& block : blocks_of(app.lesson->lesson.steps[app.lesson->step], {}, app.lesson->whole)) {
    if (block.kind != LessonBlock::Kind::answer) continue;
    said += app.text["lesson.answer"] + ": " + plain_text(app.text.formulas().get(), text_of(block.said));
  }
  return said;
}

}  // namespace ropescope::ui
