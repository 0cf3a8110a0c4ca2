/** What a job is told while the gate waits: a line on each change, one a minute, each bounded; and when lines move instead. */
import { describe, expect, it } from 'vitest';
import { NetworkError } from '../../../src/base/errors.ts';
import type { SessionState } from '../../../src/gate/format/session.ts';
import { showProgress } from '../../../src/gate/progress/progress.ts';
import type { SessionBody } from '../../../src/gate/wait/verdict.ts';
import type { GateOutcome } from '../../../src/gate/wait/wait-for-sessions.ts';
import { createManualClock } from '../../support/clock.ts';
import { createTestTerminal, type TestTerminalOptions } from '../../support/terminal.ts';

const idOf = (number: number): string => `${String(number).padStart(8, '0')}-0000-4000-8000-000000000000`;
const ID = idOf(0);
const session = (status: string, more: object = {}): SessionBody => ({
  ...{ status, name: 'Apex record', runLocations: ['eu-west-1', 'us-east-1'], results: [] },
  ...more,
});
const failed = [{ runLocation: 'us-east-1', hasFailures: true, resultType: 'FINAL' as const }];
const endedAs = (id: string, status: string, exitCode: number, more: object = {}): GateOutcome => ({
  id,
  exitCode,
  outcome: { kind: 'ended', verdict: exitCode === 0 ? 'passed' : 'failed', session: session(status, more) },
});

/** A gate over so many sessions, as it waits. */
function waiting(count = 1, options: TestTerminalOptions = {}) {
  const clock = createManualClock();
  const test = createTestTerminal({ clock, ...options });
  const watched = new Map<string, SessionState>();
  for (let index = 0; index < count; index += 1)
    watched.set(idOf(index), { session: undefined, outcome: undefined });
  const progress = showProgress({ terminal: test.terminal, clock, watched });
  return {
    ...{ ...test, clock, progress, watched },
    running(id: string, body: SessionBody) {
      watched.set(id, { session: body, outcome: undefined });
      progress.running(id, body);
    },
    ended(outcome: GateOutcome) {
      watched.set(outcome.id, { session: outcome.outcome.session, outcome });
      progress.ended(outcome);
    },
    async lines() {
      await test.terminal.flush();
      return test.stderr().split('\n').slice(0, -1);
    },
  };
}

