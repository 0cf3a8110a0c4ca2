/** `sonde completion`: prints the completion script of a shell. */
import { UsageError } from '../src/base/errors.ts';
import { REQUIRED_ARGUMENT } from '../src/base/phrases.ts';
import { installGuide, scripts } from '../src/cli/completion/shells/index.ts';
import { defineCommand, optionalArgument } from '../src/cli/framework/index.ts';

const SHELLS = ['bash', 'zsh', 'fish', 'powershell'] as const;

export const command = defineCommand({
  name: 'completion',
  summary: 'Print the completion script of a shell',
  description:
    'The script completes commands, flags, values, profiles and recent IDs. IDs come from the service, within one second, with a key from the environment or the file of profiles; keys in a keyring or from a command are not used. The PowerShell script is untested.',
  arguments: {
    shell: optionalArgument('bash, zsh, fish or powershell; without it, sonde prints instructions', {
      allowed: SHELLS,
    }),
  },
  examples: [
    {
      line: 'completion bash',
      does: 'Print the script for bash; in ~/.bashrc: source <(sonde completion bash)',
    },
    { line: `completion zsh > "\${fpath[1]}/_sonde"`, does: 'Install the script for zsh' },
    {
      line: 'completion fish > ~/.config/fish/completions/sonde.fish',
      does: 'Install the script for fish',
    },
    {
      line: 'completion powershell',
      does: 'Print the script for PowerShell; pipe it into Out-String | Invoke-Expression',
    },
  ],
  async run({ terminal, env }, { args: { shell } }) {
    const name = SHELLS.find((each) => each === shell);
    if (name !== undefined) return terminal.out(scripts[name]);
    if (!terminal.stdoutIsTTY) {
      // A shell would run the explanation as a script.
      throw new UsageError('required argument: <shell> (bash, zsh, fish or powershell)', {
        details: [{ place: '<shell>', message: REQUIRED_ARGUMENT, allowed: [...SHELLS] }],
        hint: 'for example: sonde completion bash',
      });
    }
    await terminal.out(installGuide(env.SHELL));
  },
});
