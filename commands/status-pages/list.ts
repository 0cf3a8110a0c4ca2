/** `sonde status-pages list`. */
import { listStatusPages } from '../../src/contract/index.ts';
import { listCommand } from '../shared/resources/read.ts';
import { statusPages } from '../shared/resources/status-pages.ts';

export const command = listCommand(statusPages, {
  endpoint: listStatusPages,
  whenNone: 'Create one with "sonde status-pages create".',
  examples: [{ line: 'status-pages list --all', does: 'List all status pages' }],
});
