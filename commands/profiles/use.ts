/** `sonde profiles use`: selects the current profile. */

import { CredentialsError, UsageError } from '../../src/base/errors.ts';
import { EXIT } from '../../src/base/exits.ts';
import { REQUIRED_ARGUMENT } from '../../src/base/phrases.ts';
import { type Deps, defineCommand, optionalArgument } from '../../src/cli/framework/index.ts';
import { readProfiles } from '../../src/cli/profiles/remove-profiles.ts';
import { useProfile } from '../../src/profiles/store.ts';
import type { UserFile } from '../../src/profiles/user-file.ts';
import { askChoice, render } from '../../src/terminal/index.ts';

export const command = defineCommand({
  name: 'profiles use',
  summary: 'Select the current profile',
  description: 'Without a name, prompts for a profile in a terminal.',
  arguments: {
    profile: optionalArgument('Name of the profile; required without a terminal', { of: 'profile' }),
  },
  examples: [
    { line: 'profiles use staging', does: 'Make staging the current profile' },
    { line: 'profiles use', does: 'Select a profile from a list' },
  ],
  exits: [[EXIT.credentials, 'no profiles']],
  async run(deps, { args, output }) {
    const { terminal, env, home } = deps;
    const name = args.profile ?? (await chooseProfile(deps, readProfiles(deps, true)));
    await useProfile({ env, home, warn: (message) => void terminal.warn(message) }, name);
    const baseUrl = readProfiles(deps, true).profiles.get(name)?.baseUrl;
    await terminal.note(`Profile "${name}" (${baseUrl}) is now the current profile.`);
    if (env.SONDE_PROFILE && env.SONDE_PROFILE !== name) {
      await terminal.warn(
        `SONDE_PROFILE is set and overrides it: commands in this environment use profile "${env.SONDE_PROFILE}".`,
      );
    }
    if (output.format !== undefined) {
      await render(terminal, { kind: 'item', data: { profile: name, baseUrl, current: true }, output });
    }
  },
});

async function chooseProfile(
  { terminal, signal }: Deps,
  { profiles, current, path }: UserFile,
): Promise<string> {
  const names = [...profiles.keys()];
  if (names.length === 0) {
    throw new CredentialsError('no profiles', {
      hint: `${path} has no profiles; to save one, run: sonde login`,
    });
  }
  if (!terminal.canAsk) {
    throw new UsageError('required argument: <profile>', {
      details: [{ place: '<profile>', message: REQUIRED_ARGUMENT, allowed: names }],
      hint: `profiles: ${names.join(', ')}`,
    });
  }
  return askChoice(terminal, {
    message: 'Select a profile:',
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
