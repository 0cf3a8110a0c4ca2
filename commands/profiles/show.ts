/** `sonde profiles show`: shows the settings in effect and their sources, without a request. */
import { EXIT } from '../../src/base/exits.ts';
import { defineCommand, optionalArgument } from '../../src/cli/framework/index.ts';
import { renderableProfile, toProfileView } from '../../src/cli/profiles/profile-view.ts';
import { readProfiles } from '../../src/cli/profiles/remove-profiles.ts';
import { loadProfiles, requireConnection, unknownProfileError } from '../../src/profiles/resolve.ts';
import { render } from '../../src/terminal/index.ts';

export const command = defineCommand({
  name: 'profiles show',
  summary: 'Show the service, account and key in effect, and their sources',
  description:
    'Sends no request; to test the values against the service, run: sonde whoami. Never prints the key.',
  arguments: {
    profile: optionalArgument('Name of the profile (default: the profile in effect)', {
      of: 'profile',
    }),
  },
  examples: [
    { line: 'profiles show', does: 'Show the values for commands in this folder' },
    { line: 'profiles show staging --json', does: 'Print another profile as JSON' },
  ],
  exits: [[EXIT.credentials, 'no profile, or its key belongs to another base URL']],
  async run(deps, { args, globals, output }) {
    const { terminal, env, home, cwd, keyHost } = deps;
    const { baseUrl, account } = globals;
    const user = readProfiles(deps, true);
    const named = args.profile;
    if (named !== undefined && !user.profiles.has(named)) throw unknownProfileError(named, user, '<profile>');
    const flags = { profile: named ?? globals.profile, baseUrl, account };
    const warn = (message: string): void => void terminal.warn(message);
    const resolution = await loadProfiles({ env, home, cwd, flags, warn, host: keyHost });
    // An incomplete connection is shown; without any setting, the usual error is thrown.
    if (resolution.baseUrl === undefined && resolution.apiKey === undefined) requireConnection(resolution);
    const view = toProfileView(resolution, user.profiles.get(resolution.profileName ?? ''));
    // The source of a profile from the argument is obvious.
    const shown = named === undefined ? view : { ...view, sources: { ...view.sources, profile: null } };
    await render(terminal, renderableProfile(shown, output, home));
  },
});
