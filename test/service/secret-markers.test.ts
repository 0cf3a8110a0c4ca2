/** Every secret that a schema marks is sent to a real service, and occurs in no answer, export, trace or dry run. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { command as exportCommand } from '../../commands/export.ts';
import { describeRaw, describeRequest } from '../../src/client/index.ts';
import { redactMessage } from '../../src/client/redact.ts';
import { secretSchemas } from '../../src/contract/generated/secret-schemas.js';
import * as contract from '../../src/contract/index.ts';
import { mapSecrets } from '../../src/contract/secrets.ts';
import { envOf, well } from '../cli/resources/journey.ts';
import { send } from '../support/send.ts';
import { startTestService, type TestService } from '../support/service.ts';

const MARKER = 'marker-of-a-secret';

/** Returns a value of a schema in which every secret is a marker. */
function filled(schema: contract.JsonSchema): unknown {
  if (schema['x-secret'] !== undefined) return MARKER;
  if (schema.items) return [filled(schema.items)];
  const fields = Object.entries(schema.properties ?? {});
  return Object.fromEntries(fields.map(([name, field]) => [name, filled(field)]));
}

describe.each(Object.entries(secretSchemas))('%s', (_name, { method, path, body, answer }) => {
  const pathname = `/base${path.replaceAll(/\{\w+\}/g, '4711')}`;
  it('shows no secret in a trace or a dry run', () => {
    for (const [part, schema] of [
      ['body', body],
      ['answer', answer],
    ] as const) {
      if (!schema) continue;
      const value = filled(schema);
      expect(JSON.stringify(value)).toContain(MARKER);
      expect(JSON.stringify(redactMessage({ method, pathname, part }, value))).not.toContain(MARKER);
    }
    const config = { baseUrl: 'https://api.example.test/base/', userAgent: 'sonde' };
    const described = body ? describeRaw(config, method, pathname.slice(5), { body: filled(body) }) : {};
    expect(JSON.stringify(described)).not.toContain(MARKER);
  });
});

const pair = { key: 'x', value: '', locked: true };
const request = {
  ...{ url: 'https://api.example/', basicAuth: { username: 'me', password: '' } },
  ...{ headers: [pair], queryParameters: [pair] },
};
const variables = { environmentVariables: [{ key: 'PIN', value: '', secret: true }] };
const credentials = { httpCredentials: { username: 'me', password: '' } };
const channel = (type: string, config: object) => [contract.createAlertChannel, { type, config }] as const;

/** Resources that contain each secret of a request which answers hide. */
const RESOURCES: readonly (readonly [contract.Endpoint, object])[] = [
  [contract.createVariable, { key: 'PIN', value: '', secret: true }],
  [contract.createCheckGroup, { name: 'g', apiCheckDefaults: request, ...variables }],
  [contract.createApiCheck, { name: 'a', request: { ...request, method: 'GET' }, ...variables }],
  [
    contract.createBrowserCheck,
    { name: 'b', script: 'console.log(1)', playwrightConfig: { use: credentials }, ...variables },
  ],
  channel('PAGERDUTY', { serviceKey: '' }),
  channel('OPSGENIE', { apiKey: '' }),
  channel('SLACK_APP', { slackChannels: ['#ops'], token: '' }),
  channel('NTFY', { topic: '' }),
  channel('WEBHOOK', {
    ...{ name: 'w', url: '', webhookSecret: '', headers: [pair], queryParameters: [pair] },
  }),
];

describe('a service', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startTestService();
  });
  afterAll(() => service.close());

  it('shows no secret that it stores in an answer, a list, a dry run or an export', async () => {
    const shown: unknown[] = [];
    for (const [endpoint, skeleton] of RESOURCES) {
      const body = mapSecrets(endpoint.body ?? {}, skeleton, ({ value, path }) => {
        if (value === undefined) return undefined;
        return path.at(-1) === 'url' ? `https://hooks.example/${MARKER}` : MARKER;
      });
      expect(JSON.stringify(body)).toContain(MARKER);
      const config = { baseUrl: 'https://api.example.test', userAgent: 'sonde' };
      const made = await send(service, `POST ${endpoint.path}`, body);
      expect([endpoint.name, made.status, made.body]).toMatchObject([endpoint.name, 201, {}]);
      const list = await send(service, `GET ${endpoint.path.replace(/\/checks\/\w+$/, '/checks')}`);
      shown.push(made.body, list.body, describeRequest(config, endpoint, { body }));
    }
    shown.push((await well(exportCommand, [], { env: envOf(service) })).stdout);
    expect(JSON.stringify(shown)).not.toContain(MARKER);
    expect(JSON.stringify(await service.store.variables.list(service.accountId))).toContain(MARKER);
  });
});
