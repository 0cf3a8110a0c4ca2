/** Parses YAML with the parser that knows positions, up to the limit of depth. Loaded on demand, since the parser loads slowly. */
import {
  Composer,
  type CST,
  type Document,
  type DocumentOptions,
  Lexer,
  type LineCounter,
  type ParseOptions,
  Parser,
  type SchemaOptions,
} from 'yaml';
import { describeExcess, MAX_LEVELS, type Place } from './depth.ts';

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
