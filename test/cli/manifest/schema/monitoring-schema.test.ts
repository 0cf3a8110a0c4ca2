/** The JSON Schema of monitoring files, as an editor applies it. */
import { Ajv, type ErrorObject } from 'ajv';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { command } from '../../../../commands/schema.ts';
import { createMonitoringSchema } from '../../../../src/cli/manifest/schema/monitoring-schema.ts';
import { runLine } from '../../../support/command.ts';

const ajv = new Ajv({ allErrors: true, strict: false });
const validate = ajv.compile(createMonitoringSchema());

/** Returns the errors with their places; those of `anyOf` and `if` only repeat others. */
function errorsOf(text: string): readonly string[] {
  validate(parse(text));
  const shown = (error: ErrorObject) => {
    const { additionalProperty, missingProperty, propertyName } = error.params as Record<string, string>;
    const named = additionalProperty ?? missingProperty ?? propertyName;
    return `${error.instancePath} ${error.keyword}${named === undefined ? '' : ` ${named}`}`;
  };
  return [
    ...new Set(
      (validate.errors ?? []).filter(({ keyword }) => !['if', 'anyOf'].includes(keyword)).map(shown),
    ),
  ];
}

const VALID = `
$schema: ./monitoring.schema.json
project: shop
defaults:
  checks: { checkType: URL, locations: [eu-west-1], request: { followRedirects: false, nameServer: 192.0.2.1 } }
  alertChannels:
alertChannels:
  - { key: ops, type: WEBHOOK, config: { name: Ops, url: "\${HOOK}", templateFile: ./hook.hbs } }
groups:
  - { name: Shop, renamedFrom: Store, alertChannelSubscriptions: [{ alertChannel: Ops, activated: true }] }
variables:
  - HOOK
  - { key: TOKEN, value: "\${TOKEN}", secret: true }
services:
statusPages:
  - { name: Status, url: shop-status, isPrivate: true, themeColors: { light: { borderColor: '#abc' } }, cards: [{ name: Web, services: [Web] }] }
checks:
  - { name: Home, group: Shop, request: { url: https://example.com }, frequency: "\${MINUTES}", activated: "\${ON}", tags: null }
  - { name: Base, checkType: API, request: { url: "\${BASE}/", method: "\${METHOD}" }, setupSnippet: Sign in }
  - { name: Login, checkType: BROWSER, scriptFile: ./login.spec.ts }
  - { name: E2E, checkType: PLAYWRIGHT, suite: ./e2e }
  - { name: Ask, checkType: AGENTIC, promptFile: ./ask.txt }
`;

describe('the schema', () => {
  it('is a valid schema of draft 7', () => {
    expect(ajv.validateSchema(createMonitoringSchema()), ajv.errorsText()).toBe(true);
  });

  it('accepts what files may have', () => {
    expect(errorsOf(VALID)).toEqual([]);
  });

  it('rejects unknown fields, wrong types and values that the API does not accept', () => {
    const text = `
projects: shop
defaults: { checks: { locatons: [] }, check: {} }
groups: [{ nam: Shop }]
checks:
  - { name: A, checkType: URLL }
  - { name: B, checkType: URL, groupId: 7, prompt: Look, request: { url: example.com, method: 1 } }
  - { name: C, checkType: DNS, frequency: 11, degradedResponseTime: -1, activated: "yes", locations: [mars] }
  - { name: D, checkType: API, request: { url: /, assertions: [{ source: STATUS_CODE, target: 200 }] } }
  - { name: E, suiet: ./e2e }
  - { checkType: BROWSER, name: 5, scriptFile: [] }
`;
    expect(errorsOf(text)).toMatchInlineSnapshot(`
      [
        " additionalProperties projects",
        "/defaults additionalProperties check",
        "/defaults/checks additionalProperties locatons",
        "/groups/0 required name",
        "/groups/0 additionalProperties nam",
        "/checks/0/checkType enum",
        "/checks/1 additionalProperties groupId",
        "/checks/1 additionalProperties prompt",
        "/checks/1/request/url pattern",
        "/checks/1/request/method enum",
        "/checks/1/request/method type",
        "/checks/2/activated pattern",
        "/checks/2/locations/0 enum",
        "/checks/2/locations/0 pattern",
        "/checks/2/frequency enum",
        "/checks/2/frequency type",
        "/checks/2/degradedResponseTime minimum",
        "/checks/3/request/assertions/0 required comparison",
        "/checks/3/request/assertions/0/target type",
        "/checks/4 additionalProperties suiet",
        "/checks/5/name type",
        "/checks/5/scriptFile type",
      ]
    `);
  });

  it('is printed by sonde schema', async () => {
    const { stdout } = await runLine(command, []);
    expect(JSON.parse(stdout)).toEqual(createMonitoringSchema());
  });
});
