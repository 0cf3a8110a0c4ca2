/** What a person sees who looks for the way: the overview, a noun, a long command, a topic, and words that name nothing. */
import { describe, it } from 'vitest';
import { expectScreen } from '../support/screen/capture.ts';

describe('help', () => {
  it.each([
    ['overview', ['--help']],
    ['noun', ['sessions']],
    ['command', ['checks', 'create-dns', '--help']],
    ['gate', ['sessions', 'wait', '--help']],
    ['topic', ['help', 'exit-codes']],
    ['nonsense', ['help', 'nonsense']],
    ['swapped', ['list', 'session']],
    ['options', ['sessions', 'list', '--statsu', 'FAILED', '--limit', 'many']],
  ] as const)('%s', async (name, args) => {
    await expectScreen(`help-${name}`, args);
  });
});
