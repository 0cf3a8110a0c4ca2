/** `sonde checks create-api`: creates an API check. */
import { createApiCheck } from '../../src/contract/index.ts';
import { createCheckCommand } from '../shared/checks/creation.ts';
import { API_FLAGS } from '../shared/checks/flags.ts';
import { ALERTS, ORDER, RUNS } from '../shared/checks/groups.ts';

export const command = createCheckCommand({
  verb: 'create-api',
  type: 'an API',
  description:
    'In a group, an address without a host is below the base URL of the group, and the headers, query parameters, credentials ' +
    'and assertions of the group hold as well. {{NAME}} in a request stands for a variable.',
  endpoint: createApiCheck,
  flags: {
    names: API_FLAGS,
    groups: {
      'What is asked': [
        'request.method',
        'request.headers',
        'request.queryParameters',
        'request.body',
        'request.bodyType',
        'request.basicAuth.username',
        'request.basicAuth.password',
        'request.assertions',
        'request.followRedirects',
        'request.skipSSL',
        'request.ipFamily',
      ],
      'What runs before and after it': [
        'setupSnippetId',
        'localSetupScript',
        'tearDownSnippetId',
        'localTearDownScript',
        'environmentVariables',
        'runtimeId',
      ],
      'Where and when it runs': RUNS,
      'Who is told': ALERTS,
      'How it is found again': ORDER,
    },
  },
  steps: [
    { flag: 'name' },
    { flag: 'url', message: 'Address to ask' },
    { flag: 'method', message: 'HTTP method' },
    { flag: 'locations', message: 'Where it runs from' },
    { flag: 'frequency', message: 'How often it runs' },
    { flag: 'frequency-offset', message: 'Seconds between two runs', when: ['frequency', '0'] },
    { flag: 'assert', message: 'Assertions on the response', offers: ['STATUS_CODE EQUALS 200'] },
  ],
  examples: [
    {
      line: "checks create-api --name Orders --url https://api.example.com/orders --header 'accept=application/json' --assert 'JSON_BODY($.length) GREATER_THAN 0'",
      does: 'asks for a list, and expects something in it',
    },
    {
      line: 'checks create-api --name Login --url https://api.example.com/login --method POST --body-type JSON --body \'{"user": "{{USER}}"}\' --env USER',
      does: 'sends JSON with a variable in it, whose value it takes from the environment',
    },
    {
      line: 'checks create-api --name Stock --url /stock --group-id 12 --username shop --password-file password.txt',
      does: 'asks below the base URL of a group, with a password from a file',
    },
  ],
  subject: [
    { key: 'request.method', header: 'method' },
    { key: 'request.url', header: 'url' },
  ],
  runner: [{ key: 'runtimeId', header: 'runtime' }],
});
