/** How the scripts are installed, for who asks without naming a shell. */

const INSTRUCTIONS: readonly (readonly [shell: string, called: string, lines: readonly string[]])[] = [
  ['bash', 'bash, in ~/.bashrc:', ['source <(sonde completion bash)']],
  ['zsh', 'zsh, once, into a folder of your fpath:', [`sonde completion zsh > "\${fpath[1]}/_sonde"`]],
  ['fish', 'fish, once:', ['sonde completion fish > ~/.config/fish/completions/sonde.fish']],
  [
    'pwsh',
    'PowerShell, in $PROFILE (untested):',
    ['sonde completion powershell | Out-String | Invoke-Expression'],
  ],
];

/** All ways, that of the shell in SHELL first. */
export function installGuide(shell: string | undefined): string {
  const own = shell?.split('/').at(-1);
  const ways = INSTRUCTIONS.toSorted(([a], [b]) => Number(b === own) - Number(a === own));
  return [
    'To complete commands, flags, values, profiles and recent IDs with Tab, load the script of your shell.',
    ...ways.map(([, called, lines]) => `${called}\n${lines.map((line) => `  ${line}`).join('\n')}`),
    'Then start a new shell.',
  ]
    .join('\n\n')
    .concat('\n');
}
