/** `sonde incidents delete`, and its alias `sonde delete incident`. */
import { deleteCommand } from '../../src/cli/resource-commands/delete.ts';
import { incidents } from '../../src/cli/resources/incidents.ts';
import { deleteIncident } from '../../src/contract/index.ts';

export const command = deleteCommand(incidents, deleteIncident, {
  description:
    'Removes the incident from the history of its status pages. To end an incident, run: sonde incidents resolve',
});