describe('where nobody watches', () => {
  it.each<[string, TestTerminalOptions]>([
    ['a pipe', {}],
    ['a terminal of a CI', { isTTY: true, env: { CI: '1', NO_COLOR: '1' } }],
    ['a terminal that cannot draw', { isTTY: true, env: { TERM: 'dumb' } }],
  ])('in %s a line tells each change of state, and nothing else moves', async (_what, options) => {
    const gate = waiting(1, options);
    gate.running(ID, session('STARTED'));
    await gate.clock.advance(1500);
    gate.running(ID, session('STARTED'));
    gate.running(ID, session('PROGRESS_FAILED', { results: failed }));
    gate.ended(endedAs(ID, 'FAILED', 1, { results: failed }));
    await gate.progress.stop();
    const told = (await gate.lines()).join(' ');
    expect(told).toBe(
      [
        'Apex record (00000000) STARTED, 0 of 2 locations done, 0ms',
        'Apex record (00000000) PROGRESS_FAILED, 1 of 2 locations done, failed at us-east-1, 1.5s',
        'Apex record (00000000) FAILED at us-east-1',
      ].join(' '),
    );
    expect(told).not.toContain('\x1b');
  });

  it('a line each minute says what is waited for, until it is over', async () => {
    const gate = waiting(3);
    gate.running(idOf(1), session('PROGRESS'));
    gate.ended(endedAs(idOf(2), 'PASSED', 0));
    await gate.clock.advance(121_000);
    const beats = (await gate.lines()).filter((line) => line.startsWith('Waiting'));
    expect(beats).toEqual([
      `Waiting for 2 of 3 sessions, 1m: ${ID} waiting; Apex record (00000001) PROGRESS, 0 of 2 locations done; 1 passed`,
      `Waiting for 2 of 3 sessions, 2m: ${ID} waiting; Apex record (00000001) PROGRESS, 0 of 2 locations done; 1 passed`,
    ]);
    await gate.progress.stop();
    await gate.clock.advance(600_000);
    expect(await gate.lines()).toHaveLength(4);
    expect(gate.clock.sleeping).toBe(0);
  });

  it('that line stays one of bounded length with a thousand sessions of endless names, the bad ones first', async () => {
    const gate = waiting(1000);
    for (let index = 0; index < 1000; index += 1)
      gate.watched.set(idOf(index), {
        session: session('PROGRESS', { name: `${index} ${'x'.repeat(100_000)}` }),
        outcome: undefined,
      });
    gate.ended(endedAs(idOf(999), 'FAILED', 1, { name: 'the bad one', results: failed }));
    await gate.clock.advance(60_000);
    const beat = (await gate.lines()).at(-1) ?? '';
    expect(beat).toMatch(
      /^Waiting for 999 of 1000 sessions, 1m: the bad one \(00000999\) FAILED at us-east-1; 0 x+/,
    );
    expect(beat).toMatch(/; 995 more waiting$/);
    expect(beat.length).toBeLessThan(1000);
    await gate.progress.stop();
  });

  it('the same fault is told once, however often it comes in a row', async () => {
    const gate = waiting();
    for (let count = 0; count < 3; count += 1)
      gate.progress.fault(ID, new NetworkError('connection refused'));
    gate.running(ID, session('STARTED'));
    gate.progress.fault(ID, new NetworkError('connection refused'));
    const lines = await gate.lines();
    expect(lines.filter((line) => line === 'connection refused; still waiting')).toHaveLength(2);
    await gate.progress.stop();
  });

  it('that the service responds again is told once all do, where the fault lasted', async () => {
    const gate = waiting(2);
    const gone = new NetworkError('connection refused');
    gate.progress.fault(ID, gone);
    await gate.clock.advance(1_999);
    gate.progress.recovered(ID);
    gate.progress.fault(ID, gone);
    gate.progress.fault(idOf(1), gone);
    await gate.clock.advance(2_000);
    gate.progress.recovered(ID);
    expect(await gate.lines()).toEqual(['connection refused; still waiting']);
    gate.progress.recovered(idOf(1));
    gate.progress.recovered(idOf(1));
    expect(await gate.lines()).toEqual([
      'connection refused; still waiting',
      'The service responds again after 2s.',
    ]);
    await gate.progress.stop();
  });

  it('says nothing of sessions that are left behind, or still run at the deadline: nothing has become of them', async () => {
    const gate = waiting(3);
    gate.ended(endedAs(ID, 'FAILED', 1));
    gate.ended({ id: idOf(1), exitCode: 7, outcome: { kind: 'left' } });
    gate.ended({ id: idOf(2), exitCode: 7, outcome: { kind: 'deadline' } });
    expect(await gate.lines()).toEqual(['Apex record (00000000) FAILED']);
    await gate.progress.stop();
  });

  it('says nothing at all with --quiet', async () => {
    const gate = waiting(1, { isTTY: true, flags: { quiet: true } });
    gate.running(ID, session('STARTED'));
    await gate.clock.advance(60_000);
    expect(await gate.lines()).toEqual([]);
    await gate.progress.stop();
  });
});

describe('where a person watches', () => {
  it('lines move, changes are no lines of their own, and faults stand above', async () => {
    const gate = waiting(1, { isTTY: true, env: { NO_COLOR: '1' } });
    const begun = gate.saw('waiting');
    await gate.clock.advance(150);
    await begun;
    gate.running(ID, session('PROGRESS_FAILED', { results: failed }));
    await gate.clock.advance(100);
    expect(gate.stderr()).toContain(
      '! Apex record  (00000000)  PROGRESS_FAILED  at us-east-1, 1 of 2 locations  0s',
    );
    gate.progress.fault(ID, new NetworkError('connection refused'));
    await gate.terminal.flush();
    expect(gate.stderr()).toContain('\x1b[J\rconnection refused; still waiting\n\r');
    expect(gate.stderr()).not.toContain('Apex record (00000000)');
    await gate.progress.stop();
    await gate.progress.stop();
    expect(gate.stderr()).toSatisfy((text: string) => text.endsWith('\x1b[J\r\x1b[?25h'));
  });
});
