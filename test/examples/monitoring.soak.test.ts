/** The examples for monitoring as code: a change is planned in its request and applied on the main branch. */
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { useWorld } from '../e2e/world.ts';
import { npmEnv, packSonde } from '../support/package.ts';
import { readWorkflow, runWorkflow } from './github-runner.ts';
import { readPipeline, runPipeline } from './gitlab-runner.ts';
import { SOURCE } from './pipelines.ts';
import { makeProject, type Project, settingsOf } from './project.ts';

const world = useWorld();
let machine: Project;
let tarball: string;
let npm: Readonly<Record<string, string>>;
beforeAll(async () => {
  machine = makeProject();
  [tarball, npm] = await Promise.all([packSonde(machine.temporary), npmEnv()]);
});
afterAll(() => machine.remove());

type Trigger = 'change' | 'fork' | 'merge';
interface Outcome {
  /** The results of the jobs that ran. */
  readonly jobs: Readonly<Record<string, boolean>>;
  readonly log: string;
  /** The plan as the system shows it beside the change. */
  readonly plan: string;
}
type Run = (
  text: string,
  project: Project,
  env: Record<string, string>,
  trigger: Trigger,
) => Promise<Outcome>;

const github: Run = async (text, { folder, temporary }, env, trigger) => {
  const { SONDE_API_KEY, ...vars } = settingsOf(world);
  const head = trigger === 'fork' ? 'stranger/shop' : 'team/shop';
  const runs = await runWorkflow(await readWorkflow(text), {
    ...{ folder: temporary, env, vars, secrets: { SONDE_API_KEY } },
    github: {
      event_name: trigger === 'merge' ? 'push' : 'pull_request',
      repository: 'team/shop',
      event: { pull_request: { head: { repo: { full_name: head } } } },
    },
    actions: {
      'actions/checkout'(_, workspace) {
        cpSync(folder, workspace, { recursive: true });
        return true;
      },
      'actions/setup-node': ({ 'node-version': version }) => Number(version) >= 20,
    },
  });
  const jobs = Object.entries(runs).filter(([, { result }]) => result !== 'skipped');
  return {
    jobs: Object.fromEntries(jobs.map(([name, { result }]) => [name, result === 'success'])),
    log: jobs.map(([, { log }]) => log).join(''),
    plan: runs.plan?.summary ?? '',
  };
};

const gitlab: Run = async (text, { folder, temporary }, env, trigger) => {
  const branch = trigger === 'merge' ? 'main' : '';
  const runs = await runPipeline(readPipeline(text), {
    ...{ repository: folder, folder: temporary },
    env: {
      ...{ ...env, ...settingsOf(world), CI_COMMIT_BRANCH: branch, CI_DEFAULT_BRANCH: 'main' },
      CI_PIPELINE_SOURCE: trigger === 'merge' ? 'push' : 'merge_request_event',
    },
  });
  const plan = runs.plan?.artifacts['plan.txt'];
  return {
    jobs: Object.fromEntries(Object.entries(runs).map(([name, { code }]) => [name, code === 0])),
    log: Object.values(runs)
      .map(({ log }) => log)
      .join(''),
    plan: plan === undefined ? '' : readFileSync(plan, 'utf8'),
  };
};

const check = (name: string): string =>
  `  - name: ${name}\n    checkType: URL\n    activated: false\n    request: {url: "https://shop.example"}\n`;

describe.each([
  ['GitHub Actions', 'examples/github-monitoring.yml', github],
  ['GitLab CI', 'examples/gitlab-monitoring.yml', gitlab],
])('the example for %s', (system, file, run) => {
  it('shows the plan of a change, applies it after the merge, and prunes', async () => {
    const project = makeProject();
    onTestFinished(project.remove);
    const prefix = join(machine.folder, `prefix-${file.slice(9, 15)}`);
    onTestFinished(() => rmSync(prefix, { recursive: true, force: true }));
    const env = {
      ...{ ...project.env, ...npm, npm_config_prefix: prefix },
      PATH: `${join(prefix, 'bin')}:${project.env.PATH}`,
    };
    const text = readFileSync(file, 'utf8').replace(SOURCE, tarball);
    const trigger = async (what: Trigger, ...names: string[]): Promise<Outcome> => {
      const content = `project: ${system.replace(' ', '-')}\nchecks:\n${names.map(check).join('')}`;
      mkdirSync(join(project.folder, 'monitoring'), { recursive: true });
      writeFileSync(join(project.folder, 'monitoring/shop.yaml'), content);
      const outcome = await run(text, project, env, what);
      expect(outcome.log + outcome.plan).not.toContain(world.service.key);
      return outcome;
    };
    const names = async (): Promise<readonly string[]> => {
      const checks =
        await world.service.make<readonly { readonly name: string }[]>('GET /v1/checks?limit=100');
      return checks.map(({ name }) => name).filter((name) => name.startsWith(system));
    };

    const first = await trigger('change', `${system} home`, `${system} cart`);
    expect(first.jobs, first.log).toEqual({ plan: true });
    expect(first.plan).toContain(`${system} home`);
    expect(first.plan).toContain('2 to create');
    expect(await names()).toEqual([]);

    expect((await trigger('merge', `${system} home`, `${system} cart`)).jobs).toEqual({ apply: true });
    expect((await names()).toSorted()).toEqual([`${system} cart`, `${system} home`]);

    const second = await trigger('change', `${system} home`);
    expect(second.plan).toContain('1 to delete');
    expect((await trigger('merge', `${system} home`)).jobs).toEqual({ apply: true });
    expect(await names()).toEqual([`${system} home`]);
  }, 300_000);

  it('is red when the files are invalid', async () => {
    const project = makeProject();
    onTestFinished(project.remove);
    mkdirSync(join(project.folder, 'monitoring'));
    writeFileSync(join(project.folder, 'monitoring/shop.yaml'), 'project: shop\nchecks:\n  - nmae: Home\n');
    const prefix = join(project.folder, 'prefix');
    const env = {
      ...{ ...project.env, ...npm, npm_config_prefix: prefix },
      PATH: `${join(prefix, 'bin')}:${project.env.PATH}`,
    };
    const text = readFileSync(file, 'utf8').replace(SOURCE, tarball);
    const { jobs, log } = await run(text, project, env, 'change');
    expect(jobs).toEqual({ plan: false });
    expect(log).toContain('shop.yaml:3:');
  }, 300_000);
});

it('GitHub: a pull request from a fork, which gets no secrets, has no plan', async () => {
  const project = makeProject();
  onTestFinished(project.remove);
  const text = readFileSync('examples/github-monitoring.yml', 'utf8');
  expect((await github(text, project, { ...project.env }, 'fork')).jobs).toEqual({});
});
