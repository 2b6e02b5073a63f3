// Ropes as Python values: equality, hash, an expression that creates them again, pickling, changed copies, and the
// config of other programs. Read ropes.h first.
//
// Contents: Numbers; Expression; Pickling; Changed copies; Configs of other programs; Declaration.

#include <pybind11/stl.h>

#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "app/experiment/experiment.h"
#include "app/python/docs.h"
#include "app/python/ropes.h"
#include "core/formats/programs/equivalents.h"
#include "core/message.h"

namespace ropescope::python {

namespace {

// --- Numbers -------------------------------------------------------------------------------------------------------

py::dict axis_numbers(const RotaryAxis& axis) {
  py::dict numbers;
  numbers["name"] = axis.name;
  numbers["dim"] = axis.rotary_dim;
  numbers["base"] = axis.base;
  if (axis.ladder == Ladder::given) numbers["ladder"] = axis.frequencies;
  if (axis.ladder == Ladder::proportional) {
    numbers["live_fraction"] = axis.live_fraction;
    numbers["factor"] = axis.factor;
  }
  return numbers;
}

/// Returns the arguments of Rope() that give an equal rope. Defaults are left out, except for dim and base.
py::dict numbers_of_rope(const RotarySpec& spec, const std::optional<double>& length) {
  py::dict numbers;
  const RotaryAxis& first = spec.axes.front();
  if (spec.axes.size() == 1 && first.name == RotaryAxis{}.name && first.ladder != Ladder::proportional) {
    numbers["dim"] = first.rotary_dim;
    numbers["base"] = first.base;
    if (first.ladder == Ladder::given) numbers["ladder"] = first.frequencies;
  } else {
    py::list axes;
    for (const RotaryAxis& axis : spec.axes) axes.append(axis_numbers(axis));
    numbers["axes"] = axes;
  }
  if (spec.pairing != Pairing::half_split) numbers["pairing"] = std::string(word_of(spec.pairing));
  if (spec.head_dim != total_rotary_dim(spec)) numbers["head_dim"] = spec.head_dim;
  if (spec.trained_length) numbers["trained_length"] = *spec.trained_length;
  if (spec.extension.method != Extension{}.method) {
    py::dict scaling;
    scaling["method"] = spec.extension.method;
    for (const auto& [name, value] : spec.extension.numbers) scaling[name.c_str()] = value;
    for (const auto& [name, values] : spec.extension.lists) scaling[name.c_str()] = values;
    numbers["scaling"] = scaling;
  }
  if (length) numbers["length"] = *length;
  if (spec.amplitude != 1) numbers["amplitude"] = spec.amplitude;
  return numbers;
}

/// Returns the rope of arguments of Rope() by name. Throws TypeError for a name that it does not have.
PythonRope rope_of_numbers(const py::dict& numbers) {
  return require<PythonRope>(py::type::of<PythonRope>()(**numbers), "the rope", "Rope");
}

bool have_equal_numbers(const PythonRope& a, const PythonRope& b) {
  return a.spec() == b.spec() && a.length == b.length;
}

// --- Expression ----------------------------------------------------------------------------------------------------

std::string call_text(const std::string& function, const py::dict& keywords) {
  const std::string arguments = joined(keywords, ", ", [](const std::pair<py::handle, py::handle>& argument) {
    return std::string(py::str(argument.first)) + "=" + repr_of(argument.second);
  });
  return function + "(" + arguments + ")";
}

std::string numbers_text(const PythonRope& rope) {
  return call_text("Rope", numbers_of_rope(rope.spec(), rope.length));
}

/// Returns an expression that evaluates to an equal rope: its source and the calls since then, or its numbers.
std::string expression_of(const PythonRope& rope) {
  const std::string& name = rope.preset.empty() ? rope.given : rope.preset;
  if (name.empty()) return numbers_text(rope);
  std::string text = (rope.preset.empty() ? "Rope.from_config(" : "Rope.from_preset(") + repr_of(py::str(name));
  if (rope.asked) text.append(", profile=").append(repr_of(py::str(rope.profile.name)));
  return text + ")" + rope.steps;
}

// --- Pickling ------------------------------------------------------------------------------------------------------

/// Version of the state below; a pickle of another version is rejected.
constexpr int kStateVersion = 1;
/// The texts of a rope that its pickled state contains.
constexpr std::pair<const char*, std::string PythonRope::*> kTexts[] = {
    {"source", &PythonRope::source}, {"label", &PythonRope::label}, {"config", &PythonRope::config},
    {"preset", &PythonRope::preset}, {"given", &PythonRope::given}, {"steps", &PythonRope::steps}};

py::list state_of_messages(const Message::List& messages) {
  py::list states;
  for (const Message& message : messages) {
    py::list values;
    for (const Message::Named& named : message.values) {
      const py::object value = std::visit(
          [](const auto& one) -> py::object {
            if constexpr (std::is_same_v<std::decay_t<decltype(one)>, Message::List>) return state_of_messages(one);
            return py::cast(one);
          },
          named.value);
      values.append(py::make_tuple(named.name, value));
    }
    states.append(py::make_tuple(message.key, values));
  }
  return states;
}

Message::List messages_of_state(const py::handle& states) {
  Message::List messages;
  for (const py::handle state : states) {
    const auto [key, values] = state.cast<std::pair<std::string, py::list>>();
    Message& message = messages.emplace_back(key);
    for (const py::handle named : values) {
      const auto [name, value] = named.cast<std::pair<std::string, py::object>>();
      if (py::isinstance<py::str>(value)) {
        message.values.emplace_back(name, value.cast<std::string>());
      } else if (py::isinstance<py::int_>(value)) {
        message.values.emplace_back(name, value.cast<std::int64_t>());
      } else if (py::isinstance<py::float_>(value)) {
        message.values.emplace_back(name, value.cast<double>());
      } else {
        message.values.emplace_back(name, messages_of_state(value));
      }
    }
  }
  return messages;
}

py::dict state_of_profile(const Profile& profile, const std::optional<double>& length) {
  py::dict state;
  state["name"] = profile.name;
  state["rope"] = numbers_of_rope(profile.spec, length);
  state["context_length"] = profile.context_length;
  state["notes"] = state_of_messages(profile.notes);
  state["not_understood"] = state_of_messages(profile.not_understood);
  state["permuted"] = profile.permuted;
  state["sections"] = profile.sections;
  state["assignment"] = static_cast<int>(profile.assignment);
  state["query_beta"] = profile.query_beta;
  state["merge"] = profile.merge;
  state["patch"] = profile.patch;
  return state;
}

Profile profile_of_state(const py::dict& state) {
  Profile profile;
  profile.name = state["name"].cast<std::string>();
  profile.spec = rope_of_numbers(state["rope"]).spec();
  profile.context_length = state["context_length"].cast<std::optional<double>>();
  profile.notes = messages_of_state(state["notes"]);
  profile.not_understood = messages_of_state(state["not_understood"]);
  profile.permuted = state["permuted"].cast<bool>();
  profile.sections = state["sections"].cast<std::vector<double>>();
  profile.assignment = static_cast<PairAssignment>(state["assignment"].cast<int>());
  profile.query_beta = state["query_beta"].cast<std::optional<double>>();
  profile.merge = state["merge"].cast<int>();
  profile.patch = state["patch"].cast<std::optional<int>>();
  return profile;
}

py::tuple state_of(const PythonRope& rope) {
  py::list profiles;
  if (rope.model) {
    for (const Profile& profile : rope.model->profiles) profiles.append(state_of_profile(profile, {}));
  }
  py::dict state;
  state["profile"] = state_of_profile(rope.profile, rope.length);
  state["length"] = rope.length;
  state["profiles"] = profiles;
  state["model_type"] = rope.model ? py::object(py::str(rope.model->model_type)) : py::object(py::none());
  for (const auto& [name, text] : kTexts) state[name] = rope.*text;
  state["asked"] = rope.asked;
  state["changed"] = rope.changed;
  return py::make_tuple(kStateVersion, state);
}

PythonRope rope_of_state(const py::tuple& versioned) {
  if (versioned.size() != 2 || versioned[0].cast<int>() != kStateVersion) {
    throw InputError("the pickled rope is from another version of ropescope");
  }
  const py::dict state = versioned[1];
  PythonRope rope;
  rope.profile = profile_of_state(state["profile"]);
  rope.length = state["length"].cast<std::optional<double>>();
  if (!state["model_type"].is_none()) {
    ModelConfig model{state["model_type"].cast<std::string>(), {}};
    for (const auto& profile : state["profiles"]) model.profiles.push_back(profile_of_state(profile.cast<py::dict>()));
    rope.model = std::make_shared<const ModelConfig>(std::move(model));
  }
  for (const auto& [name, text] : kTexts) rope.*text = state[name].cast<std::string>();
  rope.asked = state["asked"].cast<bool>();
  rope.changed = state["changed"].cast<bool>();
  return rope;
}

/// Returns a Python function and its argument. Python's own way, in the old protocols, aborts for bound classes.
py::tuple reduced(const PythonRope& rope) {
  return py::make_tuple(py::module_::import("ropescope.configs").attr("restore_rope"), py::make_tuple(state_of(rope)));
}

// --- Changed copies ------------------------------------------------------------------------------------------------

PythonRope replace(const PythonRope& rope, const py::kwargs& changes) {
  py::dict numbers = numbers_of_rope(rope.spec(), rope.length);
  const bool has_ladder = numbers.contains("ladder");
  if (has_ladder && !changes.contains("ladder") && (changes.contains("base") || changes.contains("dim"))) {
    throw InputError("base and dim have no effect on given frequencies; pass ladder=None too");
  }
  const py::dict rest = changes.attr("copy")();
  if (numbers.contains("axes") && !changes.contains("axes")) {
    // Every axis has its own base and dim.
    const py::list axes = numbers["axes"];
    if (axes.size() > 1 && changes.contains("dim")) {
      throw InputError("dim is given, but the rope has several axes; expected axes");
    }
    for (const char* name : {"base", "dim"}) {
      if (!rest.contains(name)) continue;
      const py::object value = rest.attr("pop")(name);
      for (const py::handle axis : axes) axis.cast<py::dict>()[name] = value;
    }
  } else if (changes.contains("axes") && !changes["axes"].is_none()) {
    for (const char* other : {"dim", "base", "ladder"}) numbers.attr("pop")(other, py::none());
  }
  numbers.attr("update")(rest);
  PythonRope changed = rope;
  const PythonRope made = rope_of_numbers(numbers);
  changed.profile.spec = made.spec();
  changed.length = made.length;
  changed.changed = true;
  changed.steps += call_text(".replace", changes);
  return changed;
}

// --- Configs of other programs -------------------------------------------------------------------------------------

/// Returns the rope as another program's options, with sentences on what they do not express.
py::tuple express_rope(const PythonRope& rope, const std::string& program) {
  const bool whole = rope.model && !rope.changed && !rope.asked;
  const std::vector<Profile> profiles = whole ? rope.model->profiles : std::vector<Profile>{rope.profile};
  for (const Profile& profile : profiles) {
    if (!rope.changed) require_known_extension(profile, rope.source);
  }
  Equivalent equivalent = find_other_words(program).of({profiles, rope.length});
  // Which channels form a pair is determined by the class or the file, whatever the rope.
  std::erase_if(equivalent.unsaid, [](const Message& sentence) {
    return sentence.key == "equivalent.of_class" || sentence.key == "equivalent.of_file";
  });
  return py::make_tuple(equivalent.text, sentences(equivalent.unsaid));
}

}  // namespace

// --- Declaration ---------------------------------------------------------------------------------------------------

void declare_rope_values(py::class_<PythonRope>& rope) {
  rope.def("__eq__", &have_equal_numbers, py::is_operator())
      .def("__hash__", [](const PythonRope& self) { return py::hash(py::str(numbers_text(self))); })
      .def("__repr__", &expression_of)
      .def("__reduce__", &reduced)
      .def(
          "__reduce_ex__", [](const PythonRope& self, int) { return reduced(self); }, py::arg("protocol"))
      .def_static("_restore", &rope_of_state, py::arg("state"))
      .def("replace", &replace, docs::kReplace)
      .def("_express", &express_rope, py::arg("program"))
      .def(
          "to_config",
          [](const PythonRope& self, const std::string& program) {
            return py::object(py::module_::import("ropescope.configs").attr("to_config")(py::cast(self), program));
          },
          py::arg("program"), docs::kToConfig)
      .def(
          "plot",
          [](const PythonRope& self, const py::object& ax, const std::string& view, const py::kwargs& keywords) {
            return py::object(
                py::module_::import("ropescope.plots").attr("plot_rope")(py::cast(self), ax, view, **keywords));
          },
          py::arg("ax") = py::none(), py::arg("view") = "decay", docs::kPlot);
}

}  // namespace ropescope::python
