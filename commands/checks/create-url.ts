/** `sonde checks create-url`: creates a URL check. */
import { createUrlCheck } from '../../src/contract/index.ts';
import { createCheckCommand, RUN_FIELDS, RUN_STEPS } from './shared/create-command.ts';

export const command = createCheckCommand({
  type: 'URL',
  endpoint: createUrlCheck,
  groups: {
    'HTTP request': [
      'request.method',
      'request.assertions',
      'request.followRedirects',
      'request.skipSSL',
      'sendTraceparent',
      'request.ipFamily',
    ],
  },
  scheduleFields: RUN_FIELDS,
  steps: [
    { flag: 'name' },
    { flag: 'url', message: 'URL to request' },
    ...RUN_STEPS,
    { flag: 'assert', message: 'Assertions on the response', suggestions: ['STATUS_CODE EQUALS 200'] },
  ],
  examples: [
    {
      line: 'checks create-url --name Shop --url https://example.com --locations eu-west-1,us-east-1',
      does: 'Check a URL every 10 minutes, from two locations in rotation',
    },
    {
      line: "checks create-url --name Moved --url http://example.com --no-follow-redirects --assert 'STATUS_CODE EQUALS 301'",
      does: 'Check a redirect without following it',
    },
  ],
  targetColumns: [
    { key: 'request.url', header: 'url' },
    { key: 'request.method', header: 'method' },
  ],
});
