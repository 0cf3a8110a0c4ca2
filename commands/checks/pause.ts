/** `sonde checks pause`. */
import { switching } from '../shared/checks/switching.ts';

export const command = switching('pause');
