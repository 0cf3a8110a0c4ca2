/** TCP checks against real sockets: what is sent, what comes back, and how long it is waited for. */
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import type { Evaluate } from '../../../src/runners/core/runner.ts';
import { run, type TcpCheck } from '../../../src/runners/tcp/runner.ts';
import { createManualClock, hastyClock } from '../../support/clock.ts';
import { eventually } from '../../support/eventually.ts';
import { freePort } from '../../support/free-port.ts';
import { serveSockets } from '../../support/http.ts';
import { attempt, evaluateInProcess } from '../../support/runners.ts';

const says = (comparison: string, target = '', regex = '') => ({
  source: 'RESPONSE_DATA',
  ...{ comparison, target, regex },
});

const check = (port: number, request: Partial<TcpCheck['request']> = {}, rest: object = {}): TcpCheck => ({
  ...rest,
  request: { hostname: '127.0.0.1', port, ...request },
});

it('passes where somebody accepts, with the time that took', async () => {
  const { port } = await serveSockets(() => {});
  const outcome = await attempt(run, check(port));
  expect(outcome).toMatchObject({ hasFailures: false, hasErrors: false, errors: [] });
  expect(outcome.details).toMatchObject({
    ...{ address: `127.0.0.1:${port}`, response: null, requestError: null },
    timing: { dns: null, data: null, total: outcome.responseTime },
  });
  expect(outcome.responseTime).toBeGreaterThan(0);
});

it('sends its data and judges what comes back', async () => {
  const { port } = await serveSockets((socket) => socket.on('data', (said) => socket.write(`+${said}`)));
  const good = [
    says('EQUALS', '+PING\r\n'),
    { source: 'RESPONSE_TIME', comparison: 'LESS_THAN', target: '20000' },
  ];
  const hasty = { clock: hastyClock };
  const outcome = await attempt(run, check(port, { data: 'PING\r\n', assertions: good }), hasty);
  expect(outcome.errors).toEqual([]);
  expect(outcome.details.response).toEqual({ data: '+PING\r\n', bytes: 7, isCut: false, isEnded: false });
  const pong = [says('CONTAINS', 'PONG')];
  const bad = await attempt(run, check(port, { data: 'PING', assertions: pong }), hasty);
  expect(bad).toMatchObject({ hasFailures: true, isNetworkError: false });
  expect(bad.errors).toEqual(['RESPONSE_DATA CONTAINS "PONG": was "+PING"']);
});

it('waits no longer than for what it looks for, where nothing that follows can change it', async () => {
  const { port } = await serveSockets((socket) => socket.write('220 mail.test ESMTP\r\n'));
  const assertions = [says('CONTAINS', 'ESMTP')];
  // This clock stands still: any wait would hang.
  const outcome = await attempt(run, check(port, { assertions }), { clock: createManualClock() });
  expect(outcome.hasFailures).toBe(false);
});

it('evaluates an answer in many pieces again only as it grows', async () => {
  const pieces = 2000;
  const { port } = await serveSockets((socket) => {
    socket.setNoDelay(true);
    const send = (left: number) => {
      if (left === 0) socket.end('the end');
      else socket.write('sixteen letters ', () => send(left - 1));
    };
    send(pieces);
  });
  let evaluations = 0;
  const context = {
    // Its delays do not end, so that only growth counts.
    clock: createManualClock(),
    evaluate: ((...evaluated) => {
      evaluations++;
      return evaluateInProcess(...evaluated);
    }) as Evaluate,
  };
  const outcome = await attempt(run, check(port, { assertions: [says('CONTAINS', 'the end')] }), context);
  expect(outcome.errors).toEqual([]);
  expect(evaluations).toBeLessThan(100);
});

it('finds a short text at the end of a long answer on an open connection', async () => {
  const { port } = await serveSockets((socket) => {
    socket.write('x'.repeat(5000));
    setTimeout(() => socket.write('ready'), 100);
  });
  const outcome = await attempt(run, check(port, { assertions: [says('CONTAINS', 'ready')] }));
  expect(outcome.errors).toEqual([]);
});

