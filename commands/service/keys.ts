/** `sonde service keys`: lists, creates and revokes API keys of the embedded service. */
import { UsageError } from '../../src/base/errors.ts';
import { defineCommand, text } from '../../src/cli/framework/index.ts';
import { administer } from '../../src/cli/local-service/administration.ts';
import { serviceFolder } from '../../src/cli/local-service/data-folder.ts';
import { dataOption } from '../../src/cli/settings/data-option.ts';
import { render } from '../../src/terminal/index.ts';

export const command = defineCommand({
  name: 'service keys',
  summary: 'List, create and revoke API keys of the embedded service',
  description:
    'Requires read access to the data folder, but no key; works whether the service is running or not. With several accounts, --create requires --account. sonde prints a new key once, to stdout: the service stores only its hash.',
  options: {
    data: dataOption,
    create: text('Name of a key to create', { placeholder: 'name' }),
    revoke: text('ID of a key to revoke immediately', { placeholder: 'id', of: 'service-key' }),
  },
  examples: [
    { line: 'service keys', does: 'List the keys by their first characters' },
    { line: 'service keys --create ci > key.txt', does: 'Create a key and save it in a file' },
    { line: 'service keys --revoke 4f6c9a52-0a8e-4b0b-9a9e-2f1d6f4f2c11', does: 'Revoke a key' },
  ],
  async run(deps, { options, output, globals }) {
    const { terminal } = deps;
    const { create, revoke } = options;
    const folder = serviceFolder(deps, options.data);
    if (create !== undefined && revoke !== undefined) {
      throw new UsageError('--create and --revoke are mutually exclusive', {
        hint: 'run the command once for each',
      });
    }
    if (create !== undefined) {
      const created = await administer(deps, folder, (service) => service.createKey(create, globals.account));
      await terminal.note(`Created key "${created.name}" (ID ${created.id}). sonde prints it only once:`);
      return terminal.out(`${created.secret}\n`);
    }
    if (revoke !== undefined) {
      const revoked = await administer(deps, folder, (service) => service.revokeKey(revoke));
      return terminal.note(`Revoked key "${revoked.name}" (${revoked.key}).`);
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
        { key: 'account', priority: 30, isRedundant: true },
        { key: 'createdAt', header: 'created', kind: 'time' },
        { key: 'lastUsedAt', header: 'last used', kind: 'time', priority: 70 },
      ],
    });
  },
});
