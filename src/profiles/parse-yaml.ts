/**
 * Parses YAML as plain data in which every scalar is a string. It uses js-yaml, which every command can afford: it loads in
 * 2 ms and parses in 1 ms, where yaml, which preserves comments and positions, needs 11 ms and 3 ms.
 */
import { FAILSAFE_SCHEMA, YAMLException } from 'js-yaml';
import { UsageError } from '../base/errors.ts';
import { loadYaml } from '../base/load-yaml.ts';

/**
 * Returns the data of a YAML (or JSON) text. It supports only the failsafe types maps, lists and strings, so that a key
 * of digits is unchanged and no tag can create another type.
 *
 * @throws UsageError with file, line, column and rule, never the text, since the line may contain a key
 */
export function parseYaml(text: string, file: string): unknown {
  try {
    return loadYaml(text, FAILSAFE_SCHEMA);
  } catch (error) {
    if (!(error instanceof YAMLException)) throw error;
    // The parser quotes from the text after the rule; the rule alone is safe to show.
    const rule = (error.reason ?? 'cannot be read').replace(/(?<!\s)\s*[<"'(!*&].*$/s, '');
    const { line, column } = error.mark ?? {};
    const at = line === undefined ? { line } : { line: line + 1, column: (column ?? 0) + 1 };
    throw invalidFileError(file, [{ ...at, message: `YAML: ${rule}` }]);
  }
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
