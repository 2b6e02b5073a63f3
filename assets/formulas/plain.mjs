// A formula in plain Unicode, as it stands in JSON and CSV and where nothing can be drawn: what the texts use of TeX.
// Like typeset.mjs, it becomes ECMAScript 5: no \p{…}, nothing spread, nothing that came later but what make.mjs adds.

const signs = {
  alpha: 'α', beta: 'β', gamma: 'γ', delta: 'δ', zeta: 'ζ', theta: 'θ', lambda: 'λ', pi: 'π', phi: 'φ', varphi: 'φ',
  sigma: 'σ', tau: 'τ', Delta: 'Δ', Theta: 'Θ', Sigma: 'Σ', Phi: 'Φ', sum: 'Σ', infty: '∞', langle: '⟨', rangle: '⟩', vert: '|',
  lvert: '|', rvert: '|', lceil: '⌈', rceil: '⌉', lfloor: '⌊', rfloor: '⌋', cdot: '·', top: 'ᵀ', prime: '′',
  colon: ':', '%': '%', '{': '{', '}': '}', _: '_', '|': '‖', lbrack: '[', rbrack: ']',
  q: 'q', k: 'k', m: 'm', n: 'n',
};
// These stand between spaces.
const relations = {
  le: '≤', ge: '≥', to: '→', approx: '≈', times: '×', propto: '∝', pm: '±', div: '÷', bmod: 'mod', equiv: '≡', '=': '=',
  '<': '<', '>': '>', '+': '+', '-': '−', ne: '≠', ldots: '…', otimes: '⊗', mapsto: '↦',
};
const functions = ['cos', 'sin', 'ln', 'log', 'exp', 'max', 'min', 'arg', 'Re', 'Im'];
const accents = {bar: '\u0304', overline: '\u0305', hat: '\u0302', tilde: '\u0303', vec: '\u20d7'};
const lowered = Object.fromEntries('0123456789+-−=()aehijklmnoprstuvxβγρφ'.split('').map(
    (c, i) => [c, '₀₁₂₃₄₅₆₇₈₉₊₋₋₌₍₎ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓᵦᵧᵨᵩ'[i]]));
const raised = Object.fromEntries('0123456789+-−=()in'.split('').map((c, i) => [c, '⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁼⁽⁾ⁱⁿ'[i]]));

// Letters, numbers and combining marks, as far as formulas have them.
const letters = 'A-Za-z\u00aa\u00b5\u00ba\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u02ff\u0370-\u1fff\u2090-\u209c';
const numbers = '0-9\u00b2\u00b3\u00b9\u2070-\u2089', marks = '\u0300-\u036f\u20d0-\u20ff';
const simple = RegExp(`^√?([${letters}][${marks}]*|[0-9.]+)$|^√\\([^()]*\\)$`);
const endsInWord = RegExp(`[${letters}${numbers}]$`), endsInMark = RegExp(`[${letters}${numbers}${marks})]$`);
const endsInBracket = RegExp(`[${letters}${numbers})]$`);

function tokens(tex) {
  return tex.match(/\\[A-Za-z]+|\\.|[^\s]/g) ?? [];
}

/// The argument that begins at list[at]: a group or one token; where it ends.
function argument(list, at) {
  if (list[at] !== '{') return [[list[at]], at + 1];
  let depth = 0, end = at;
  do {
    if (list[end] === '{') ++depth;
    if (list[end] === '}') --depth;
    ++end;
  } while (depth > 0);
  return [list.slice(at + 1, end - 1), end];
}

/// The cells of a matrix, row by row, whose first one begins at list[at]; where what follows its \end{…} begins.
function matrix(list, at) {
  const rows = [[[]]];
  for (; list[at] !== '\\end'; ++at) {
    if (list[at] === '\\\\') {
      rows.push([[]]);
    } else if (list[at] === '&') {
      rows[rows.length - 1].push([]);
    } else {
      const row = rows[rows.length - 1];
      row[row.length - 1].push(list[at]);
    }
  }
  return [rows, argument(list, at + 1)[1]];
}

