/** What a process brings to those who have keys: password managers, the system's keyring. */
import { dirname, join } from 'node:path';
import type { KeyHost } from '../../profiles/key-host.ts';
import { sanitizeBlock, type Terminal } from '../../terminal/index.ts';
import type { Host } from './types.ts';

/** The program that speaks with the keyring stands beside our own. */
export function keyHostOf({ clock, signal, execPath, script }: Host, terminal: Terminal): KeyHost {
  return {
    clock,
    signal,
    isInteractive: terminal.canAsk,
    show: (text) => void terminal.err(sanitizeBlock(text)),
    keyringProgram: [execPath, join(dirname(script), 'keyring.cjs')],
  };
}
