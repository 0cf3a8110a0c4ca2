/** What a ping says, by its URL, its query and its body. */
import { describe, expect, it } from 'vitest';
import {
  hasDetails,
  LONGEST_TEXT,
  readSignal,
  type Signal,
  type SignalRequest,
} from '../../../../src/service/engine/heartbeats/signal.ts';

function read(
  path: string,
  query: Record<string, string> = {},
  body?: string | Uint8Array,
  contentType?: string,
) {
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body;
  const request: SignalRequest = {
    ...{ path, query: new URLSearchParams(query), contentType, method: 'POST', userAgent: 'curl/8' },
    body: bytes && { bytes: bytes.subarray(0, LONGEST_TEXT), isCut: bytes.length > LONGEST_TEXT },
  };
  return readSignal(request);
}
const signal = (...of: Parameters<typeof read>): Signal => {
  const found = read(...of);
  if (typeof found === 'string') throw new Error(found);
  return found;
};

describe('the kind of a signal', () => {
  it.each([
    ['', {}, 'SUCCESS'],
    ['0', {}, 'SUCCESS'],
    ['1', {}, 'FAILURE'],
    ['255', {}, 'FAILURE'],
    ['-1', {}, 'FAILURE'],
    ['3221225477', {}, 'FAILURE'],
    ['fail', {}, 'FAILURE'],
    ['start', {}, 'START'],
    ['log', {}, 'LOG'],
    ['', { status: 'up' }, 'SUCCESS'],
    ['', { status: '' }, 'SUCCESS'],
    ['', { status: 'down' }, 'FAILURE'],
    // As in Uptime Kuma, a status that is not known is none to rely on.
    ['', { status: 'warning' }, 'FAILURE'],
    ['', { state: 'complete' }, 'SUCCESS'],
    ['', { state: 'run' }, 'START'],
    // A failure in either place counts.
    ['fail', { status: 'up' }, 'FAILURE'],
    ['1', { status: 'up' }, 'FAILURE'],
    ['0', { status: 'down' }, 'FAILURE'],
    ['log', { status: 'up' }, 'LOG'],
  ])('of /%s with %o is %s', (path, query, kind) => {
    expect(signal(path, query).kind).toBe(kind);
  });

  it.each(['FAIL', 'fali', '0x1', '1.5', 'start/x', '99999999999', 'constructor'])('of /%s is none', (path) =>
    expect(read(path)).toBe('unknown path'),
  );
});

describe('a signal', () => {
  it('has the run ID, message, duration and exit code of its URL', () => {
    expect(signal('3', { rid: 'a-1', msg: 'disk full', ping: '12.4' })).toMatchObject({
      ...{ runId: 'a-1', message: 'disk full', durationMs: 12, exitCode: 3, userAgent: 'curl/8' },
    });
    expect(signal('', { ping: '' }).durationMs).toBeNull();
    expect(signal('', { ping: '-1' }).durationMs).toBeNull();
    expect(signal('', { status: 'down' }).message).toBe('status "down"');
    expect(read('', { rid: 'no run' })).toBe('wrong run ID');
  });

  it('has the first 10 kB of a text, without a half character or control sequences', () => {
    const long = `${'a'.repeat(LONGEST_TEXT - 1)}é and more`;
    expect(signal('', {}, long)).toMatchObject({ isCut: true, output: 'a'.repeat(LONGEST_TEXT - 1) });
    expect(signal('', {}, 'a'.repeat(LONGEST_TEXT))).toMatchObject({ isCut: false });
    expect(signal('', {}, '\x1b[31mred\x1b[0m\r\nnext\0').output).toBe('red\nnext');
    expect(signal('', {}, Uint8Array.of(0x67, 0xff, 0x6f)).output).toBe('g\ufffdo');
    const latin = signal('', {}, Uint8Array.of(0x67, 0xfc), 'text/plain; charset=iso-8859-1');
    expect(latin.output).toBe('gü');
    expect(signal('', {}, 'x', 'text/plain; charset=nonsense').output).toBe('x');
  });

  it('says more than that the job is alive, or not', () => {
    expect(hasDetails(signal(''))).toBe(false);
    expect(hasDetails(signal('', { status: 'up', msg: 'OK', ping: '' }))).toBe(false);
    for (const each of [signal('0'), signal('', { msg: 'x' }), signal('fail'), signal('', {}, 'x')])
      expect(hasDetails(each)).toBe(true);
  });
});
