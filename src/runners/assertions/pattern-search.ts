/** Searches a text for a user-written regular expression. Runs in the evaluator process, because it may take long. */
import type { Evaluation } from '../core/runner.ts';
import { compileSearch, type Search } from './pattern.ts';

export interface PatternSearch {
  readonly pattern: string;
  readonly text: string;
}

function compile(pattern: string): Search | undefined {
  try {
    return compileSearch(pattern);
  } catch {
    return undefined;
  }
}

/** Returns whether the text contains a match; null: the pattern is invalid. */
export const patternSearch: Evaluation<PatternSearch, boolean | null> = {
  name: 'patternSearch',
  run({ pattern, text }) {
    const search = compile(pattern);
    if (search === undefined) return null;
    for (const _ of search(text)) return true;
    return false;
  },
};
