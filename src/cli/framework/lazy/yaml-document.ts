/** Reads a body from YAML or JSON text and knows the line of everything in it. Loaded only for `-f`. */
import { isMap, isScalar, LineCounter, type Node, type Pair, parseDocument } from 'yaml';
import type { Path } from '../body-paths.ts';

export interface DocumentProblem {
  /** From 1. */
  readonly line: number | undefined;
  readonly message: string;
}

export interface ReadDocument {
  readonly value: Record<string, unknown>;
  readonly problems: readonly DocumentProblem[];
  /** The line of a path, or of the deepest part of it that is there. */
  lineOf(path: Path): number | undefined;
  /** The same with the column, from 1. */
  placeOf(path: Path): Place | undefined;
}

export interface Place {
  readonly line: number;
  readonly column: number;
}

/** Where the library's words speak to programmers. */
const WORDS: Readonly<Record<string, string>> = {
  DUPLICATE_KEY: 'duplicate key',
  MULTIPLE_DOCS: 'starts a second document (---); only one is allowed',
};

/** What the parser says of the rest of a line that it has lost its way in helps nobody. */
const firstOfEachLine = (problems: readonly DocumentProblem[]): DocumentProblem[] =>
  problems.filter(({ line }, index) => problems.findIndex((one) => one.line === line) === index);

/** Reads one document. Duplicate keys, syntax errors and anything but a map are problems. */
export function readDocument(text: string): ReadDocument {
  const counter = new LineCounter();
  const document = parseDocument(text.replace(/^\ufeff/, ''), {
    lineCounter: counter,
    prettyErrors: false,
    uniqueKeys: true,
    version: '1.2',
  });
  const problems: DocumentProblem[] = firstOfEachLine(
    document.errors.map(({ pos, message, code }) => ({
      line: counter.linePos(pos[0]).line,
      message: WORDS[code] ?? `YAML: ${message}`,
    })),
  );
  const nothing = { value: {}, lineOf: () => undefined, placeOf: () => undefined };
  if (problems.length > 0) return { ...nothing, problems };
  const root = document.contents;
  if (!isMap(root)) {
    const empty = root === null ? 'is empty: it ' : '';
    return {
      ...nothing,
      problems: [{ line: 1, message: `${empty}must contain fields with values (name: value)` }],
    };
  }
  let value: unknown;
  try {
    value = document.toJS({ maxAliasCount: 100 });
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return { ...nothing, problems: [{ line: undefined, message: `YAML: ${message}` }] };
  }
  const placeOf = (path: Path): Place | undefined => {
    let place = placeOfNode(root, counter);
    for (let length = 1; length <= path.length; length++) {
      const parent: unknown = length === 1 ? root : document.getIn(path.slice(0, length - 1), true);
      const here = nodeAt(parent, path[length - 1], () => document.getIn(path.slice(0, length), true));
      const at = placeOfNode(here, counter);
      if (at === undefined) break;
      place = at;
    }
    return place;
  };
  return {
    value: value as Record<string, unknown>,
    problems,
    placeOf,
    lineOf: (path) => placeOf(path)?.line,
  };
}

/** A pair is where its key is: its value may begin on the next line. */
function nodeAt(parent: unknown, step: string | number | undefined, item: () => unknown): unknown {
  if (!isMap(parent)) return item();
  const pair = (parent.items as Pair[]).find(
    ({ key }) => isScalar(key) && String(key.value) === String(step),
  );
  return pair?.key;
}

function placeOfNode(node: unknown, counter: LineCounter): Place | undefined {
  const start = (node as Node | undefined)?.range?.[0];
  if (start === undefined) return undefined;
  const { line, col } = counter.linePos(start);
  return { line, column: col };
}