function script(text, table, sign) {
  if (text === 'ᵀ' || text === '′') return text;
  const each = text.split('');
  if (each.every((c) => c in table)) return each.map((c) => table[c]).join('');
  return each.length === 1 ? sign + text : `${sign}(${text})`;
}

const enclosed = (text) => (simple.test(text) ? text : `(${text})`);

/// tight: within an index or exponent, where signs stand without spaces.
function written(list, tight) {
  let text = '', at = 0;
  const add = (word) => { text += word; };
  // A sign at the beginning, or after another one or an opening bracket, belongs to what follows it.
  const isUnary = () => text === '' || /[([⟨|,=<>+−≤≥·±]\s*$/.test(text);
  while (at < list.length) {
    const token = list[at++], name = token.replace(/^\\/, '');
    if (token === '{') {
      const [inside, end] = argument(list, at - 1);
      add(written(inside, tight));
      at = end;
    } else if (token === '_' || token === '^') {
      const [inside, end] = argument(list, at);
      add(script(written(inside, true), token === '_' ? lowered : raised, token));
      at = end;
    } else if (token === "'") {
      add('′');
    } else if (['\\frac', '\\tfrac'].includes(token)) {
      const [above, middle] = argument(list, at), [below, end] = argument(list, middle);
      add(`${enclosed(written(above, tight))}/${enclosed(written(below, tight))}`);
      at = end;
    } else if (token === '\\sqrt') {
      const [inside, end] = argument(list, at);
      add(`√${enclosed(written(inside, tight))}`);
      at = end;
    } else if (token === '\\class') {
      const [inside, end] = argument(list, argument(list, at)[1]);
      add(written(inside, tight));
      at = end;
    } else if (token === '\\begin') {
      const [rows, end] = matrix(list, argument(list, at)[1]);
      add(`(${rows.map((row) => row.map((cell) => written(cell, tight).trim()).join(', ')).join('; ')})`);
      at = end;
    } else if (name in accents && token !== name) {
      const [inside, end] = argument(list, at);
      add(written(inside, tight) + accents[name]);
      at = end;
    } else if (['\\mathrm', '\\text', '\\operatorname', '\\mathbf', '\\mathit'].includes(token)) {
      const [inside, end] = argument(list, at);
      const word = inside.map((each) => (each === '\\_' ? '_' : each)).join('');
      add(endsInWord.test(text) ? ` ${word}` : word);
      at = end;
      if (token === '\\operatorname' && list[at] !== '(') add(' ');
    } else if (functions.includes(name) && token !== name) {
      add(`${endsInMark.test(text) ? ' ' : ''}${name}`);
      if (!['(', '^', '_', '\\cdot'].includes(list[at])) add(' ');
    } else if (token === '\\sum') {
      add(`${endsInBracket.test(text) ? ' ' : ''}Σ`);
      while (['_', '^'].includes(list[at])) {
        const [inside, end] = argument(list, at + 1);
        add(script(written(inside, true), list[at] === '_' ? lowered : raised, list[at]));
        at = end;
      }
      add(' ');
    } else if (token === ',') {
      add(tight ? ',' : ', ');
    } else if (['\\,', '\\;', '\\:', '\\ ', '\\quad', '~'].includes(token)) {
      if (!text.endsWith(' ') && !tight) add(' ');
    } else if (['\\!', '\\left', '\\right', '\\bigl', '\\bigr', '\\big', '\\textstyle', '\\limits'].includes(token)) {
      continue;
    } else if (name in relations) {
      if (tight || ((token === '+' || token === '-') && isUnary())) {
        add(relations[name]);
      } else {
        add(`${text.endsWith(' ') ? '' : ' '}${relations[name]} `);
      }
    } else if (token !== name) {
      if (!(name in signs)) throw Error(`plain.mjs does not know ${token}`);
      add(signs[name]);
    } else {
      add(token);
    }
  }
  return text;
}

export function plain(tex) {
  return written(tokens(tex), false).replace(/ +/g, ' ').replace(/ ([)\],⟩])/g, '$1').trim();
}
