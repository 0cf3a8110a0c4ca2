/** What a change does, line by line, and a value as the YAML that is kept. Loaded only by commands that replace something. */
import { structuredPatch } from 'diff';

export { toYaml } from '../../../src/terminal/lazy/yaml.ts';

export interface DifferenceLine {
  readonly kind: 'added' | 'removed' | 'same' | 'gap';
  readonly text: string;
}

/** The lines that differ between two texts, with three lines around them; `gap` stands for those left out between. */
export function differenceOf(before: string, after: string): readonly DifferenceLine[] {
  const { hunks } = structuredPatch('', '', before, after, undefined, undefined, { context: 3 });
  return hunks.flatMap(({ lines }, index): DifferenceLine[] => [
    ...(index > 0 ? [{ kind: 'gap', text: '…' } as const] : []),
    ...lines.flatMap((line): DifferenceLine[] => {
      const kind = line.startsWith('+') ? 'added' : line.startsWith('-') ? 'removed' : 'same';
      return line.startsWith('\\') ? [] : [{ kind, text: line }];
    }),
  ]);
}
