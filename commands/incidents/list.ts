/** `sonde incidents list`. */
import { listCommand } from '../../src/cli/resource-commands/read.ts';
import { incidents, isResolved } from '../../src/cli/resources/incidents.ts';
import { listIncidents } from '../../src/contract/index.ts';

export const command = listCommand(incidents, listIncidents, {
  statusOf: (incident) => (isResolved(incident) ? 'resolved' : 'open'),
  emptyHint: 'Create one with "sonde incidents create", or set triggerIncident on a check.',
  examples: [
    { line: 'incidents list --all', does: 'List all incidents' },
    {
      line: 'incidents list --all --jq \'.[] | select(.lastUpdateStatus != "RESOLVED") | .id\'',
      does: 'Print the IDs of open incidents',
    },
  ],
});
