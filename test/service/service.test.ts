/** The service as a whole: started, stopped, and what it says at its first start. */
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { systemClock } from '../../src/base/clock.ts';
import { UsageError } from '../../src/base/errors.ts';
import { systemRandom } from '../../src/base/random.ts';
import * as contract from '../../src/contract/index.ts';
import { createService } from '../../src/service/service.ts';
import type { ServiceOptions } from '../../src/service/service-options.ts';
import { ask, call } from '../support/call.ts';
import { eventually } from '../support/eventually.ts';
import { send } from '../support/send.ts';
import { createTarget } from './engine/harness.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sonde-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const create = (options: Partial<ServiceOptions> = {}) =>
  createService({
    store: { path: join(folder, 'sonde.db') },
    listen: { host: '127.0.0.1', port: 0 },
    clock: systemClock,
    random: systemRandom,
    ...options,
  });

describe('the service', () => {
  it('makes an account and a key on its first start, and never again', async () => {
    const first = await create();
    const { url } = await first.start();
    const { accountId = '', apiKey = '' } = first.firstAccount ?? {};
    expect(apiKey).toMatch(/^sk_/);
    const snippet = { body: { name: 'kept', script: '' } };
    await call({ url, apiKey }, contract.createSnippet, snippet);
    await first.stop();
    const second = await create();
    expect(second.firstAccount).toBeUndefined();
    const again = await second.start();
    const headers = { 'x-service-account': accountId };
    expect(
      (await send({ url: again.url, apiKey }, 'GET /v1/snippets', undefined, headers)).body,
    ).toMatchObject([{ name: 'kept' }]);
    await second.stop();
  });

  it('says where it cannot listen, and lets its store go', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await eventually(() => expect(other.listening).toBe(true));
    const { port } = other.address() as { port: number };
    const service = await create({ listen: { host: '127.0.0.1', port } });
    const refused = service.start();
    await expect(refused).rejects.toThrow(UsageError);
    await expect(refused).rejects.toThrow(`127.0.0.1:${port}: the address is already in use`);
    const next = await create();
    await next.stop();
    other.close();
  });

  it('lets running checks finish when it stops, and wakes who waits for them', async () => {
    const target = createTarget();
    target.hang();
    const service = await create({ engine: { runners: { DNS: target.runner }, graceMs: 60_000 } });
    const { url } = await service.start();
    const as = { url, apiKey: service.firstAccount?.apiKey ?? '' };
    const body = {
      name: 'd',
      request: { query: 'example.com' },
      heartbeat: {},
      script: '',
      retryStrategy: null,
    };
    const check = await call(as, contract.createDnsCheck, { body });
    const { sessions } = await call(as, contract.triggerCheckSessions, {
      body: { target: { checkId: [String(check.id)] } },
    });
    const params = { checkSessionId: String(sessions[0]?.checkSessionId) };
    await eventually(() => expect(target.hanging()).toBe(1));
    const waiting = vi.spyOn(service.engine, 'awaitSession');
    const answer = ask(as, contract.awaitCheckSession, { params });
    await eventually(() => expect(waiting).toHaveBeenCalled());
    const stopped = service.stop();
    expect(await send(as, 'GET /health')).toMatchObject({ status: 503, body: { status: 'stopping' } });
    target.letGo();
    expect(await answer).toMatchObject({ status: 200, body: { status: 'PASSED' } });
    await stopped;
    await expect(send(as, 'GET /health')).rejects.toThrow();
    expect(service.stop()).toBe(service.stop());
  });

  it('sends away who still waits when the grace is over', async () => {
    const target = createTarget();
    target.hang();
    const service = await create({ engine: { runners: { DNS: target.runner }, graceMs: 10 } });
    const { url } = await service.start();
    const as = { url, apiKey: service.firstAccount?.apiKey ?? '' };
    const body = { name: 'd', request: { query: 'example.com' }, heartbeat: {}, script: '' };
    const check = await call(as, contract.createDnsCheck, { body });
    const { sessions } = await call(as, contract.triggerCheckSessions, {
      body: { target: { checkId: [String(check.id)] } },
    });
    const params = { checkSessionId: String(sessions[0]?.checkSessionId) };
    const waiting = vi.spyOn(service.engine, 'awaitSession');
    const answer = ask(as, contract.awaitCheckSession, { params });
    await eventually(() => expect(waiting).toHaveBeenCalled());
    await service.stop();
    const { status, headers } = await answer;
    expect(status).toBe(408);
    expect(headers.get('retry-after')).toBe('1');
  });

  it('waits at its end for no connection over which nothing was asked', async () => {
    // No other limit ends the connection.
    const service = await create({ limits: { requestTimeoutMs: 60 * 60_000 } });
    const { port } = await service.start();
    service.app.server.setTimeout(0);
    const silent = connect(port, '127.0.0.1');
    await once(silent, 'connect');
    await eventually(async () => {
      const count = new Promise((resolve) => service.app.server.getConnections((_, open) => resolve(open)));
      expect(await count).toBe(1);
    });
    await service.stop();
    silent.destroy();
  });
});
