/** The shells that are completed for. */
import { readBash } from './bash.ts';
import { readFish } from './fish.ts';
import { readPowershell } from './powershell.ts';
import type { ReadShellLine } from './shell-adapter.ts';
import { readZsh } from './zsh.ts';

export const shells = {
  bash: readBash,
  zsh: readZsh,
  fish: readFish,
  powershell: readPowershell,
} as const satisfies Record<string, ReadShellLine>;

export type ShellName = keyof typeof shells;
