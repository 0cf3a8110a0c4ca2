/** Defines the options, the wait and the exit codes of commands that wait for sessions. */
import { EXIT } from '../../../src/base/exits.ts';
import { formatCommandLine } from '../../../src/cli/framework/format-command-line.ts';
import { choice, duration, flag } from '../../../src/cli/framework/options.ts';
import type { Deps, ExitMeaning, Invocation } from '../../../src/cli/framework/types.ts';
import { createKeyRedactor } from '../../../src/client/redact.ts';
import { errorSources, type ReportTarget, type RunGateOptions, runGate } from '../../../src/gate/index.ts';
import { reportOption } from './report-option.ts';
import { DEFAULT_TIMEOUT_MS, formatDuration, formatResumeCommand } from './resume.ts';

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

type GateInvocation = Pick<
  Invocation<undefined, Record<never, never>, typeof gateOptions>,
  'options' | 'output' | 'globals'
>;

interface WaitOptions extends Pick<RunGateOptions, 'kind' | 'openPoll' | 'start' | 'stop'> {
  /** Whether this process starts the sessions. Not every instance of the service may know them yet. */
  readonly justStarted: boolean;
  /** The command that resumes waiting, without IDs. */
  readonly again: string;
}

/** Waits until the sessions end. Throws VerdictError for a bad verdict. */
export function waitForSessions(
  deps: Deps,
  { options, output, globals }: GateInvocation,
  { again, ...sessions }: WaitOptions,
): Promise<void> {
  return runGate({
    ...deps,
    ...sessions,
    output,
    timeoutMs: options.timeout,
    failOnDegraded: options.failOn === 'degraded',
    failFast: options.failFast,
    errorSources: async () => errorSources(await deps.client()),
    errorsCommand: (checkId) => formatCommandLine({ globals }, 'error-groups', 'list', checkId),
    resumeCommand: (ids) => formatResumeCommand(deps, { globals, options }, again, ids),
    ...createReporter(deps, options.report),
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
