/** `sonde alert-channels get`. */
import { getCommand } from '../../src/cli/resource-commands/read.ts';
import { alertChannels } from '../../src/cli/resources/alert-channels.ts';

export const command = getCommand(alertChannels);
