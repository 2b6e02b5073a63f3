// Makes the formulas of this folder: `node assets/formulas/make.mjs [OUTPUT]` writes one SVG for every $TeX$ in
// assets/text/*.json and in the lessons of assets/lessons, and index.json. What no text uses any more is deleted; the same
// texts give the same bytes. mathjax.js sets them, here and in the program.
//
// `node assets/formulas/make.mjs --bundle FOLDER` makes mathjax.js itself, of typeset.mjs and plain.mjs, where
// `npm install mathjax-full@3 core-js@3 typescript@5 esbuild` was run in FOLDER: one ECMAScript 5 script without modules.

import {createHash} from 'node:crypto';
import {existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync} from 'node:fs';
import {createRequire} from 'node:module';
import {tmpdir} from 'node:os';
import {dirname, join, resolve} from 'node:path';
import {fileURLToPath} from 'node:url';
import {runInThisContext} from 'node:vm';

const here = dirname(fileURLToPath(import.meta.url));

/// What MathJax and the two files use beyond ECMAScript 5, from core-js.
const added = [
  'symbol.iterator', 'map', 'set', 'weak-map', 'array.iterator', 'string.iterator', 'array.from', 'object.assign',
  'object.entries', 'object.from-entries', 'array.find', 'array.find-index', 'array.includes', 'array.fill',
  'string.code-point-at', 'string.from-code-point', 'string.repeat', 'string.starts-with',
  'string.ends-with', 'string.includes', 'number.is-integer',
];

async function bundle(folder) {
  const require = createRequire(resolve(folder, 'package.json'));
  const typescript = require('typescript'), esbuild = require('esbuild');
  const work = mkdtempSync(join(tmpdir(), 'formulas-'));
  for (const name of ['plain', 'typeset']) {
    const source = readFileSync(join(here, `${name}.mjs`), 'utf8').replaceAll(".mjs'", ".js'");
    const options = {target: typescript.ScriptTarget.ES5, module: typescript.ModuleKind.CommonJS};
    writeFileSync(join(work, `${name}.js`), typescript.transpileModule(source, {compilerOptions: options}).outputText);
  }
  const entry = [...added.map((name) => `require('core-js/modules/es.${name}');`), "require('./typeset.js');"];
  writeFileSync(join(work, 'entry.js'), entry.join('\n'));
  // Measures text that has no glyph, by expressions of later ECMAScript; drawn() refuses such text.
  const unmeasured = {
    name: 'unmeasured',
    setup: (build) => build.onLoad(
        {filter: /NodeMixin\.js$/}, () => ({contents: 'exports.NodeMixin = function (Base) { return Base; };'})),
  };
  await esbuild.build({
    entryPoints: [join(work, 'entry.js')], bundle: true, minify: true, format: 'iife', target: 'es5', charset: 'ascii',
    nodePaths: [resolve(folder, 'node_modules')], plugins: [unmeasured], legalComments: 'none', lineLimit: 120, logLevel: 'error',
    banner: {js: '/* MathJax 3 (Apache License 2.0) and core-js (MIT License): see LICENSES. Made by make.mjs. */'},
    outfile: join(here, 'mathjax.js'),
  });
  rmSync(work, {recursive: true});
}

/// Every $TeX$ of a text; \$ is a dollar.
function formulasOf(text) {
  return [...text.matchAll(/\\\$|\$((?:[^$\\]|\\.)*)\$/g)].flatMap((found) => (found[1] === undefined ? [] : [found[1]]));
}

function textsOf(value) {
  return typeof value === 'string' ? [value] : Object.values(value).flatMap(textsOf);
}

function fileName(tex) {
  const readable = tex.replace(/[^A-Za-z0-9]+/g, '-').replace(/^-|-$/g, '').slice(0, 40).replace(/-$/, '');
  return `${readable}-${createHash('sha256').update(tex).digest('hex').slice(0, 6)}.svg`.replace(/^-/, '');
}

function make(output) {
  runInThisContext(readFileSync(join(here, 'mathjax.js'), 'utf8'));
  const texts = join(here, '..', 'text'), lessons = join(here, '..', 'lessons');
  const languages = readdirSync(texts).filter((name) => name.endsWith('.json')).sort();
  const read = (name) => textsOf(JSON.parse(readFileSync(join(texts, name), 'utf8')));
  const files = existsSync(lessons) ? readdirSync(lessons, {recursive: true}).filter((name) => name.endsWith('.md')) : [];
  const words = [...languages.flatMap(read), ...files.sort().map((name) => readFileSync(join(lessons, name), 'utf8'))];
  mkdirSync(output, {recursive: true});
  for (const name of readdirSync(output)) {
    if (name.endsWith('.svg')) rmSync(join(output, name));
  }
  const index = [...new Set(words.flatMap(formulasOf))].sort().map((tex) => {
    try {
      const {source, plain, ...size} = JSON.parse(globalThis.typeset(tex));
      if (/[\\${}"]/.test(plain)) throw Error(`plain.mjs does not know all of it: ${plain}`);
      const file = fileName(tex);
      writeFileSync(join(output, file), source);
      return JSON.stringify({tex, file, ...size, plain});
    } catch (error) {
      console.error(`$${tex}$: ${error.message ?? error}`);
      process.exit(1);
    }
  });
  writeFileSync(join(output, 'index.json'), `{"formulas": [\n${index.join(',\n')}\n]}\n`);
}

if (process.argv[2] === '--bundle') {
  await bundle(process.argv[3] ?? '.');
} else {
  make(resolve(process.argv[2] ?? here));
}
