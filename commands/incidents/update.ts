/** `sonde incidents update`. */
import { getIncident, updateIncident } from '../../src/contract/index.ts';
import { incidentFlags, incidents } from '../shared/resources/incidents.ts';
import { updateCommand } from '../shared/resources/write.ts';

export const command = updateCommand(incidents, {
  get: getIncident,
  endpoint: updateIncident,
  summary: 'Say more of an incident, or change it',
  description:
    'With --status and --description something is said of it; its name, severity and services change in place.',
  flags: incidentFlags,
  // What was said stays; what is said comes on top.
  standing: ({ incidentUpdates: _, ...incident }) => incident,
  examples: [
    {
      line: 'incidents update 8b1d4f60-2c3e-4a5b-8d7f-9e0a1b2c3d4e --status IDENTIFIED --description "A bad release." --notify',
      does: 'says what is known, and tells subscribers',
    },
    {
      line: 'incidents update 8b1d4f60-2c3e-4a5b-8d7f-9e0a1b2c3d4e --severity MINOR',
      does: 'changes how bad it is',
    },
  ],
});
