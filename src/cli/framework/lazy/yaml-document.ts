/** Parses a body from YAML or JSON and finds the line of each value. Loaded only for `-f`. */
import { type Document, isMap, isScalar, LineCounter } from 'yaml';
import { describeExcess, findDeepPath, type Place } from '../../../base/depth.ts';
import {
  DepthError,
  explainError,
  findPosition,
  parseYamlDocuments,
  toPlace,
} from '../../../base/yaml-documents.ts';
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
    ...toPlace(counter, error.pos[0]),
    message: explainError(error) ?? `YAML: ${error.message}`,
  }));
  if (second)
    problems.push({
      ...toPlace(counter, second.range[0]),
      message: 'starts a second document (---); only one is allowed',
    });
  if (problems.length > 0) return firstOfEachLine(problems);
  const root = document?.contents ?? null;
  if (isMap(root)) return [];
  const empty = root === null ? 'is empty: it ' : '';
  return [{ line: 1, message: `${empty}must contain fields with values (name: value)` }];
}
