/** `sonde status-pages list`. */
import { listCommand } from '../../src/cli/resource-commands/read.ts';
import { statusPages } from '../../src/cli/resources/status-pages.ts';
import { listStatusPages } from '../../src/contract/index.ts';

export const command = listCommand(statusPages, listStatusPages);
