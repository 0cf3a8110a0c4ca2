/** Runs a pipeline as GitLab's runner does with its bash; refuses what it does not know, so that nothing is passed over. */
import { cpSync, existsSync, mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { checkKeys } from './keys.ts';
import { runLogged } from './process.ts';

export interface GitlabJob {
  readonly stage: string;
  readonly rules?: readonly { readonly if: string }[];
  readonly timeout?: string;
  readonly before_script?: readonly string[];
  readonly script: readonly string[];
  readonly artifacts?: {
    readonly when?: 'on_success' | 'on_failure' | 'always';
    readonly paths?: readonly string[];
    readonly reports?: { readonly junit: string };
  };
}

export interface GitlabPipeline {
  readonly image: string;
  readonly variables: Readonly<Record<string, string>>;
  readonly stages: readonly string[];
  readonly jobs: Readonly<Record<string, GitlabJob>>;
}

const GLOBALS = ['workflow', 'stages', 'variables', 'default'];
const OF_A_JOB = ['stage', 'rules', 'timeout', 'resource_group', 'before_script', 'script', 'artifacts'];
const OF_ARTIFACTS = ['when', 'expose_as', 'paths', 'reports'];

/** Reads a `.gitlab-ci.yml`. Throws on a key that is not run here, a stage that there is not, and a script that is no list of texts. */
export function readPipeline(text: string): GitlabPipeline {
  const { workflow, stages, variables, default: standard, ...jobs } = parse(text);
  checkKeys(workflow ?? {}, ['rules'], 'workflow');
  checkKeys(standard, ['image'], 'default');
  for (const [name, job] of Object.entries<GitlabJob>(jobs)) {
    checkKeys(job, OF_A_JOB, name);
    checkKeys(job.artifacts ?? {}, OF_ARTIFACTS, name);
    if (GLOBALS.includes(name) || !stages.includes(job.stage)) throw new Error(`${name}: no such stage`);
    const lines: readonly unknown[] = [...(job.before_script ?? []), ...job.script];
    if (!lines.every((line) => typeof line === 'string')) throw new Error(`${name}: a line is no text`);
  }
  return { image: standard.image, variables, stages, jobs };
}

export interface GitlabJobRun {
  readonly code: number | null;
  readonly log: string;
  /** Where its artifacts are that GitLab would have kept, by the path that names them. */
  readonly artifacts: Readonly<Record<string, string>>;
}

export interface GitlabOptions {
  /** The repository; every job has a fresh copy. */
  readonly repository: string;
  /** Where the jobs' folders are made. */
  readonly folder: string;
  /** The machine's environment and the project's variables. */
  readonly env: Readonly<Record<string, string>>;
}

/** Whether a rule's comparison of two variables or texts holds. */
function isTrue(comparison: string, env: Readonly<Record<string, string>>): boolean {
  const sides = comparison.split(' == ').map((side) => {
    const [, name, text] = /^(?:\$(\w+)|"([^"$]*)")$/.exec(side) ?? [];
    if (name === undefined && text === undefined)
      throw new Error(`${comparison}: this runner does not know it`);
    return name === undefined ? text : env[name];
  });
  return sides.length === 2 && sides[0] === sides[1];
}

/** Runs the stages in turn; after a job that failed none follows. Gives the jobs that ran, by their names. */
export async function runPipeline(
  { stages, variables, jobs }: GitlabPipeline,
  given: GitlabOptions,
): Promise<Readonly<Record<string, GitlabJobRun>>> {
  const runs: Record<string, GitlabJobRun> = {};
  // Variables of the project override those of the file.
  const options = { ...given, env: { ...variables, ...given.env } };
  for (const stage of stages) {
    for (const [name, job] of Object.entries(jobs))
      if (
        job.stage === stage &&
        (job.rules ?? [{ if: '"" == ""' }]).some((rule) => isTrue(rule.if, options.env))
      )
        runs[name] = await runJob(job, options);
    if (Object.values(runs).some(({ code }) => code !== 0)) break;
  }
  return runs;
}

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

async function runJob(job: GitlabJob, { repository, folder, env }: GitlabOptions): Promise<GitlabJobRun> {
  const workspace = mkdtempSync(join(folder, 'job-'));
  cpSync(repository, workspace, { recursive: true });
  // One shell for both lists, each line told before it runs; the script comes on stdin, and its commands find theirs empty.
  const lines = [...(job.before_script ?? []), ...job.script];
  const told = lines.map((line) => `echo ${quoted(`$ ${line}`)}\n${line}\n`).join('');
  const script = `set -o pipefail\nset -o errexit\nset +o noclobber\n: | eval ${quoted(told)}\nexit 0\n`;
  const variables = { CI: 'true', GITLAB_CI: 'true', CI_PROJECT_DIR: workspace };
  const { code, log } = await runLogged('bash', [], {
    cwd: workspace,
    env: { ...env, ...variables },
    stdin: script,
  });

  const { when = 'on_success', paths = [], reports } = job.artifacts ?? {};
  const isKept = when === 'always' || (when === 'on_success') === (code === 0);
  const found = [...paths, ...(reports ? [reports.junit] : [])]
    .map((path) => [path, join(workspace, path)] as const)
    .filter(([, file]) => isKept && existsSync(file));
  return { code, log, artifacts: Object.fromEntries(found) };
}
