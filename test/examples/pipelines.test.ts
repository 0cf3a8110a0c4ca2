/** The examples for CI systems, run as their runners would: with the packed sonde, installed from a registry. */
import { cpSync, existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { startWorld, type World } from '../e2e/world.ts';
import { silentPort } from '../support/e2e.ts';
import { type Registry, startRegistry } from '../support/registry.ts';
import { readWorkflow, runWorkflow } from './github-runner.ts';
import { readPipeline, runPipeline } from './gitlab-runner.ts';
import { endlessCheck, haveChecks, makeProject, type Project, settingsOf, smokeCheck } from './project.ts';

/** npm may have to fetch what it does not keep. */
const INSTALLS_MS = 300_000;

let world: World;
let registry: Registry;
let machine: Project;
beforeAll(async () => {
  [world, registry] = await Promise.all([startWorld(), startRegistry()]);
  machine = makeProject();
}, INSTALLS_MS);
afterAll(async () => {
  await Promise.all([world.service.close(), world.names.close(), registry.close()]);
  machine.remove();
});

type Settings = ReturnType<typeof settingsOf>;

/** What came of a run, whatever the system calls it. */
interface Ended {
  readonly isGreen: boolean;
  /** The gate's job. */
  readonly log: string;
  /** The report that the system has kept. */
  readonly report: string | undefined;
}

/** A CI system: how it runs the example of the file in a repository. */
interface System {
  readonly file: string;
  run(text: string, project: Project, settings: Settings): Promise<Ended>;
}

/** The environment of a machine that npm has never installed sonde on. */
function machineOf({ env }: Project): Readonly<Record<string, string>> {
  const prefix = join(machine.folder, 'prefix');
  // What it has downloaded may stay, so that only the first one takes its time.
  rmSync(join(prefix, 'bin'), { recursive: true, force: true });
  return { ...env, ...registry.env, npm_config_prefix: prefix, PATH: `${join(prefix, 'bin')}:${env.PATH}` };
}

const read = (file: string): string | undefined =>
  existsSync(file) ? readFileSync(file, 'utf8') : undefined;

const github: System = {
  file: 'examples/github-actions.yml',
  async run(text, project, { SONDE_API_KEY, ...vars }) {
    const kept: Record<string, string | undefined> = {};
    const jobs = await runWorkflow(await readWorkflow(text), {
      folder: project.temporary,
      env: machineOf(project),
      secrets: { SONDE_API_KEY },
      vars,
      actions: {
        'actions/checkout'(_, workspace) {
          cpSync(project.folder, workspace, { recursive: true });
          return true;
        },
        'actions/setup-node': ({ 'node-version': version }) => Number(version) >= 20,
        'actions/upload-artifact'({ name, path = '' }, workspace) {
          expect(name).toBe('sonde-1');
          kept[path] = read(join(workspace, path));
          return true;
        },
      },
    });
    const results = Object.values(jobs).map(({ result }) => result);
    expect(Object.keys(jobs)).toEqual(['deploy', 'gate', 'promote']);
    const { log = '', summary = '', result } = jobs.gate ?? {};
    // Nobody asked for them: they appear by themselves.
    expect(summary).not.toBe('');
    if (result === 'failure') expect(log).toContain('::error');
    return { isGreen: results.every((one) => one === 'success'), log, report: kept['sonde.xml'] };
  },
};

const gitlab: System = {
  file: 'examples/gitlab-ci.yml',
  async run(text, project, settings) {
    const jobs = await runPipeline(readPipeline(text), {
      repository: project.folder,
      folder: project.temporary,
      env: { ...machineOf(project), ...settings },
    });
    const { log = '', artifacts = {} } = jobs.gate ?? {};
    const isGreen = 'promote' in jobs && Object.values(jobs).every(({ code }) => code === 0);
    return { isGreen, log, report: read(artifacts['sonde.xml'] ?? '') };
  },
};

describe.each([
  ['GitHub Actions', github],
  ['GitLab CI', gitlab],
])('the example for %s', { timeout: INSTALLS_MS }, (_, { file, run }) => {
  const text = readFileSync(file, 'utf8');
  const gate = 'sonde checks run --tag smoke --timeout 10m --report junit:sonde.xml';

  /** Runs it in a repository of its own; `more` are options of the gate that take the test less time. */
  async function release(settings: Settings, ...more: readonly string[]) {
    const project = makeProject();
    onTestFinished(project.remove);
    expect(text).toContain(`${gate} `);
    const ended = await run(text.replace(gate, [gate, ...more].join(' ')), project, settings);
    expect(`${ended.log}${ended.report}`).not.toContain(world.service.key);
    return { ...ended, done: project.done() };
  }

  it('installs this version of sonde, with nothing but npm', async () => {
    await haveChecks(world, smokeCheck(world));
    const before = registry.asked.length;
    await release(settingsOf(world));
    const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
    expect(text).toContain(`npm install --global sonde@${version}\n`);
    expect(registry.asked.slice(before)).toContain('/sonde');
  });

  it('promotes what was deployed where all checks pass', async () => {
    await haveChecks(world, smokeCheck(world), smokeCheck(world));
    const { isGreen, log, report, done } = await release(settingsOf(world));
    expect(isGreen, log).toBe(true);
    expect(done).toEqual(['deploy', 'promote']);
    expect(report).toMatch(/tests="2" failures="0" errors="0"/);
  });

  it('rolls back and is red where a check fails, and keeps the report', async () => {
    await haveChecks(world, smokeCheck(world), smokeCheck(world, 'missing.test'));
    const { isGreen, log, report, done } = await release(settingsOf(world));
    expect(isGreen, log).toBe(false);
    expect(done).toEqual(['deploy', 'roll-back']);
    expect(report).toMatch(/tests="2" failures="1" errors="0"/);
  });

  it('neither promotes nor rolls back where the service is out of reach', async () => {
    const port = await silentPort();
    await port.close();
    const settings = { ...settingsOf(world), SONDE_BASE_URL: port.url };
    const { isGreen, log, report, done } = await release(settings, '--retry-budget', '0s');
    expect(isGreen).toBe(false);
    expect(log).toContain('could not be reached');
    expect(done).toEqual(['deploy']);
    expect(report).toMatch(/<error /);
  });

  it('neither promotes nor rolls back where a check still runs at the deadline', async () => {
    await haveChecks(world, smokeCheck(world), await endlessCheck(world));
    const { isGreen, log, report, done } = await release(settingsOf(world), '--timeout', '1s');
    expect(isGreen).toBe(false);
    expect(log).toContain('still running');
    expect(done).toEqual(['deploy']);
    expect(report).toMatch(/<error /);
  });

  it('neither promotes nor rolls back where the key is not set: that is no fault of the release', async () => {
    const { isGreen, log, done } = await release({ ...settingsOf(world), SONDE_API_KEY: '' });
    expect(isGreen).toBe(false);
    expect(log).toContain('SONDE_API_KEY is set, but empty');
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
