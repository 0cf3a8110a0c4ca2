/** Reading YAML as plain data in which every scalar is a string, and finding the line that something stands on. */
import { FAILSAFE_SCHEMA, load, YAMLException } from 'js-yaml';
import { UsageError } from '../base/errors.ts';

/** Where a value stands: the keys and indices that lead to it. */
export type Path = readonly (string | number)[];

/**
 * The data in a YAML (or JSON) text. Only the failsafe types exist: maps, lists and strings, so that a key of digits
 * stays what was typed and no tag can make anything else.
 *
 * @throws UsageError naming file, line and rule, never the text: a key may stand on that line
 */
export function parseYaml(text: string, file: string): unknown {
  try {
    return load(text, { schema: FAILSAFE_SCHEMA });
  } catch (error) {
    if (!(error instanceof YAMLException)) throw error;
    // The parser quotes from the text after the rule; the rule alone is safe to show.
    const rule = (error.reason ?? 'cannot be read').replace(/\s*[<"'(!*&].*$/s, '');
    const line = error.mark?.line;
    throw damaged(file, [{ line: line === undefined ? undefined : line + 1, message: `YAML: ${rule}` }]);
  }
}

export interface Damage {
  readonly line: number | undefined;
  readonly message: string;
  readonly nearest?: string | undefined;
}

/** The error for a file that cannot be used as it stands. */
export function damaged(file: string, damages: readonly Damage[], hint?: string): UsageError {
  const details = damages.map(({ line, message, nearest }) => ({
    place: line === undefined ? file : `${file}:${line}`,
    message,
    ...(nearest === undefined ? {} : { nearest }),
  }));
  const [first] = details;
  const message =
    first === undefined || details.length > 1
      ? `${file} cannot be used as it stands`
      : `${first.place}: ${first.message}`;
  return new UsageError(message, {
    details,
    hint: hint ?? 'nothing was changed; correct the file and try again',
  });
}

/** The lines, from 1, of the places in a YAML or JSON text. Loads the parser that knows positions, so only for errors. */
export async function linesOf(
  text: string,
  paths: readonly Path[],
): Promise<readonly (number | undefined)[]> {
  const { isMap, isScalar, LineCounter, parseDocument } = await import('yaml');
  const counter = new LineCounter();
  const document = parseDocument(text, { schema: 'failsafe', lineCounter: counter, uniqueKeys: false });
  return paths.map((path) => {
    const last = path.at(-1);
    const parent = path.length === 0 ? undefined : document.getIn(path.slice(0, -1), true);
    // A pair is where its key is: its value may begin on the next line.
    const key = isMap(parent)
      ? parent.items.find((pair) => isScalar(pair.key) && pair.key.value === last)?.key
      : document.getIn(path, true);
    const start = isScalar(key) || isMap(key) ? key.range?.[0] : undefined;
    return start === undefined ? undefined : counter.linePos(start).line;
  });
}
