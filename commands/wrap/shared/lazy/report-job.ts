/** Reports the start and the end of a job to its ping URL: a few attempts within a limited time, and never an error. */
import { trimSlashes } from '../../../../src/base/trim-slashes.ts';
import type { Deps } from '../../../../src/cli/framework/index.ts';
import { openDispatcher } from '../../../../src/client/dispatcher.ts';
import { exchange } from '../../../../src/client/exchange.ts';

interface Report {
  readonly exitCode: number;
  readonly durationMs: number;
  readonly message: string | undefined;
  readonly output: string;
}

interface ReporterOptions {
  /** Distinguishes this run from others of the same job. */
  readonly runId: string;
  /** Finds the ping URL. May reject. */
  readonly findUrl: () => Promise<URL>;
}

const ATTEMPT_LIMITS = { connectTimeoutMs: 5000, answerTimeoutMs: 10_000, maxBytes: 100_000 };
/** Delays before the attempts after the first, in ms. The end is worth more attempts than the start. */
const START_DELAYS: readonly number[] = [500];
const END_DELAYS: readonly number[] = [500, 1000, 2000];
/** Time for all attempts of one report, in ms. */
const START_LIMIT_MS = 10_000;
const END_LIMIT_MS = 20_000;

/** Returns functions that report and never reject. A problem is a warning on stderr. */
export function createReporter(deps: Deps, { runId, findUrl }: ReporterOptions) {
  const { terminal, clock, env, version } = deps;
  const headers = { 'user-agent': `sonde-wrap/${version}`, 'content-type': 'text/plain; charset=utf-8' };

  /** Sends one report. Returns why it failed, and whether to try again. */
  async function send(
    path: string,
    query: Readonly<Record<string, string>>,
    body: string,
    signal: AbortSignal,
  ) {
    const url = new URL(await findUrl());
    url.pathname = `${trimSlashes(url.pathname)}/${path}`;
    for (const [name, value] of Object.entries({ rid: runId, ...query })) url.searchParams.set(name, value);
    const dispatcher = await openDispatcher(url, env);
    const limits = { ...ATTEMPT_LIMITS, signal };
    const answer = await exchange(dispatcher, { method: 'POST', url, headers, body }, limits);
    if (answer.kind === 'fault') return { problem: answer.error.message, isFinal: false };
    const { status } = answer;
    if (status < 300) return undefined;
    if (status === 404) return { problem: 'the service does not know its ping URL', isFinal: true };
    return { problem: `the service answered with status ${status}`, isFinal: status < 500 && status !== 429 };
  }

  async function report(
    what: string,
    [delays, limitMs]: readonly [readonly number[], number],
    ...of: [path: string, query: Readonly<Record<string, string>>, body: string]
  ): Promise<void> {
    const limit = new AbortController();
    const cancelTimer = clock.timer(limitMs, () => limit.abort(new Error('no answer in time')));
    let problem = '';
    try {
      for (const delay of [0, ...delays]) {
        if (delay > 0) await clock.sleep(delay, limit.signal);
        const failed = await send(...of, limit.signal);
        if (failed === undefined) return;
        ({ problem } = failed);
        if (failed.isFinal) break;
      }
    } catch (error) {
      problem = (error as Error).message;
    } finally {
      cancelTimer();
    }
    await terminal.warn(`cannot report the ${what} of the job: ${problem}`);
  }

  return {
    start: () => report('start', [START_DELAYS, START_LIMIT_MS], 'start', {}, ''),
    end: ({ exitCode, durationMs, message, output }: Report) =>
      report(
        'end',
        [END_DELAYS, END_LIMIT_MS],
        String(exitCode),
        { duration: String(durationMs), ...(message === undefined ? {} : { msg: message }) },
        output,
      ),
  };
}
