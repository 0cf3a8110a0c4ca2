/** Runs a job, and reports its start and its end. Problems of the reports are warnings: the job always runs. */
import { constants } from 'node:os';
import { JobExit, UsageError } from '../../../../src/base/errors.ts';
import type { Deps } from '../../../../src/cli/framework/index.ts';
import { findPingUrl, parsePingUrl } from './find-ping-url.ts';
import { createReporter } from './report-job.ts';
import { runJob } from './run-job.ts';

interface WrapOptions {
  readonly heartbeat: string | undefined;
  readonly url: string | undefined;
  readonly omitOutput: boolean;
}

/** The variable with the ping URL. The job does not get it, because its output and its errors often show variables. */
const URL_VARIABLE = 'SONDE_HEARTBEAT_URL';

/** Runs the job. Throws JobExit with its exit code unless that is 0, and UsageError if nothing names a heartbeat. */
export async function wrapJob(
  deps: Deps,
  words: readonly string[],
  { heartbeat, url, omitOutput }: WrapOptions,
): Promise<void> {
  const { clock, random, terminal, env } = deps;
  const given = url ?? (heartbeat === undefined ? env[URL_VARIABLE] : undefined);
  if (given === undefined && heartbeat === undefined)
    throw new UsageError(
      'no heartbeat, so the command was not run: set SONDE_HEARTBEAT_URL, or pass --url or --heartbeat',
      {
        hint: 'to see the ping URL of a check, run: sonde checks get <name>',
      },
    );
  const fixed = given === undefined ? undefined : parsePingUrl(given);
  const report = createReporter(deps, {
    runId: random.uuid(),
    findUrl: async () => fixed ?? (await findPingUrl(deps, heartbeat ?? '')),
  });
  const startedAt = clock.monotonic();
  const started = report.start();
  const { [URL_VARIABLE]: _, ...jobEnv } = env;
  const end = await runJob(deps, words, { env: jobEnv, capture: !omitOutput });
  const durationMs = Math.round(clock.monotonic() - startedAt);
  const exitCode = end.signal === null ? end.exitCode : 128 + constants.signals[end.signal];
  if (end.problem !== undefined) await terminal.warn(end.problem);
  await started;
  const message = end.signal === null ? end.problem : `ended by ${end.signal}`;
  await report.end({ exitCode, durationMs, message, output: end.output });
  if (exitCode !== 0) throw new JobExit(exitCode);
}
