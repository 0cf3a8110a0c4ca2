/** `sonde incidents list`. */
import { listIncidents } from '../../src/contract/index.ts';
import { incidents, isResolved } from '../shared/resources/incidents.ts';
import { listCommand } from '../shared/resources/read.ts';

export const command = listCommand(incidents, {
  endpoint: listIncidents,
  word: (incident) => (isResolved(incident) ? 'resolved' : 'open'),
  whenNone:
    'A check opens one where its triggerIncident says so, "sonde incidents create" makes one by hand.',
  examples: [
    { line: 'incidents list --all', does: 'lists every page' },
    {
      line: 'incidents list --all --jq \'.[] | select(.lastUpdateStatus != "RESOLVED") | .id\'',
      does: 'prints the ids of those that are open',
    },
  ],
});
