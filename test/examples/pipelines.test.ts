/** The examples for CI systems install only the package that they name, and allow their gates enough time. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { readWorkflow } from './github-runner.ts';
import { readPipeline } from './gitlab-runner.ts';
import { github, gitlab, SOURCE, SYSTEMS, usePipelines } from './pipelines.ts';
import { settingsOf } from './project.ts';

const { world, runUnchanged } = usePipelines();

describe.each(SYSTEMS)('the example for %s', (_, system) => {
  it('installs nothing and promotes nothing until it names a package', async () => {
    const { isGreen, log, done } = await runUnchanged(system, settingsOf(world));
    expect(isGreen).toBe(false);
    expect(log).toContain(`Invalid tag name "${SOURCE}"`);
    expect(done).toEqual(['deploy']);
  });
});

/** Minutes of `20 minutes` and `10m`. */
const minutes = (text: string): number => Number.parseInt(text, 10);

describe('what the runners of these tests do not do', () => {
  it('GitHub: the job may last longer than its gate', async () => {
    const text = readFileSync(github.file, 'utf8');
    const { jobs } = await readWorkflow(text);
    const [, timeout = ''] = /--timeout (\d+m) /.exec(text) ?? [];
    expect(jobs.gate?.['timeout-minutes']).toBeGreaterThan(minutes(timeout));
  });

  it('GitLab: the job may last longer than its gate, in an image with a Node that sonde runs on', () => {
    const text = readFileSync(gitlab.file, 'utf8');
    const { image, jobs } = readPipeline(text);
    const [, timeout = ''] = /--timeout (\d+m) /.exec(text) ?? [];
    expect(minutes(jobs.gate?.timeout ?? '')).toBeGreaterThan(minutes(timeout));
    expect(Number(/^node:(\d+)$/.exec(image)?.[1])).toBeGreaterThanOrEqual(20);
    expect(jobs.gate?.artifacts?.reports?.junit).toBe('sonde.xml');
  });
});
