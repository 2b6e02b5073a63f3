#include "app/experiment/notes_json.h"

#include "app/experiment/json_fields.h"
#include "core/error.h"

namespace ropescope {

namespace {

constexpr double kFarthest = 1e15;

void describe_note(Fields& fields, Note& note) {
  fields.text({.key = "view", .control = false}, note.view);
  fields.text({.key = "figure", .control = false}, note.figure);
  fields.text({.key = "text", .control = false}, note.text);
  const auto place = [&fields](std::string_view key, double& value) {
    fields.number({.key = key, .minimum = -kFarthest, .maximum = kFarthest, .initial = 0, .control = false}, value);
  };
  place("x", note.x);
  place("y", note.y);
  place("text_x", note.text_x);
  place("text_y", note.text_y);
}

}  // namespace

nlohmann::ordered_json notes_to_json(const std::vector<Note>& notes) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (Note note : notes) {
    JsonWriter writer;
    describe_note(writer, note);
    list.push_back(writer.root);
  }
  return list;
}

std::vector<Note> notes_from_json(const nlohmann::json& list, const std::string& source) {
  const nlohmann::json empty = nlohmann::json::object();
  if (!list.is_array() || list.size() > kMaximumNotes) {
    JsonReader(empty, source).refuse("notes", list, {"experiment.notes", {{"most", kMaximumNotes}}});
  }
  std::vector<Note> notes;
  for (std::size_t i = 0; i < list.size(); ++i) {
    const std::string place = "notes[" + std::to_string(i) + "]";
    if (!list[i].is_object()) JsonReader(empty, source).refuse(place, list[i], Words("expected.object"));
    JsonReader reader(list[i], source, place + ".");
    Note note;
    describe_note(reader, note);
    reader.refuse_unknown_keys({});
    notes.push_back(note);
  }
  return notes;
}

}  // namespace ropescope
