/** `sonde logout`: forgets the key of a profile. */
import { defineCommand, optionalArgument } from './kernel/index.ts';
import { profileMeant, readProfiles, removeNamed } from './shared/profile-removal.ts';

export const command = defineCommand({
  name: 'logout',
  summary: 'Remove a profile and its key',
  description:
    'Without a name: the profile that --profile or SONDE_PROFILE names, else the current one. The key stays valid at the service until it is revoked there.',
  arguments: { profile: optionalArgument('Name of the profile', { of: 'profile' }) },
  examples: [
    { line: 'logout', does: 'removes the current profile' },
    { line: 'logout staging --yes', does: 'removes another one without asking' },
  ],
  exits: [
    [4, 'there is no profile'],
    [9, 'a person answered no'],
  ],
  async run(deps, { args, globals, output }) {
    const user = await readProfiles(deps);
    const name = profileMeant(args.profile, globals, deps.env, user);
    await removeNamed(deps, user, name, { yes: globals.yes, output });
  },
});
