/** A test message over an alert channel: over real receivers, by the API and by the command, with what the receiver said. */
import { expect, it, onTestFinished } from 'vitest';
import { command } from '../../../../commands/alert-channels/test.ts';
import * as contract from '../../../../src/contract/index.ts';
import { enqueue } from '../../../../src/service/notify/facts/message.ts';
import { envOf } from '../../../cli/resources/journey.ts';
import { ask, call } from '../../../support/call.ts';
import { runLine } from '../../../support/command.ts';
import { eventually } from '../../../support/eventually.ts';
import { answer, serveWith } from '../../../support/http.ts';
import { startMailServer } from '../../../support/mail/smtp-server.ts';
import { startTestService } from '../../../support/service.ts';

async function started(status = 200) {
  const receiver = await serveWith((_, response) => answer(response, { status }));
  const mail = await startMailServer();
  const mailSettings = { host: '127.0.0.1', port: mail.port, secure: false, requireTls: false };
  const service = await startTestService({
    delivery: {
      mail: { ...mailSettings, from: 'sonde@example.com' },
      sms: { url: `${receiver.url}/sms`, format: 'json' },
    },
  });
  onTestFinished(async () => {
    await service.close();
    await mail.close();
  });
  const channel = async (type: 'EMAIL' | 'WEBHOOK' | 'SLACK' | 'SMS', config: object) =>
    (await call(service, contract.createAlertChannel, { body: { type, config: { ...config } } })).id;
  const tried = (id: number) => call(service, contract.testAlertChannel, { params: { id } });
  return { service, receiver, mail, channel, tried };
}

it('reaches each kind of channel as an alert would, says that nothing failed, and is no notification', async () => {
  const { service, receiver, mail, channel, tried } = await started();
  const host = receiver.url.slice('http://'.length);
  const template = '{"said": "{{CHECK_ERROR_MESSAGE}}", "type": "{{ALERT_TYPE}}"}';
  const config = { name: 'hook', url: receiver.url, template, webhookSecret: 'sig' };
  const delivered = { delivered: true, error: null };
  const email = await channel('EMAIL', { address: 'ops@example.com' });
  expect(await tried(email)).toEqual({ ...delivered, recipient: 'ops@example.com' });
  expect(await tried(await channel('WEBHOOK', config))).toEqual({ ...delivered, recipient: host });
  const slack = await channel('SLACK', { url: `${receiver.url}/slack` });
  expect(await tried(slack)).toEqual({ ...delivered, recipient: host });
  const sms = await channel('SMS', { number: '+49 170 1234567' });
  expect(await tried(sms)).toEqual({ ...delivered, recipient: '+49 170 1234567' });
  expect(mail.mails[0]?.raw).toContain('This is a test message');
  const [hook, ...others] = receiver.requests;
  expect(JSON.parse(hook?.body ?? '')).toEqual({
    said: 'This is a test message. No check failed.',
    type: 'ALERT_FAILURE',
  });
  expect(hook?.headers).toMatchObject({
    'x-sonde-signature': expect.stringMatching(/^[0-9a-f]{64}$/),
    'idempotency-key': expect.stringMatching(/^test-/),
  });
  for (const { body } of others) expect(body).toContain('test of the alert channel');
  expect(await call(service, contract.listAlertNotifications, {})).toEqual([]);
});

it('tells what the receiver said where it was not taken, once and without the secrets of the channel', async () => {
  const { service, receiver, channel, tried } = await started(500);
  const config = { name: 'hook', url: `${receiver.url}/path-secret`, webhookSecret: 'sig-secret' };
  const id = await channel('WEBHOOK', config);
  const told = await tried(id);
  expect(told).toMatchObject({ delivered: false, error: 'answered 500' });
  expect(JSON.stringify(told)).not.toContain('secret');
  expect(receiver.requests).toHaveLength(1);
  const another = { ...service, ...(await service.newAccount()) };
  const refused = await ask(another, contract.testAlertChannel, { params: { id } });
  expect(refused.status).toBe(404);
});

it('is sent by a command, which ends with 0 where it was taken and with 1 where it was not', async () => {
  const { service, receiver, channel } = await started();
  const well = await channel('WEBHOOK', { name: 'hook', url: receiver.url });
  const gone = await channel('WEBHOOK', { name: 'hook', url: 'http://127.0.0.1:1/' });
  const env = envOf(service);
  const taken = await runLine(command, [String(well), '--json'], { env });
  expect(JSON.parse(taken.stdout)).toMatchObject({ delivered: true });
  expect(taken.code).toBe(0);
  const lost = await runLine(command, [String(gone)], { env });
  expect(lost.code).toBe(1);
  expect(lost.stdout).toContain('ECONNREFUSED');
  expect(lost.stderr).toContain('the test message was not delivered');
});

it('says of a template that makes too much that nothing was sent, also as a notification', async () => {
  const { receiver, service, channel, tried } = await started();
  const template = `{"said": "${'{{CHECK_ERROR_MESSAGE}}'.repeat(499)}"}`;
  const error =
    'the rendered body is larger than 256 KB: use long variables less often, especially inside #each';
  const id = await channel('WEBHOOK', { name: 'hook', url: receiver.url, template });
  expect(await tried(id)).toMatchObject({ delivered: true });
  const { renderMessage } = await import('../../../../src/service/notify/channels/index.ts');
  const facts = {
    ...({ kind: 'ALERT_FAILURE', at: 0, since: 0, groupName: null, tags: [], link: null } as const),
    check: { id: 'id', name: 'n', type: 'DNS' },
    run: {
      sessionId: 's',
      resultId: 'r',
      location: 'l',
      responseTime: 1,
      startedAt: 0,
      error: 'e'.repeat(4000),
    },
  };
  const config = { name: 'hook', url: receiver.url, template };
  const message = renderMessage({ type: 'WEBHOOK', config }, facts);
  expect(message).toMatchObject({ body: '', problem: error });
  const alert = { channelId: id, checkId: null, type: 'ALERT_FAILURE' };
  await service.store.transaction((tx) =>
    enqueue(tx, { accountId: service.accountId, key: 'k', message, alert }),
  );
  await eventually(async () => {
    const entries = await call(service, contract.listAlertNotifications, {});
    expect(entries).toMatchObject([{ state: 'FAILED', lastError: error }]);
  });
  expect(receiver.requests).toHaveLength(1);
});
