/** `sonde checks pause`. */
import { activationCommand } from './shared/activation-command.ts';

export const command = activationCommand('pause');
