/** The uplink: one round of probes for all that ask, outages from their first to their last round. */
import { describe, expect, it } from 'vitest';
import { parseCanary, splitCanaries } from '../../../src/runners/uplink/canary.ts';
import { createUplink } from '../../../src/runners/uplink/uplink.ts';
import { createManualClock } from '../../support/clock.ts';

const canary = (name: string) => ({ name, target: { url: name } });
const DOWN = 'the network of this machine is down: no canary answers (one, two)';

function scene(answering: readonly string[]) {
  const clock = createManualClock();
  const state = { answering };
  const probed: string[] = [];
  const changes: (readonly [boolean, string])[] = [];
  const uplink = createUplink({
    canaries: [canary('one'), canary('two')],
    clock,
    async probe({ name }) {
      probed.push(name);
      return state.answering.includes(name);
    },
    onChange: (...change) => changes.push(change),
  });
  return { uplink, clock, state, probed, changes };
}

describe('the uplink', () => {
  it('is up as long as one canary answers', async () => {
    const { uplink, clock, changes } = scene(['two']);
    expect(await uplink.findOutage(clock.now())).toBeUndefined();
    expect([uplink.isUp(), changes]).toEqual([true, []]);
  });

  it('is down if none answers, says so once, and recovers without anyone who asks', async () => {
    const { uplink, clock, state, changes } = scene([]);
    const from = clock.now();
    expect(await uplink.findOutage(from)).toBe(DOWN);
    await clock.advance(5000);
    expect(await uplink.findOutage(from)).toBe(DOWN);
    expect([uplink.isUp(), changes]).toEqual([false, [[false, DOWN]]]);
    state.answering = ['one'];
    await clock.advance(5000);
    expect(uplink.isUp()).toBe(true);
    expect(changes).toHaveLength(2);
    const outage = { from, to: from + 10_000 };
    expect([uplink.outagesSince(from), uplink.outagesSince(outage.to)]).toEqual([[outage], []]);
    uplink.stop();
    expect(clock.sleeping).toBe(0);
  });

  it('explains an attempt that was running during the outage, and none that started after it', async () => {
    const { uplink, clock, state } = scene([]);
    const startedAt = clock.now();
    await uplink.findOutage(startedAt);
    state.answering = ['one'];
    await clock.advance(10_000);
    expect(await uplink.findOutage(startedAt)).toBe(DOWN);
    expect(await uplink.findOutage(clock.now())).toBeUndefined();
  });

  it('explains nothing by an outage that seems to lie ahead, because the clock was set back', async () => {
    const { uplink, clock, state } = scene([]);
    await uplink.findOutage(clock.now());
    state.answering = ['one'];
    await clock.advance(10_000);
    clock.step(-3_600_000);
    expect(await uplink.findOutage(clock.now())).toBeUndefined();
  });

  it('probes after the question, once for all that ask meanwhile, and at most once a second', async () => {
    const { uplink, clock, probed, state } = scene(['one']);
    await Promise.all(Array.from({ length: 50 }, () => uplink.findOutage(clock.now())));
    expect(probed).toEqual(['one', 'two']);
    state.answering = [];
    // A cached answer would blame the target.
    const asked = Promise.all([uplink.findOutage(clock.now()), uplink.findOutage(clock.now())]);
    await clock.advance(999);
    expect(probed).toHaveLength(2);
    await clock.advance(1);
    expect(await asked).toEqual([DOWN, DOWN]);
    expect(probed).toHaveLength(4);
    uplink.stop();
  });

  it('says nothing about the network once it is stopped', async () => {
    const { uplink, clock, changes } = scene([]);
    uplink.stop();
    expect(await uplink.findOutage(clock.now())).toBeUndefined();
    expect(changes).toEqual([]);
  });
});

describe('a canary', () => {
  it.each([
    [
      'https://user:secret@example.com/x',
      'https://example.com/x',
      { url: 'https://user:secret@example.com/x' },
    ],
    ['192.0.2.1:443', '192.0.2.1:443', { hostname: '192.0.2.1', port: 443 }],
    ['gateway:53', 'gateway:53', { hostname: 'gateway', port: 53 }],
    ['[2001:db8::1]:53', '[2001:db8::1]:53', { hostname: '2001:db8::1', port: 53 }],
  ])('%s is read', (text, name, target) => {
    expect(parseCanary(text)).toEqual({ value: { name, target } });
  });

  it.each(['', 'example.com', 'example.com:0', 'example.com:65536', 'ftp://example.com', '::1:53', 'a b:1'])(
    '%j is refused',
    (text) => {
      expect(parseCanary(text)).toEqual({ problem: `must be a URL or host:port, not "${text}"` });
    },
  );

  it.each(['ftp://user:secret@example.com', 'user:secret@example.com', 'user:secret@example.com:0'])(
    '%s is refused without its password',
    (text) => {
      expect(parseCanary(text)).toEqual({
        problem: expect.stringMatching(/^[^"]+"(ftp:\/\/)?\*\*\*@example/),
      });
    },
  );

  it('comes from the flags, or else from the variable', () => {
    expect(splitCanaries(['a:1'], 'b:2')).toEqual(['a:1']);
    expect(splitCanaries([], ' b:2, c:3,')).toEqual(['b:2', 'c:3']);
    expect(splitCanaries([], undefined)).toEqual([]);
  });
});
