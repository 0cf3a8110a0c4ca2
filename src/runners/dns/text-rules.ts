/**
 * Compares the texts of a DNS answer with the targets of assertions. Names and addresses compare in any spelling; texts
 * of records compare in the spellings in which people copy them.
 */
import type { TextRules } from '../core/assertion.ts';
import { canonicalizeAddresses } from './addresses.ts';
import type { AnswerRecord } from './message.ts';
import { unescapeZoneText } from './text.ts';

/** A record and the start of its line: owner, TTL, class and type. */
export interface RecordLine {
  readonly start: string;
  readonly record: AnswerRecord;
}

export interface AnswerTextRules extends TextRules {
  /** Writes names and addresses in a JSONPath as the answer does. */
  readonly foldPath: (path: string) => string;
}

/** Returns the rules for an answer: for `text`, which is all its lines, for its JSON values and for parts of both. */
export function createTextRules(lines: readonly RecordLine[], text: string): AnswerTextRules {
  const records = lines.map(({ record }) => record);
  const names = new Set(records.flatMap((record) => [record.name, ...record.names]));
  const ignoreCase = !records.some((record) => record.isCaseSensitive);
  const lowerNames = createNameFold(names);
  /** Normalizes spellings that differ neither in the protocol nor for readers. */
  const fold = (one: string, anyCase = ignoreCase) => {
    const spaced = canonicalizeAddresses(one).replaceAll(/\t+/g, ' ');
    return anyCase ? spaced.toLowerCase() : lowerNames(spaced);
  };
  const spellings = new Map<string, readonly string[]>(
    records.map((record) => [record.plain ?? record.spellings[0], record.spellings]),
  );
  const ways = Math.max(1, ...records.map((record) => record.spellings.length));
  spellings.set(
    text,
    Array.from({ length: ways }, (_, way) =>
      lines.map(({ start, record }) => `${start}${spell(record, way)}`).join('\n'),
    ),
  );
  const spellingsOf = (value: string) => spellings.get(value) ?? [value];
  const dataInAnyCase = new Set(
    records.filter((record) => !record.isCaseSensitive).map(({ spellings: [data] }) => data),
  );
  const isName = (value: string) => names.has(value) || dataInAnyCase.has(value);
  return {
    ignoreCase,
    foldPath: (path) => canonicalizeAddresses(lowerNames(path)),
    renderings: spellingsOf,
    equals(value, target) {
      if (value === text) return equalsLines(lines, target, fold);
      const anyCase = ignoreCase || isName(value);
      const accepted = new Set(
        spellingsOf(value)
          .flatMap((one) => withoutFinalDot(one, names))
          .map((one) => fold(one, anyCase)),
      );
      return spellTarget(target).some((one) => accepted.has(fold(one, anyCase)));
    },
    contains(value, target) {
      const anyCase = ignoreCase || isName(value);
      const targets = spellTarget(target).map((one) => fold(one, anyCase));
      return spellingsOf(value).some((one) => {
        const folded = fold(one, anyCase);
        return targets.some((each) => folded.includes(each));
      });
    },
  };
}

/** Returns the text and, if it has escapes of zone files, the text without them. */
const spellTarget = (target: string): readonly string[] => [...new Set([target, unescapeZoneText(target)])];

const spell = ({ spellings }: AnswerRecord, way: number): string =>
  spellings[Math.min(way, spellings.length - 1)] ?? '';

/** Returns a function that writes these names in lower case wherever they occur as whole words. */
const createNameFold =
  (names: ReadonlySet<string>) =>
  (text: string): string =>
    text.replaceAll(/[-\w.*\\]+/g, (word) => {
      const lower = word.toLowerCase();
      return names.has(lower) || names.has(`${lower}.`) ? lower : word;
    });

/** Returns a text and, if it ends with a name, also the text without the final dot. */
function withoutFinalDot(text: string, names: ReadonlySet<string>): readonly string[] {
  const last = text.slice(text.lastIndexOf(' ') + 1);
  return last !== '.' && names.has(last) ? [text, text.slice(0, -1)] : [text];
}

/**
 * Returns whether the lines of the target match each record exactly once. A line may be the whole line of its record or
 * only its data, in any spelling; empty lines and surrounding white space are ignored.
 */
function equalsLines(
  lines: readonly RecordLine[],
  target: string,
  fold: (text: string, anyCase?: boolean) => string,
): boolean {
  const expected = target
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '');
  if (expected.length !== lines.length) return false;
  const unmatched = new Set(
    lines.map(({ start, record }) => {
      const names = new Set(record.names);
      const data = record.spellings.flatMap((one) => withoutFinalDot(one, names));
      const normalize = (one: string) => fold(one, !record.isCaseSensitive);
      return { normalize, forms: new Set([...data, ...data.map((one) => `${start}${one}`)].map(normalize)) };
    }),
  );
  // The longest lines are the most specific, so they are matched first.
  for (const line of expected.sort((left, right) => right.length - left.length)) {
    const match = [...unmatched].find(({ normalize, forms }) =>
      spellTarget(line).some((one) => forms.has(normalize(one))),
    );
    if (match === undefined) return false;
    unmatched.delete(match);
  }
  return true;
}
