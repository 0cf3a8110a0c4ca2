/** Lists the supported shells, with their adapters and completion scripts. */
import { bashScript, readBash } from './bash.ts';
import { fishScript, readFish } from './fish.ts';
import { powershellScript, readPowershell } from './powershell.ts';
import type { ReadShellLine } from './shell-adapter.ts';
import { readZsh, zshScript } from './zsh.ts';

export const shells = {
  bash: readBash,
  zsh: readZsh,
  fish: readFish,
  powershell: readPowershell,
} as const satisfies Record<string, ReadShellLine>;

export type ShellName = keyof typeof shells;

export const scripts: Readonly<Record<ShellName, string>> = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
  powershell: powershellScript,
};
