/** `sonde checks pause`. */
import { switching } from './shared/activation-command.ts';

export const command = switching('pause');
