/** `sonde checks resume`. */
import { switching } from '../shared/checks/switching.ts';

export const command = switching('resume');
