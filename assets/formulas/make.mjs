// Makes the formulas of this folder: `MATHJAX=FOLDER node assets/formulas/make.mjs [OUTPUT]`, where FOLDER is one in
// which `npm install mathjax-full@3` was run, writes one SVG for every $TeX$ in assets/text/*.json and in the lessons of
// assets/lessons, and index.json. Somebody's own lecture: name its file after OUTPUT.
// What no text uses any more is deleted; the same texts give the same bytes.

import {createHash} from 'node:crypto';
import {existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync} from 'node:fs';
import {createRequire} from 'node:module';
import {dirname, join, resolve} from 'node:path';
import {fileURLToPath} from 'node:url';

import {plain} from './plain.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const output = resolve(process.argv[2] ?? here);
const require = createRequire(resolve(process.env.MATHJAX ?? '.', 'package.json'));
const {mathjax} = require('mathjax-full/js/mathjax.js');
const {TeX} = require('mathjax-full/js/input/tex.js');
const {SVG} = require('mathjax-full/js/output/svg.js');
const {liteAdaptor} = require('mathjax-full/js/adaptors/liteAdaptor.js');
const {RegisterHTMLHandler} = require('mathjax-full/js/handlers/html.js');
require('mathjax-full/js/input/tex/ams/AmsConfiguration.js');
require('mathjax-full/js/input/tex/html/HtmlConfiguration.js');
require('mathjax-full/js/input/tex/configmacros/ConfigMacrosConfiguration.js');

// Letters that have the colour of what they are in the picture: the query and its position, the key and its position.
const coloured = {q: 'query', m: 'query', k: 'key', n: 'key'};
const macros = {};
for (const [letter, name] of Object.entries(coloured)) macros[letter] = `\\class{${name}}{${letter}}`;

// Around each formula, in thousandths of an em: some letters reach over their box, and painters may embolden them.
const margin = 20;

const adaptor = liteAdaptor();
RegisterHTMLHandler(adaptor);
const html = mathjax.document('', {
  InputJax: new TeX({
    packages: ['base', 'ams', 'html', 'configmacros'], macros,
    formatError: (_, error) => { throw error; },
  }),
  OutputJax: new SVG({fontCache: 'none'}),
});

/// Every $TeX$ of a text; \$ is a dollar.
function formulasOf(text) {
  return [...text.matchAll(/\\\$|\$((?:[^$\\]|\\.)*)\$/g)].flatMap((found) => (found[1] === undefined ? [] : [found[1]]));
}

function textsOf(value) {
  return typeof value === 'string' ? [value] : Object.values(value).flatMap(textsOf);
}

/// What is left of MathJax's elements: groups that move, scale or name a class, paths, rectangles.
function drawn(node) {
  const kind = adaptor.kind(node);
  const attribute = (name) => adaptor.getAttribute(node, name);
  const transform = attribute('transform');
  const moved = transform ? ` transform="${transform}"` : '';
  if (kind === 'path') return attribute('d') ? `<path d="${attribute('d')}"${moved}/>` : '';
  if (kind === 'rect') {
    const sides = ['width', 'height', 'x', 'y'].map((name) => `${name}="${attribute(name) ?? 0}"`);
    return `<rect ${sides.join(' ')}${moved}/>`;
  }
  if (kind === 'text') throw Error(`MathJax has no glyph for "${adaptor.textContent(node)}"`);
  const inside = adaptor.childNodes(node).map(drawn).join('');
  const name = attribute('class');
  const named = name ? ` class="${name}"` : '';
  return inside && (moved || named) ? `<g${named}${moved}>${inside}</g>` : inside;
}

/// The SVG, in thousandths of an em with the baseline at 0, and its size in em.
function typeset(tex) {
  const container = html.convert(tex, {display: false});
  const svg = adaptor.firstChild(container);
  const box = adaptor.getAttribute(svg, 'viewBox').split(' ').map((side) => Math.round(Number(side)));
  const [left, top, width, tall] = [box[0] - margin, box[1] - margin, box[2] + 2 * margin, box[3] + 2 * margin];
  const shapes = adaptor.childNodes(svg).filter((node) => adaptor.kind(node) === 'g').map(drawn).join('');
  const em = (thousandths) => thousandths / 1000;
  return {
    source: `<svg xmlns="http://www.w3.org/2000/svg" viewBox="${left} ${top} ${width} ${tall}" fill="currentColor">` +
        `${shapes}</svg>\n`,
    width: em(width), height: em(-top), depth: em(tall + top),
  };
}

function fileName(tex) {
  const readable = tex.replace(/[^A-Za-z0-9]+/g, '-').replace(/^-|-$/g, '').slice(0, 40).replace(/-$/, '');
  return `${readable}-${createHash('sha256').update(tex).digest('hex').slice(0, 6)}.svg`.replace(/^-/, '');
}

const texts = join(here, '..', 'text');
const languages = readdirSync(texts).filter((name) => name.endsWith('.json')).sort();
const read = (name) => textsOf(JSON.parse(readFileSync(join(texts, name), 'utf8')));
const lessons = join(here, '..', 'lessons');
const files = existsSync(lessons) ? readdirSync(lessons, {recursive: true}).filter((name) => name.endsWith('.md')) : [];
const lectures = [...files.map((name) => join(lessons, name)), ...process.argv.slice(3)].sort();
const words = [...languages.flatMap(read), ...lectures.map((name) => readFileSync(name, 'utf8'))];
const all = [...new Set(words.flatMap(formulasOf))].sort();

mkdirSync(output, {recursive: true});
for (const name of readdirSync(output)) {
  if (name.endsWith('.svg')) rmSync(join(output, name));
}
const index = all.map((tex) => {
  try {
    const {source, ...size} = typeset(tex);
    const file = fileName(tex);
    writeFileSync(join(output, file), source);
    return JSON.stringify({tex, file, ...size, plain: plain(tex)});
  } catch (error) {
    console.error(`$${tex}$: ${error.message ?? error}`);
    process.exit(1);
  }
});
writeFileSync(join(output, 'index.json'), `{"formulas": [\n${index.join(',\n')}\n]}\n`);
