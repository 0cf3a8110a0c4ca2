/** Every promise of isolation is attacked, at each level, by a script that tries; where a level lacks it, the script succeeds. */
import { describe, expect, it } from 'vitest';
import { attackedAt } from './attack/run-attack.ts';

const MB = 1e6;

/** What a script got at a level that keeps it apart. */
const NOTHING = {
  store: null,
  profile: null,
  otherCell: null,
  environment: null,
  memory: null,
  socket: null,
  pipe: null,
  signal: null,
  unmounted: null,
  unmountedAsRootOfItsOwn: null,
  root: null,
};

/** As containers leave them to root. */
const CONTAINER = '-sys_admin,-sys_ptrace,-kill';

describe.each(['uid', 'namespace'] as const)('at the level %s', (level) => {
  it('a script gets nothing of the service, takes no more than it may, and leaves nothing', async () => {
    const report = await attackedAt(level);
    expect(report.main.said).toEqual(NOTHING);
    expect(report.service).toMatchObject({ signals: 0, calls: 0, otherRuns: true });
    // It had started what hides, and nothing of that is left.
    expect(report.main.during).toBeGreaterThan(10);
    expect(report.main.after).toBe(0);
    expect(report.fork.during).toBeGreaterThan(10);
    expect(report.fork.during).toBeLessThanOrEqual(64);
    expect(report.fork.after).toBe(0);
    expect([
      'SIGABRT',
      'SIGTRAP',
      'SIGKILL',
      'SIGILL',
      'exit 1',
      'exit 134',
      'exit 133',
      'exit 137',
    ]).toContain(report.fill.exit);
    expect(report.fillTogether).toMatchObject({ exceeded: 'memory', after: 0 });
    expect(report.fillMany).toMatchObject({ exceeded: 'memory', after: 0 });
    expect(report.fillShared).toMatchObject({ exceeded: 'memory', after: 0 });
    expect(report.burnMany).toMatchObject({ exceeded: 'cpu', after: 0 });
    // It would never end by itself.
    expect(report.spin.exit).not.toBe('exit 0');
    expect(report.write).toMatchObject({ said: { written: expect.any(Number) } });
    expect(report.write.said.written).toBeGreaterThan(30 * MB);
    expect(report.write.said.written).toBeLessThanOrEqual(50 * MB);
    expect(report).toMatchObject({ traces: [], jobs: [], cells: [] });
  });
});

it('at the level uid, where root may mount nothing and signal nobody, a script gets nothing either, as is said', async () => {
  const report = await attackedAt('uid', CONTAINER);
  expect(report.lacks).toContain('can read everything that any user can read');
  expect(report.main.said).toEqual(NOTHING);
  expect(report.service).toMatchObject({ signals: 0, calls: 0, otherRuns: true });
  expect(report.main.during).toBeGreaterThan(10);
  expect(report.main.after).toBe(0);
  expect(report.fork.during).toBeGreaterThan(10);
  expect(report.fork).toMatchObject({ after: 0 });
  // Nothing bounds the folder but a watch.
  expect(report.write).toMatchObject({ exceeded: 'disk' });
  expect(report).toMatchObject({ traces: [], jobs: [], cells: [] });
});

it('at the level process, a script reads what it likes, as is said', async () => {
  const report = await attackedAt('process');
  expect(report.main.said).toMatchObject({
    store: 'sonde-secret-store',
    profile: 'sonde-secret-profile',
    otherCell: 'sonde-secret-other',
    environment: 'sonde-secret-environment',
    memory: 'sonde-secret-memory',
    socket: 'connected',
    signal: 'sent',
    root: null,
  });
  expect(report.traces.length).toBeGreaterThan(0);
  // What it does keep: memory and time have a bound, and the folders go.
  expect(report.fill.exit).not.toBe('exit 0');
  expect(report.spin.exit).not.toBe('exit 0');
  expect(report.cells).toEqual([]);
});
