/** `sonde checks open`. */
import { openCommand } from '../../src/cli/resource-commands/open.ts';
import { checks } from '../../src/cli/resources/checks.ts';

export const command = openCommand(checks);
