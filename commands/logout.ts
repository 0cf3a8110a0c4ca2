/** `sonde logout`: removes a profile and its key, or all of them. */

import { UsageError } from '../src/base/errors.ts';
import { EXIT } from '../src/base/exits.ts';
import { defineCommand, flag, optionalArgument } from '../src/cli/framework/index.ts';
import {
  listProfileNames,
  readProfiles,
  removeProfiles,
  resolveProfileName,
} from '../src/cli/profiles/remove-profiles.ts';

export const command = defineCommand({
  name: 'logout',
  summary: 'Remove a profile and its key',
  description:
    'Without a name, removes the profile from --profile or SONDE_PROFILE, or else the current profile. Deletes the key from the file or the system keyring. The key remains valid until you revoke it at the service.',
  arguments: { profile: optionalArgument('Name of the profile', { of: 'profile' }) },
  options: { all: flag('Remove every profile and every key') },
  examples: [
    { line: 'logout', does: 'Remove the current profile' },
    { line: 'logout staging --yes', does: 'Remove another profile without confirmation' },
    { line: 'logout --all', does: 'Remove all profiles after confirmation' },
  ],
  exits: [
    [EXIT.credentials, 'no profile, or a key could not be removed from the keyring'],
    [EXIT.declined, 'confirmation declined'],
  ],
  async run(deps, { args, options: { all }, globals, output }) {
    const user = readProfiles(deps);
    const named = args.profile ?? globals.profile;
    if (all && named !== undefined) {
      throw new UsageError(`--all cannot be combined with profile "${named}"`, {
        hint: 'pass one of them',
      });
    }
    const every = listProfileNames(user);
    const names = all ? every : [resolveProfileName(args.profile, globals, deps.env, user)];
    await removeProfiles(deps, user, { names, many: all, yes: globals.yes, output });
  },
});
