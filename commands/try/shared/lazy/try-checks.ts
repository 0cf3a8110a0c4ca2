/** Runs checks of files on this machine, and shows them as `sonde checks run` does. */
import { VerdictError } from '../../../../src/base/errors.ts';
import { formatDuration } from '../../../../src/base/format-duration.ts';
import { findProxy } from '../../../../src/base/proxy.ts';
import type { Deps } from '../../../../src/cli/framework/index.ts';
import { localSessions, runGate } from '../../../../src/gate/index.ts';
import { firstLine } from '../../../../src/gate/words/text.ts';
import type { RunningChecks } from '../../../../src/service/engine/local-sessions/run-checks.ts';
import { type GateInvocation, gateSettings } from '../../../sessions/shared/gate.ts';
import type { LocalRunners } from '../runners.ts';
import type { TriedChecks } from '../tried-checks.ts';
import type { Artifacts } from './artifacts.ts';

/** Maximum length of the error of an attempt, which the result may repeat. */
const MAX_ATTEMPT = 120;

/** The location of results. */
const LOCATION = 'local';

export interface TryChecksOptions {
  readonly runners: LocalRunners;
  /** Whether failed attempts are repeated. */
  readonly retries: boolean;
  /** Folder for screenshots, traces and transcripts; undefined: they are dropped. */
  readonly artifacts: string | undefined;
}

/** Throws VerdictError unless every check has a good verdict. */
export async function tryChecks(
  deps: Deps,
  line: Omit<GateInvocation, 'globals'>,
  tried: TriedChecks,
  options: TryChecksOptions,
): Promise<void> {
  let running: RunningChecks | undefined;
  const requireRunning = (): RunningChecks => {
    if (running === undefined) throw new Error('no check was started');
    return running;
  };
  try {
    await runGate({
      ...gateSettings(deps, line),
      kind: localSessions,
      justStarted: false,
      async start() {
        running = await startChecks(deps, tried, options);
        const known = new Map(running.readSessions().map((session) => [session.checkSessionId, session]));
        // JSON is always an array: how many checks a line means depends on the files.
        return { ids: [...known.keys()], many: true, known };
      },
      openPoll: async () => requireRunning().poll,
      async stop(id) {
        requireRunning().cancel(id);
        return true;
      },
    });
  } catch (error) {
    const { format } = line.output;
    const isForProgram = format === 'json' || format === 'jsonl' || format === 'yaml';
    if (error instanceof VerdictError && !isForProgram) {
      const { printDetails } = await import('./print-details.ts');
      await printDetails(deps.terminal, requireRunning().readSessions(), deps.cwd);
    }
    throw error;
  } finally {
    await running?.close();
  }
}

async function startChecks(
  { clock, random, env, terminal, cwd }: Deps,
  { archiveOf, hide, ...tried }: TriedChecks,
  { runners, retries, artifacts }: TryChecksOptions,
): Promise<RunningChecks> {
  const [{ runChecks }, { createLocalEvaluate }, { systemResolvers }, files] = await Promise.all([
    import('../../../../src/service/engine/local-sessions/run-checks.ts'),
    import('../../../../src/runners/evaluation/local-evaluate.ts'),
    import('../../../../src/runners/dns/system-resolvers.ts'),
    artifacts === undefined ? NO_FILES : openArtifacts(cwd, artifacts),
  ]);
  const resolvers = env.SONDE_RESOLVERS?.split(',');
  const { close = async () => {}, storeFiles, ...storage } = files;
  const checks = runChecks({
    ...tried,
    ...storage,
    async storeFiles(report, session) {
      const { errors, details, ...rest } = await storeFiles(report, session);
      return { ...rest, errors: hide(errors), details: hide(details) };
    },
    clock,
    random,
    retries,
    runners: await runners.open(tried.checks, archiveOf),
    location: LOCATION,
    evaluate: createLocalEvaluate(),
    resolvers: () => resolvers ?? systemResolvers(),
    proxyFor: (target) => findProxy(target, env),
    onRetry({ name, results }, retryAt) {
      const pauseMs = retryAt - clock.now();
      const when = pauseMs > 0 ? `in ${formatDuration(pauseMs)}` : 'now';
      const [error = ''] = results.at(-1)?.errors ?? [];
      void terminal.note(`${name}: attempt failed: ${firstLine(error, MAX_ATTEMPT)}; retrying ${when}`);
    },
    onError: (message, error) =>
      void terminal.warn(`${message}: ${error instanceof Error ? error.message : String(error)}`),
  });
  return {
    ...checks,
    async close() {
      await checks.close();
      await close();
    },
  };
}

/** Removes the warning that files were not stored: without a folder, none are stored. */
const NO_FILES: Pick<Artifacts, 'storeFiles'> & Partial<Pick<Artifacts, 'close'>> = {
  async storeFiles(report) {
    const { artifactsLost: _, ...details } = report.details;
    return { ...report, details };
  },
};

const openArtifacts = async (cwd: string, folder: string) =>
  (await import('./artifacts.ts')).openArtifacts(cwd, folder);
