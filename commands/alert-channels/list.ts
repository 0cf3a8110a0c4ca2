/** `sonde alert-channels list`. */
import { listCommand } from '../../src/cli/resource-commands/read.ts';
import { alertChannels } from '../../src/cli/resources/alert-channels.ts';
import { listAlertChannels } from '../../src/contract/index.ts';

export const command = listCommand(alertChannels, listAlertChannels);
