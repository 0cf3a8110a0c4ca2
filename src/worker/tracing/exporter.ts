/** Sends spans to a collector over OTLP/HTTP in the background. Its queue is bounded, and no run waits for it. */
import type { Clock } from '../../base/clock.ts';
import { encodeSpans } from './otlp.ts';
import type { TracingSettings } from './settings.ts';
import type { Span } from './spans.ts';

/** The answers after which OTLP sends a batch again. */
const RETRYABLE = new Set([429, 502, 503, 504]);
const MAX_SENDS = 5;
const FIRST_BACKOFF_MS = 1000;
const MAX_BACKOFF_MS = 30_000;
/** Time for the rest of the queue at shutdown, in ms. */
const FLUSH_MS = 3000;

export interface SpanExporter {
  /** Queues spans, or drops them if the queue is full. */
  add(spans: readonly Span[]): void;
  /** Sends what is queued, within a few seconds. */
  stop(): Promise<void>;
}

interface ExporterOptions {
  readonly settings: TracingSettings;
  readonly clock: Clock;
  readonly onError: (message: string, error: unknown) => void;
}

/** A status that the collector answers for good, or after the last repetition. */
class Refused extends Error {}

export function createSpanExporter({ settings, clock, onError }: ExporterOptions): SpanExporter {
  const { maxQueueSize, batchSize, delayMs, timeoutMs, url, headers } = settings;
  const queue: Span[] = [];
  let dropped = 0;
  let sending: Promise<void> | undefined;
  let cancelTimer: (() => void) | undefined;
  const stopping = new AbortController();
  const aborting = new AbortController();

  /** Returns undefined after success, or how long to wait before the next attempt. Throws Refused if there is none. */
  async function post(body: string): Promise<number | undefined> {
    const response = await fetch(url, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body,
      redirect: 'error',
      signal: AbortSignal.any([aborting.signal, AbortSignal.timeout(timeoutMs)]),
    });
    await response.body?.cancel();
    if (response.ok) return undefined;
    if (!RETRYABLE.has(response.status)) throw new Refused(`the collector answered ${response.status}`);
    return (Number(response.headers.get('retry-after')) || 0) * 1000;
  }

  async function sendBatch(spans: readonly Span[]): Promise<void> {
    const body = encodeSpans(spans, settings);
    for (
      let sent = 1, backoff = FIRST_BACKOFF_MS;
      ;
      sent++, backoff = Math.min(MAX_BACKOFF_MS, backoff * 2)
    ) {
      let waitMs = backoff;
      try {
        const asked = await post(body);
        if (asked === undefined) return;
        if (sent === MAX_SENDS) throw new Refused('the collector cannot take spans now');
        waitMs = Math.max(backoff, Math.min(asked, MAX_BACKOFF_MS));
      } catch (error) {
        if (error instanceof Refused || sent === MAX_SENDS || stopping.signal.aborted) throw error;
      }
      await clock.sleep(waitMs, stopping.signal);
    }
  }

  async function drain(): Promise<void> {
    while (queue.length > 0 && !aborting.signal.aborted) {
      const batch = queue.splice(0, batchSize);
      await sendBatch(batch).catch((error: unknown) => {
        onError(`cannot export ${batch.length} spans to the collector`, error);
      });
      if (dropped > 0) onError(`dropped ${dropped} spans, because the collector is too slow`, undefined);
      dropped = 0;
    }
  }

  function start(): void {
    cancelTimer?.();
    cancelTimer = undefined;
    sending ??= drain().finally(() => {
      sending = undefined;
      if (queue.length > 0 && !stopping.signal.aborted) schedule();
    });
  }

  function schedule(): void {
    if (sending !== undefined) return;
    if (queue.length >= batchSize) start();
    else cancelTimer ??= clock.timer(delayMs, start);
  }

  return {
    add(spans) {
      if (stopping.signal.aborted) return;
      const free = Math.max(0, maxQueueSize - queue.length);
      queue.push(...spans.slice(0, free));
      dropped += Math.max(0, spans.length - free);
      schedule();
    },
    async stop() {
      stopping.abort();
      const cancelLimit = clock.timer(FLUSH_MS, () => aborting.abort());
      await sending;
      start();
      await sending;
      cancelLimit();
    },
  };
}
