/** Captures parts of values with the `regex` of an assertion. */

import type { JsonValue, Selection } from '../core/assertion.ts';
import { compileSearch, type Search } from './pattern.ts';
import { TooSlowError } from './watchdog.ts';

/** Maximum length of a searched value: a whole DNS message as text fits. */
const MAX_INPUT_LENGTH = 262_144;
const MAX_PATTERN_LENGTH = 1000;
const MAX_MATCHES = 10_000;

/**
 * Returns the captures of each value: the first group if it took part in the match, else the whole match. All matches
 * count, so that no record of an answer is ignored. `^` and `$` match at line ends.
 */
export function captureMatches(subject: Selection, pattern: string): Selection {
  if (pattern.length > MAX_PATTERN_LENGTH) {
    return { values: [], unusable: `the regular expression is longer than ${MAX_PATTERN_LENGTH} characters` };
  }
  let search: Search;
  try {
    search = compileSearch(pattern, subject.texts?.ignoreCase);
  } catch (error) {
    return { values: [], unusable: error instanceof Error ? error.message : String(error) };
  }
  const { largeIntegers, ...rest } = subject;
  /** The spellings of each value. */
  const texts = subject.values.map((value, at): readonly string[] => {
    const text = largeIntegers?.get(at) ?? toText(value);
    return subject.texts?.renderings?.(text) ?? [text];
  });
  if (texts.flat().some((text) => text.length > MAX_INPUT_LENGTH)) {
    return {
      values: [],
      unusable: `the value is longer than ${MAX_INPUT_LENGTH} characters, the limit for regular expressions`,
    };
  }
  try {
    const captures = texts.map((spellings) => findFirstCaptures(search, spellings));
    return {
      ...rest,
      values: captures.flat(),
      groups: captures.flatMap((found, at) => found.map(() => at)),
      absence: subject.absence ?? `the regular expression /${pattern}/ matches nothing`,
    };
  } catch (error) {
    if (error instanceof TooSlowError) {
      return { values: [], unusable: `the regular expression /${pattern}/ ${error.message}` };
    }
    throw error;
  }
}

/** Prefers a spelling without replacement characters in its captures, because they replace bytes that another spelling has. */
function findFirstCaptures(search: Search, spellings: readonly string[]): readonly string[] {
  const captures = spellings.map((text) => findCaptures(search, text)).filter(({ length }) => length > 0);
  return captures.find((found) => !found.join('').includes('\uFFFD')) ?? captures[0] ?? [];
}

function findCaptures(search: Search, text: string): string[] {
  const found: string[] = [];
  for (const match of search(text)) {
    found.push(match[1] ?? match[0] ?? '');
    if (found.length >= MAX_MATCHES) throw new TooSlowError(`matches more than ${MAX_MATCHES} times`);
  }
  return found;
}

function toText(value: JsonValue): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
