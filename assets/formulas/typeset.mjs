// Sets a formula by MathJax: the one function of mathjax.js, which make.mjs bundles of this file and the program runs.

import {mathjax} from 'mathjax-full/js/mathjax.js';
import {TeX} from 'mathjax-full/js/input/tex.js';
import {SVG} from 'mathjax-full/js/output/svg.js';
import {liteAdaptor} from 'mathjax-full/js/adaptors/liteAdaptor.js';
import {RegisterHTMLHandler} from 'mathjax-full/js/handlers/html.js';
import 'mathjax-full/js/input/tex/ams/AmsConfiguration.js';
import 'mathjax-full/js/input/tex/html/HtmlConfiguration.js';
import 'mathjax-full/js/input/tex/configmacros/ConfigMacrosConfiguration.js';

import {plain} from './plain.mjs';

// Letters that have the colour of what they are in the picture: the query and its position, the key and its position.
const coloured = {q: 'query', m: 'query', k: 'key', n: 'key'};
const macros = {};
for (const letter of Object.keys(coloured)) macros[letter] = `\\class{${coloured[letter]}}{${letter}}`;

// Around each formula, in thousandths of an em: some letters reach over their box, and painters may embolden them.
const margin = 20;

const adaptor = liteAdaptor();
// What MathJax has no glyph for is Japanese or Korean: an em a character.
adaptor.nodeSize = (node) => [adaptor.textContent(node).length, 0];
RegisterHTMLHandler(adaptor);
const html = mathjax.document('', {
  InputJax: new TeX({
    packages: ['base', 'ams', 'html', 'configmacros'], macros,
    formatError: (_, error) => { throw Error(error.message); },
  }),
  OutputJax: new SVG({fontCache: 'none'}),
});

// Japanese and Korean: MathJax leaves them to the fonts of the painter, an em wide each.
const eastAsian = /^[\u2e80-\u9fff\uac00-\ud7a3\uf900-\ufaff\uff00-\uffef]+$/;

/// What is left of MathJax's elements: groups that move, scale, name a colour or a term that a lesson may light, paths,
/// rectangles.
function drawn(node) {
  const kind = adaptor.kind(node);
  const attribute = (name) => adaptor.getAttribute(node, name);
  const transform = attribute('transform');
  const moved = transform ? ` transform="${transform}"` : '';
  if (kind === 'path') return attribute('d') ? `<path d="${attribute('d')}"${moved}/>` : '';
  if (kind === 'rect') {
    const sides = ['width', 'height', 'x', 'y'].map((name) => `${name}="${attribute(name) || 0}"`);
    return `<rect ${sides.join(' ')}${moved}/>`;
  }
  if (kind === 'text' && eastAsian.test(adaptor.textContent(node))) {
    return `<text font-family="Noto Sans CJK JP,Noto Sans CJK KR,sans-serif" font-size="${attribute('font-size')}"` +
        `${moved}>${adaptor.textContent(node)}</text>`;
  }
  if (kind === 'text') throw Error(`MathJax has no glyph for "${adaptor.textContent(node)}"`);
  const inside = adaptor.childNodes(node).map(drawn).join('');
  const name = attribute('class');
  const named = /^ ?(query|key|term-[-._a-zA-Z0-9]+)$/.test(name) ? ` class="${name}"` : '';
  return inside && (moved || named) ? `<g${named}${moved}>${inside}</g>` : inside;
}

/// JSON: the SVG, in thousandths of an em with the baseline at 0, its size in em, and the formula in plain Unicode; where
/// plain.mjs does not know all of it, its source in parentheses for braces, which name readouts. Throws an Error where
/// MathJax has one.
globalThis.typeset = (tex) => {
  const container = html.convert(tex, {display: false});
  const svg = adaptor.firstChild(container);
  const box = adaptor.getAttribute(svg, 'viewBox').split(' ').map((side) => Math.round(Number(side)));
  const [left, top, width, tall] = [box[0] - margin, box[1] - margin, box[2] + 2 * margin, box[3] + 2 * margin];
  const shapes = adaptor.childNodes(svg).filter((node) => adaptor.kind(node) === 'g').map(drawn).join('');
  let words = tex.replace(/{/g, '(').replace(/}/g, ')');
  try {
    words = plain(tex);
  } catch (error) {
    // As it is written.
  }
  return JSON.stringify({
    source: `<svg xmlns="http://www.w3.org/2000/svg" viewBox="${left} ${top} ${width} ${tall}" fill="currentColor">` +
        `${shapes}</svg>\n`,
    width: width / 1000, height: -top / 1000, depth: (tall + top) / 1000, plain: words,
  });
};
