/** `sonde profiles remove`: removes a profile by name, like `sonde logout`. */
import { EXIT } from '../../src/base/exits.ts';
import { argument, defineCommand } from '../../src/cli/framework/index.ts';
import { readProfiles, removeProfiles } from '../../src/cli/profiles/remove-profiles.ts';

export const command = defineCommand({
  name: 'profiles remove',
  summary: 'Remove a profile and its key',
  arguments: { profile: argument('Name of the profile', { of: 'profile' }) },
  examples: [{ line: 'profiles remove staging --yes', does: 'Remove a profile without confirmation' }],
  exits: [
    [EXIT.credentials, 'the key could not be removed from the keyring'],
    [EXIT.declined, 'confirmation declined'],
  ],
  async run(deps, { args, globals, output }) {
    const user = readProfiles(deps);
    await removeProfiles(deps, user, { names: [args.profile], many: false, yes: globals.yes, output });
  },
});
