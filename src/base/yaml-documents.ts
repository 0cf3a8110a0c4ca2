/** Parses YAML up to the limit of depth, explains its errors and finds its values. Bundles load the parser on first use. */
import {
  Composer,
  type CST,
  type Document,
  type DocumentOptions,
  isMap,
  isScalar,
  Lexer,
  type LineCounter,
  type Node,
  type Pair,
  type ParseOptions,
  Parser,
  type SchemaOptions,
  type YAMLError,
} from 'yaml';
import { describeExcess, MAX_LEVELS, type Place } from './depth.ts';

/** The keys and indexes that lead to a value. */
export type ValuePath = readonly (string | number)[];

/** A text whose lists and maps are nested deeper than `MAX_LEVELS`. */
export class DepthError extends Error {
  readonly place: Place | undefined;

  constructor(place: Place | undefined) {
    super(describeExcess());
    this.place = place;
  }
}

export type YamlOptions = ParseOptions &
  DocumentOptions &
  SchemaOptions & { readonly lineCounter: LineCounter };

/**
 * Returns the documents of a text like the library's `parseAllDocuments`. They print no warnings, for example about a list as a key.
 * Throws DepthError before the library descends.
 */
export function parseYamlDocuments(text: string, options: YamlOptions): readonly Document.Parsed[] {
  return [...new Composer({ logLevel: 'error', ...options }).compose(tokensOf(text, options.lineCounter))];
}

const isCollection = ({ type }: CST.Token): boolean =>
  ['block-map', 'block-seq', 'flow-collection'].includes(type);

/** Yields the tokens of a text. The library keeps the open lists and maps of a document in a list, and descends only later. */
function* tokensOf(text: string, lines: LineCounter): Generator<CST.Token, void> {
  lines.addNewLine(0);
  const parser = new Parser(lines.addNewLine);
  for (const lexeme of new Lexer().lex(text)) {
    const { offset } = parser;
    yield* parser.next(lexeme);
    if (parser.stack.length <= MAX_LEVELS || parser.stack.filter(isCollection).length <= MAX_LEVELS) continue;
    const { line, col } = lines.linePos(offset);
    throw new DepthError({ line, column: col });
  }
  yield* parser.end();
}

const MESSAGES: Readonly<Record<string, string>> = { DUPLICATE_KEY: 'duplicate key' };

/** The usual mistake behind a message of the parser. */
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

/** Returns what usually causes an error. The text is safe to show for a file with keys. Undefined: not known. */
export function explainError({ code, message }: YAMLError): string | undefined {
  const cause = CAUSES.find(([pattern]) => pattern.test(message));
  if (!cause) return MESSAGES[code];
  const [pattern, text] = cause;
  return `YAML: ${text.replace('$1', pattern.exec(message)?.[1] ?? '')}`;
}

/** Returns the place of a path, or of its deepest part in the document. Values behind an alias have the place of the alias. */
export function findPosition(
  document: Document.Parsed,
  counter: LineCounter,
  path: ValuePath,
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
  return toPlace(counter, start);
}

export function toPlace(counter: LineCounter, offset: number): Place {
  const { line, col } = counter.linePos(offset);
  return { line, column: col };
}
