/** The examples for CI systems promote a good release, roll a bad one back, and do neither without a verdict. */
import { describe, expect, it } from 'vitest';
import { silentPort } from '../support/e2e.ts';
import { SYSTEMS, usePipelines } from './pipelines.ts';
import { endlessCheck, haveChecks, settingsOf, smokeCheck } from './project.ts';

const { world, release } = usePipelines();

describe.each(SYSTEMS)('the example for %s', (_, system) => {
  it('rolls back and is red where a check fails, and keeps the report', async () => {
    await haveChecks(world, smokeCheck(world), smokeCheck(world, 'missing.test'));
    const { isGreen, log, report, done } = await release(system, settingsOf(world));
    expect(isGreen, log).toBe(false);
    expect(done).toEqual(['deploy', 'roll-back']);
    expect(report).toMatch(/tests="2" failures="1" errors="0"/);
  });

  it('promotes what was deployed where all checks pass', async () => {
    await haveChecks(world, smokeCheck(world), smokeCheck(world));
    const { isGreen, log, report, done } = await release(system, settingsOf(world));
    expect(isGreen, log).toBe(true);
    expect(done).toEqual(['deploy', 'promote']);
    expect(report).toMatch(/tests="2" failures="0" errors="0"/);
  });

  it('neither promotes nor rolls back where the service is out of reach', async () => {
    const port = await silentPort();
    await port.close();
    const settings = { ...settingsOf(world), SONDE_BASE_URL: port.url };
    const { isGreen, log, report, done } = await release(system, settings, '--retry-budget', '0s');
    expect(isGreen).toBe(false);
    expect(log).toContain('cannot connect to');
    expect(done).toEqual(['deploy']);
    expect(report).toMatch(/<error /);
  });

  it('neither promotes nor rolls back where a check still runs at the deadline', async () => {
    await haveChecks(world, smokeCheck(world), await endlessCheck(world));
    const { isGreen, log, report, done } = await release(system, settingsOf(world), '--timeout', '1s');
    expect(isGreen).toBe(false);
    expect(log).toContain('still running');
    expect(done).toEqual(['deploy']);
    expect(report).toMatch(/<error /);
  });

  it('neither promotes nor rolls back where the key is not set: that is no fault of the release', async () => {
    const { isGreen, log, done } = await release(system, { ...settingsOf(world), SONDE_API_KEY: '' });
    expect(isGreen).toBe(false);
    expect(log).toContain('SONDE_API_KEY is empty');
    expect(done).toEqual(['deploy']);
  });
});
