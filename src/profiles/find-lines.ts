/**
 * Finds the lines of values in a YAML text. Lazy-loaded for errors, since the parser with positions loads slowly. It
 * imports no errors, so that it can be a separate bundle.
 */
import { isMap, isScalar, LineCounter, parseDocument } from 'yaml';

/** The keys and indexes that lead to a value. */
export type ValuePath = readonly (string | number)[];

/** Returns the lines, from 1, of the values in a YAML or JSON text. */
export function findLines(text: string, paths: readonly ValuePath[]): readonly (number | undefined)[] {
  const counter = new LineCounter();
  const document = parseDocument(text, { schema: 'failsafe', lineCounter: counter, uniqueKeys: false });
  return paths.map((path) => {
    const last = path.at(-1);
    const parent = path.length === 0 ? undefined : document.getIn(path.slice(0, -1), true);
    // The line of a pair is that of its key, since its value may begin on the next line.
    const key = isMap(parent)
      ? parent.items.find((pair) => isScalar(pair.key) && pair.key.value === last)?.key
      : document.getIn(path, true);
    const start = isScalar(key) || isMap(key) ? key.range?.[0] : undefined;
    return start === undefined ? undefined : counter.linePos(start).line;
  });
}
