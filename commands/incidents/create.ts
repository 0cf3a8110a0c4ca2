/** `sonde incidents create`. */
import { createCommand } from '../../src/cli/resource-commands/write.ts';
import { incidentFlags, incidents } from '../../src/cli/resources/incidents.ts';
import { createIncident } from '../../src/contract/index.ts';

export const command = createCommand(incidents, createIncident, {
  flags: incidentFlags,
  async complete(deps, body) {
    const { withServiceDetails } = await import('../../src/cli/resources/lazy/service-details.ts');
    return { ...body, services: await withServiceDetails(deps, body.services) };
  },
  interview: [
    { flag: 'name', message: 'Name of the incident' },
    {
      flag: 'services',
      message: 'IDs of the affected services, separated by commas (see "sonde services list")',
    },
    { flag: 'severity' },
    { flag: 'description', message: 'Text of the first update' },
    { flag: 'status' },
    { flag: 'notify', message: 'Notify the subscribers of the pages?' },
  ],
  examples: [
    {
      line: 'incidents create --name "Payments fail" --severity MAJOR --services 4d6e8f0a-1b2c-4d3e-8f5a-6b7c8d9e0f1a --status INVESTIGATING --description "We are looking into it."',
      does: 'Open an incident of a service',
    },
  ],
});
