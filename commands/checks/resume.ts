/** `sonde checks resume`. */
import { activationCommand } from './shared/activation-command.ts';

export const command = activationCommand('resume');
