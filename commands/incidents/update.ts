/** `sonde incidents update`. */
import { updateCommand } from '../../src/cli/resource-commands/update.ts';
import { changeIncident } from '../../src/cli/resources/incident-updates.ts';
import { incidentFlags, incidents } from '../../src/cli/resources/incidents.ts';
import { updateIncident } from '../../src/contract/index.ts';

export const command = updateCommand(incidents, updateIncident, {
  summary: 'Update an incident, or add an incident update',
  description:
    '--status and --description add an update to the incident. Changes of the name, severity and services add no update.',
  flags: incidentFlags,
  send: ({ signal }, api, sent) => changeIncident(api, sent, signal),
  async prepare(deps, _options, { services }) {
    if (!Array.isArray(services)) return {};
    const { withServiceDetails } = await import('../../src/cli/resources/lazy/service-details.ts');
    return { services: await withServiceDetails(deps, services) };
  },
  // New updates are added to the earlier ones.
  selectCompared: ({ incidentUpdates: _, ...incident }) => incident,
  examples: [
    {
      line: 'incidents update 8b1d4f60-2c3e-4a5b-8d7f-9e0a1b2c3d4e --status IDENTIFIED --description "A bad release." --notify',
      does: 'Add an update, and notify subscribers',
    },
    {
      line: 'incidents update 8b1d4f60-2c3e-4a5b-8d7f-9e0a1b2c3d4e --severity MINOR',
      does: 'Change the severity',
    },
  ],
});
