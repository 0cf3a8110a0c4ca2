/** `sonde checks create-api`: creates an API check. */
import { createApiCheck } from '../../src/contract/index.ts';
import { createCheckCommand, RUN_FIELDS, RUN_STEPS } from './shared/create-command.ts';

export const command = createCheckCommand({
  type: 'API',
  description:
    'In a group, a URL without a host is resolved against the base URL of the group, and the headers, query parameters, credentials ' +
    'and assertions of the group also apply. {{NAME}} in a request is replaced by the value of the variable NAME.',
  endpoint: createApiCheck,
  groups: {
    'HTTP request': [
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
      'sendTraceparent',
      'request.ipFamily',
    ],
    'Setup and teardown': [
      'setupSnippetId',
      'localSetupScript',
      'tearDownSnippetId',
      'localTearDownScript',
      'environmentVariables',
      'runtimeId',
    ],
  },
  scheduleFields: RUN_FIELDS,
  steps: [
    { flag: 'name' },
    { flag: 'url', message: 'URL to request' },
    { flag: 'method', message: 'HTTP method' },
    ...RUN_STEPS,
    { flag: 'assert', message: 'Assertions on the response', suggestions: ['STATUS_CODE EQUALS 200'] },
  ],
  examples: [
    {
      line: "checks create-api --name Orders --url https://api.example.com/orders --header 'accept=application/json' --assert 'JSON_BODY($.length) GREATER_THAN 0'",
      does: 'Check that an API returns a non-empty list',
    },
    {
      line: 'checks create-api --name Login --url https://api.example.com/login --method POST --body-type JSON --body \'{"user": "{{USER}}"}\' --env USER',
      does: 'Send JSON with a variable from the environment',
    },
    {
      line: 'checks create-api --name Stock --url /stock --group-id 12 --username shop --password-file password.txt',
      does: 'Request a path below the base URL of a group, with a password from a file',
    },
  ],
  targetColumns: [
    { key: 'request.method', header: 'method' },
    { key: 'request.url', header: 'url' },
  ],
  hasRuntime: true,
});