it('sees what comes a little later before it says that two are equal', async () => {
  const clock = createManualClock();
  const { port } = await serveSockets((socket) => {
    socket.write('OK');
    setTimeout(() => socket.end(' not really'), 100);
  });
  const outcome = await attempt(run, check(port, { assertions: [says('EQUALS', 'OK')] }), { clock });
  expect(outcome.errors).toEqual(['RESPONSE_DATA EQUALS "OK": was "OK not really"']);
  const negative = await attempt(run, check(port, { assertions: [says('NOT_CONTAINS', 'really')] }), {
    clock,
  });
  expect(negative.hasFailures).toBe(true);
});

it.each<[string, (socket: Socket) => void, RegExp]>([
  ['sends nothing', () => {}, /^127\.0\.0\.1:\d+ sent nothing within 7\.5 s$/],
  ['closes', (socket) => socket.end(), /^127\.0\.0\.1:\d+ closed the connection and sent nothing$/],
])('fails where an answer is expected of one who %s', async (_, answer, message) => {
  const { port } = await serveSockets(answer);
  const assertions = [says('NOT_EMPTY')];
  const outcome = await attempt(run, check(port, { assertions }), { clock: hastyClock });
  expect(outcome).toMatchObject({ hasFailures: true, hasErrors: false });
  expect(outcome.errors[0]).toMatch(message);
});

it('fails where nothing listens, where it is reset, and where nobody has the name', async () => {
  const port = await freePort();
  const refused = await attempt(run, check(port));
  expect(refused).toMatchObject({ hasFailures: true, hasErrors: false, isNetworkError: true });
  expect(refused.errors).toEqual([`connection to 127.0.0.1:${port} refused: ECONNREFUSED`]);
  expect(refused.details).toMatchObject({ errorCode: 'ECONNREFUSED', address: null });
  const resetting = await serveSockets((socket) => socket.once('data', () => socket.resetAndDestroy()));
  const reset = await attempt(run, check(resetting.port, { data: 'x', assertions: [says('NOT_EMPTY')] }));
  expect(reset.errors).toEqual([`127.0.0.1:${resetting.port} closed the connection: ECONNRESET`]);
  const unknown = await attempt(run, check(80, { hostname: 'nobody.invalid' }));
  expect(unknown).toMatchObject({ hasFailures: true, isNetworkError: true });
  expect(await attempt(run, check(port, {}, { shouldFail: true }))).toMatchObject({ hasFailures: false });
});

it('proves no absence in data that a reset may have cut', async () => {
  const { port } = await serveSockets((socket) => socket.write('part', () => socket.resetAndDestroy()));
  const absent = { source: 'RESPONSE_DATA', comparison: 'NOT_CONTAINS', target: 'ERR' };
  expect(await attempt(run, check(port, { assertions: [absent] }))).toMatchObject({ hasFailures: true });
});

it('keeps only so much of what comes, and says so', async () => {
  const { port, sockets } = await serveSockets((socket) => {
    const more = () => {
      while (socket.write('x'.repeat(65_536)));
    };
    socket.on('drain', more);
    more();
  });
  const outcome = await attempt(run, check(port, { assertions: [says('CONTAINS', 'y')] }));
  expect(outcome).toMatchObject({ hasFailures: true, details: { response: { bytes: 65_536, isCut: true } } });
  await eventually(() => expect(sockets[0]?.destroyed).toBe(true));
});

