/**
 * Finding the line that something stands on in a YAML text. Loaded late, by `import()`, and only where something is wrong:
 * the parser that knows positions is slow to load. Imports no errors, so that it can be a bundle of its own.
 */
import { isMap, isScalar, LineCounter, parseDocument } from 'yaml';

/** Where a value stands: the keys and indices that lead to it. */
export type ValuePath = readonly (string | number)[];

/** The lines, from 1, of the places in a YAML or JSON text. */
export function findLines(text: string, paths: readonly ValuePath[]): readonly (number | undefined)[] {
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
