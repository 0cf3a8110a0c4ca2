/**
 * Lists phrases that need plainer English in strings of the program and in docs. Exits with 1 if scripts/lint-texts-allowed.json
 * does not allow a phrase, or if one of its entries is unused.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');

const PATTERNS = [
  // Matches "What a window holds back does not come late", but not questions.
  [
    /(?:^|[.:;(]\s+)(?:What|Whatever|Who|Whoever|Whom)\s[^.?]*(?:[.:;]|$)/,
    'a sentence begins with a relative clause',
  ],
  [
    /(?:^|[.:;(]\s+)Where\s[^.?]*\b(?:is|are|has|have|lies|stands)\b[^.?,]*(?:[.;]|$)/,
    'a sentence begins with a relative clause',
  ],
  [/\bso many\b/i, '"so many"'],
  [/\bas it is\b/i, '"as it is"'],
  [/\bis so already\b/i, '"it is so already"'],
  [/\b(?:by itself|by themselves)\b/i, '"by itself"'],
  [/\bof (?:its|their|your|his) own\b/i, '"of its own"'],
  [/\b(?:stands|stood)\b(?! for\b)/i, '"stands"'],
  [/\blies\b/i, '"lies"'],
  [/\b(?:is|are|was|were|be|been|being) told\b/i, '"is told"'],
  [/\btold of\b|\btells of\b/i, '"tells of"'],
  [/\bonce and for all\b/i, '"once and for all"'],
  [/\bput away\b/i, '"put away"'],
  [/\bgoes before\b/i, '"goes before"'],
  [/\bleft out:/i, '"left out:" for a default'],
  [/\bwho(?:ever)? (?:touches|knows|asks|writes|runs|has)\b[^?]*$/i, '"who …" in the place of a noun'],
];

/** Docs to skip: the specification is not ours, and the reference repeats strings of the program. */
const NOT_OURS = new Set(['docs/monitoring-service-api.md', 'docs/commands.md']);

const files = (...globs) =>
  execFileSync('git', ['ls-files', '-z', ...globs], { cwd: root, encoding: 'utf8' })
    .split('\0')
    .filter(Boolean);

/** Returns the strings of a module with at least two words, and their lines. */
function stringsOf(file) {
  const source = ts.createSourceFile(
    file,
    readFileSync(join(root, file), 'utf8'),
    ts.ScriptTarget.Latest,
    true,
  );
  const found = [];
  const add = (node, text) => {
    if (!/\p{L}\s+\p{L}/u.test(text)) return;
    found.push({ line: source.getLineAndCharacterOfPosition(node.getStart()).line + 1, text });
  };
  const visit = (node) => {
    if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)) add(node, node.text);
    else if (ts.isTemplateExpression(node))
      add(node, node.head.text + node.templateSpans.map(({ literal }) => `…${literal.text}`).join(''));
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

/** Returns the paragraphs of a document without its code, and their first lines. */
function paragraphsOf(file) {
  const found = [];
  let isCode = false;
  let open;
  readFileSync(join(root, file), 'utf8')
    .split('\n')
    .forEach((row, at) => {
      if (/^\s*(?:```|~~~)/.test(row)) isCode = !isCode;
      const text = isCode ? '' : row.replace(/`[^`]*`/g, '`code`').trim();
      if (text === '' || /^(?:[-*|#>]|\d+\.)/.test(text)) open = undefined;
      if (text === '') return;
      const bare = text.replace(/^(?:[-*>]|#+|\d+\.)\s+/, '');
      // Each cell of a table is a separate text.
      if (text.startsWith('|'))
        for (const cell of bare.split('|')) found.push({ line: at + 1, text: cell.trim() });
      else if (open) open.text += ` ${bare}`;
      else {
        open = { line: at + 1, text: bare };
        found.push(open);
      }
    });
  return found;
}

const allowed = JSON.parse(readFileSync(join(root, 'scripts/lint-texts-allowed.json'), 'utf8'));
const used = new Set();
const isAllowed = (text) => {
  const hit = allowed.find((one) => text.includes(one.text));
  if (hit) used.add(hit);
  return hit !== undefined;
};

let count = 0;
const sources = [
  ...files('bin/*.ts', 'commands/**/*.ts', 'commands/*.ts', 'src/**/*.ts')
    .filter((file) => !file.includes('/generated/'))
    .map((file) => [file, stringsOf]),
  ...files('*.md', 'docs/*.md')
    .filter((file) => !NOT_OURS.has(file))
    .map((file) => [file, paragraphsOf]),
];
for (const [file, read] of sources)
  for (const { line, text } of read(file))
    for (const [pattern, rule] of PATTERNS) {
      const hit = pattern.exec(text);
      if (!hit || isAllowed(text)) continue;
      count += 1;
      console.log(`${file}:${line}: ${rule}: ${hit[0].trim().slice(0, 100)}`);
    }
for (const one of allowed) {
  if (used.has(one)) continue;
  count += 1;
  console.log(`scripts/lint-texts-allowed.json: this entry allows nothing: ${one.text}`);
}
if (count > 0)
  console.log(
    `${count} phrases need a plainer form, or an entry with a reason in scripts/lint-texts-allowed.json`,
  );
process.exitCode = count > 0 ? 1 : 0;
