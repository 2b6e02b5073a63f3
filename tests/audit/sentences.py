"""Regular expressions for sentences of the program by their text keys, so that an audit does not quote a sentence that
has been rewritten since. Used by invented_layouts.py and invented_texts.py."""
import json, os, re

_TEXTS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../assets/text/en.json")


def _find(node, parts):
    """The text of a key whose parts may contain dots; None if there is none."""
    for count in range(len(parts), 0, -1):
        below = node.get(".".join(parts[:count])) if isinstance(node, dict) else None
        if below is None:
            continue
        found = below if count == len(parts) else _find(below, parts[count:])
        if isinstance(found, str):
            return found
    return None


def says(key, **values):
    """Returns an expression for the text of `key`. A value is an expression for its placeholder; any other placeholder
    matches anything. Throws KeyError if the program has no such text or the text no such placeholder."""
    with open(_TEXTS, encoding="utf-8") as file:
        text = _find(json.load(file), key.split("."))
    if text is None:
        raise KeyError(key)
    missing = [name for name in values if "{" + name + "}" not in text and "{" + name + "," not in text]
    if missing:
        raise KeyError(f"{key}: {missing}")
    plural = re.compile(r"\{(\w+), plural, one \{([^{}]*)\} other \{([^{}]*)\}\}")
    pieces, at = [], 0
    for match in re.finditer(plural.pattern + r"|\{(\w+)\}", text):
        pieces.append(re.escape(text[at:match.start()]))
        at = match.end()
        if match.group(4):
            pieces.append("(?:" + values.get(match.group(4), ".+?") + ")")
        else:
            number = "(?:" + values.get(match.group(1), ".+?") + ")"
            forms = [number.join(map(re.escape, form.split("#"))) for form in match.groups()[1:3]]
            pieces.append("(?:" + "|".join(forms) + ")")
    return "".join(pieces) + re.escape(text[at:])
