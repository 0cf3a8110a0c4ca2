/** A service that cannot send e-mails and SMS messages says so wherever somebody relies on them. */
import { expect, it, onTestFinished } from 'vitest';
import { command as create } from '../../commands/alert-channels/create.ts';
import * as contract from '../../src/contract/index.ts';
import { parseMailUrl } from '../../src/service/notify/outbox/deliver/email.ts';
import type { ServiceOptions } from '../../src/service/service-options.ts';
import { envOf } from '../cli/resources/journey.ts';
import { ask, call } from '../support/call.ts';
import { runLine } from '../support/command.ts';
import { startTestService } from '../support/service.ts';
import { get, makePage, post, startWorld, tokenIn } from './http/pages/world.ts';

const NO_MAIL = 'This service has no SMTP server configured: e-mails are not sent.';
const CONFIGURED = {
  mail: parseMailUrl('smtp://127.0.0.1:9'),
  sms: { url: 'http://127.0.0.1:9', format: 'json' as const },
};

async function started(delivery: ServiceOptions['delivery'] = {}) {
  const service = await startTestService({ delivery });
  onTestFinished(service.close);
  return service;
}
const email = { type: 'EMAIL' as const, config: { address: 'ops@example.com' } };
const sms = { type: 'SMS' as const, config: { number: '+49 170 1234567' } };
const webhook = { type: 'WEBHOOK' as const, config: { name: 'hook', url: 'https://hooks.example.com/' } };

it('warns in a header of the answer about a channel that it cannot send to, and still stores it', async () => {
  const service = await started();
  const made = await ask(service, contract.createAlertChannel, { body: email });
  expect([made.status, made.headers.get('x-warning')]).toEqual([201, NO_MAIL]);
  const { id } = made.body as { readonly id: number };
  const changed = await ask(service, contract.updateAlertChannel, {
    params: { id },
    body: { sendDegraded: true },
  });
  expect(changed.headers.get('x-warning')).toBe(NO_MAIL);
  const short = await ask(service, contract.createAlertChannel, { body: sms });
  expect(short.headers.get('x-warning')).toContain('no SMS gateway');
  const hook = await ask(service, contract.createAlertChannel, { body: webhook });
  expect([hook.status, hook.headers.get('x-warning')]).toEqual([201, null]);
  expect(await call(service, contract.listAlertChannels, {})).toHaveLength(3);
});

it('warns of nothing where both are configured', async () => {
  const service = await started(CONFIGURED);
  for (const body of [email, sms])
    expect((await ask(service, contract.createAlertChannel, { body })).headers.get('x-warning')).toBeNull();
});

it('is repeated by the command on stderr alone', async () => {
  const argv = ['--type', 'EMAIL', '--address', 'ops@example.com', '--json'];
  const { code, stdout, stderr } = await runLine(create, argv, { env: envOf(await started()) });
  expect([code, stderr]).toEqual([0, expect.stringContaining(`Warning: ${NO_MAIL}\n`)]);
  expect(JSON.parse(stdout)).toMatchObject({ type: 'EMAIL' });
  const quiet = await runLine(create, argv, { env: envOf(await started(CONFIGURED)) });
  expect([quiet.code, quiet.stderr]).toEqual([0, expect.not.stringContaining('Warning')]);
});

it('lists its deliveries in /health, for holders of a key', async () => {
  const health = async (service: { readonly url: string; readonly apiKey: string }, hasKey = true) =>
    (
      await fetch(
        `${service.url}/health`,
        hasKey ? { headers: { authorization: `Bearer ${service.apiKey}` } } : {},
      )
    ).json();
  const bare = await started();
  expect(await health(bare)).toMatchObject({
    deliveries: { email: false, sms: false, webhook: true, slack: true },
  });
  expect(await health(bare, false)).toEqual({ status: 'ok' });
  expect(await health(await started(CONFIGURED))).toMatchObject({ deliveries: { email: true, sms: true } });
});

it('offers no e-mail subscription on its status pages, and refuses one that is sent all the same', async () => {
  const world = await startWorld({ delivery: {} });
  onTestFinished(world.close);
  await makePage(world, 'ours', []);
  const form = await (await get(world, '/status/ours/subscribe')).text();
  expect(form).not.toContain('type="email"');
  expect(form).toContain('type="url"');
  expect(form).toContain('This service sends no e-mails.');
  const token = tokenIn(form);
  const refused = await post(world, '/status/ours/subscribe', {
    kind: 'EMAIL',
    address: 'a@example.com',
    token,
  });
  expect(refused.status).toBe(409);
  expect(await refused.text()).toContain('E-mail subscriptions are not available');
  for (const table of ['page_subscribers', 'outbox'] as const)
    expect(await world.store.db.selectFrom(table).selectAll().execute()).toEqual([]);
  const hook = { kind: 'WEBHOOK', address: 'https://hooks.example.com/', token };
  expect((await post(world, '/status/ours/subscribe', hook)).status).toBe(303);
});

it('says that its public locations are one machine, with the addresses of checks', async () => {
  const own = await ask(await started(), contract.listStaticIpsByRegion, {});
  expect(own.headers.get('x-warning')).toContain('runs all public locations on its own machine');
  const service = await startTestService({ staticAddresses: { 'eu-west-1': ['192.0.2.1'] } });
  onTestFinished(service.close);
  const configured = await ask(service, contract.listStaticIpsByRegion, {});
  expect([configured.body, configured.headers.get('x-warning')]).toEqual([
    { 'eu-west-1': ['192.0.2.1'] },
    null,
  ]);
});
