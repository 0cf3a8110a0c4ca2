/** Stdin as a command reads it. */
import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { createStdinReader } from '../../../src/cli/framework/deps.ts';

it('gives the same text each time', async () => {
  const stdin = new PassThrough();
  const read = createStdinReader({ stdin, stdinIsTTY: false, signal: new AbortController().signal });
  stdin.end('a\nb');
  expect([await read(), await read()]).toEqual(['a\nb', 'a\nb']);
});

it('is not waited for any more once the process was told to stop', async () => {
  const stop = new AbortController();
  const reading = createStdinReader({ stdin: new PassThrough(), stdinIsTTY: false, signal: stop.signal })();
  stop.abort(new Error('stopped'));
  await expect(reading).rejects.toThrow('stopped');
});
