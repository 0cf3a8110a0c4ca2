/** External observability: what leaves the agent of an error, and what never does. */
import { describe, expect, it } from 'vitest';
import { createAgentLog, createObserver, type ErrorEvent } from '../../src/agent/observability.ts';
import { createManualClock } from '../support/clock.ts';
import { serveWith } from '../support/http.ts';

const machine = { platform: 'linux', nodeVersion: '20.1.2' };

async function receiver() {
  const events: ErrorEvent[] = [];
  const names: string[] = [];
  const waiting: (() => void)[] = [];
  const server = await serveWith(({ body, headers }, response) => {
    names.push(Object.keys(headers).sort().join());
    events.push(JSON.parse(body));
    response.writeHead(302, { location: 'http://127.0.0.1:1/elsewhere' }).end();
    for (const done of waiting.splice(0)) done();
  });
  const come = async (count: number) => {
    while (events.length < count) await new Promise<void>((resolve) => waiting.push(resolve));
    return events;
  };
  return { url: server.url, events, names, come };
}

const SECRETS = [
  'pl_0123456789abcdef',
  'https://shop.internal/checkout?token=abc',
  'x-api-key: 42',
  '{"body":"of an answer"}',
];

describe('an error of the agent', () => {
  it('is told by the words of the code and the places of its stack, and by nothing that it says', async () => {
    const { url, names, come } = await receiver();
    const observe = createObserver({ url, clock: createManualClock(), version: '1.2.3', machine });
    const error = Object.assign(new TypeError(`${SECRETS.join('\n    at ')} (${SECRETS[1]}:1:2)`), {
      code: 'ECONNRESET',
      headers: SECRETS,
    });
    observe('cannot claim runs', error);
    const [event] = await come(1);
    expect(event).toEqual({
      message: 'cannot claim runs: TypeError ECONNRESET',
      stack: expect.arrayContaining([expect.stringMatching(/^\S+ observability\.test\.ts:\d+:\d+$/)]),
      agentVersion: '1.2.3',
      platform: 'linux',
      runtime: 'Node 20.1.2',
    });
    expect(names).toEqual(['connection,content-length,content-type,host']);
    const text = JSON.stringify(event);
    for (const secret of [...SECRETS, 'shop', 'token', '/work', process.cwd()])
      expect(text).not.toContain(secret);
  });

  it('says no more than its kind where its name, its code or its stack was made by somebody', async () => {
    const { url, come } = await receiver();
    const observe = createObserver({ url, clock: createManualClock(), version: '1', machine });
    const made = Object.assign(new Error('x'), {
      ...{ name: 'Error: https://a.test', code: 'key pl_1' },
      stack: 'Error: x\n    at https://shop.internal/?token=abc\n    at pl_0123 (secret word:1:1)',
    });
    observe('a', made);
    observe('b', 'https://shop.internal/');
    expect((await come(2)).map(({ message, stack }) => [message, stack])).toEqual([
      ['a: Error', []],
      ['b: string', []],
    ]);
  });

  it('is told ten times a minute at most', async () => {
    const clock = createManualClock();
    const { url, events, come } = await receiver();
    const observe = createObserver({ url, clock, version: '1', machine });
    for (let at = 0; at < 30; at += 1) observe('again', new Error('x'));
    await come(10);
    await clock.advance(60_000);
    observe('later', new Error('x'));
    await come(11);
    expect(events.filter(({ message }) => message === 'again: Error')).toHaveLength(10);
  });

  it.each([
    ['silent', []],
    ['warn', ['the spool cannot be read', 'slow']],
  ] as const)('is told of whatever is logged: %s', (level, logged) => {
    const lines: string[] = [];
    const told: unknown[] = [];
    const log = createAgentLog({
      ...{ level, pid: 1, write: (line) => void lines.push(JSON.parse(line).msg) },
      observe: (words, error) => void told.push([words, error]),
    });
    const error = new Error('x');
    log.error({ err: error, file: 'secret' }, 'the spool cannot be read');
    log.warn({ err: error }, 'slow');
    expect(told).toEqual([['the spool cannot be read', error]]);
    expect(lines).toEqual(logged);
  });

  it('goes nowhere where no address is named, and costs nothing where nobody answers', () => {
    const clock = createManualClock();
    createObserver({ url: undefined, clock, version: '1', machine })('a', new Error('x'));
    createObserver({ url: 'http://127.0.0.1:1/', clock, version: '1', machine })('a', new Error('x'));
  });
});
