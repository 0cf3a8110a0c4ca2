/** Stack traces keep the frames of a user's script, and lose those of our bundles. */
import { expect, it } from 'vitest';
import { withoutOwnFrames } from '../../src/base/own-frames.ts';

const STACK = [
  'Error: at /opt/sonde/dist/x.cjs:1:1 is what the page says',
  '    at check (/tmp/cell/check.spec.ts:3:9)',
  '    at wt (/opt/sonde/dist/lazy/run.cjs:1:23423)',
  '    at async file:///opt/sonde/dist/program.cjs:12:2342',
  '    at async Promise.all (index 0)',
  '    at /opt/sonde/distant/own.cjs:1:2',
  '    at Xe.<anonymous> (C:\\sonde\\dist\\run.cjs:1:99)',
];

it('removes frames of the folder of the bundles alone', () => {
  expect(withoutOwnFrames(STACK.join('\n'), '/opt/sonde/dist').split('\n')).toEqual(
    STACK.filter((_, index) => index !== 2 && index !== 3),
  );
  expect(withoutOwnFrames(STACK.join('\n'), 'C:\\sonde\\dist').split('\n')).toEqual(STACK.slice(0, -1));
});

it('finds its own folder', () => {
  const here = new URL('../../src/base/', import.meta.url).pathname;
  expect(withoutOwnFrames(`Error: x\n    at f (${here}clock.ts:1:1)\n    at g (/elsewhere/own.ts:1:1)`)).toBe(
    `Error: x\n    at g (/elsewhere/own.ts:1:1)`,
  );
});
