/** A service whose machine has lost its network, with real checks, canaries and alerts. */
import { createServer } from 'node:http';
import { expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../src/base/clock.ts';
import * as contract from '../../src/contract/index.ts';
import { openUplink } from '../../src/runners/uplink/open-uplink.ts';
import { byHand } from '../support/by-hand.ts';
import { call } from '../support/call.ts';
import { eventually } from '../support/eventually.ts';
import { freePort } from '../support/free-port.ts';
import { answer, serveWith } from '../support/http.ts';
import { startTestService } from '../support/service.ts';

async function scene() {
  const [canaryPort, closedPort] = [await freePort(), await freePort()];
  const target = await serveWith((_, response) => answer(response, { status: 500 }));
  const canaries = [
    { name: 'one', target: { hostname: '127.0.0.1', port: await freePort() } },
    { name: 'two', target: { url: `http://127.0.0.1:${canaryPort}/` } },
  ];
  const logged: string[] = [];
  const log = { warn: (message: string) => void logged.push(message) };
  const uplink = openUplink({ canaries, clock: systemClock, reach: {}, log });
  const at = await startTestService({ engine: { uplink } });
  onTestFinished(() => at.close());
  const receiver = await serveWith((_, response) => answer(response, {}));
  const channel = await at.store.alertChannels.create(at.accountId, {
    ...{ type: 'WEBHOOK', config: { url: receiver.url } },
  });
  const alertTypes = async () =>
    (await at.store.outbox.alerts({ accountId: at.accountId, limit: 10 })).rows.map((row) => row.alert_type);
  return {
    at,
    logged,
    alertTypes,
    nowhere: `http://127.0.0.1:${closedPort}/`,
    broken: target.url,
    /** Lets the second canary answer, with an error. */
    async restore() {
      const server = createServer((_, response) => answer(response, { status: 503 }));
      await new Promise<void>((resolve) => server.listen(canaryPort, '127.0.0.1', resolve));
      onTestFinished(() => void server.close());
    },
    /** Runs a URL check once. */
    async run(url: string, fields: object = {}) {
      const body = { name: url, request: { url, skipSSL: false }, retryStrategy: null, ...fields };
      const check = await at.store.checks.create(at.accountId, {
        ...{ type: 'URL', body: { ...body, ...byHand() } as never },
      });
      await at.store.subscriptions.set(at.accountId, { checkId: check.id }, [
        { channelId: channel.id, activated: true },
      ]);
      const target = { checkId: [check.id] };
      const { engine } = at.service;
      const { accountId } = at;
      const [session] = await engine.startSessions({ accountId, runSource: 'TRIGGER_API', target });
      await engine.awaitSession(accountId, session?.checkSessionId ?? '', 20_000);
      const { entries } = await call(at, contract.listCheckResults, { params: { checkId: check.id } });
      return entries[0];
    },
    async health() {
      const headers = { authorization: `Bearer ${at.apiKey}` };
      const [health, metrics] = await Promise.all(
        ['/health', '/metrics'].map(async (path) => (await fetch(`${at.url}${path}`, { headers })).text()),
      );
      const { uplink: state } = JSON.parse(health ?? '') as { uplink?: string };
      return [state, /^sonde_uplink_up (\d)$/m.exec(metrics ?? '')?.[1]];
    },
  };
}

const OUTAGE = 'the network of this machine is down: no canary answers (one, two)';

it('records monitor errors and sends no alert while no canary answers', async () => {
  const { run, nowhere, broken, health, alertTypes, logged, restore } = await scene();
  expect(await health()).toEqual(['up', '1']);
  expect(await run(nowhere)).toMatchObject({
    ...{ hasErrors: true, hasFailures: false, errors: [OUTAGE, expect.stringContaining('ECONNREFUSED')] },
    urlCheckResult: { errorCode: 'ECONNREFUSED' },
  });
  // A check that expects its target to be unreachable would pass.
  expect(await run(nowhere, { shouldFail: true })).toMatchObject({ hasErrors: true, errors: [OUTAGE] });
  expect(await health()).toEqual(['down', '0']);
  expect(await alertTypes()).toEqual([]);
  // The target has answered, so its failure is its own.
  expect(await run(broken)).toMatchObject({ hasErrors: false, hasFailures: true });
  expect(await alertTypes()).toEqual(['ALERT_FAILURE']);

  await restore();
  await eventually(async () => expect(await health()).toEqual(['up', '1']));
  expect(await run(nowhere)).toMatchObject({ hasErrors: false, hasFailures: true });
  expect(logged).toEqual([OUTAGE, 'the network of this machine works again: a canary answers (one, two)']);
});
