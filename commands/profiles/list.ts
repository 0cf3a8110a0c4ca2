/** `sonde profiles list`: lists the saved profiles, without their keys. */

import { type Deps, defineCommand } from '../../src/cli/framework/index.ts';
import { keyKind } from '../../src/cli/profiles/profile-view.ts';
import { readProfiles } from '../../src/cli/profiles/remove-profiles.ts';
import { formatSource } from '../../src/profiles/sources.ts';
import { render } from '../../src/terminal/index.ts';

export const command = defineCommand({
  name: 'profiles list',
  summary: 'List saved profiles',
  description: 'Shows only the storage of each key (file, system keyring or command), never the key.',
  examples: [
    { line: 'profiles list', does: 'List the profiles' },
    { line: 'profiles list --fields profile', does: 'Print only the names' },
  ],
  async run(deps, { output }) {
    const { terminal } = deps;
    const { current, profiles } = readProfiles(deps);
    const data = [...profiles].map(([name, profile]) => ({
      profile: name,
      current: name === current,
      baseUrl: profile.baseUrl,
      accountId: profile.accountId ?? null,
      accountHeader: profile.accountHeader ?? null,
      insecure: profile.insecure === true,
      dataFolder: profile.dataFolder ?? null,
      key: keyKind(profile),
    }));
    await render(terminal, {
      kind: 'list',
      data,
      output,
      columns: [
        { key: 'profile', kind: 'id' },
        { key: 'current', kind: 'boolean' },
        { key: 'baseUrl', header: 'base URL', priority: 90, minWidth: 20 },
        { key: 'accountId', header: 'account' },
        { key: 'key', priority: 60 },
      ],
      knownFields: ['accountHeader', 'insecure', 'dataFolder'],
      empty: 'No profiles. To save one, run: sonde login',
    });
    await reportEffectiveProfile(deps, current);
  },
});

/** Prints which profile is in effect in this folder, if it is not the current one. */
async function reportEffectiveProfile(
  { profiles, terminal }: Deps,
  current: string | undefined,
): Promise<void> {
  // Commands that use the profile report its problems.
  const { profileName, sources } = await profiles().catch(() => ({
    profileName: undefined,
    sources: undefined,
  }));
  if (profileName === undefined || profileName === current || sources?.profileName === undefined) return;
  await terminal.note(
    `Commands in this folder use profile "${profileName}" (${formatSource(sources.profileName)}).`,
  );
}