it('reaches IPv6, by its address and by a name', async () => {
  const server = createServer((socket) => socket.end('six'));
  await new Promise<void>((resolve) => server.listen(0, '::1', resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const assertions = [says('EQUALS', 'six')];
  for (const hostname of ['[::1]', '::1'])
    expect((await attempt(run, check(port, { hostname, assertions }))).errors).toEqual([]);
  const lookup = async (_: string, family: number) => [
    { address: family === 6 ? '::1' : '127.0.0.1', family },
  ];
  const request = { hostname: 'six.test', ipFamily: 'IPv6', assertions } as const;
  const named = await attempt(run, check(port, request), { lookup });
  expect(named.details.address).toBe(`[::1]:${port}`);
  const four = await attempt(run, check(port, { ...request, ipFamily: 'IPv4' }), { lookup });
  expect(four.errors[0]).toMatch(/^connection to 127/);
});

it('contacts nobody whom policy denies, and takes no host that is none', async () => {
  const { port, sockets } = await serveSockets(() => {});
  const denyAddress = () => 'a private network';
  await expect(attempt(run, check(port), { denyAddress })).rejects.toThrow(
    'the check is not allowed to contact 127.0.0.1 (a private network)',
  );
  expect(sockets).toEqual([]);
  for (const hostname of ['https://example.com', 'example.com/x', '', '-h', 'a b'])
    await expect(attempt(run, check(port, { hostname }))).rejects.toThrow(
      'must be a host name or IP address',
    );
  await expect(attempt(run, check(0))).rejects.toThrow('the port 0 must be from 1 to 65535');
});

it('rejects with the reason of an abort, and lets go of the connection', async () => {
  const stop = new AbortController();
  const { port, sockets } = await serveSockets((socket) =>
    socket.once('data', () => stop.abort(new Error('enough'))),
  );
  const running = attempt(run, check(port, { data: 'x', assertions: [says('NOT_EMPTY')] }), {}, stop.signal);
  await expect(running).rejects.toThrow('enough');
  await eventually(() => expect(sockets[0]?.readableEnded || sockets[0]?.destroyed).toBe(true));
});

it('waits over pauses while its assertions can still hold', async () => {
  const clock = createManualClock();
  const { port } = await serveSockets((socket) => {
    socket.write('220-mail.test\r\n');
    setTimeout(() => clock.advance(1000), 50);
    setTimeout(() => socket.write('220 mail.test Postfix\r\n'), 100);
  });
  const assertions = [says('CONTAINS', '220 mail.test'), says('NOT_EMPTY', '', '^220 .*Postfix')];
  expect((await attempt(run, check(port, { assertions }), { clock })).errors).toEqual([]);
});

/** Runs a check of a server that says `+OK` and, after a pause of a second, ends with `last`. */
async function runOverPause(last: string, assertions: readonly ReturnType<typeof says>[]) {
  const clock = createManualClock();
  const { port, sockets } = await serveSockets((socket) => socket.write('+OK ready\r\n'));
  const running = attempt(run, check(port, { assertions }), { clock });
  // The two limits of the exchange, and the pause, which begins with the data.
  await eventually(() => expect(clock.sleeping).toBe(3));
  await clock.advance(1000);
  sockets[0]?.end(last);
  return running;
}

it('takes an error that comes after a pause as a reason to fail a negative assertion', async () => {
  const assertions = [says('NOT_CONTAINS', '-ERR')];
  const late = await runOverPause('-ERR database is down\r\n', assertions);
  expect(late.hasFailures).toBe(true);
  expect((await runOverPause('+OK bye\r\n', assertions)).errors).toEqual([]);
});

it.each([
  ['a negative assertion', [says('NOT_CONTAINS', '-ERR')], 0],
  ['a positive one beside it', [says('NOT_CONTAINS', '-ERR'), says('CONTAINS', 'bye')], 1000],
])('counts the time until the pause or the end for %s', async (_, assertions, responseTime) => {
  expect(await runOverPause('+OK bye\r\n', assertions)).toMatchObject({ hasFailures: false, responseTime });
});

it('examines what it does not store, and nothing of what it does not read', async () => {
  const long = await serveSockets((socket) => socket.end(`${'x'.repeat(200_000)}NEEDLE`));
  const absent = [says('NOT_CONTAINS', 'NEEDLE')];
  expect((await attempt(run, check(long.port, { assertions: absent }))).hasFailures).toBe(true);
  const endless = await serveSockets((socket) => socket.end('x'.repeat(1_100_000)));
  expect((await attempt(run, check(endless.port, { assertions: absent }))).errors).toEqual([
    'RESPONSE_DATA NOT_CONTAINS "NEEDLE": the target sent more than 1048576 bytes',
  ]);
});

it('reads data that is not UTF-8 as Latin-1, too', async () => {
  const { port } = await serveSockets((socket) => socket.end(Buffer.from('St\xf6rung', 'latin1')));
  const outcome = async (comparison: string) =>
    (await attempt(run, check(port, { assertions: [says(comparison, 'Störung')] }))).hasFailures;
  expect([await outcome('CONTAINS'), await outcome('NOT_CONTAINS')]).toEqual([false, true]);
});
