/** `sonde profiles use`: chooses the profile that commands use. */

import { CredentialsError, UsageError } from '../../src/base/errors.ts';
import { EXIT } from '../../src/base/exits.ts';
import { useProfile } from '../../src/profiles/store.ts';
import type { UserFile } from '../../src/profiles/user-file.ts';
import { askChoice, render } from '../../src/terminal/index.ts';
import { type Deps, defineCommand, optionalArgument } from '../kernel/index.ts';
import { readProfiles } from '../shared/profiles/removal.ts';

export const command = defineCommand({
  name: 'profiles use',
  summary: 'Make a profile the current one',
  description: 'Without a name, in a terminal: to be chosen from a list.',
  arguments: {
    profile: optionalArgument('Name of the profile; required where nobody can be asked', { of: 'profile' }),
  },
  examples: [
    { line: 'profiles use staging', does: 'lets the commands that follow use the profile staging' },
    { line: 'profiles use', does: 'lets you choose one' },
  ],
  exits: [[EXIT.credentials, 'there is no profile to choose from']],
  async run(deps, { args, output }) {
    const { terminal, env, home } = deps;
    const name = args.profile ?? (await choose(deps, await readProfiles(deps, true)));
    await useProfile({ env, home, warn: (message) => void terminal.warn(message) }, name);
    const baseUrl = (await readProfiles(deps, true)).profiles.get(name)?.baseUrl;
    await terminal.note(`The profile "${name}" (${baseUrl}) is the current one.`);
    if (env.SONDE_PROFILE && env.SONDE_PROFILE !== name) {
      await terminal.warn(
        `SONDE_PROFILE is set and goes before it: commands here use "${env.SONDE_PROFILE}".`,
      );
    }
    if (output.format !== undefined) {
      await render(terminal, { kind: 'item', data: { profile: name, baseUrl, current: true }, output });
    }
  },
});

async function choose({ terminal, signal }: Deps, { profiles, current, path }: UserFile): Promise<string> {
  const names = [...profiles.keys()];
  if (names.length === 0) {
    throw new CredentialsError('there is no profile yet', {
      hint: `${path} holds none: sonde login saves one`,
    });
  }
  if (!terminal.canAsk) {
    throw new UsageError('name the profile to use', {
      details: [{ place: '<profile>', message: 'is required where nobody can be asked', allowed: names }],
      hint: `there are ${names.join(', ')}`,
    });
  }
  return askChoice(terminal, {
    message: 'Which profile?',
    flag: '<profile>',
    signal,
    ...(current === undefined ? {} : { default: current }),
    choices: [...profiles].map(([name, { baseUrl, accountId }]) => ({
      value: name,
      name,
      description: accountId === undefined ? baseUrl : `${baseUrl}, account ${accountId}`,
    })),
  });
}
