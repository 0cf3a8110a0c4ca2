/** A DNS check as a whole: whom it asks, how long it waits, and how it is stopped. */
import { createSocket } from 'node:dgram';
import type { Answer } from 'dns-packet';
import { describe, expect, it } from 'vitest';
import { run } from '../../../src/runners/dns/runner.ts';
import { hastyClock } from '../../support/clock.ts';
import { closedPort, type Faults, onQuery, replyTo, startFaulty } from '../../support/dns/faulty.ts';
import { dnsOf, runAt } from '../../support/dns/run.ts';
import { eventually } from '../../support/eventually.ts';
import { skip } from '../../support/needs.ts';
import { attempt } from '../../support/runners.ts';

const A: Answer[] = [{ type: 'A', name: 'example.test', ttl: 60, data: '192.0.2.1' }];
const QUERY = { query: 'example.test' } as const;

describe('whom to ask', () => {
  it('asks the resolvers in their order, and shows which ones failed', async () => {
    const dead = await closedPort();
    const good = await startFaulty({ udp: (query, _before, reply) => reply(replyTo(query, A)) });
    const resolvers = () => [`127.0.0.1:${dead}`, `127.0.0.1:${good.port}`];
    const outcome = await attempt(run, { request: QUERY }, { resolvers });
    expect(outcome).toMatchObject({ hasFailures: false, isNetworkError: false });
    expect(dnsOf(outcome)).toMatchObject({
      resolver: `127.0.0.1:${good.port}`,
      failedOver: [{ resolver: `127.0.0.1:${dead}` }],
    });
  });

  it('asks the next resolver when one keeps silent or has no address', async () => {
    const silent = await startFaulty({});
    const good = await startFaulty({ udp: (query, _before, reply) => reply(replyTo(query, A)) });
    const resolvers = ['resolver.invalid', `127.0.0.1:${silent.port}`, `127.0.0.1:${good.port}`];
    const outcome = await attempt(run, { request: QUERY }, { clock: hastyClock, resolvers: () => resolvers });
    expect(outcome.hasFailures).toBe(false);
    expect(dnsOf(outcome).failedOver).toMatchObject([{ error: expect.stringContaining('no answer from') }]);
  });

  it('does not ask the next resolver because of what an answer says', async () => {
    const refusing = await startFaulty({ udp: (query, _before, reply) => reply(replyTo(query, [], 5)) });
    const other = await startFaulty({ udp: (query, _before, reply) => reply(replyTo(query, A)) });
    const resolvers = () => [`127.0.0.1:${refusing.port}`, `127.0.0.1:${other.port}`];
    const outcome = await attempt(run, { request: QUERY }, { resolvers });
    expect(outcome.errors).toEqual(['example.test A: answered REFUSED']);
    expect(other.datagrams).toHaveLength(0);
  });

  it('looks up a name server that is given by its name', async () => {
    const server = await startFaulty({ udp: (query, _before, reply) => reply(replyTo(query, A)) });
    const outcome = await runAt({ address: 'localhost', port: server.port }, QUERY);
    expect(outcome.hasFailures).toBe(false);
    expect(dnsOf(outcome).timing.lookup).toBeGreaterThan(0);
  });

  it('fails where the name server has no address', async () => {
    const outcome = await runAt({ address: 'ns.invalid', port: 53 }, QUERY);
    expect(outcome).toMatchObject({ hasFailures: true, hasErrors: false, isNetworkError: true });
    expect(outcome.errors[0]).toMatch(
      /^(the name server ns\.invalid has no address|the system did not resolve)/,
    );
  });

  it('contacts no address that the policy denies', async () => {
    const server = await startFaulty({});
    const denyAddress = (address: string) => (address.startsWith('127.') ? 'private network' : undefined);
    await expect(runAt(server, QUERY, {}, { denyAddress })).rejects.toThrow(
      'the check is not allowed to contact the name server 127.0.0.1 (private network)',
    );
    expect(server.datagrams).toHaveLength(0);
  });

  it('cannot run without any resolver, nor ask for what is no name', async () => {
    await expect(attempt(run, { request: QUERY })).rejects.toThrow('no resolver is configured at test');
    const port = await closedPort();
    for (const query of ['a..b', `${'a'.repeat(64)}.test`, 'a b.münchen.test']) {
      await expect(runAt({ address: '127.0.0.1', port }, { query })).rejects.toThrow(/name|label/);
    }
  });
});

