/** `sonde service keys`: the API keys of the embedded service, made and revoked by who owns its data folder. */
import { UsageError } from '../../src/base/errors.ts';
import { render } from '../../src/terminal/index.ts';
import { defineCommand, text } from '../kernel/index.ts';
import { administer } from '../shared/service/administration.ts';
import { dataOption, serviceFolder } from '../shared/service/folder.ts';

export const command = defineCommand({
  name: 'service keys',
  summary: 'List, make and revoke API keys of the embedded service',
  description:
    'Whoever may read the data folder may do it, whether the service runs or not; no key is needed. With --create, --account names the account where there are several. A new key is told once, on stdout: the service keeps only its hash.',
  options: {
    data: dataOption,
    create: text('Make a key of this name', { placeholder: 'name' }),
    revoke: text('Revoke the key with this id, at once', { placeholder: 'id', of: 'service-key' }),
  },
  examples: [
    { line: 'service keys', does: 'lists the keys, by their first characters' },
    { line: 'service keys --create ci > key.txt', does: 'makes a key, and keeps it in a file' },
    { line: 'service keys --revoke 4f6c9a52-0a8e-4b0b-9a9e-2f1d6f4f2c11', does: 'ends a key' },
  ],
  async run(deps, { options, output, globals }) {
    const { terminal } = deps;
    const { create, revoke } = options;
    const folder = serviceFolder(deps, options.data);
    if (create !== undefined && revoke !== undefined) {
      throw new UsageError('--create and --revoke do not go together', {
        hint: 'give them one after the other',
      });
    }
    if (create !== undefined) {
      const made = await administer(deps, folder, (service) => service.createKey(create, globals.account));
      await terminal.note(`The key "${made.name}" was made (id ${made.id}). It is told this once:`);
      return terminal.out(`${made.secret}\n`);
    }
    if (revoke !== undefined) {
      const gone = await administer(deps, folder, (service) => service.revokeKey(revoke));
      return terminal.note(`The key "${gone.name}" (${gone.key}) was revoked.`);
    }
    const keys = await administer(deps, folder, (service) => service.listKeys());
    await render(terminal, {
      kind: 'list',
      data: keys,
      output,
      columns: [
        { key: 'id', kind: 'id' },
        { key: 'name' },
        { key: 'key' },
        { key: 'account', priority: 30, spare: true },
        { key: 'createdAt', header: 'created', kind: 'time' },
        { key: 'lastUsedAt', header: 'last used', kind: 'time', priority: 70 },
      ],
    });
  },
});
