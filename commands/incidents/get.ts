/** `sonde incidents get`. */

import { getCommand } from '../../src/cli/resource-commands/read.ts';
import { incidents } from '../../src/cli/resources/incidents.ts';
import { getIncident } from '../../src/contract/index.ts';

export const command = getCommand(incidents, {
  endpoint: getIncident,
  examples: [{ line: 'incidents get 8b1d4f60-2c3e-4a5b-8d7f-9e0a1b2c3d4e', does: 'Show an incident' }],
});
