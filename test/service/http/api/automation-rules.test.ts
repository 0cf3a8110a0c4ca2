/** The endpoints of automation rules: defaults, partial changes, and what a rule may refer to. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import * as contract from '../../../../src/contract/index.ts';
import { ask, call } from '../../../support/call.ts';
import { startTestService, type TestService } from '../../../support/service.ts';

type Rule = contract.BodyOf<typeof contract.createAutomationRule>;

let service: TestService;
let componentId = '';
let hidden = '';
let page: contract.ResponseOf<typeof contract.createStatusPage>;
beforeAll(async () => {
  service = await startTestService();
  const createService = async (name: string) =>
    String((await call(service, contract.createService, { body: { name } })).id);
  componentId = await createService('Web');
  hidden = await createService('Hidden');
  page = await call(service, contract.createStatusPage, {
    body: { name: 'Ours', url: 'ours', cards: [{ services: [{ id: componentId }] }] },
  });
});
afterAll(() => service.close());

const rule = (fields: Partial<Rule> = {}): Rule => ({
  ...{ statusPageId: page.id, name: 'Shop fails', tags: ['shop'] },
  ...{ firstUpdate: 'We look into it.', lastUpdate: 'It works again.' },
  components: [{ componentId, targetImpact: 'MAJOR_OUTAGE' }],
  ...fields,
});

it('are created with defaults, listed, changed in part, written back and deleted', async () => {
  const created = await call(service, contract.createAutomationRule, { body: rule() });
  expect(created).toMatchObject({
    ...{ ...rule(), enabled: true, notifySubscribers: true, coolDownWindowMinutes: 5 },
  });
  const params = { id: created.id };
  expect((await call(service, contract.listAutomationRules, {})).entries).toEqual([created]);
  const changed = await call(service, contract.updateAutomationRule, { params, body: { enabled: false } });
  expect(changed).toEqual({ ...created, enabled: false, updated_at: changed.updated_at });
  const again = await ask(service, contract.updateAutomationRule, { params, body: changed });
  expect(again).toMatchObject({ status: 200, body: { ...changed, updated_at: expect.any(String) } });
  await call(service, contract.deleteAutomationRule, { params });
  expect((await ask(service, contract.getAutomationRule, { params })).status).toBe(404);
});

it.each<[what: string, fields: () => Partial<Rule>, message: string]>([
  ['another page', () => ({ statusPageId: hidden }), 'statusPageId does not match any status page'],
  [
    'a service that the page does not show',
    () => ({ components: [{ componentId: hidden, targetImpact: 'MAJOR_OUTAGE' }] }),
    'components[0].componentId does not match any service on a card of the status page',
  ],
  [
    'a service twice',
    () => ({ components: [...rule().components, ...rule().components] }),
    'components[1].componentId must not be used by two components',
  ],
  ['no component', () => ({ components: [] }), 'components must have at least 1'],
  ['no tag', () => ({ tags: [] }), 'tags must have at least 1'],
  ['half a minute', () => ({ coolDownWindowMinutes: 0.5 }), 'coolDownWindowMinutes must be'],
  [
    'no impact',
    () => ({ components: [{ componentId, targetImpact: 'OPERATIONAL' as never }] }),
    'components[0].targetImpact must be one of MAJOR_OUTAGE',
  ],
])('refuse %s, when they are created and when they are changed', async (_, fields, message) => {
  const refused = await ask(service, contract.createAutomationRule, { body: rule(fields()) });
  expect(refused).toMatchObject({ status: 400, body: { message: expect.stringContaining(message) } });
  const { id } = await call(service, contract.createAutomationRule, { body: rule() });
  const change = await ask(service, contract.updateAutomationRule, { params: { id }, body: fields() });
  expect(change).toMatchObject({ status: 400, body: { message: expect.stringContaining(message) } });
  await call(service, contract.deleteAutomationRule, { params: { id } });
});

it('are deleted with their page', async () => {
  const body = { name: 'Other', url: 'other', cards: [{ services: [{ id: componentId }] }] };
  const { id: statusPageId } = await call(service, contract.createStatusPage, { body });
  const { id } = await call(service, contract.createAutomationRule, { body: rule({ statusPageId }) });
  await call(service, contract.deleteStatusPage, { params: { statusPageId } });
  expect((await ask(service, contract.getAutomationRule, { params: { id } })).status).toBe(404);
});
