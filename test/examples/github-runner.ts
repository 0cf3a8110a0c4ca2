/** Runs a workflow as GitHub's runner does on Linux; refuses what it does not know, so that nothing is passed over. */
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { type Conditions, holds, judgeWorkflow, resolved, type Status } from './github-expressions.ts';
import { checkKeys } from './keys.ts';
import { runLogged } from './process.ts';

type Texts = Readonly<Record<string, string>>;

export interface Step {
  readonly name?: string;
  readonly id?: string;
  readonly if?: string;
  readonly uses?: string;
  readonly with?: Readonly<Record<string, string | number>>;
  readonly run?: string;
  readonly shell?: 'bash';
  readonly env?: Texts;
}
interface Job {
  readonly needs?: string;
  readonly 'runs-on': string;
  readonly 'timeout-minutes'?: number;
  readonly steps: readonly Step[];
}
export interface Workflow {
  readonly env: Texts;
  readonly jobs: Readonly<Record<string, Job>>;
  readonly conditions: Conditions;
}

const OF_A_WORKFLOW = ['name', 'on', 'permissions', 'env', 'concurrency', 'jobs'];
const OF_A_JOB = ['if', 'needs', 'runs-on', 'timeout-minutes', 'concurrency', 'steps'];
const OF_A_STEP = ['name', 'id', 'if', 'uses', 'with', 'run', 'shell', 'env'];

/** Reads a workflow. Throws on what GitHub refuses, and on keys that are not run here. */
export async function readWorkflow(text: string): Promise<Workflow> {
  const conditions = await judgeWorkflow(text);
  const workflow = parse(text);
  checkKeys(workflow, OF_A_WORKFLOW, 'workflow');
  for (const [name, job] of Object.entries<Job>(workflow.jobs)) {
    checkKeys(job, OF_A_JOB, name);
    for (const step of job.steps) checkKeys(step, OF_A_STEP, name);
  }
  return { env: workflow.env, jobs: workflow.jobs, conditions };
}

/** What an action does here, instead of its own code. Gives false where it fails. */
export type Action = (inputs: Texts, workspace: string) => boolean;

export interface GithubOptions {
  /** By name, without the version. */
  readonly actions: Readonly<Record<string, Action>>;
  /** Where the jobs' folders are made. */
  readonly folder: string;
  /** The machine's environment. */
  readonly env: Texts;
  /** Of the repository. */
  readonly secrets: Texts;
  readonly vars: Texts;
  /** The context `github`, besides `run_attempt`. */
  readonly github?: Readonly<Record<string, unknown>>;
}

export interface GithubJobRun {
  readonly result: 'success' | 'failure' | 'skipped';
  readonly log: string;
  /** What its steps wrote for the page of the run. */
  readonly summary: string;
}

/** Runs the jobs, in the order in which they stand. Gives all of them, by their names. */
export async function runWorkflow(
  { env, jobs, conditions }: Workflow,
  given: GithubOptions,
): Promise<Readonly<Record<string, GithubJobRun>>> {
  const runs: Record<string, GithubJobRun> = {};
  const options = { ...given, env: { ...given.env, ...env } };
  for (const [name, job] of Object.entries(jobs)) {
    const needed = job.needs === undefined ? undefined : runs[job.needs];
    if (job.needs !== undefined && !needed) throw new Error(`${name}: needs a job that stands below it`);
    // A job that was skipped lets none follow it, and has not failed.
    const status = { hasFailed: needed?.result === 'failure', contexts: { github: given.github ?? {} } };
    const { job: condition, steps } = conditions[name] ?? { job: 'success()', steps: [] };
    const isRun = needed?.result !== 'skipped' && holds(condition, status);
    runs[name] = isRun ? await runJob(job, steps, options) : { result: 'skipped', log: '', summary: '' };
  }
  return runs;
}

async function runJob(
  job: Job,
  conditions: readonly string[],
  options: GithubOptions,
): Promise<GithubJobRun> {
  const folder = mkdtempSync(join(options.folder, 'job-'));
  const workspace = join(folder, 'workspace');
  mkdirSync(workspace);
  const { secrets, vars } = options;
  const github = { ...options.github, run_attempt: '1' };
  const steps: Record<string, { outcome: string; outputs: Texts }> = {};
  let [hasFailed, log, summary] = [false, '', ''];
  for (const [index, step] of job.steps.entries()) {
    const status = { hasFailed, contexts: { secrets, vars, steps, github } };
    if (!holds(conditions[index] ?? '', status)) continue;
    log += `##[group]${step.name ?? step.uses ?? step.run}\n`;
    const ran = step.uses
      ? useAction(step, status, workspace, options)
      : await runStep(step, status, folder, options);
    log += ran.log;
    summary += ran.summary;
    if (step.id) steps[step.id] = { outcome: ran.isGood ? 'success' : 'failure', outputs: ran.outputs };
    if (!ran.isGood) hasFailed = true;
  }
  return { result: hasFailed ? 'failure' : 'success', log, summary };
}

interface StepRun {
  readonly isGood: boolean;
  readonly log: string;
  readonly summary: string;
  readonly outputs: Texts;
}

const resolvedAll = (values: Step['with'] = {}, status: Status): Texts =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, resolved(String(value), status)]));

function useAction(step: Step, status: Status, workspace: string, { actions }: GithubOptions): StepRun {
  const action = actions[step.uses?.split('@')[0] ?? ''];
  if (!action) throw new Error(`this runner does not know the action ${step.uses}`);
  return { isGood: action(resolvedAll(step.with, status), workspace), log: '', summary: '', outputs: {} };
}

async function runStep(step: Step, status: Status, folder: string, { env }: GithubOptions): Promise<StepRun> {
  const place = mkdtempSync(join(folder, 'step-'));
  const script = join(place, 'script.sh');
  writeFileSync(script, resolved(step.run ?? '', status));
  const files = {
    GITHUB_OUTPUT: 'output',
    GITHUB_ENV: 'env',
    GITHUB_PATH: 'path',
    GITHUB_STEP_SUMMARY: 'summary',
  };
  const paths = Object.fromEntries(Object.entries(files).map(([name, file]) => [name, join(place, file)]));
  for (const path of Object.values(paths)) writeFileSync(path, '');
  const read = (file: string): string => readFileSync(join(place, file), 'utf8');

  // Without a shell that is named there is no pipefail.
  const options = step.shell === 'bash' ? ['--noprofile', '--norc', '-eo', 'pipefail'] : ['-e'];
  const workspace = join(folder, 'workspace');
  const given = { CI: 'true', GITHUB_ACTIONS: 'true', GITHUB_WORKSPACE: workspace, ...paths };
  const { code, log } = await runLogged('bash', [...options, script], {
    cwd: workspace,
    env: { ...env, ...given, ...resolvedAll(step.env, status) },
  });
  if (read('env') + read('path') !== '')
    throw new Error('this runner does not pass on GITHUB_ENV and GITHUB_PATH');
  const outputs = read('output')
    .trimEnd()
    .split('\n')
    .filter(Boolean)
    .map((line) => {
      const [name, ...value] = line.split('=');
      return [name, value.join('=')];
    });
  return { isGood: code === 0, log, summary: read('summary'), outputs: Object.fromEntries(outputs) };
}
