/** `sonde incidents create`. */
import { createIncident } from '../../src/contract/index.ts';
import { incidentFlags, incidents } from '../shared/resources/incidents.ts';
import { createCommand } from '../shared/resources/write.ts';

export const command = createCommand(incidents, {
  endpoint: createIncident,
  summary: 'Open an incident',
  flags: incidentFlags,
  interview: [
    { flag: 'name', message: 'What is wrong, in a few words' },
    {
      flag: 'services',
      message: 'Ids of the services it concerns, with commas ("sonde services list" shows them)',
    },
    { flag: 'severity' },
    { flag: 'description', message: 'What is known' },
    { flag: 'status' },
    { flag: 'notify', message: 'Tell the subscribers of its pages?' },
  ],
  examples: [
    {
      line: 'incidents create --name "Payments fail" --severity MAJOR --services 4d6e8f0a-1b2c-4d3e-8f5a-6b7c8d9e0f1a --status INVESTIGATING --description "We are looking into it."',
      does: 'opens one on the pages of a service',
    },
  ],
});
