/** `sonde checks create-url`: creates a URL check. */
import { createUrlCheck } from '../../src/contract/index.ts';
import { createCheckCommand } from '../shared/checks/creation.ts';
import { HTTP_FLAGS } from '../shared/checks/flags.ts';
import { ALERTS, ORDER, RUNS } from '../shared/checks/groups.ts';

export const command = createCheckCommand({
  verb: 'create-url',
  type: 'a URL',
  endpoint: createUrlCheck,
  flags: {
    names: HTTP_FLAGS,
    groups: {
      'What is asked for': [
        'request.method',
        'request.assertions',
        'request.followRedirects',
        'request.skipSSL',
        'request.ipFamily',
      ],
      'Where and when it runs': RUNS,
      'Who is told': ALERTS,
      'How it is found again': ORDER,
    },
  },
  steps: [
    { flag: 'name' },
    { flag: 'url', message: 'Address to look at' },
    { flag: 'locations', message: 'Where it runs from' },
    { flag: 'frequency', message: 'How often it runs' },
    { flag: 'frequency-offset', message: 'Seconds between two runs', when: ['frequency', '0'] },
    { flag: 'assert', message: 'Assertions on the response', offers: ['STATUS_CODE EQUALS 200'] },
  ],
  examples: [
    {
      line: 'checks create-url --name Shop --url https://example.com --locations eu-west-1,us-east-1',
      does: 'looks whether the address answers every 10 minutes, from two locations in turn',
    },
    {
      line: "checks create-url --name Moved --url http://example.com --no-follow-redirects --assert 'STATUS_CODE EQUALS 301'",
      does: 'expects the redirect itself',
    },
  ],
  subject: [
    { key: 'request.url', header: 'url' },
    { key: 'request.method', header: 'method' },
  ],
});
