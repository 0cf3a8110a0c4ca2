/** `sonde profiles show`: which values hold, and where each of them came from. Sends nothing. */
import { EXIT } from '../../src/base/exits.ts';
import { loadProfiles, requireConnection, unknownProfile } from '../../src/profiles/resolve.ts';
import { render } from '../../src/terminal/index.ts';
import { defineCommand, optionalArgument } from '../kernel/index.ts';
import { readProfiles } from '../shared/profiles/removal.ts';
import { profileView, viewOf } from '../shared/profiles/view.ts';

export const command = defineCommand({
  name: 'profiles show',
  summary: 'Show which service, account and key are used, and where each value came from',
  description: 'Sends nothing; sonde whoami also asks the service. The key itself is never shown.',
  arguments: {
    profile: optionalArgument('Name of the profile; the one that commands use unless given', {
      of: 'profile',
    }),
  },
  examples: [
    { line: 'profiles show', does: 'shows what a command in this folder would use' },
    { line: 'profiles show staging --json', does: 'shows another profile as JSON' },
  ],
  exits: [[EXIT.credentials, 'there is no profile, or its key belongs to another address']],
  async run(deps, { args, globals, output }) {
    const { terminal, env, home, cwd, keyHost } = deps;
    const { baseUrl, account } = globals;
    const user = await readProfiles(deps, true);
    const named = args.profile;
    if (named !== undefined && !user.profiles.has(named)) throw unknownProfile(named, user, '<profile>');
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
