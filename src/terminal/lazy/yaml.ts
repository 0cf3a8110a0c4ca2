/** Writes YAML. Lazy-loaded for `-o yaml`. */
import { Document, isMap, isScalar, isSeq, type ToStringOptions, visit } from 'yaml';
import { type Replacer, serializeExact } from '../../base/exact-numbers.ts';
import { escapeCharacter } from '../json.ts';
import { COMMAND_ANYWHERE, neutralizeCommands } from '../runner-commands.ts';

/**
 * Characters that the library does not escape: control (except tab and line feed), bidi, line separators, lone
 * surrogates.
 */
const UNSAFE =
  /(?![\t\n])\p{Cc}|[\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff]|\p{Surrogate}/u;
const EVERY_UNSAFE = new RegExp(UNSAFE.source, 'gu');

/**
 * Formats a value as YAML 1.2 that older parsers read alike. Numbers are exact; control characters and commands of CI
 * runners are escaped in double quotes.
 */
export const toYaml = (value: unknown): string =>
  serializeExact('', (replacer) => write(createDocument(value ?? null, replacer)));

/**
 * Formats a file of named lists that people edit: an empty line separates the entries of a list, and a short item of a list in an
 * entry is on one line.
 */
export const toFileYaml = (value: object): string =>
  serializeExact('', (replacer) => {
    const document = createDocument(value, replacer);
    arrange(document);
    return write(document, { flowCollectionPadding: false });
  });

const createDocument = (value: unknown, replacer: Replacer | undefined): Document =>
  new Document(value, replacer ?? null, { compat: 'yaml-1.1', aliasDuplicateObjects: false });

/** Longest text of an item on one line. */
const MAX_ITEM_LENGTH = 90;

function arrange(document: Document): void {
  if (!isMap(document.contents)) return;
  document.contents.items.forEach(({ key, value }, index) => {
    if (index > 0 && isScalar(key)) key.spaceBefore = true;
    if (!isSeq(value)) return;
    value.items.forEach((entry, position) => {
      if (position > 0 && isMap(entry)) entry.spaceBefore = true;
      if (isMap(entry)) for (const field of entry.items) foldLists(field.value);
    });
  });
}

/** Puts lists of short scalars, and short items of lists, on one line. */
function foldLists(node: unknown): void {
  if (isMap(node)) for (const { value } of node.items) foldLists(value);
  if (!isSeq(node)) return;
  if (node.items.every(isScalar)) node.flow = fits(node.toJSON());
  for (const item of node.items) {
    foldLists(item);
    if (isMap(item)) item.flow = item.items.every(({ value }) => isScalar(value)) && fits(item.toJSON());
  }
}

function fits(value: unknown): boolean {
  const text = JSON.stringify(value);
  return text.length <= MAX_ITEM_LENGTH && !text.includes('\\n');
}

function write(document: Document, layout: ToStringOptions = {}): string {
  visit(document, {
    Scalar(_key, node) {
      const { value } = node;
      if (typeof value === 'string' && (UNSAFE.test(value) || neutralizeCommands(value) !== value))
        node.type = 'QUOTE_DOUBLE';
    },
  });
  return document
    .toString({ lineWidth: 0, doubleQuotedMinMultiLineLength: Number.POSITIVE_INFINITY, ...layout })
    .replace(COMMAND_ANYWHERE, escapeCharacter)
    .replace(EVERY_UNSAFE, escapeCharacter);
}
