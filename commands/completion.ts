/** `sonde completion`: prints the script that has a shell complete the words of a command line. */
import { UsageError } from '../src/base/errors.ts';
import { defineCommand, optionalArgument } from './kernel/index.ts';
import { explanation } from './shared/completion/explanation.ts';
import { scripts } from './shared/completion/scripts/index.ts';

const SHELLS = ['bash', 'zsh', 'fish', 'powershell'] as const;

export const command = defineCommand({
  name: 'completion',
  summary: 'Print the script that completes command lines in a shell',
  description:
    'Tab then completes commands, options, their values, profiles and recent ids. Ids come from the service, asked for a second at most with a key from the environment or the file of profiles; no command or keyring is asked for one. The script for PowerShell was not tried there.',
  arguments: {
    shell: optionalArgument('bash, zsh, fish or powershell; without one, how to install it is told', {
      allowed: SHELLS,
    }),
  },
  examples: [
    {
      line: 'completion bash',
      does: 'prints the script for bash; in ~/.bashrc: source <(sonde completion bash)',
    },
    { line: `completion zsh > "\${fpath[1]}/_sonde"`, does: 'installs it for zsh' },
    {
      line: 'completion fish > ~/.config/fish/completions/sonde.fish',
      does: 'installs it for fish',
    },
    {
      line: 'completion powershell',
      does: 'prints the one for PowerShell, to be piped into Out-String | Invoke-Expression',
    },
  ],
  async run({ terminal, env }, { args: { shell } }) {
    const name = SHELLS.find((each) => each === shell);
    if (name !== undefined) return terminal.out(scripts[name]);
    if (!terminal.stdoutIsTTY) {
      // Somebody loads what comes: an explanation would be run as a script.
      throw new UsageError('say for which shell: bash, zsh, fish or powershell', {
        details: [{ place: '<shell>', message: 'is required', allowed: [...SHELLS] }],
        hint: 'sonde completion bash',
      });
    }
    await terminal.out(explanation(env.SHELL));
  },
});
