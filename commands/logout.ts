/** `sonde logout`: forgets the key of a profile, or of all. */

import { UsageError } from '../src/base/errors.ts';
import { EXIT } from '../src/base/exits.ts';
import { defineCommand, flag, optionalArgument } from './kernel/index.ts';
import { everyName, profileMeant, readProfiles, removeNamed } from './shared/profiles/removal.ts';

export const command = defineCommand({
  name: 'logout',
  summary: 'Remove a profile and its key',
  description:
    'Without a name: the profile that --profile or SONDE_PROFILE names, else the current one. The key goes from the file or from the system keyring, and stays valid at the service until it is revoked there.',
  arguments: { profile: optionalArgument('Name of the profile', { of: 'profile' }) },
  options: { all: flag('Remove every profile and every key') },
  examples: [
    { line: 'logout', does: 'removes the current profile' },
    { line: 'logout staging --yes', does: 'removes another one without asking' },
    { line: 'logout --all', does: 'removes all of them, once you have agreed' },
  ],
  exits: [
    [EXIT.credentials, 'there is no profile, or a key could not be taken out of the keyring'],
    [EXIT.declined, 'a person answered no'],
  ],
  async run(deps, { args, options: { all }, globals, output }) {
    const user = await readProfiles(deps);
    const named = args.profile ?? globals.profile;
    if (all && named !== undefined) {
      throw new UsageError(`--all removes every profile, and "${named}" is named besides`, {
        hint: 'give one of the two',
      });
    }
    const every = everyName(user);
    const names = all ? every : [profileMeant(args.profile, globals, deps.env, user)];
    await removeNamed(deps, user, { names, many: all, yes: globals.yes, output });
  },
});
