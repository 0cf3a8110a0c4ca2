/** `sonde profiles list`: the saved profiles, without their keys. */
import { render } from '../../src/terminal/index.ts';
import { defineCommand } from '../kernel/index.ts';
import { readProfiles } from '../shared/profile-removal.ts';
import { keyKind } from '../shared/profile-view.ts';

export const command = defineCommand({
  name: 'profiles list',
  summary: 'List the saved profiles',
  description: 'Of a key only its presence is shown: saved, or printed by a command.',
  examples: [
    { line: 'profiles list', does: 'lists the profiles' },
    { line: 'profiles list --fields profile', does: 'prints their names alone' },
  ],
  async run(deps, { output }) {
    const { current, profiles } = await readProfiles(deps);
    const data = [...profiles].map(([name, profile]) => ({
      profile: name,
      current: name === current,
      baseUrl: profile.baseUrl,
      accountId: profile.accountId ?? null,
      accountHeader: profile.accountHeader ?? null,
      insecure: profile.insecure === true,
      key: keyKind(profile),
    }));
    const { terminal } = deps;
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
      knownFields: ['accountHeader', 'insecure'],
      empty: 'There is no profile yet: sonde login saves one.',
    });
  },
});
