/** Keeps what a screen looks like in a file, so that a change of it shows in review. `vitest -u` writes them anew. */
import { join } from 'node:path';
import { expect } from 'vitest';
import { type ScreenOptions, screenOf } from './screen.ts';

const folder = join(import.meta.dirname, '../../screens/captures');

/** The windows that every capture is taken in. */
const WINDOWS = [
  { columns: 80, colour: false },
  { columns: 140, colour: false },
  { columns: 80, colour: true },
] as const;

export interface CaptureOptions extends Omit<ScreenOptions, 'columns' | 'colour'> {
  /** Stands in the file instead of what differs in each run. */
  readonly tidy?: (text: string) => string;
}

/** Ports and folders of the run. */
const everywhere = (text: string): string =>
  text.replaceAll(/127\.0\.0\.1:\d+/g, '127.0.0.1:PORT').replaceAll(/\S*sonde-screen-\w+/g, '/home');

/** Runs the command in each of the windows and compares them with `test/screens/captures/NAME.txt`. */
export async function expectScreen(
  name: string,
  args: readonly string[],
  { tidy = (text) => text, ...options }: CaptureOptions = {},
): Promise<void> {
  const parts = [`$ sonde ${args.join(' ')}`];
  for (const window of WINDOWS) {
    const { rows, styled, code } = await screenOf(args, { ...options, ...window });
    parts.push(
      `──── ${window.columns} columns${window.colour ? ', in colour' : ''}${code ? `, exit ${code}` : ''} ────`,
      ...(window.colour ? styled : rows),
    );
  }
  await expect(everywhere(tidy(`${parts.join('\n')}\n`))).toMatchFileSnapshot(join(folder, `${name}.txt`));
}
