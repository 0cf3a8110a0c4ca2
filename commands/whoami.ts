/** `sonde whoami`: shows the service, account and key in effect, and tests the key. */
import { EXIT } from '../src/base/exits.ts';
import { defineCommand } from '../src/cli/framework/index.ts';
import { renderableProfile, toProfileView } from '../src/cli/profiles/profile-view.ts';
import { readProfiles } from '../src/cli/profiles/remove-profiles.ts';
import { requireConnection } from '../src/profiles/resolve.ts';
import { formatSource } from '../src/profiles/sources.ts';
import { render } from '../src/terminal/index.ts';
import { testKey } from './login/shared/key.ts';

export const command = defineCommand({
  name: 'whoami',
  summary: 'Show and test the service, account and key in effect',
  description: 'Shows the source of each value. Never prints the key.',
  examples: [
    { line: 'whoami', does: 'Test the current profile' },
    {
      line: 'whoami --profile staging --jq .baseUrl',
      does: 'Print the base URL of another profile after testing it',
    },
  ],
  exits: [
    [EXIT.credentials, 'missing credentials, or the service rejected them'],
    [EXIT.unreachable, 'service unreachable or repeatedly failing'],
  ],
  async run(deps, { output }) {
    const { terminal, home, signal } = deps;
    const resolution = await deps.profiles();
    const { baseUrl, sources } = requireConnection(resolution);
    const saved = readProfiles(deps, true).profiles.get(resolution.profileName ?? '');
    const view = toProfileView(resolution, saved);
    const from = view.key === 'environment' ? 'SONDE_API_KEY' : `profile "${view.profile}"`;
    const account = view.accountId === null ? '' : ` for the account ${view.accountId}`;
    const accountFrom = sources.accountId === undefined ? '' : ` (from ${formatSource(sources.accountId)})`;
    await testKey(await deps.client(), {
      signal,
      refusal: `${baseUrl} rejected the key of ${from}${account}${accountFrom}`,
      hint:
        view.key === 'environment'
          ? 'set SONDE_API_KEY to a key of this service and account'
          : `to save another key, run: sonde login --base-url ${baseUrl} --profile ${view.profile}`,
    });
    await terminal.note('The service accepted the key.');
    await render(terminal, renderableProfile({ ...view, accepted: true }, output, home));
  },
});
