/** Lists the supported shells, with their adapters and completion scripts. */
import { bashScript, readBash } from './bash.ts';
import { fishScript, readFish } from './fish.ts';
import { powershellScript, readPowershell } from './powershell.ts';
import type { ReadShellLine } from './shell-line.ts';
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

const INSTRUCTIONS: readonly (readonly [shell: string, title: string, lines: readonly string[]])[] = [
  ['bash', 'bash, in ~/.bashrc:', ['source <(sonde completion bash)']],
  ['zsh', 'zsh, once, into a folder of your fpath:', [`sonde completion zsh > "\${fpath[1]}/_sonde"`]],
  ['fish', 'fish, once:', ['sonde completion fish > ~/.config/fish/completions/sonde.fish']],
  [
    'pwsh',
    'PowerShell, in $PROFILE (untested):',
    ['sonde completion powershell | Out-String | Invoke-Expression'],
  ],
];

/** Returns the instructions for all shells, that of the user's shell first. */
export function installGuide(shell: string | undefined): string {
  const current = shell?.split('/').at(-1);
  const sorted = INSTRUCTIONS.toSorted(([a], [b]) => Number(b === current) - Number(a === current));
  return [
    'To complete commands, flags, values, profiles and recent IDs with Tab, load the script of your shell.',
    ...sorted.map(([, title, lines]) => `${title}\n${lines.map((line) => `  ${line}`).join('\n')}`),
    'Then start a new shell.',
  ]
    .join('\n\n')
    .concat('\n');
}
