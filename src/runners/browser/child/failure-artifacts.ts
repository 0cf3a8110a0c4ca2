/** Records artifacts of a plain script for a failure: screenshots of its pages and a trace of each context. */
import { join } from 'node:path';
import type { APIRequestContext, Browser, BrowserContext } from './locate-playwright.ts';

/** Saved at the start, because a script may replace the global functions. */
const { setTimeout: setTimer, setImmediate: setImmediateTimer } = globalThis;

/** Limits of the time for one screenshot or trace, in ms. The time is a quarter of the remaining run. */
const MIN_MS = 2500;
const MAX_MS = 10_000;
const MAX_SCREENSHOTS = 3;
/** Delay before a closed browser really closes, so that an immediate failure can still be captured, in ms. */
const LINGER_MS = 40;

export interface FailureArtifacts {
  readonly onBrowser: (browser: Browser) => void;
  readonly onContext: (context: BrowserContext) => Promise<void>;
  /** Records a context that only sends requests and has no pages. */
  readonly onRequests: (context: APIRequestContext) => Promise<void>;
  /** Takes screenshots and saves the traces of all open contexts. */
  save(): Promise<void>;
}

/**
 * Creates the recorder. `folder`: the target of files, including those of closed contexts, even if the script passes.
 * `timeoutMs`: the remaining time of the run, in ms.
 */
export function recordFailureArtifacts(folder: string, timeoutMs: number): FailureArtifacts {
  // Saved, because a script may replace the clock.
  const now = performance.now.bind(performance);
  const endsAt = now() + timeoutMs;
  const timeLimitMs = () => Math.min(MAX_MS, Math.max(MIN_MS, (endsAt - now()) / 4));
  const openContexts = new Set<BrowserContext>();
  const openRequests = new Set<APIRequestContext>();
  let isSaving = false;
  let count = 0;

  async function saveContext(context: BrowserContext): Promise<void> {
    if (!openContexts.delete(context)) return;
    const number = ++count;
    const pages = context.pages().filter((page) => !page.isClosed());
    const screenshots = pages.slice(-MAX_SCREENSHOTS).map((page, index) =>
      page.screenshot({
        path: join(folder, `failure-${number}-${index + 1}.jpeg`),
        type: 'jpeg',
        quality: 70,
        timeout: timeLimitMs(),
        animations: 'disabled',
      }),
    );
    await Promise.allSettled(screenshots);
    await withTimeLimit(timeLimitMs(), context.tracing.stop({ path: join(folder, `trace-${number}.zip`) }));
  }

  async function saveRequests(context: APIRequestContext): Promise<void> {
    if (!openRequests.delete(context)) return;
    await withTimeLimit(timeLimitMs(), context.tracing.stop({ path: join(folder, `trace-${++count}.zip`) }));
  }

  function onBrowser(browser: Browser): void {
    const close = browser.close.bind(browser);
    browser.close = async (...args) => {
      const contexts = browser.contexts();
      if (contexts.some(isRecording)) {
        await Promise.all(contexts.map(saveContext));
        return close(...args);
      }
      // A script usually closes its browser in a `finally`: the error arrives after this call, and its screenshot needs
      // the browser. The extra turn of the event loop lets a pending error in first if the process was suspended for
      // the whole time.
      const closeUnlessSaving = () => void (isSaving || close(...args).catch(() => {}));
      setTimer(() => setImmediateTimer(closeUnlessSaving), LINGER_MS).unref();
    };
  }

  const recording = new WeakSet<BrowserContext>();
  const isRecording = (context: BrowserContext) => recording.has(context);

  return {
    onBrowser,
    async onContext(context) {
      openContexts.add(context);
      const { recordHar, recordVideo } = (context as { _options?: Record<string, unknown> })._options ?? {};
      if (recordHar || recordVideo) recording.add(context);
      const close = context.close.bind(context);
      context.close = async (...args) => {
        await saveContext(context);
        return close(...args);
      };
      await startTrace(context);
    },
    async onRequests(context) {
      openRequests.add(context);
      const dispose = context.dispose.bind(context);
      context.dispose = async (...args) => {
        await saveRequests(context);
        return dispose(...args);
      };
      await context.tracing.start({ snapshots: true });
    },
    save: async () => {
      isSaving = true;
      await Promise.allSettled([
        ...[...openContexts].map(saveContext),
        ...[...openRequests].map(saveRequests),
      ]);
    },
  };
}

/** Starts a trace. It ends if the script starts its own trace. */
async function startTrace(context: BrowserContext): Promise<void> {
  const { tracing } = context;
  await tracing.start({ screenshots: true, snapshots: true });
  const start = tracing.start.bind(tracing);
  tracing.start = async (...args) => {
    await tracing.stop().catch(() => {});
    return start(...args);
  };
}

async function withTimeLimit(ms: number, work: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise((resolve) => {
    timer = setTimer(resolve, ms);
  });
  await Promise.race([work.catch(() => {}), timeout]);
  clearTimeout(timer);
}
