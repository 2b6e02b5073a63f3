#include "app/commands/as_option.h"

#include "app/commands/commands.h"
#include "app/experiment/entry_names.h"
#include "app/resources/text.h"
#include "core/error.h"

namespace ropescope {

void add_as_option(Arguments& arguments, std::optional<std::string>& target) {
  arguments.option("--as", "WORDS", target,
                   "The same in the words of another program: " + joined(entry_names(all_other_words())));
}

const OtherWords& read_as(const std::string& option) {
  try {
    return find_other_words(option);
  } catch (const InputError& error) {
    throw InputError::within("--as", error);
  }
}

void refuse_json_with_as() {
  throw InputError("--as and --json are both given; one of them was expected");
}

namespace {

void put(const std::optional<std::string>& path, const std::string& as, const Equivalent& equivalent) {
  const std::vector<std::string> unsaid = said_in_english(equivalent.unsaid);
  if (equivalent.text.empty()) {
    throw InputError("--as " + as + ": nothing can be said" + (unsaid.empty() ? "" : ": " + unsaid.front()));
  }
  put_result(path, equivalent.text + "\n");
  for (const std::string& sentence : unsaid) put_notice(sentence);
}

}  // namespace

void put_equivalent(const std::optional<std::string>& path, const std::string& as, const EquivalentOf& of) {
  put(path, as, read_as(as).of(of));
}

void put_equivalent(const std::optional<std::string>& path, const std::string& as, const Layout& layout,
                    const LayoutRequest& request) {
  const OtherWords& words = read_as(as);
  if (!words.of_layout) throw InputError("--as " + as + " has no words for a layout; numpy was expected");
  put(path, as, words.of_layout(layout, request));
}

}  // namespace ropescope
