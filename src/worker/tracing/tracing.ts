/** Traces runs: one trace for each session, with a span for each attempt and its phases. */
import type { Clock } from '../../base/clock.ts';
import type { Job, Report } from '../port.ts';
import { createSpanExporter } from './exporter.ts';
import type { TracingSettings } from './settings.ts';
import { attemptSpans, sessionSpan, type TracedSession } from './spans.ts';

export interface Tracing {
  /** Records an attempt of this process. */
  recordAttempt(job: Job, report: Report): void;
  /** Records a session that ended, in whichever process its attempts ran. */
  recordSession(session: TracedSession): void;
  stop(): Promise<void>;
}

/** Returns undefined without settings. */
export function createTracing(
  settings: TracingSettings | undefined,
  clock: Clock,
  onError: (message: string, error: unknown) => void,
): Tracing | undefined {
  if (settings === undefined) return undefined;
  const exporter = createSpanExporter({ settings, clock, onError });
  return {
    recordAttempt: (job, report) => exporter.add(attemptSpans(job, report)),
    recordSession(session) {
      const span = sessionSpan(session);
      if (span !== undefined) exporter.add([span]);
    },
    stop: exporter.stop,
  };
}
