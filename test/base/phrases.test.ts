/** The standard phrases: each problem names its place once, and what was probably meant in brackets. */
import { describe, expect, it } from 'vitest';
import {
  formatProblem,
  formatSuggestion,
  NEEDS_VALUE,
  REQUIRED_ARGUMENT,
  REQUIRED_FLAG,
  UNEXPECTED_ARGUMENT,
  UNKNOWN_FLAG,
} from '../../src/base/phrases.ts';

describe('a problem in words', () => {
  it.each([
    ['--naem', UNKNOWN_FLAG, 'unknown flag: --naem'],
    ['--name', NEEDS_VALUE, 'flag needs a value: --name'],
    ['--name', REQUIRED_FLAG, 'required flag: --name'],
    ['<id>', REQUIRED_ARGUMENT, 'required argument: <id>'],
    ['"shop.yaml"', UNEXPECTED_ARGUMENT, 'unexpected argument: "shop.yaml"'],
    ['--limit', 'must be at least 1', '--limit must be at least 1'],
    ['', 'the body is too large', 'the body is too large'],
  ])('%s %s', (place, message, phrase) => {
    expect(formatProblem({ place, message })).toBe(phrase);
  });

  it('names what was probably meant', () => {
    expect(formatSuggestion('--name')).toBe(' (did you mean --name?)');
    expect(formatSuggestion('a', 'b')).toBe(' (did you mean a or b?)');
    expect(formatSuggestion()).toBe('');
  });
});
