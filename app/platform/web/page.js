// The page's half of app/platform/web/page.cpp: events go to it, and it asks what only a browser can do.

'use strict';

var ropescope = {first_frame: 0, frames: [], works: [], problems: []};

(() => {
  const canvas = document.getElementById('canvas');
  const typed = document.getElementById('typed');
  const chosen = document.getElementById('chosen');
  let program = null, due = 0, asked = false;

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
    const wait = program._page_frame(begin / 1000);
    const end = performance.now();
    if (!ropescope.first_frame) {
      ropescope.first_frame = end;
      document.body.classList.add('drawn');
    }
    ropescope.frames.push(end - begin);
    if (ropescope.frames.length > 2000) ropescope.frames.shift();
    if (program._page_busy()) setTimeout(work, 0);
    if (wait <= 0) wake();
    else if (wait < 1e6) {
      clearTimeout(due);
      due = setTimeout(wake, 1000 * wait);
    }
  }
  function work() {
    const begin = performance.now();
    program._page_work();
    ropescope.works.push(performance.now() - begin);
    wake();
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
    return [canvas.width, canvas.height, scale];
  }

  // --- Mouse, fingers and keys ---

  function place(event) {
    const scale = window.devicePixelRatio || 1;
    return [event.clientX * scale, event.clientY * scale];
  }
  function modifiers(event) {
    return (event.shiftKey ? 1 : 0) | (event.ctrlKey || event.metaKey ? 2 : 0) | (event.altKey ? 4 : 0);
  }
  const fingers = new Map();
  let apart = 0, pinched = false;
  function distance() {
    const [a, b] = [...fingers.values()];
    return Math.hypot(a[0] - b[0], a[1] - b[1]);
  }
  function middle() {
    const [a, b] = [...fingers.values()];
    return [(a[0] + b[0]) / 2, (a[1] + b[1]) / 2];
  }
  // A finger that rests is the right button: the menu of a figure.
  let held = 0, held_at = [0, 0];
  function hold(x, y) {
    held_at = [x, y];
    clearTimeout(held);
    held = setTimeout(() => {
      program._page_button(0, 0, 0, x, y);
      program._page_button(1, 1, 0, x, y);
      program._page_button(1, 0, 0, x, y);
      pinched = true;
      wake();
    }, 600);
  }
  const button_of = [0, 2, 1];
  function listen() {
    canvas.addEventListener('pointerdown', (event) => {
      canvas.setPointerCapture(event.pointerId);
      const [x, y] = place(event);
      if (event.pointerType === 'touch') {
        fingers.set(event.pointerId, [x, y]);
        program._page_finger(1);
        hold(x, y);
        if (fingers.size === 2) {
          clearTimeout(held);
          // What one finger had taken hold of is let go where it is.
          program._page_button(0, 0, modifiers(event), x, y);
          apart = distance();
          pinched = true;
        }
        if (fingers.size > 1) return wake();
      }
      program._page_mouse(x, y);
      program._page_button(button_of[event.button] ?? event.button, 1, modifiers(event), x, y);
      if (document.activeElement !== typed) canvas.focus();
      wake();
      event.preventDefault();
    });
    canvas.addEventListener('pointermove', (event) => {
      const [x, y] = place(event);
      if (Math.hypot(x - held_at[0], y - held_at[1]) > 8 * (window.devicePixelRatio || 1)) clearTimeout(held);
      if (event.pointerType === 'touch' && fingers.has(event.pointerId)) {
        fingers.set(event.pointerId, [x, y]);
        if (fingers.size === 2) {
          const now = distance(), [mx, my] = middle();
          program._page_mouse(mx, my);
          if (apart > 0) program._page_wheel(Math.log2(now / apart) * 4);
          apart = now;
          return wake();
        }
        if (pinched) return;
      }
      program._page_mouse(x, y);
      wake();
    });
    const up = (event) => {
      const [x, y] = place(event);
      clearTimeout(held);
      fingers.delete(event.pointerId);
      if (fingers.size === 0 || event.pointerType !== 'touch') {
        if (!pinched) program._page_button(button_of[event.button] ?? event.button, 0, modifiers(event), x, y);
        pinched = false;
        // The frame that sees the finger lifted sees that it was one.
        setTimeout(() => { if (!fingers.size) program._page_finger(0); }, 100);
      }
      wake();
    };
    canvas.addEventListener('pointerup', up);
    canvas.addEventListener('pointercancel', up);
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
        const command = event.ctrlKey || event.metaKey;
        if (event.isComposing) return;
        if (command && event.code === 'KeyV') return;  // comes as a paste
        if (code) program._page_key(code, down, modifiers(event));
        if (down && !command && [...event.key].length === 1 && event.target !== typed) {
          program.ccall('page_text', null, ['string'], [event.key]);
        }
        // The browser keeps its own: reload, address, tabs, tools.
        const theirs = ['F5', 'F11', 'F12'].includes(event.code) || (command && ['KeyR', 'KeyL', 'KeyT', 'KeyW', 'KeyN', 'KeyC', 'KeyX'].includes(event.code));
        if (!theirs && event.target !== typed) event.preventDefault();
        wake();
      });
    }
    window.addEventListener('blur', () => {
      for (const code of Object.values(keys)) program._page_key(code, 0, 0);
      wake();
    });
    window.addEventListener('paste', (event) => {
      program.ccall('page_pasted', null, ['string'], [event.clipboardData.getData('text')]);
      program._page_key(86, 1, 2);
      program._page_key(86, 0, 0);
      wake();
    });
    typed.addEventListener('input', () => {
      program.ccall('page_text', null, ['string'], [typed.value]);
      typed.value = '';
      wake();
    });
    window.addEventListener('resize', () => {
      program._page_resize(...size());
      wake();
    });
    // The address itself may be another one by now: what is shown moves it.
    window.addEventListener('hashchange', (event) => follow(new URL(event.newURL).hash));
    chosen.addEventListener('change', () => ropescope.read([...chosen.files]));
    window.addEventListener('dragover', (event) => event.preventDefault());
    window.addEventListener('drop', async (event) => {
      event.preventDefault();
      await ropescope.read([...event.dataTransfer.files]);
    });
    document.addEventListener('visibilitychange', () => {
      if (document.visibilityState === 'hidden') {
        program._page_save();
        ropescope.keep(true);
      } else {
        wake();
      }
    });
  }
  function follow(hash) {
    const link = hash.slice(1);
    if (link) program.ccall('page_link', null, ['string'], [link]);
    wake();
  }

  /// Files lie in memory alone: nothing is sent anywhere.
  ropescope.read = async (files) => {
    const paths = [];
    if (!files.length) return;
    for (const file of files) {
      const path = '/files/' + file.name.replace(/[/\n]/g, '_');
      program.FS.writeFile(path, new Uint8Array(await file.arrayBuffer()));
      paths.push(path);
    }
    program.ccall('page_files', null, ['string'], [paths.join('\n')]);
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
  ropescope.copy = (text) => { navigator.clipboard?.writeText(text).catch(() => {}); };
  ropescope.typing = (wanted) => {
    // Only a field of the page brings up the keyboard of a telephone.
    if (!matchMedia('(pointer: coarse)').matches) return;
    if (wanted) typed.focus();
    else typed.blur();
  };
  ropescope.full_screen = (wanted) => {
    const on = wanted === 2 ? !document.fullscreenElement : wanted === 1;
    (on ? document.documentElement.requestFullscreen() : document.exitFullscreen()).catch(() => {});
  };
  ropescope.address = (link) => history.replaceState(null, '', '#' + link);
  ropescope.words = (language, title, html) => {
    document.documentElement.lang = language;
    document.title = title;
    document.getElementById('words').innerHTML = html;
  };
  /// What the canvas shows of a rectangle, as a PNG; asked for in the frame that drew it.
  function cut(x, y, width, height) {
    const part = document.createElement('canvas');
    [part.width, part.height] = [Math.round(width), Math.round(height)];
    part.getContext('2d').drawImage(canvas, -Math.round(x), -Math.round(y));
    return new Promise((done) => part.toBlob(done));
  }
  function offer(name, parts) {
    const link = document.createElement('a');
    link.href = URL.createObjectURL(new Blob(parts));
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  }
  /// A PNG is that of the canvas, with what is written into the program's own, an empty one, before its pixels.
  ropescope.download = async (path, ...rectangle) => {
    const bytes = program.FS.readFile(path), name = path.split('/').pop();
    if (!name.endsWith('.png')) return offer(name, [bytes]);
    const header = 33, pixels = new TextDecoder('latin1').decode(bytes).indexOf('IDAT') - 4;
    const picture = new Uint8Array(await (await cut(...rectangle)).arrayBuffer());
    offer(name, [picture.slice(0, header), bytes.slice(header, Math.max(header, pixels)), picture.slice(header)]);
  };
  ropescope.copy_picture = (...rectangle) => {
    navigator.clipboard?.write([new ClipboardItem({'image/png': cut(...rectangle)})]).catch(() => {});
  };
  let keeping = false, kept = 0;
  ropescope.keep = (now) => {
    const time = performance.now();
    if (keeping || (!now && time - kept < 10000)) return;
    kept = time;
    keeping = true;
    program.FS.syncfs(false, () => { keeping = false; });
  };
  ropescope.failed = (why) => {
    ropescope.problems.push(why);
    console.error(why);
    document.getElementById('said').textContent = why;
  };

  // --- Start ---

  Ropescope({
    print: (text) => console.log(text),
    printErr: (text) => console.warn(text),
    locateFile: (name) => name,
    preRun: [(module) => {
      const FS = module.FS;
      for (const folder of ['/state', '/files']) FS.mkdir(folder);
      if (module.ENV) module.ENV.LANG = (navigator.language || 'en').replace('-', '_') + '.UTF-8';
      FS.mount(module.IDBFS, {}, '/state');
      module.addRunDependency('state');
      const ready = () => module.removeRunDependency('state');
      try {
        FS.syncfs(true, ready);
      } catch (error) {
        ready();
      }
    }],
  }).then((module) => {
    program = module;
    ropescope.program = module;
    ropescope.loaded = performance.now();
    const here = location.origin + location.pathname + '#';
    if (!module.ccall('page_open', 'number', ['string', 'number', 'number', 'number'], [here, ...size()])) return;
    ropescope.opened = performance.now();
    listen();
    follow(location.hash);
    wake();
    if (navigator.serviceWorker && window.isSecureContext) navigator.serviceWorker.register('worker.js').catch(() => {});
  }).catch((error) => ropescope.failed(String(error)));
})();
