// The page's half of app/platform/web/page.cpp: events go to it, and it asks what only a browser can do.

'use strict';

var ropescope = {first_frame: 0, frames: [], works: [], rests: 0, meanwhile: 0, problems: []};

(() => {
  const canvas = document.getElementById('canvas');
  const controls = document.getElementById('controls');
  const typed = document.getElementById('typed');
  const chosen = document.getElementById('chosen');
  let program = null, due = 0, asked = false, rested = [];

  // Codes of GLFW, which the interface takes (app/ui/drawing/imgui_compat.h).
  const keys = {Space: 32, Quote: 39, Comma: 44, Minus: 45, Period: 46, Slash: 47, Semicolon: 59, Equal: 61,
    BracketLeft: 91, Backslash: 92, BracketRight: 93, Backquote: 96, Escape: 256, Enter: 257, Tab: 258, Backspace: 259,
    Insert: 260, Delete: 261, ArrowRight: 262, ArrowLeft: 263, ArrowDown: 264, ArrowUp: 265, PageUp: 266, PageDown: 267,
    Home: 268, End: 269, NumpadDecimal: 330, NumpadDivide: 331, NumpadMultiply: 332, NumpadSubtract: 333,
    NumpadAdd: 334, NumpadEnter: 335, ShiftLeft: 340, ControlLeft: 341, AltLeft: 342, MetaLeft: 343, ShiftRight: 344,
    ControlRight: 345, AltRight: 346, MetaRight: 347, ContextMenu: 348};
  for (let i = 0; i < 26; ++i) keys['Key' + String.fromCharCode(65 + i)] = 65 + i;
  for (let i = 0; i < 10; ++i) keys['Digit' + i] = 48 + i, keys['Numpad' + i] = 320 + i;
  for (let i = 1; i <= 12; ++i) keys['F' + i] = 289 + i;

  // --- Frames ---

  function frame() {
    asked = false;
    const begin = performance.now();
    let wait = 1;
    try {
      wait = program._page_frame(begin / 1000);
    } catch (error) {
      ropescope.failed(String(error));
    }
    const end = performance.now();
    if (working) ++ropescope.meanwhile;
    if (!ropescope.first_frame) {
      ropescope.first_frame = end;
      document.body.classList.add('drawn');
      document.getElementById('loading').remove();
    }
    ropescope.frames.push(end - begin);
    if (ropescope.frames.length > 2000) ropescope.frames.shift();
    for (const go of rested.splice(0)) soon(go);
    if (program._page_busy() && !working) setTimeout(work, 0);
    if (wait <= 0) wake();
    else if (wait < 1e6) {
      clearTimeout(due);
      due = setTimeout(wake, 1000 * wait);
    }
  }
  // A computation is cut into slices, between which frames are drawn and events heard, where the browser lets a program
  // stand in the midst of a call (Chrome 137, Firefox 153); else it is one piece.
  const can_rest = typeof WebAssembly.Suspending === 'function' && typeof WebAssembly.promising === 'function';
  let working = false, slice = 0;
  function slice_ends() {
    ropescope.works.push(performance.now() - slice);
    if (ropescope.works.length > 2000) ropescope.works.shift();
  }
  async function work() {
    if (working) return;
    working = true;
    slice = performance.now();
    try {
      await program.work();
    } catch (error) {
      ropescope.failed(String(error));
    }
    slice_ends();
    working = false;
    wake();
  }
  // As a timer of 0 ms, which browsers make one of 4 ms, and of a second in a tab that nobody sees.
  const channel = new MessageChannel(), next = [];
  channel.port1.onmessage = () => next.shift()();
  function soon(go) {
    next.push(go);
    channel.port2.postMessage(null);
  }
  /// Until the frame that is asked for is drawn, where one is; in a tab that nobody sees none is.
  async function rest() {
    slice_ends();
    ++ropescope.rests;
    const begin = performance.now();
    await new Promise((go) => asked && !document.hidden ? rested.push(go) && setTimeout(go, 200) : soon(go));
    slice = performance.now();
    return slice - begin;
  }
  function wake() {
    if (asked || !program) return;
    asked = true;
    requestAnimationFrame(frame);
  }
  ropescope.wake = wake;

  function size() {
    const scale = window.devicePixelRatio || 1;
    canvas.width = Math.max(1, Math.round(innerWidth * scale));
    canvas.height = Math.max(1, Math.round(innerHeight * scale));
    // What 100vh is differs from what is seen while a telephone shows its address.
    [canvas.style.width, canvas.style.height] = [innerWidth + 'px', innerHeight + 'px'];
    return [canvas.width, canvas.height, scale];
  }

  // --- Mouse, fingers and keys ---

  function place(event) {
    const scale = window.devicePixelRatio || 1;
    return [event.clientX * scale, (event.clientY + lifted) * scale];
  }
  function modifiers(event) {
    return (event.shiftKey ? 1 : 0) | (commands(event) ? 2 : 0) | (event.altKey ? 4 : 0);
  }
  /// AltGr is Ctrl and Alt on some systems, and writes.
  function commands(event) {
    return (event.ctrlKey && !event.getModifierState('AltGraph')) || event.metaKey;
  }
  // A finger presses when it is known what it is for: one that is drawn up or down over what scrolls scrolls it, one that
  // is lifted taps, one that rests is the right button, two zoom and pan, three that tap undo and four redo, and any
  // other has pressed where it began.
  const fingers = new Map();
  let finger = '', began = [0, 0], resting = 0, apart = 0, between = [0, 0], pressed = 0;
  function span() {
    const [a, b] = [...fingers.values()];
    return [Math.max(1, Math.hypot(a[0] - b[0], a[1] - b[1])), [(a[0] + b[0]) / 2, (a[1] + b[1]) / 2]];
  }
  function far(dx, dy, dots) {
    return Math.hypot(dx, dy) >= dots * (window.devicePixelRatio || 1);
  }
  function press(button, down, event, x, y) {
    program._page_button(button, down, modifiers(event), x, y);
  }
  function finger_down(event, x, y) {
    fingers.set(event.pointerId, [x, y]);
    clearTimeout(resting);
    if (fingers.size === 1) {
      finger = 'new';
      began = [x, y];
      program._page_mouse(x, y);
      resting = setTimeout(() => {
        finger = 'done';
        press(1, 1, event, x, y);
        press(1, 0, event, x, y);
        wake();
      }, 600);
    } else if (fingers.size === 2) {
      if (finger === 'holds') press(0, 0, event, ...began);
      finger = 'both';
      [apart, between] = span();
    } else {
      // Those that have moved already zoom or hold something.
      finger = {both: 'three', three: 'four'}[finger] ?? 'done';
      began = [x, y];
    }
  }
  function finger_moves(event, x, y) {
    if (!fingers.has(event.pointerId)) return;
    const [was, before] = fingers.get(event.pointerId);
    if (finger === 'both' || finger === 'two') {
      fingers.set(event.pointerId, [x, y]);
      const [now, middle] = span(), [dx, dy] = [middle[0] - between[0], middle[1] - between[1]];
      if (finger === 'both' && !far(now - apart, 0, 8) && !far(dx, dy, 8)) return;
      finger = 'two';
      program._page_gesture(1);
      program._page_mouse(...middle);
      program._page_pan(dx, dy);
      program._page_wheel(Math.log2(now / apart) * 4);
      [apart, between] = [now, middle];
      return;
    }
    if (finger === 'three' || finger === 'four') {
      if (far(x - was, y - before, 24)) finger = 'done';
      return;
    }
    fingers.set(event.pointerId, [x, y]);
    if (finger === 'scrolls') {
      program._page_scroll(y - before);
    } else if (finger === 'holds') {
      program._page_mouse(x, y);
    } else if (finger === 'new') {
      const [dx, dy] = [x - began[0], y - began[1]];
      if (!far(dx, dy, 8)) return;
      clearTimeout(resting);
      finger = Math.abs(dy) > Math.abs(dx) && program._page_scrolls() ? 'scrolls' : 'holds';
      if (finger === 'holds') {
        press(0, 1, event, ...began);
        program._page_mouse(x, y);
      } else {
        program._page_scroll(dy);
      }
    }
  }
  function finger_up(event, x, y) {
    clearTimeout(resting);
    fingers.delete(event.pointerId);
    if ((finger === 'three' || finger === 'four') && event.type === 'pointerup') {
      for (const down of [1, 0]) program._page_key(keys.KeyZ, down, finger === 'three' ? 2 : 3);
    }
    if (finger === 'new') press(0, 1, event, ...began);
    if (finger === 'new' || finger === 'holds') press(0, 0, event, ...(finger === 'new' ? began : [x, y]));
    // What the tap does is done here and now: a telephone shows its keyboard only to what asks for it within the tap.
    for (let i = 0; i < 3 && finger === 'new'; ++i) frame();
    finger = fingers.size ? 'done' : '';
    setTimeout(() => {
      if (fingers.size) return;
      program._page_gesture(0);
      program._page_lifted();
      wake();
    }, 150);
  }
  /// Keys that the program has no use for are the browser's: its own commands and tools, volume, languages.
  function is_theirs(event, code, command) {
    const function_key = /^F\d+$/.test(event.code) && !(event.code === 'F10' && event.shiftKey);
    if (event.altKey && !command && !event.getModifierState('AltGraph')) return true;
    if (!command && !function_key) return !code;
    // A window is opened and closed by the browser alone.
    return !program._page_uses_key(code || 0, modifiers(event)) || (command && ['KeyN', 'KeyQ'].includes(event.code));
  }
  /// Several buttons of a mouse make one event alone of the first down and of the last up.
  function mouse(event, x, y) {
    for (const [bit, button] of [[1, 0], [2, 1], [4, 2]]) {
      if ((event.buttons ^ pressed) & bit) press(button, event.buttons & bit ? 1 : 0, event, x, y);
    }
    pressed = event.buttons;
  }
  function listen() {
    for (const name of ['pointerdown', 'pointermove', 'pointerup', 'pointercancel']) {
      canvas.addEventListener(name, (event) => {
        const [x, y] = place(event);
        if (name === 'pointerdown') program._page_touch(event.pointerType === 'touch' ? 1 : 0);
        if (event.pointerType === 'touch') {
          ({pointerdown: finger_down, pointermove: finger_moves}[name] ?? finger_up)(event, x, y);
        } else {
          program._page_mouse(x, y);
          mouse(event, x, y);
        }
        if (name === 'pointerdown') {
          canvas.setPointerCapture(event.pointerId);
          if (document.activeElement !== typed) canvas.focus();
          event.preventDefault();
        }
        wake();
      });
    }
    canvas.addEventListener('webglcontextlost', (event) => event.preventDefault());
    // Everything that was drawn is gone with it: the page begins anew with the state that it kept.
    canvas.addEventListener('webglcontextrestored', () => {
      program._page_save();
      program.FS.syncfs(false, () => location.reload());
    });
    canvas.addEventListener('contextmenu', (event) => event.preventDefault());
    canvas.addEventListener('wheel', (event) => {
      const unit = event.deltaMode === 1 ? 3 : event.deltaMode === 2 ? 1 : 100;
      program._page_wheel(-event.deltaY / unit);
      event.preventDefault();
      wake();
    }, {passive: false});
    for (const [name, down] of [['keydown', 1], ['keyup', 0]]) {
      window.addEventListener(name, (event) => {
        const code = keys[event.code];
        const command = commands(event);
        if (event.isComposing || controls.contains(event.target)) return;
        if (command && event.code === 'KeyV') return;  // comes as a paste
        // After the last control, or before the first, the browser goes on.
        const tab = event.code === 'Tab' && !command && !event.altKey;
        if (down && tab && event.target !== typed && program._page_tab_leaves(event.shiftKey ? 1 : 0)) return;
        if (code) program._page_key(code, down, modifiers(event));
        // Under the command key macOS does not say that another one went up.
        if (code && down && event.metaKey) program._page_key(code, 0, modifiers(event));
        if (down && !command && [...event.key].length === 1 && event.target !== typed) {
          program.ccall('page_text', null, ['string'], [event.key]);
        }
        if (!is_theirs(event, code, command) && (event.target !== typed || event.code === 'Tab')) event.preventDefault();
        wake();
      });
    }
    window.addEventListener('blur', () => {
      for (const code of Object.values(keys)) program._page_key(code, 0, 0);
      wake();
    });
    window.addEventListener('paste', (event) => {
      if (controls.contains(event.target)) return;
      program.ccall('page_pasted', null, ['string'], [event.clipboardData.getData('text')]);
      program._page_key(86, 1, 2);
      program._page_key(86, 0, 0);
      event.preventDefault();
      wake();
    });
    // A syllable of Korean or Japanese is whole at the end of its composition.
    for (const name of ['input', 'compositionend']) {
      typed.addEventListener(name, (event) => {
        if (event.isComposing) return;
        program.ccall('page_text', null, ['string'], [typed.value]);
        typed.value = '';
        wake();
      });
    }
    window.addEventListener('resize', () => {
      program._page_resize(...size());
      wake();
    });
    for (const name of ['resize', 'scroll']) window.visualViewport?.addEventListener(name, stay_in_sight);
    for (const name of ['input', 'change', 'click', 'focusin']) controls.addEventListener(name, use_control);
    // The address itself may be another one by now: what is shown moves it.
    window.addEventListener('hashchange', (event) => follow(new URL(event.newURL).hash));
    chosen.addEventListener('change', () => ropescope.read([...chosen.files], true));
    window.addEventListener('dragover', (event) => event.preventDefault());
    window.addEventListener('drop', async (event) => {
      event.preventDefault();
      await ropescope.read([...event.dataTransfer.files]);
    });
    const leave = () => {
      write_address();
      program._page_save();
      ropescope.keep(true);
    };
    document.addEventListener('visibilitychange', () => document.visibilityState === 'hidden' ? leave() : wake());
    // A tab that is reloaded or discarded need not have been hidden before.
    window.addEventListener('pagehide', leave);
  }
  function follow(hash) {
    const link = hash.slice(1);
    if (link) program.ccall('page_link', null, ['string'], [link]);
    wake();
  }

  // --- What the browser keeps ---

  // The state is a folder in the browser's database, which takes its time to be written: what a page that is being left
  // still wrote, it puts where that takes none. It is there only as long as the database may be behind.
  const behind = 'ropescope.state', most_behind = 2 ** 20;
  function keep_at_once() {
    const files = {};
    let size = 0;
    for (const name of program.FS.readdir('/state')) {
      const path = '/state/' + name, status = program.FS.stat(path);
      if (!name.endsWith('.json') || !program.FS.isFile(status.mode) || size + status.size > most_behind) continue;
      size += status.size;
      files[name] = program.FS.readFile(path, {encoding: 'utf8'});
    }
    try {
      localStorage.setItem(behind, JSON.stringify(files));
    } catch (error) {
      // No room, or the browser keeps nothing: then the database alone does.
    }
  }
  function forget_kept() {
    try {
      localStorage.removeItem(behind);
    } catch (error) {
      console.warn(error);
    }
  }
  function take_kept(FS) {
    try {
      const files = JSON.parse(localStorage.getItem(behind) || '{}');
      for (const name of Object.keys(files)) {
        if (!name.includes('/')) FS.writeFile('/state/' + name, String(files[name]));
      }
    } catch (error) {
      console.warn(error);
    }
  }
  // Files that were dropped, so that a page that is loaded anew has them: the newest ones up to this many bytes.
  const most_kept = 2 ** 26;
  function stored(mode, act) {
    return new Promise((done) => {
      const opened = indexedDB.open('ropescope-files', 1);
      opened.onupgradeneeded = () => opened.result.createObjectStore('files', {keyPath: 'name'});
      opened.onerror = () => done([]);
      opened.onsuccess = () => {
        const transaction = opened.result.transaction('files', mode), asked = act(transaction.objectStore('files'));
        transaction.oncomplete = () => { opened.result.close(); done(asked?.result ?? []); };
        transaction.onerror = transaction.onabort = () => { opened.result.close(); done([]); };
      };
    });
  }
  async function keep_files(files) {
    try {
      const known = await stored('readonly', (store) => store.getAll());
      const kept = [...files, ...known.filter((one) => !files.some((file) => file.name === one.name))
        .sort((a, b) => b.time - a.time)];
      let size = 0;
      const gone = kept.filter((one) => (size += one.bytes.byteLength) > most_kept);
      await stored('readwrite', (store) => {
        for (const one of files) if (!gone.includes(one)) store.put(one);
        for (const one of gone) store.delete(one.name);
      });
    } catch (error) {
      console.warn(error);  // the browser keeps nothing
    }
  }
  async function take_files(FS) {
    try {
      for (const one of await stored('readonly', (store) => store.getAll())) {
        FS.writeFile('/files/' + one.name, new Uint8Array(one.bytes));
      }
    } catch (error) {
      console.warn(error);
    }
  }

  /// Files stay in the browser: nothing is sent anywhere.
  ropescope.read = async (files, were_chosen) => {
    const most = 2 ** 30, fitting = files.filter((file) => file.size <= most);
    for (const file of files) {
      if (file.size > most) program.ccall('page_too_large', null, ['string', 'number'], [file.name, most / 2 ** 20]);
    }
    try {
      const contents = await Promise.all(fitting.map((file) => file.arrayBuffer()));
      const names = fitting.map((file, i) => {
        // What has no name, or that of a folder, is a file all the same.
        const given = file.name.replace(/[/\n]/g, '_'), name = /^\.*$/.test(given) ? 'file' + given : given;
        program.FS.writeFile('/files/' + name, new Uint8Array(contents[i]), {canOwn: true});
        return name;
      });
      // Larger files are not kept: a copy of a gigabyte may be more than the page's memory.
      const kept = names.map((name, i) => ({name, time: Date.now() + i, bytes: contents[i]}))
        .filter((one) => one.bytes.byteLength <= most_kept);
      keep_files(kept.map((one) => ({...one, bytes: one.bytes.slice(0)})));
      if (names.length) program.ccall('page_files', null, ['string', 'number'], [names.join('\n'), were_chosen ? 1 : 0]);
    } catch (error) {
      ropescope.failed(String(error));  // a folder, or a file that is gone
    }
    wake();
  };
  ropescope.choose = (endings) => {
    // Telephones grey out endings that they do not know.
    chosen.accept = matchMedia('(pointer: coarse)').matches ? '' : endings.split(' ').join(',');
    chosen.value = '';
    chosen.click();
  };

  // --- What the program asks ---

  const cursors = ['default', 'text', 'move', 'ns-resize', 'ew-resize', 'nesw-resize', 'nwse-resize', 'pointer',
    'not-allowed'];
  ropescope.cursor = (cursor) => { canvas.style.cursor = cursor < 0 ? 'none' : cursors[cursor]; };
  function copied(done) {
    program._page_copied(done ? 1 : 0);
    wake();
  }
  ropescope.copy = (text) => {
    if (navigator.clipboard) return void navigator.clipboard.writeText(text).then(() => copied(true), () => copied(false));
    // A page that comes without encryption has no clipboard but that of a field.
    typed.value = text;
    typed.select();
    copied(document.execCommand('copy'));
    typed.value = '';
    canvas.focus();
  };
  /// keyboard: an inputmode; empty where nothing is typed.
  ropescope.typing = (keyboard) => {
    // Only a field of the page brings up the keyboard of a telephone, and the composition of syllables.
    typed.inputMode = keyboard || 'none';
    if (keyboard) typed.focus({preventScroll: true});
    else if (document.activeElement === typed) canvas.focus();
    setTimeout(stay_in_sight, 100);
  };
  // The keyboard of a telephone covers the lower half of the page, whose size stays: what is edited moves above it.
  let lifted = 0;
  function stay_in_sight() {
    const seen = window.visualViewport;
    const covered = seen && document.activeElement === typed && innerHeight - seen.height > 80;
    const bottom = covered ? program._page_edited_bottom() / (window.devicePixelRatio || 1) : 0;
    lifted = covered ? Math.max(0, Math.ceil(bottom + 12 - seen.offsetTop - seen.height)) : 0;
    canvas.style.transform = lifted ? `translateY(${-lifted}px)` : '';
  }
  ropescope.full_screen = (wanted) => {
    const on = wanted === 2 ? !document.fullscreenElement : wanted === 1;
    (on ? document.documentElement.requestFullscreen?.() : document.exitFullscreen?.())?.catch(() => {});
  };
  // Browsers take a hundred new addresses in half a minute: a slider that plays would have more. A new view or step of a
  // lesson is an entry of its own, which Back leaves.
  let next_address = null, next_entry = false, address_timer = 0;
  function write_address() {
    clearTimeout(address_timer);
    address_timer = 0;
    if (next_address === null) return;
    try {
      if (next_entry && location.hash) history.pushState(null, '', '#' + next_address);
      else history.replaceState(null, '', '#' + next_address);
      next_address = null;
      next_entry = false;
    } catch (error) {
      address_timer = setTimeout(write_address, 5000);
    }
  }
  ropescope.address = (link, entry) => {
    // What the entry before showed last is what Back goes to.
    if (entry) write_address();
    next_address = link;
    next_entry = next_entry || entry;
    if (!address_timer) address_timer = setTimeout(write_address, 400);
  };
  /// Words as [element, text], and of a table as ["table", [[cell, …], …]]; no text of theirs is taken for HTML.
  ropescope.words = (language, title, words) => {
    document.documentElement.lang = language;
    document.title = title;
    canvas.setAttribute('aria-label', title);
    const made = (element, content) => {
      const node = document.createElement(element);
      if (typeof content === 'string') node.textContent = content;
      else node.append(...content);
      return node;
    };
    const lists = {li: 'ul', dt: 'dl', dd: 'dl'};
    const nodes = [];
    for (const [element, text] of words) {
      const list = lists[element];
      if (element === 'table') {
        nodes.push(made('table', text.map((row) => made('tr', row.map((cell) => made('td', cell))))));
      } else if (!list) {
        nodes.push(made(element, text));
      } else if (nodes.length && nodes[nodes.length - 1].localName === list) {
        nodes[nodes.length - 1].append(made(element, text));
      } else {
        nodes.push(made(list, [made(element, text)]));
      }
    }
    document.getElementById('words').replaceChildren(...nodes);
  };
  // What is drawn, as controls that a screen reader knows. They are made anew where others are drawn, else only set.
  const max_radios = 4;
  let shape = '', refocusing = false;
  function made_control(one) {
    const node = (element, ...content) => {
      const made = document.createElement(element);
      made.append(...content);
      return made;
    };
    const keyed = (element, type) => {
      element.dataset.key = one.key;
      if (type) element.type = type;
      return element;
    };
    if (one.kind === 'heading') return node('h2', one.label);
    if (one.kind === 'button') return keyed(node('button', one.label), 'button');
    if (one.kind === 'choice' && one.options.length <= max_radios) {
      const radios = one.options.map(([id, label]) => {
        const radio = keyed(node('input'), 'radio');
        [radio.name, radio.value] = [one.key, id];
        return node('label', radio, label);
      });
      return node('fieldset', node('legend', one.label), ...radios);
    }
    if (one.kind === 'choice') {
      const options = one.options.map(([id, label]) => new Option(label, id));
      return node('label', one.label, keyed(node('select', ...options)));
    }
    return node('label', one.label, keyed(node('input'), {range: 'range', toggle: 'checkbox', text: 'text'}[one.kind]));
  }
  function set_control(node, one) {
    node.disabled = !one.enabled;
    if (one.help) node.title = one.help;
    if (one.kind === 'button') node.textContent = one.label;
    else if (node.type === 'checkbox') node.checked = one.value !== '';
    else if (node.type === 'radio') node.checked = node.value === one.value;
    else if (node.type === 'range') {
      [node.max, node.value] = [one.steps, one.position];
      node.setAttribute('aria-valuetext', one.value);
    } else if (node !== document.activeElement || one.kind === 'choice') node.value = one.value;
  }
  ropescope.controls = (list) => {
    const now = JSON.stringify(list.map((one) => [one.kind, one.key, one.kind === 'button' || one.label, one.options]));
    if (now !== shape) {
      const focused = controls.contains(document.activeElement) ? document.activeElement : null;
      controls.replaceChildren(...list.map(made_control));
      shape = now;
      const again = focused && [...controls.querySelectorAll('[data-key]')]
        .find((node) => node.dataset.key === focused.dataset.key && (node.type !== 'radio' || node.value === focused.value));
      refocusing = true;
      if (focused) (again ?? canvas).focus();
      refocusing = false;
    }
    const keyed = new Map(list.map((one) => [one.key, one]));
    for (const node of controls.querySelectorAll('[data-key]')) set_control(node, keyed.get(node.dataset.key));
  };
  function use_control(event) {
    const node = event.target, key = node.dataset.key;
    if (!key) return;
    if (event.type === 'focusin') {
      if (!refocusing) program.ccall('page_focus', null, ['string'], [key]);
    } else if ((event.type === 'click') === (node.type === 'button') && (event.type === 'change') === (node.type === 'text')) {
      const to = node.type === 'checkbox' ? (node.checked ? '1' : '') : node.value;
      program.ccall('page_set', null, ['string', 'string'], [key, to]);
    }
    wake();
  }
  ropescope.announce = (said) => { document.getElementById('live').textContent = said; };
  /// What the canvas shows of a rectangle, as a PNG; asked for in the frame that drew it.
  function cut(x, y, width, height) {
    const part = document.createElement('canvas');
    [part.width, part.height] = [Math.round(width), Math.round(height)];
    part.getContext('2d').drawImage(canvas, -Math.round(x), -Math.round(y));
    return new Promise((done, fail) => part.toBlob((blob) => blob ? done(blob) : fail(new Error('no picture'))));
  }
  function offer(name, parts) {
    const link = document.createElement('a');
    link.href = URL.createObjectURL(new Blob(parts));
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  }
  /// A PNG is that of the canvas, with what is written into the program's own, an empty one, before its pixels.
  async function download(path, rectangle) {
    const bytes = program.FS.readFile(path), name = path.split('/').pop();
    if (!name.endsWith('.png')) return offer(name, [bytes]);
    const header = 33, view = new DataView(bytes.buffer, bytes.byteOffset);
    let pixels = header;
    while (String.fromCharCode(...bytes.slice(pixels + 4, pixels + 8)) !== 'IDAT') pixels += 12 + view.getUint32(pixels);
    const picture = new Uint8Array(await (await cut(...rectangle)).arrayBuffer());
    offer(name, [picture.slice(0, header), bytes.slice(header, pixels), picture.slice(header)]);
  }
  ropescope.download = (path, ...rectangle) => download(path, rectangle).catch((error) => ropescope.failed(String(error)));
  ropescope.copy_picture = (...rectangle) => {
    if (!window.ClipboardItem || !navigator.clipboard) return copied(false);
    navigator.clipboard.write([new ClipboardItem({'image/png': cut(...rectangle)})])
      .then(() => copied(true), () => copied(false));
  };
  let keeping = false, again = false, keep_timer = 0;
  ropescope.keep = (now) => {
    if (!now) {
      if (!keep_timer) keep_timer = setTimeout(() => ropescope.keep(true), 5000);
      return;
    }
    clearTimeout(keep_timer);
    keep_timer = 0;
    keep_at_once();
    if (keeping) return void (again = true);
    keeping = true;
    program.FS.syncfs(false, (error) => {
      keeping = false;
      if (again) again = false, ropescope.keep(true);
      else if (!error) forget_kept();
    });
  };
  ropescope.failed = (error) => {
    const why = String(error);
    ropescope.problems.push(why);
    console.error(why);
    if (ropescope.first_frame) document.getElementById('said').textContent = why;
    else not_loaded(why);
  };

  // --- Start ---

  // Until the texts of the program are there, these few of them, of assets/text (page.cmake puts them in).
  const texts = {en: @LOADING_en@, ja: @LOADING_ja@, ko: @LOADING_ko@};
  const said = texts[(navigator.language || 'en').slice(0, 2)] || texts.en;
  const loading = document.getElementById('loading'), bar = loading.querySelector('progress');
  // What the files have unpacked: the host may send them packed, and then says another size.
  const sizes = {'ropescope.js': @SIZE_JS@, 'ropescope.wasm': @SIZE_WASM@, 'ropescope.data': @SIZE_DATA@};
  const came = {};
  function show_loading() {
    const done = Object.values(came).reduce((sum, size) => sum + size, 0);
    const all = Object.values(sizes).reduce((sum, size) => sum + size, 0);
    bar.max = Math.max(all, done, 1);
    bar.value = done;
    loading.querySelector('p').textContent = said.loading.replace('{done}', (done / 1e6).toFixed(1))
      .replace('{all}', (bar.max / 1e6).toFixed(1));
  }
  function not_loaded(why) {
    loading.classList.add('failed');
    loading.querySelector('p').textContent = said.failed;
    document.getElementById('why').textContent = why;
  }
  loading.querySelector('button').textContent = said.again;
  loading.querySelector('button').addEventListener('click', () => location.reload());
  // What no promise catches: of the program's own loader, until it draws.
  window.addEventListener('error', (event) => { if (!ropescope.first_frame) ropescope.failed(event.message); });
  window.addEventListener('unhandledrejection', (event) => { if (!ropescope.first_frame) ropescope.failed(event.reason); });

  /// The bytes of a file, counted as they come. Fails by its name.
  async function bytes_of(name) {
    let answer = null;
    try {
      answer = await fetch(name);
    } catch (error) {
      throw new Error(name + ': ' + said.no_answer);
    }
    if (!answer.ok) throw new Error(name + ': ' + answer.status + ' ' + answer.statusText);
    const parts = [], reader = answer.body.getReader();
    let size = 0;
    try {
      for (let part = await reader.read(); !part.done; part = await reader.read()) {
        parts.push(part.value);
        size += part.value.length;
        came[name] = size;
        show_loading();
      }
    } catch (error) {
      throw new Error(name + ': ' + said.cut_short);
    }
    const whole = new Uint8Array(size);
    let at = 0;
    for (const part of parts) whole.set(part, at), at += part.length;
    return whole;
  }
  function script(name) {
    return new Promise((done, fail) => {
      const element = document.createElement('script');
      element.src = name;
      element.onload = done;
      element.onerror = () => fail(new Error(name + ': ' + said.no_answer));
      document.head.append(element);
    });
  }

  show_loading();
  Promise.all([bytes_of('ropescope.wasm'), bytes_of('ropescope.data'), script('ropescope.js')]).then(([code, data]) => Ropescope({
    print: (text) => console.log(text),
    printErr: (text) => console.warn(text),
    locateFile: (name) => name,
    instantiateWasm: (imports, done) => {
      if (can_rest) imports.env.ask_rest = new WebAssembly.Suspending(rest);
      WebAssembly.instantiate(code, imports).then(({instance}) => done(instance))
        .catch((error) => ropescope.failed('ropescope.wasm: ' + error));
      return {};
    },
    getPreloadedPackage: () => data.buffer,
    preRun: [(module) => {
      const FS = module.FS;
      for (const folder of ['/state', '/files']) FS.mkdir(folder);
      if (module.ENV) module.ENV.LANG = (navigator.language || 'en').replace('-', '_') + '.UTF-8';
      FS.mount(module.IDBFS, {}, '/state');
      module.addRunDependency('state');
      const ready = async () => {
        take_kept(FS);
        await take_files(FS);
        module.removeRunDependency('state');
      };
      try {
        FS.syncfs(true, ready);
      } catch (error) {
        ready();
      }
    }],
  })).then((module) => {
    program = module;
    program.work = can_rest ? WebAssembly.promising(module.asm.page_work) : module._page_work;
    ropescope.program = module;
    ropescope.loaded = performance.now();
    const here = location.origin + location.pathname + '#';
    // Preferences of the system apply at the first visit only; later the saved settings do.
    const wishes = [['color-scheme: light', 'light'], ['reduced-motion: reduce', 'still'], ['contrast: more', 'contrast']]
      .filter(([wish]) => matchMedia(`(prefers-${wish})`).matches).map(([, word]) => word).join(' ');
    if (!module.ccall('page_open', 'number', ['string', 'string', 'number', 'number', 'number'], [here, wishes, ...size()])) return;
    ropescope.opened = performance.now();
    module._page_touch(matchMedia('(pointer: coarse)').matches ? 1 : 0);
    listen();
    canvas.focus({preventScroll: true});
    if (location.hash.length > 1) follow(location.hash);
    else module._page_greet();
    wake();
    if (navigator.serviceWorker && window.isSecureContext) navigator.serviceWorker.register('worker.js').catch(() => {});
  }).catch((error) => ropescope.failed(String(error)));
})();
