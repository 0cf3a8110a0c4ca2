/** `sonde service export`: the former name of `sonde export`. */
import { command as exportCommand } from '../export.ts';

export const command = {
  ...exportCommand,
  name: 'service export',
  deprecated: 'sonde export',
  examples: [{ line: 'service export > shop.yaml', does: 'Export to a file' }],
};
