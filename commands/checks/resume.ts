/** `sonde checks resume`. */
import { switching } from './shared/activation-command.ts';

export const command = switching('resume');
