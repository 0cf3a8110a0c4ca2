/** `sonde incidents list`. */
import { listIncidents } from '../../src/contract/index.ts';
import { incidents, isResolved } from '../shared/resources/incidents.ts';
import { listCommand } from '../shared/resources/read.ts';

export const command = listCommand(incidents, {
  endpoint: listIncidents,
  word: (incident) => (isResolved(incident) ? 'resolved' : 'open'),
  whenNone: 'Create one with "sonde incidents create", or set triggerIncident on a check.',
  examples: [
    { line: 'incidents list --all', does: 'List all incidents' },
    {
      line: 'incidents list --all --jq \'.[] | select(.lastUpdateStatus != "RESOLVED") | .id\'',
      does: 'Print the IDs of open incidents',
    },
  ],
});
