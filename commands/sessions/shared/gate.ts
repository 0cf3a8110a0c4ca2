/** Defines the options, the wait and the exit codes of commands that wait for sessions. */

import { readdir, rm, stat, writeFile } from 'node:fs/promises';
import { join, normalize } from 'node:path';
import { EXIT } from '../../../src/base/exits.ts';
import { makeFolder } from '../../../src/base/files.ts';
import { formatCommandLine, quoteShellWord } from '../../../src/cli/framework/format-command-line.ts';
import {
  choice,
  custom,
  duration,
  flag,
  invalidChoice,
  type Option,
  type ReportProblem,
} from '../../../src/cli/framework/options.ts';
import type { Deps, ExitMeaning, Invocation } from '../../../src/cli/framework/types.ts';
import { createKeyRedactor } from '../../../src/client/redact.ts';
import { errorSources, type ReportTarget, type RunGateOptions, runGate } from '../../../src/gate/index.ts';
import { dataFolders } from '../../../src/profiles/folders.ts';

/** More IDs are too long to paste. */
const MAX_IDS = 20;

/** The default of `--timeout`. */
const DEFAULT_TIMEOUT_MS = 600_000;

/** The options of the interrupted command. */
interface GateLine extends Pick<Invocation, 'globals'> {
  readonly options: {
    /** Milliseconds. */
    readonly timeout: number;
    readonly failOn: string | undefined;
    readonly failFast: boolean;
    readonly report: readonly { readonly kind: string; readonly file: string }[];
  };
}

/** Returns the command for a shell. `words`: the command without IDs. */
export async function formatResumeCommand(
  deps: Pick<Deps, 'env' | 'home' | 'clock' | 'self'>,
  { globals, options }: GateLine,
  words: string,
  ids: readonly string[],
): Promise<string> {
  const { timeout, failOn, failFast, report } = options;
  const more = [
    ...(timeout === DEFAULT_TIMEOUT_MS ? [] : ['--timeout', formatDuration(timeout)]),
    ...(failOn === undefined ? [] : ['--fail-on', failOn]),
    ...(failFast ? ['--fail-fast'] : []),
    ...report.flatMap(({ kind, file }) => ['--report', `${kind}:${file}`]),
  ];
  const line = (named: readonly string[]) =>
    formatCommandLine({ globals }, ...words.split(' '), ...named, ...more);
  const file = ids.length > MAX_IDS ? await saveIds(deps, ids) : undefined;
  return file === undefined ? line(ids) : `${line(['-'])} < ${quoteShellWord(file)}`;
}

/** Formats a duration for `--timeout`: `10m`, `90s`, `1500ms`. */
const formatDuration = (ms: number): string =>
  ms % 60_000 === 0 ? `${ms / 60_000}m` : ms % 1000 === 0 ? `${ms / 1000}s` : `${ms}ms`;

/** Retention of files with IDs in ms; no session runs that long. */
const ID_FILE_RETENTION_MS = 7 * 24 * 60 * 60 * 1000;

/** Saves the IDs in the user's state folder, one per line. Returns the path; undefined if it cannot. */
async function saveIds(
  { env, home, clock, self }: Pick<Deps, 'env' | 'home' | 'clock' | 'self'>,
  ids: readonly string[],
): Promise<string | undefined> {
  const folder = join(dataFolders(env, home).state, 'waiting');
  const time = new Date(clock.now()).toISOString().slice(0, 19).replaceAll(':', '-');
  const path = join(folder, `${time}-${self.pid}.txt`);
  try {
    makeFolder(folder);
    await writeFile(path, ids.map((id) => `${id}\n`).join(''), { mode: 0o600 });
    await deleteOldFiles(folder, clock.now() - ID_FILE_RETENTION_MS).catch(() => {});
    return path;
  } catch {
    // The command then lists all IDs.
    return undefined;
  }
}

/** Deletes files older than `before`, in ms since the epoch. */
async function deleteOldFiles(folder: string, before: number): Promise<void> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.txt'));
  await Promise.all(
    names.map(async (name) => {
      const path = join(folder, name);
      if ((await stat(path)).mtimeMs < before) await rm(path, { force: true });
    }),
  );
}

/** File extensions for the examples in errors. */
const EXTENSIONS: Readonly<Record<ReportTarget['kind'], string>> = {
  junit: 'xml',
  markdown: 'md',
  json: 'json',
};
const KINDS = Object.keys(EXTENSIONS) as readonly ReportTarget['kind'][];

const STDOUT: readonly string[] = ['-', '/dev/stdout', '/dev/fd/1', '/proc/self/fd/1'];

