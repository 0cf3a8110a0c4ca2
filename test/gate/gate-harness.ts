/** A gate on sessions as they are, in a terminal of its own, under a clock that jumps. */
import { type RunGateOptions, runGate } from '../../src/gate/run-gate.ts';
import { checkSessions, type SessionBody } from '../../src/gate/wait/verdict.ts';
import type { Terminal } from '../../src/terminal/index.ts';
import { createManualClock } from '../support/clock.ts';
import { createTestTerminal, type TestTerminalOptions } from '../support/terminal.ts';
import { idOf, sessionWith } from './outcomes.ts';

// Loaded late, which a clock that a test moves does not wait for.
await Promise.all([
  import('../../src/terminal/lazy/truncate-rows.ts'),
  import('../../src/terminal/lazy/region.ts'),
  import('../../src/terminal/lazy/styles.ts'),
  import('../../src/terminal/lazy/width.ts'),
  import('../../src/terminal/lazy/wrap.ts'),
  import('../../src/terminal/lazy/yaml.ts'),
]);

/** Sessions that passed, failed at their one location, and still run. */
export const good = (number: number) => sessionWith(number, 'PASSED', [{ at: 'eu-west-1' }]);
export const bad = (number: number) => sessionWith(number, 'FAILED', [{ at: 'eu-west-1', is: 'failed' }]);
export const open = (number: number) => sessionWith(number, 'PROGRESS', [], { stoppedAt: null });

interface Options extends TestTerminalOptions {
  readonly gate?: Partial<RunGateOptions>;
  readonly change?: (terminal: Terminal) => Terminal;
}

/** Holds a gate on sessions as they are; gives what it said and how it ended. */
export async function runTestGate(
  sessions: readonly SessionBody[],
  { gate: more, change, ...options }: Options = {},
) {
  const clock = createManualClock();
  const screen = createTestTerminal({ columns: 120, ...options, clock });
  const byId = new Map(sessions.map((session) => [session.checkSessionId ?? '', session]));
  let asked = 0;
  const ended = await clock.run(
    runGate({
      terminal: change ? change(screen.terminal) : screen.terminal,
      clock,
      random: { next: () => 0.5, uuid: () => idOf(0) },
      signal: new AbortController().signal,
      kind: checkSessions,
      start: async () => ({ ids: [...byId.keys()], many: true }),
      openPoll: async () => async (id) => ({ kind: 'body', body: byId.get(id) }),
      errorSources: async () => {
        asked += 1;
        return {
          results: async () => ({ entries: [{ id: idOf(10_000), errors: ['no such name'] }] }),
          errorGroups: async () => [],
        };
      },
      output: { utc: true },
      timeoutMs: 5_000,
      failOnDegraded: false,
      failFast: false,
      justStarted: false,
      errorsCommand: (checkId) => `sonde error-groups list ${checkId}`,
      resumeCommand: (ids) => `sonde sessions wait ${ids.join(' ')}`,
      ...more,
    }).then(
      () => undefined,
      (error: unknown) => error,
    ),
  );
  await clock.run(screen.terminal.flush());
  return { ended, asked, stdout: screen.stdout(), stderr: screen.stderr(), took: clock.monotonic() };
}
