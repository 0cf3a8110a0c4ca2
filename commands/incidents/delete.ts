/** `sonde incidents delete`, and its alias `sonde delete incident`. */
import { deleteCommand } from '../../src/cli/resource-commands/delete.ts';
import { incidents } from '../../src/cli/resources/incidents.ts';
import { deleteIncident, getIncident } from '../../src/contract/index.ts';

export const command = deleteCommand(incidents, {
  endpoint: deleteIncident,
  get: getIncident,
  sample: '8b1d4f60-2c3e-4a5b-8d7f-9e0a1b2c3d4e',
  description:
    'Removes the incident from the history of its status pages. To end an incident, run: sonde incidents resolve',
});
