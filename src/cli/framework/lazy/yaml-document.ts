/** Parses a body from YAML or JSON and finds the line of each value. Loaded only for `-f`. */
import { type Document, isMap, isScalar, LineCounter, type Node, type Pair, type YAMLParseError } from 'yaml';
import { describeExcess, findDeepPath, type Place } from '../../../base/depth.ts';
import { DepthError, parseYamlDocuments } from '../../../base/yaml-documents.ts';
import type { FieldPath } from '../request-fields.ts';

export interface DocumentProblem {
  /** From 1. */
  readonly line?: number | undefined;
  readonly column?: number;
  readonly message: string;
}

export interface YamlDocument {
  readonly value: Record<string, unknown>;
  readonly problems: readonly DocumentProblem[];
  /** Returns the line of a path, or of its deepest part in the document. */
  lineOf(path: FieldPath): number | undefined;
  /** Returns the same with the column, from 1. */
  positionOf(path: FieldPath): Place | undefined;
  /** Returns the text of a value as it is written, without quotes: `012`. Undefined for a list, a map, or a path without a value. */
  textOf(path: FieldPath): string | undefined;
}

/** Formats the location of a position: `monitoring/checks.yaml:12:5`. */
export const formatPosition = (
  shown: string,
  at: { readonly [key in keyof Place]?: number | undefined } | undefined,
) => [shown, at?.line, at?.column].filter((part) => part !== undefined).join(':');

const MESSAGES: Readonly<Record<string, string>> = { DUPLICATE_KEY: 'duplicate key' };

/** Messages of the parser that say what it expected, with what usually is wrong. */
const CAUSES: readonly (readonly [message: RegExp, cause: string])[] = [
  [/^Tabs are not/, 'a tab cannot indent; use spaces'],
  [/^Sequence item without/, 'wrong indentation, or the "- " of a list item is missing'],
  [/followed by map values/, 'the ":" after a field is missing, or the line is not indented'],
  [/^Nested mappings|implicit map key/, 'wrong indentation, or a value that contains ": " and needs quotes'],
  [/^Implicit keys need/, 'wrong indentation, or the ": " after a field is missing'],
  [/must start at the same column/, 'wrong indentation; align the line with those above'],
  [/sufficiently indented and end with a (.)/, 'the closing $1 is missing, or is not indented'],
  [/^Missing closing (.)/, 'the closing $1 is missing'],
  [/cannot start with .* (.)$/, 'a value that begins with $1 needs quotes'],
  [/keys must be strings/, 'a field must be a text; put a value that begins with {{ in quotes'],
];

function formatError({ code, message }: YAMLParseError): string {
  const cause = CAUSES.find(([pattern]) => pattern.test(message));
  if (!cause) return MESSAGES[code] ?? `YAML: ${message}`;
  const [pattern, text] = cause;
  return `YAML: ${text.replace('$1', pattern.exec(message)?.[1] ?? '')}`;
}

/** Drops all problems of a line but the first, because they are consequences of it. */
const firstOfEachLine = (problems: readonly DocumentProblem[]): DocumentProblem[] =>
  problems.filter(({ line }, index) => problems.findIndex((one) => one.line === line) === index);

const OPTIONS = {
  prettyErrors: false,
  uniqueKeys: true,
  stringKeys: true,
  merge: true,
  version: '1.2',
} as const;

const nothing = () => undefined;
const NO_CONTENT = { value: {}, lineOf: nothing, positionOf: nothing, textOf: nothing };

/** Parses one document. Duplicate keys, syntax errors and anything but a map are problems. */
export function parseYamlDocument(text: string): YamlDocument {
  const counter = new LineCounter();
  let documents: readonly Document.Parsed[];
  try {
    documents = parseYamlDocuments(text.replace(/^\ufeff/, ''), { ...OPTIONS, lineCounter: counter });
  } catch (error) {
    if (!(error instanceof DepthError)) throw error;
    return { ...NO_CONTENT, problems: [{ ...error.place, message: error.message }] };
  }
  const problems = findProblems(documents, counter);
  const [document] = documents;
  if (document === undefined || problems.length > 0) return { ...NO_CONTENT, problems };
  const positionOf = (path: FieldPath) => findPosition(document, counter, path);
  try {
    const value = document.toJS({ maxAliasCount: 100 }) as Record<string, unknown>;
    const deep = findDeepPath(value);
    if (deep) return { ...NO_CONTENT, problems: [{ ...positionOf(deep), message: describeExcess() }] };
    const textOf = (path: FieldPath): string | undefined => {
      const node = document.getIn(path, true);
      return isScalar(node) ? node.source : undefined;
    };
    return { value, problems, positionOf, lineOf: (path) => positionOf(path)?.line, textOf };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return { ...NO_CONTENT, problems: [{ line: undefined, message: `YAML: ${message}` }] };
  }
}

function findProblems(
  [document, second]: readonly Document.Parsed[],
  counter: LineCounter,
): readonly DocumentProblem[] {
  const problems = (document?.errors ?? []).map((error) => ({
    ...toPosition(counter, error.pos[0]),
    message: formatError(error),
  }));
  if (second)
    problems.push({
      ...toPosition(counter, second.range[0]),
      message: 'starts a second document (---); only one is allowed',
    });
  if (problems.length > 0) return firstOfEachLine(problems);
  const root = document?.contents ?? null;
  if (isMap(root)) return [];
  const empty = root === null ? 'is empty: it ' : '';
  return [{ line: 1, message: `${empty}must contain fields with values (name: value)` }];
}

/** Returns the place of a path, or of its deepest part in the document. Values behind an alias have the place of the alias. */
export function findPosition(
  document: Document.Parsed,
  counter: LineCounter,
  path: FieldPath,
): Place | undefined {
  const root = document.contents;
  let position = nodePosition(root, counter);
  for (let length = 1; length <= path.length; length++) {
    const parent: unknown = length === 1 ? root : document.getIn(path.slice(0, length - 1), true);
    const here = nodeAt(parent, path[length - 1], () => document.getIn(path.slice(0, length), true));
    const at = nodePosition(here, counter);
    if (at === undefined) break;
    position = at;
  }
  return position;
}

/** Returns the node of a path's last step; for a pair its key, because the value may begin on the next line. */
function nodeAt(parent: unknown, step: string | number | undefined, item: () => unknown): unknown {
  if (!isMap(parent)) return item();
  const pair = (parent.items as Pair[]).find(
    ({ key }) => isScalar(key) && String(key.value) === String(step),
  );
  return pair?.key;
}

function nodePosition(node: unknown, counter: LineCounter): Place | undefined {
  const start = (node as Node | undefined)?.range?.[0];
  if (start === undefined) return undefined;
  return toPosition(counter, start);
}

function toPosition(counter: LineCounter, offset: number): Place {
  const { line, col } = counter.linePos(offset);
  return { line, column: col };
}
