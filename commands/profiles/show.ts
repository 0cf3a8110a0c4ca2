/** `sonde profiles show`: which values hold, and where each of them came from. Sends nothing. */
import { EXIT } from '../../src/base/exits.ts';
import { defineCommand, optionalArgument } from '../../src/cli/framework/index.ts';
import { readProfiles } from '../../src/cli/profiles/removal.ts';
import { profileView, viewOf } from '../../src/cli/profiles/view.ts';
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
    const user = await readProfiles(deps, true);
    const named = args.profile;
    if (named !== undefined && !user.profiles.has(named)) throw unknownProfileError(named, user, '<profile>');
    const flags = { profile: named ?? globals.profile, baseUrl, account };
    const warn = (message: string): void => void terminal.warn(message);
    const resolution = await loadProfiles({ env, home, cwd, flags, warn, host: keyHost });
    // Half a connection is worth showing; nothing at all is the same error as everywhere.
    if (resolution.baseUrl === undefined && resolution.apiKey === undefined) requireConnection(resolution);
    const view = viewOf(resolution, user.profiles.get(resolution.profileName ?? ''));
    // Of a profile that the line names nobody needs to be told who chose it.
    const shown = named === undefined ? view : { ...view, sources: { ...view.sources, profile: null } };
    await render(terminal, profileView(shown, output, home));
  },
});