function parseReport(text: string, reportProblem: ReportProblem): ReportTarget | undefined {
  const at = text.indexOf(':');
  const [word, file] = at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)];
  const kind = KINDS.find((each) => each === word);
  if (kind === undefined) {
    const { nearest, ...problem } = invalidChoice(word, KINDS);
    // The suggestion keeps the file that the user typed.
    const near = nearest === undefined ? {} : { nearest: `${nearest}:${file || 'FILE'}` };
    reportProblem({
      ...problem,
      message: `must begin with ${KINDS.slice(0, -1).join(':, ')}: or ${KINDS.at(-1)}:, and name a file, not "${text}"`,
      ...near,
    });
    return undefined;
  }
  if (file === '') {
    reportProblem({ message: `must name a file, such as ${kind}:report.${EXTENSIONS[kind]}, not "${text}"` });
    return undefined;
  }
  if (STDOUT.includes(file)) {
    reportProblem({
      message: `must name a file: stdout is for the sessions (print them with --json), not "${text}"`,
    });
    return undefined;
  }
  return { kind, file };
}

const singleReport = custom(
  'Report to write: junit, markdown or json; repeatable; written for every verdict',
  { placeholder: 'kind:file' },
  parseReport,
);

/** The repeatable option. Two reports must not use the same file. */
const reportOption: Option<readonly ReportTarget[]> = {
  ...singleReport,
  allowed: KINDS,
  read(texts, reportProblem) {
    const reports = singleReport.read(texts, reportProblem);
    const seen = new Set<string>();
    for (const { file } of reports) {
      const name = normalize(file);
      if (seen.has(name)) reportProblem({ message: `must be unique: two reports use ${file}` });
      seen.add(name);
    }
    return reports;
  },
};

const failOnDegraded = choice(
  ['degraded'],
  'Exit 1 also for degraded (slow) sessions; the only value is degraded',
);

/** Adds to the error about another value that failed sessions always fail the gate. */
const readFailOn: typeof failOnDegraded.read = (texts, reportProblem) =>
  failOnDegraded.read(texts, ({ message, ...rest }) =>
    reportProblem({
      ...rest,
      message: `${message}: sessions that failed, timed out or were cancelled always fail the gate`,
    }),
  );

export const gateOptions = {
  timeout: duration('Time to wait for the verdict; when it expires, exit 7', {
    default: formatDuration(DEFAULT_TIMEOUT_MS),
  }),
  failOn: { ...failOnDegraded, read: readFailOn },
  failFast: flag('Exit at the first failed session'),
  report: reportOption,
};

export const gateExits: readonly ExitMeaning[] = [
  [EXIT.done, 'every session passed, or was degraded without --fail-on degraded'],
  [EXIT.badVerdict, 'a session failed or exceeded its own time limit (TIMED_OUT)'],
  [EXIT.unreachable, 'the service was unreachable when --timeout expired'],
  [EXIT.noVerdict, 'a session was still running when --timeout expired: unknown verdict'],
  [EXIT.cancelled, 'a session was cancelled'],
  [EXIT.output, 'could not write the result or a report'],
];

export type GateInvocation = Pick<
  Invocation<undefined, Record<never, never>, typeof gateOptions>,
  'options' | 'output' | 'globals'
>;

interface WaitOptions extends Pick<RunGateOptions, 'kind' | 'openPoll' | 'start' | 'stop'> {
  /** Whether this process starts the sessions. Not every instance of the service may know them yet. */
  readonly justStarted: boolean;
  /** The command that resumes waiting, without IDs. */
  readonly again: string;
}

/** Returns what the options of a gate say, and the writer of its reports. */
export const gateSettings = (deps: Deps, { options, output }: Omit<GateInvocation, 'globals'>) => ({
  ...deps,
  output,
  timeoutMs: options.timeout,
  failOnDegraded: options.failOn === 'degraded',
  failFast: options.failFast,
  ...createReporter(deps, options.report),
});

/** Waits until the sessions end. Throws VerdictError for a bad verdict. */
export function waitForSessions(
  deps: Deps,
  line: GateInvocation,
  { again, ...sessions }: WaitOptions,
): Promise<void> {
  const { options, globals } = line;
  return runGate({
    ...gateSettings(deps, line),
    ...sessions,
    errorSources: async () => errorSources(await deps.client()),
    errorsCommand: (checkId) => formatCommandLine({ globals }, 'error-groups', 'list', checkId),
    resumeCommand: (ids) => formatResumeCommand(deps, { globals, options }, again, ids),
  });
}

/** Returns the writer of the requested reports and of the GitHub Actions summary; nothing if neither applies. */
function createReporter(deps: Deps, reports: readonly ReportTarget[]): Pick<RunGateOptions, 'report'> {
  const { env, usedKeys } = deps;
  if (reports.length === 0 && env.GITHUB_ACTIONS !== 'true' && !env.GITHUB_STEP_SUMMARY) return {};
  return {
    async report(input) {
      const { writeReports } = await import('../../../src/gate/report/index.ts');
      const removers = [...usedKeys, env.SONDE_API_KEY ?? ''].map(createKeyRedactor);
      const hide = (text: string): string => removers.reduce((shown, remove) => remove(shown), text);
      return writeReports(input, { ...deps, reports, hide });
    },
  };
}
