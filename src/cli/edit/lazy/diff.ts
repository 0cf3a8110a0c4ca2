/** What a change does to a YAML text, line by line. */
import { structuredPatch } from 'diff';
import { isMap, isPair, isScalar, isSeq, LineCounter, parseDocument } from 'yaml';
import { sanitizeBlock } from '../../../terminal/sanitize.ts';

export interface DiffLine {
  /** `place` tells where the lines below it stand, `folded` how many are left out. */
  readonly kind: 'added' | 'removed' | 'same' | 'place' | 'folded';
  /** Without its sign; sanitised. */
  readonly text: string;
  /** From where to where it differs from the line that it stands for, where only a part does. */
  readonly changed?: readonly [from: number, to: number];
}

/** Lines around a change that are shown with it. */
const CONTEXT = 3;

/** The lines that differ between two YAML texts, with those around them and the place where they stand. */
export function diffYaml(before: string, after: string): readonly DiffLine[] {
  const { hunks } = structuredPatch('', '', before, after, undefined, undefined, { context: CONTEXT });
  const pathAt = pathFinder(after);
  return hunks.flatMap(({ lines, newStart }, index): DiffLine[] => {
    const path = pathAt(newStart);
    const isTop = path === '' && index === 0;
    return [
      ...(isTop ? [] : [{ kind: 'place', text: path === '' ? '@@' : `@@ ${path} @@` } as const]),
      ...markChanges(lines.filter((line) => !line.startsWith('\\')).map(toLine)),
    ];
  });
}

function toLine(line: string): DiffLine {
  const kind = line.startsWith('+') ? 'added' : line.startsWith('-') ? 'removed' : 'same';
  return { kind, text: sanitizeBlock(line.slice(1)) };
}

/** What encloses a line of a YAML text, as a path: `cards[0].services`; empty at the top. */
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
    // Inside a text of several lines nothing begins: what encloses it is what the text is of.
    return sanitizeBlock(here ? here.around : (entries.findLast((place) => place.line < line)?.path ?? ''));
  };
}

/** Marks in lines that stand for one another what differs, where most of the value stays. */
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

/** Whether a line took the place of another: it is of the same field, or a line of a text at the same place. */
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
/** From how many characters on the eye needs to be led, however little stays. */
const LONG_LINE = 300;

type Part = readonly [from: number, to: number];

/**
 * Where two lines differ, in whole words, in a long line to the character; undefined where too little of a short one stays
 * for that to tell anything.
 */
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
  const stays = Math.max(0, from - key) + end;
  if (!isLong && stays * 2 < Math.max(old.length, fresh.length) - key) return undefined;
  return [
    [from, old.length - end],
    [from, fresh.length - end],
  ];
}
