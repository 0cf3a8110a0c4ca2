/** What is kept of a plain script that fails: pictures of its pages and a trace of each context. */
import { join } from 'node:path';
import type { APIRequestContext, Browser, BrowserContext } from './locate-playwright.ts';

/** Taken at the start, because a script may replace the global functions. */
const { setTimeout: later, setImmediate: soon } = globalThis;

/** The time for one picture or one trace, in ms: a quarter of what is left of the run, within these limits. */
const LEAST_MS = 2500;
const MOST_MS = 10_000;
const MOST_PICTURES = 3;
/** How long a browser that the script has closed stays, so that a failure that follows at once can still be seen, in ms. */
const LINGER_MS = 40;

export interface Keeper {
  readonly onBrowser: (browser: Browser) => void;
  readonly onContext: (context: BrowserContext) => Promise<void>;
  /** Of a context that has no pages, for requests alone. */
  readonly onRequests: (context: APIRequestContext) => Promise<void>;
  /** Takes pictures and ends the traces of what is open. */
  keep(): Promise<void>;
}

/**
 * `folder`: where files go. What was kept of a context that was closed lies there whether or not the script fails. `timeoutMs`: the time
 * that the run has from now on, in ms.
 */
export function keeper(folder: string, timeoutMs: number): Keeper {
  // A script may replace the clock.
  const now = performance.now.bind(performance);
  const endsAt = now() + timeoutMs;
  const eachMs = () => Math.min(MOST_MS, Math.max(LEAST_MS, (endsAt - now()) / 4));
  const open = new Set<BrowserContext>();
  const asking = new Set<APIRequestContext>();
  let isKeeping = false;
  let count = 0;

  async function keepOf(context: BrowserContext): Promise<void> {
    if (!open.delete(context)) return;
    const number = ++count;
    const pages = context.pages().filter((page) => !page.isClosed());
    const pictures = pages.slice(-MOST_PICTURES).map((page, index) =>
      page.screenshot({
        ...{ path: join(folder, `failure-${number}-${index + 1}.jpeg`), type: 'jpeg', quality: 70 },
        ...{ timeout: eachMs(), animations: 'disabled' },
      }),
    );
    await Promise.allSettled(pictures);
    await within(eachMs(), context.tracing.stop({ path: join(folder, `trace-${number}.zip`) }));
  }

  async function keepRequests(context: APIRequestContext): Promise<void> {
    if (!asking.delete(context)) return;
    await within(eachMs(), context.tracing.stop({ path: join(folder, `trace-${++count}.zip`) }));
  }

  function onBrowser(browser: Browser): void {
    const close = browser.close.bind(browser);
    browser.close = async (...given) => {
      const mine = browser.contexts();
      if (mine.some(records)) {
        await Promise.all(mine.map(keepOf));
        return close(...given);
      }
      // A script usually closes its browser in a `finally`: the error arrives after this call, and its screenshot needs the browser.
      // The extra turn of the event loop lets a pending error in first if the process stood still for the whole time.
      const closeUnlessKeeping = () => void (isKeeping || close(...given).catch(() => {}));
      later(() => soon(closeUnlessKeeping), LINGER_MS).unref();
    };
  }

  const recording = new WeakSet<BrowserContext>();
  const records = (context: BrowserContext) => recording.has(context);

  return {
    onBrowser,
    async onContext(context) {
      open.add(context);
      const { recordHar, recordVideo } = (context as { _options?: Record<string, unknown> })._options ?? {};
      if (recordHar || recordVideo) recording.add(context);
      const close = context.close.bind(context);
      context.close = async (...given) => {
        await keepOf(context);
        return close(...given);
      };
      await traceFrom(context);
    },
    async onRequests(context) {
      asking.add(context);
      const dispose = context.dispose.bind(context);
      context.dispose = async (...given) => {
        await keepRequests(context);
        return dispose(...given);
      };
      await context.tracing.start({ snapshots: true });
    },
    keep: async () => {
      isKeeping = true;
      await Promise.allSettled([...[...open].map(keepOf), ...[...asking].map(keepRequests)]);
    },
  };
}

/** Begins the trace; it makes way for one that the script begins itself. */
async function traceFrom(context: BrowserContext): Promise<void> {
  const { tracing } = context;
  await tracing.start({ screenshots: true, snapshots: true });
  const start = tracing.start.bind(tracing);
  tracing.start = async (...given) => {
    await tracing.stop().catch(() => {});
    return start(...given);
  };
}

async function within(ms: number, work: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise((resolve) => {
    timer = later(resolve, ms);
  });
  await Promise.race([work.catch(() => {}), late]);
  clearTimeout(timer);
}
