/** Computes the difference between two YAML texts, line by line. */
import { structuredPatch } from 'diff';
import { isMap, isPair, isScalar, isSeq, LineCounter, parseDocument } from 'yaml';
import { sanitizeBlock } from '../../../base/sanitize.ts';

export interface DiffLine {
  /** `path`: the path of the lines below. `folded`: the number of omitted lines. */
  readonly kind: 'added' | 'removed' | 'same' | 'path' | 'folded';
  /** Without the sign; sanitised. */
  readonly text: string;
  /** The part that differs from the corresponding line, if only a part does. */
  readonly changed?: readonly [from: number, to: number];
}

/** Context lines around a change. */
const CONTEXT = 3;

/** Returns the lines that differ, with context lines and paths. */
export function diffYaml(before: string, after: string): readonly DiffLine[] {
  const { hunks } = structuredPatch('', '', before, after, undefined, undefined, { context: CONTEXT });
  const pathAt = pathFinder(after);
  return hunks.flatMap(({ lines, newStart }, index): DiffLine[] => {
    const path = pathAt(newStart);
    const isTop = path === '' && index === 0;
    return [
      ...(isTop ? [] : [{ kind: 'path', text: path === '' ? '@@' : `@@ ${path} @@` } as const]),
      ...markChanges(lines.filter((line) => !line.startsWith('\\')).map(toLine)),
    ];
  });
}

function toLine(line: string): DiffLine {
  const kind = line.startsWith('+') ? 'added' : line.startsWith('-') ? 'removed' : 'same';
  return { kind, text: sanitizeBlock(line.slice(1)) };
}

/** Returns a function that finds the path around a line: `cards[0].services`; empty at the top level. */
function pathFinder(text: string): (line: number) => string {
  const counter = new LineCounter();
  const document = parseDocument(text, { lineCounter: counter });
  const entries: { readonly line: number; readonly around: string; readonly path: string }[] = [];
  const visit = (node: unknown, path: string): void => {
    if (isSeq(node)) {
      for (const [index, item] of node.items.entries()) {
        const own = `${path}[${index}]`;
        note(item, path, own);
        visit(item, own);
      }
    } else if (isMap(node)) {
      for (const pair of node.items) {
        if (!isPair(pair) || !isScalar(pair.key)) continue;
        const own = path === '' ? String(pair.key.value) : `${path}.${pair.key.value}`;
        note(pair.key, path, own);
        visit(pair.value, own);
      }
    }
  };
  const note = (node: unknown, around: string, path: string): void => {
    const start = (node as { readonly range?: readonly number[] | null } | null)?.range?.[0];
    if (start !== undefined) entries.push({ line: counter.linePos(start).line, around, path });
  };
  visit(document.contents, '');
  return (line) => {
    const here = entries.find((place) => place.line === line);
    // No node begins inside a multi-line text: the path is that of the text.
    return sanitizeBlock(here ? here.around : (entries.findLast((place) => place.line < line)?.path ?? ''));
  };
}

/** Marks the changed part of corresponding lines, if most of the value is unchanged. */
function markChanges(lines: readonly DiffLine[]): readonly DiffLine[] {
  const result = [...lines];
  for (let start = 0; start < lines.length; ) {
    const removed = runLength(lines, start, 'removed');
    const added = runLength(lines, start + removed, 'added');
    const middle = start + removed;
    const free = new Set(Array.from({ length: added }, (_, index) => middle + index));
    for (let index = start; index < middle; index++) {
      const old = lines[index];
      const match =
        old &&
        [...free].find((at) => isReplacement(old, lines[at], removed === added && at - index === removed));
      const fresh = match === undefined ? undefined : lines[match];
      if (!old || !fresh || match === undefined) continue;
      free.delete(match);
      const marks = changedParts(old.text, fresh.text);
      if (!marks) continue;
      result[index] = { ...old, changed: marks[0] };
      result[match] = { ...fresh, changed: marks[1] };
    }
    start += Math.max(1, removed + added);
  }
  return result;
}

/** Whether a line replaces another: both have the same key, or are at the same position of a text. */
function isReplacement(old: DiffLine, fresh: DiffLine | undefined, isOpposite: boolean): boolean {
  if (!fresh) return false;
  const [one, other] = [old, fresh].map(({ text }) => KEY.exec(text)?.[0]);
  return one === other && (isOpposite || (one ?? '').trimEnd().endsWith(':'));
}

function runLength(lines: readonly DiffLine[], start: number, kind: DiffLine['kind']): number {
  let length = 0;
  while (lines[start + length]?.kind === kind) length += 1;
  return length;
}

const KEY = /^ *(?:- )*(?:[\w-]+: ?)?/;
const WORD_OR_MARK = /[\p{L}\p{N}_]+|[\s\S]/gu;
const CHARACTER = /[\s\S]/gu;
/** Longer lines always get a mark, however much of them changed. */
const LONG_LINE = 300;

type Part = readonly [from: number, to: number];

/** Returns the parts that differ: whole words, or characters in a long line. Undefined: too little of a short line is equal. */
function changedParts(old: string, fresh: string): readonly [Part, Part] | undefined {
  const isLong = Math.max(old.length, fresh.length) > LONG_LINE;
  const [one, other] = [old, fresh].map((text) => text.match(isLong ? CHARACTER : WORD_OR_MARK) ?? []);
  if (!one || !other) return undefined;
  let head = 0;
  while (head < Math.min(one.length, other.length) && one[head] === other[head]) head += 1;
  let tail = 0;
  const most = Math.min(one.length, other.length) - head;
  while (tail < most && one.at(-1 - tail) === other.at(-1 - tail)) tail += 1;
  const lengthOf = (words: readonly string[]) => words.reduce((sum, word) => sum + word.length, 0);
  const from = lengthOf(one.slice(0, head));
  const end = lengthOf(one.slice(one.length - tail));
  const key = KEY.exec(old)?.[0].length ?? 0;
  const unchanged = Math.max(0, from - key) + end;
  if (!isLong && unchanged * 2 < Math.max(old.length, fresh.length) - key) return undefined;
  return [
    [from, old.length - end],
    [from, fresh.length - end],
  ];
}