describe('an answer of many records', () => {
  const many = (count: number, data: (place: number) => Answer) =>
    startFaulty({
      udp: (query, _before, reply) =>
        reply(
          replyTo(
            query,
            Array.from({ length: count }, (_, n) => data(n)),
          ),
        ),
    });
  const address = (place: number): Answer => ({
    ...{ type: 'A', name: 'a.test', ttl: 60, data: `192.0.${place >> 8}.${place & 255}` },
  });

  it('is judged whole, and stored in part', async () => {
    const assertions = [
      { source: 'TEXT_ANSWER', comparison: 'CONTAINS', target: '192.0.9.1' },
      { source: 'JSON_ANSWER', property: '$.Answer.length', comparison: 'EQUALS', target: '2500' },
      { source: 'RESPONSE_CODE', comparison: 'EQUALS', target: 'REFUSED' },
    ] as const;
    const outcome = await runAt(await many(2500, address), { ...QUERY, assertions });
    const dns = dnsOf(outcome);
    expect(dns.response.Answer).toHaveLength(200);
    expect(dns.text.split('\n').slice(198)).toEqual([
      expect.stringContaining('192.0.0.198'),
      expect.stringContaining('192.0.0.199'),
      '; 2300 more records are not stored',
    ]);
    expect(dns).toMatchObject({ recordCount: 2500, recordsLeftOut: 2300 });
    expect(outcome.errors).toEqual([
      expect.stringContaining('REFUSED'),
      'the answer has 2500 records; the last 2300 are not stored',
    ]);
    expect(JSON.stringify(outcome.details).length).toBeLessThan(40_000);
  });

  it('takes little room however long its records are', async () => {
    const text = Buffer.alloc(250, 1);
    const server = await many(150, () => ({ type: 'TXT', name: 'example.test', ttl: 60, data: text }));
    const outcome = await runAt(server, { ...QUERY, recordType: 'TXT' });
    expect(outcome.errors).toEqual([]);
    expect(dnsOf(outcome).recordsLeftOut).toBe(150 - dnsOf(outcome).response.Answer.length);
    expect(dnsOf(outcome).recordsLeftOut).toBeGreaterThan(0);
    expect(JSON.stringify(outcome.details).length).toBeLessThan(200_000);
  });

  it('is stored whole where it is small, and empty where it is empty', async () => {
    const whole = dnsOf(await runAt(await many(200, address), QUERY));
    expect(whole).toMatchObject({ recordCount: 200, recordsLeftOut: 0 });
    expect(whole.text.split('\n')).toHaveLength(200);
    expect(dnsOf(await runAt(await many(0, address), QUERY))).toMatchObject({
      ...{ recordCount: 0, recordsLeftOut: 0, text: '' },
    });
  });
});

describe('limits of time', () => {
  const answering: Faults = { udp: (query, _before, reply) => reply(replyTo(query, A)) };

  it('fails at the maximum, and is over it', async () => {
    const outcome = await runAt(await startFaulty(answering), QUERY, {
      maxResponseTime: 0,
      degradedResponseTime: 0,
    });
    expect(outcome).toMatchObject({ hasFailures: true, overMaxResponseTime: true, isDegraded: false });
    expect(outcome.errors[0]).toMatch(/^took [\d.]+ m?s, the limit is 0 ms$/);
  });

  it('is degraded, and passes, between the two', async () => {
    const outcome = await runAt(await startFaulty(answering), QUERY, {
      maxResponseTime: 5000,
      degradedResponseTime: 0,
    });
    expect(outcome).toMatchObject({ hasFailures: false, overMaxResponseTime: false, isDegraded: true });
  });
});

describe('an abort', () => {
  it.each(['UDP', 'TCP'] as const)('rejects with its reason and closes the socket (%s)', async (protocol) => {
    const controller = new AbortController();
    const reason = new Error('stop');
    const server = await startFaulty({
      udp: () => controller.abort(reason),
      tcp: (socket) => onQuery(socket, () => controller.abort(reason)),
    });
    const request = { ...QUERY, protocol, nameServer: server.address, port: server.port };
    const running = attempt(run, { request }, {}, controller.signal);
    await expect(running).rejects.toBe(reason);
    await eventually(() => expect(server.connections()).toBe(0));
  });

  it('before the start sends nothing', async () => {
    const server = await startFaulty({});
    const request = { ...QUERY, nameServer: server.address, port: server.port };
    const early = AbortSignal.abort(new Error('early'));
    await expect(attempt(run, { request }, {}, early)).rejects.toThrow('early');
    expect(server.datagrams).toHaveLength(0);
  });
});

describe('an IPv6 name server', () => {
  it('is asked at its address', async (context) => {
    const server = createSocket('udp6');
    const bound = await new Promise<boolean>((resolve) => {
      server.once('error', () => resolve(false));
      server.bind(0, '::1', () => resolve(true));
    });
    if (!bound) skip(context, 'an IPv6 loopback address');
    server.on('message', (query, from) => server.send(replyTo(query, A), from.port, from.address));
    const outcome = await runAt({ address: '[::1]', port: server.address().port }, QUERY);
    server.close();
    expect(dnsOf(outcome).resolver).toMatch(/^\[::1\]:\d+$/);
  });
});
