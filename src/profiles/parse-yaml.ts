/** Parses YAML as plain data in which every scalar is a string. */
import { type Alias, type Document, LineCounter, visit, type YAMLError } from 'yaml';
import { describeExcess, findDeepPath, type Place } from '../base/depth.ts';
import { UsageError } from '../base/errors.ts';
import {
  DepthError,
  explainError,
  findPosition,
  parseYamlDocuments,
  toPlace,
} from '../base/yaml-documents.ts';

export const FAILSAFE = {
  schema: 'failsafe',
  resolveKnownTags: false,
  stringKeys: true,
  prettyErrors: false,
} as const;

/**
 * Returns the data of a YAML (or JSON) text; undefined if it has none. It supports only the failsafe types maps, lists and
 * strings, so that a key of digits is unchanged and no tag can create another type. An empty value is an empty string.
 *
 * @throws UsageError with file, line, column and rule, never the text, since the line may contain a key
 */
export function parseYaml(text: string, file: string): unknown {
  const lineCounter = new LineCounter();
  const refuse = (message: string, place: Place | undefined): never => {
    throw invalidFileError(file, [{ line: place?.line, ...(place && { column: place.column }), message }]);
  };
  const [document, second] = parseDocuments(text, lineCounter, refuse);
  if (document === undefined) return undefined;
  // An unknown tag is only a warning of the parser.
  const [error] = [...document.errors, ...document.warnings];
  if (error) refuse(describeError(error), toPlace(lineCounter, error.pos[0]));
  if (second) refuse('YAML: a second document (---)', toPlace(lineCounter, second.range[0]));
  const alias = findUnresolvedAlias(document);
  if (alias) refuse('YAML: unresolved alias', toPlace(lineCounter, alias.range?.[0] ?? 0));
  const value: unknown = document.toJS({ maxAliasCount: -1 });
  const deep = findDeepPath(value);
  return deep ? refuse(describeExcess(), findPosition(document, lineCounter, deep)) : value;
}

/** Describes an error without the message of the parser, which may quote a key. */
const describeError = (error: YAMLError): string =>
  explainError(error) ??
  (error.code === 'TAG_RESOLVE_FAILED'
    ? 'YAML: unknown tag'
    : `YAML: ${error.code.toLowerCase().replaceAll('_', ' ')}`);

function parseDocuments(
  text: string,
  lineCounter: LineCounter,
  refuse: (message: string, place: Place | undefined) => never,
): readonly Document.Parsed[] {
  try {
    return parseYamlDocuments(text, { ...FAILSAFE, lineCounter });
  } catch (error) {
    if (error instanceof DepthError) return refuse(error.message, error.place);
    throw error;
  }
}

/** Returns the first alias whose anchor is not above it. */
function findUnresolvedAlias(document: Document): Alias | undefined {
  const anchors = new Set<string>();
  let found: Alias | undefined;
  visit(document, {
    Alias: (_, alias) => {
      if (anchors.has(alias.source)) return undefined;
      found = alias;
      return visit.BREAK;
    },
    Value: (_, { anchor }) => {
      if (anchor !== undefined) anchors.add(anchor);
    },
  });
  return found;
}

export interface FileProblem {
  readonly line: number | undefined;
  readonly column?: number;
  readonly message: string;
  readonly nearest?: string | undefined;
}

/** Returns the error for an invalid file. */
export function invalidFileError(file: string, problems: readonly FileProblem[], hint?: string): UsageError {
  const details = problems.map(({ line, column, message, nearest }) => ({
    place: [file, line, column].filter((part) => part !== undefined).join(':'),
    message,
    ...(nearest === undefined ? {} : { nearest }),
  }));
  const [first] = details;
  const message =
    first === undefined || details.length > 1 ? `${file} is not valid` : `${first.place}: ${first.message}`;
  return new UsageError(message, {
    details,
    hint: hint ?? 'nothing was changed; correct the file and try again',
  });
}
