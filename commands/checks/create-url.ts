/** `sonde checks create-url`: creates a URL check. */
import { createUrlCheck } from '../../src/contract/index.ts';
import { createCheckCommand } from './shared/create-command.ts';
import { ALERT_FIELDS, ORGANIZATION_FIELDS, RUN_FIELDS } from './shared/help-groups.ts';

export const command = createCheckCommand({
  type: 'URL',
  endpoint: createUrlCheck,
  groups: {
    'HTTP request': [
      'request.method',
      'request.assertions',
      'request.followRedirects',
      'request.skipSSL',
      'request.ipFamily',
    ],
    'Schedule and locations': RUN_FIELDS,
    Notifications: ALERT_FIELDS,
    Organization: ORGANIZATION_FIELDS,
  },
  steps: [
    { flag: 'name' },
    { flag: 'url', message: 'URL to request' },
    { flag: 'locations', message: 'Locations' },
    { flag: 'frequency', message: 'Frequency' },
    { flag: 'frequency-offset', message: 'Seconds between runs', when: ['frequency', '0'] },
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
