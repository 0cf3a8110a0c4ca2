/** Runs the examples for CI systems as their runners do, on a machine that installs sonde from its package. */
import { cpSync, existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished } from 'vitest';
import { useWorld, type World } from '../e2e/world.ts';
import { npmEnv, packSonde } from '../support/package.ts';
import { readWorkflow, runWorkflow } from './github-runner.ts';
import { readPipeline, runPipeline } from './gitlab-runner.ts';
import { makeProject, type Project, type settingsOf } from './project.ts';

/** Where the examples say what npm installs. */
export const SOURCE = '<your package source>';
/** The gate's line in the examples. */
const GATE = 'sonde checks run --tag smoke --timeout 10m --report junit:sonde.xml';

type Settings = ReturnType<typeof settingsOf>;
type Env = Readonly<Record<string, string>>;

/** The outcome of a pipeline, whatever its system calls it. */
interface Outcome {
  readonly isGreen: boolean;
  /** The log of the gate's job. */
  readonly log: string;
  /** The report that the system stored. */
  readonly report: string | undefined;
}

/** A CI system: how it runs the text of its example in a repository. */
interface System {
  readonly file: string;
  run(text: string, project: Project, machine: Env, settings: Settings): Promise<Outcome>;
}

const read = (file: string): string | undefined =>
  existsSync(file) ? readFileSync(file, 'utf8') : undefined;

export const github: System = {
  file: 'examples/github-actions.yml',
  async run(text, project, env, { SONDE_API_KEY, ...vars }) {
    const stored: Record<string, string | undefined> = {};
    const jobs = await runWorkflow(await readWorkflow(text), {
      ...{ folder: project.temporary, env, vars },
      secrets: { SONDE_API_KEY },
      actions: {
        'actions/checkout'(_, workspace) {
          cpSync(project.folder, workspace, { recursive: true });
          return true;
        },
        'actions/setup-node': ({ 'node-version': version }) => Number(version) >= 20,
        'actions/upload-artifact'({ name, path = '' }, workspace) {
          expect(name).toBe('sonde-1');
          stored[path] = read(join(workspace, path));
          return true;
        },
      },
    });
    const results = Object.values(jobs).map(({ result }) => result);
    expect(Object.keys(jobs)).toEqual(['deploy', 'gate', 'promote']);
    const { log = '', summary = '', result } = jobs.gate ?? {};
    // Once it is installed, sonde writes the summary and the annotations without being asked.
    if (!log.includes('npm error')) {
      expect(summary).not.toBe('');
      if (result === 'failure') expect(log).toContain('::error');
    }
    return { isGreen: results.every((one) => one === 'success'), log, report: stored['sonde.xml'] };
  },
};

export const gitlab: System = {
  file: 'examples/gitlab-ci.yml',
  async run(text, project, env, settings) {
    const jobs = await runPipeline(readPipeline(text), {
      ...{ repository: project.folder, folder: project.temporary },
      env: { ...env, ...settings },
    });
    const { log = '', artifacts = {} } = jobs.gate ?? {};
    const isGreen = 'promote' in jobs && Object.values(jobs).every(({ code }) => code === 0);
    return { isGreen, log, report: read(artifacts['sonde.xml'] ?? '') };
  },
};

export const SYSTEMS = [
  ['GitHub Actions', github],
  ['GitLab CI', gitlab],
] as const;

interface Release extends Outcome {
  /** Which scripts of the team ran, in their order. */
  readonly done: readonly string[];
}

export interface Pipelines {
  readonly world: World;
  /** Runs an example with a package named in it. `more`: options of the gate that save the test time. */
  release(system: System, settings: Settings, ...more: readonly string[]): Promise<Release>;
  /** Runs an example as it is. */
  runUnchanged(system: System, settings: Settings): Promise<Release>;
}

/** Packs sonde and starts a service for the tests of one file. */
export function usePipelines(): Pipelines {
  const world = useWorld();
  let machine: Project;
  let tarball: string;
  let npm: Env;
  beforeAll(async () => {
    machine = makeProject();
    [tarball, npm] = await Promise.all([packSonde(machine.temporary), npmEnv()]);
  });
  afterAll(() => machine.remove());

  /** The environment of a machine without sonde. */
  function bareMachine({ env }: Project): Env {
    const prefix = join(machine.folder, 'prefix');
    rmSync(join(prefix, 'bin'), { recursive: true, force: true });
    return { ...env, ...npm, npm_config_prefix: prefix, PATH: `${join(prefix, 'bin')}:${env.PATH}` };
  }

  async function run(system: System, text: string, settings: Settings): Promise<Release> {
    const project = makeProject();
    onTestFinished(project.remove);
    const outcome = await system.run(text, project, bareMachine(project), settings);
    expect(`${outcome.log}${outcome.report}`).not.toContain(world.service.key);
    return { ...outcome, done: project.done() };
  }

  return {
    world,
    runUnchanged: (system, settings) => run(system, readFileSync(system.file, 'utf8'), settings),
    release(system, settings, ...more) {
      const text = readFileSync(system.file, 'utf8');
      expect(text).toContain(`${GATE} `);
      expect(text.split(SOURCE)).toHaveLength(2);
      return run(system, text.replace(SOURCE, tarball).replace(GATE, [GATE, ...more].join(' ')), settings);
    },
  };
}
