/** No resource has a name that nobody can see. */
import { expect, it } from 'vitest';
import * as contract from '../../src/contract/index.ts';
import { violationsOf } from '../../src/contract/validate.ts';

const endpoints: readonly contract.Endpoint[] = Object.values(contract);
const named = endpoints.filter(({ body, caller }) => {
  const schema = body?.properties?.name;
  return caller === undefined && schema !== undefined;
});

it.each(named.map((endpoint) => [endpoint.name, endpoint] as const))('%s', (_, endpoint) => {
  const messages = (name: string) =>
    violationsOf(endpoint, { body: { name } }, 0)
      .filter(({ path }) => path.join('.') === 'name')
      .map(({ message }) => message);
  for (const blank of [' ', '\t\n', '\u00a0', '\u200b', ' \u2800 '])
    expect([endpoint.name, messages(blank)]).toEqual([endpoint.name, ['must not be blank']]);
  for (const name of [' a ', '漢', '🙂', '.']) expect(messages(name)).toEqual([]);
});

it('names in channels and automatic incidents too', () => {
  const placesOf = (endpoint: contract.Endpoint, body: object) =>
    violationsOf(endpoint, { body }, 0)
      .filter(({ message }) => message === 'must not be blank')
      .map(({ path }) => path.join('.'));
  expect(placesOf(contract.createAlertChannel, { type: 'WEBHOOK', config: { name: ' ' } })).toEqual([
    'config.name',
  ]);
  expect(placesOf(contract.createUrlCheck, { name: 'a', triggerIncident: { name: ' ' } })).toEqual([
    'triggerIncident.name',
  ]);
});
