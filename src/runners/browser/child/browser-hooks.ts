/** Hooks into the browsers of a script: the console of pages, a time limit for closing, and artifacts of a failure. */
import type { ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import type { ConsoleLine } from '../protocol.ts';
import type { APIRequestContext, Browser, BrowserContext } from './locate-playwright.ts';

/** Saved at the start, because a script may replace the global functions and the clock. */
const { setTimeout: setTimer, clearTimeout: clearTimer, setImmediate: setImmediateTimer } = globalThis;
const now = performance.now.bind(performance);

export function forwardPageConsole(
  context: BrowserContext,
  onLine: (line: Omit<ConsoleLine, 'atMs'>) => void,
): void {
  context.on('console', (message) => {
    const { url, lineNumber } = message.location();
    onLine({
      from: 'page',
      level: message.type(),
      text: message.text(),
      ...(url ? { location: `${url}:${lineNumber + 1}` } : {}),
    });
  });
  context.on('weberror', (webError) => {
    const error = webError.error();
    onLine({ from: 'page-error', level: 'error', text: error.stack ?? error.message });
  });
}

async function withTimeLimit(ms: number, work: Promise<unknown>, onTimeout = () => {}): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<void>((resolve) => {
    timer = setTimer(() => {
      onTimeout();
      resolve();
    }, ms);
  });
  await Promise.race([work, timeout]).finally(() => clearTimer(timer));
}

/** Time to close a browser or a context before the browser is killed, in ms. */
const CLOSE_MS = 10_000;

/** Internals of Playwright without types, which lead from a client object to its implementation in this process. */
interface PlaywrightImpl {
  readonly options?: { readonly browserProcess?: { readonly process?: ChildProcess } };
  readonly _browser?: PlaywrightImpl;
}
interface ClientObject {
  readonly _connection?: { toImpl?(object: object): PlaywrightImpl | undefined };
}

/** Makes `close` return in time, because a stuck page keeps a browser open for ever. */
export function limitCloseTime(owner: Browser | BrowserContext, kill: NodeJS.Process['kill']): void {
  const implementation = (owner as ClientObject)._connection?.toImpl?.(owner);
  const child = (implementation?._browser ?? implementation)?.options?.browserProcess?.process;
  if (child === undefined) return;
  const close = owner.close.bind(owner);
  owner.close = (...args) => withTimeLimit(CLOSE_MS, close(...args), () => killBrowser(child, kill));
}

/** Maximum wait for requests after the browser of a test is closed, in ms. */
const REQUESTS_MS = 5000;
const POLL_MS = 5;
/** Resources of Node that a request without an answer has. Idle connections do not keep Node running and do not count. */
const REQUEST_RESOURCES = /^(?:TCPSocketWrap|TCPConnectWrap|TLSWrap|GetAddrInfoReqWrap)$/;

/**
 * Makes `close` of a browser wait for unanswered requests of the script. Playwright Test reports only errors from before
 * the end of its teardown, whose last step closes the browser, so a request that nobody awaits could fail unnoticed.
 */
export function awaitRequests(browser: Browser, host: Pick<NodeJS.Process, 'getActiveResourcesInfo'>): void {
  const close = browser.close.bind(browser);
  const hasRequests = () => host.getActiveResourcesInfo().some((kind) => REQUEST_RESOURCES.test(kind));
  const turn = () => new Promise((resolve) => setImmediateTimer(resolve));
  browser.close = async (...args) => {
    await close(...args);
    for (const endsAt = now() + REQUESTS_MS; hasRequests() && now() < endsAt; )
      await new Promise((resolve) => setTimer(resolve, POLL_MS));
    // The code behind the last answer runs in the next turns of the event loop.
    for (let left = 3; left > 0; left--) await turn();
  };
}

/** Kills the process group of a browser, and destroys pipes that other processes may keep open. */
function killBrowser(child: ChildProcess, kill: NodeJS.Process['kill']): void {
  try {
    if (child.pid !== undefined) kill(-child.pid, 'SIGKILL');
  } catch {
    // The browser has already ended.
  }
  for (const pipe of child.stdio) pipe?.destroy();
}

/** Limits of the time for one screenshot or trace, in ms. The time is a quarter of the remaining run. */
const MIN_MS = 2500;
const MAX_MS = 10_000;
const MAX_SCREENSHOTS = 3;
/** Delay before a closed browser really closes, so that an immediate failure can still be captured, in ms. */
const LINGER_MS = 40;

/**
 * Records screenshots of pages and a trace of each context for a failure of a plain script. `folder`: the target of
 * files, including those of closed contexts, even if the script passes. `timeoutMs`: the remaining time of the run.
 */
export function recordFailureArtifacts(folder: string, timeoutMs: number) {
  const endsAt = now() + timeoutMs;
  const timeLimitMs = () => Math.min(MAX_MS, Math.max(MIN_MS, (endsAt - now()) / 4));
  const openContexts = new Set<BrowserContext>();
  const openRequests = new Set<APIRequestContext>();
  /** Contexts that record a HAR file or a video, which a closed browser completes. */
  const recording = new WeakSet<BrowserContext>();
  let isSaving = false;
  let count = 0;

  const saveTrace = ({ tracing }: Pick<BrowserContext, 'tracing'>, number: number) =>
    withTimeLimit(
      timeLimitMs(),
      tracing.stop({ path: join(folder, `trace-${number}.zip`) }).catch(() => {}),
    );

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
    await saveTrace(context, number);
  }

  async function saveRequests(context: APIRequestContext): Promise<void> {
    if (openRequests.delete(context)) await saveTrace(context, ++count);
  }

  return {
    onBrowser(browser: Browser): void {
      const close = browser.close.bind(browser);
      browser.close = async (...args) => {
        const contexts = browser.contexts();
        if (contexts.some((context) => recording.has(context))) {
          await Promise.all(contexts.map(saveContext));
          return close(...args);
        }
        // A script usually closes its browser in a `finally`: the error arrives after this call, and its screenshot
        // needs the browser. The extra turn of the event loop lets a pending error in first if the process was
        // suspended for the whole time.
        const closeUnlessSaving = () => void (isSaving || close(...args).catch(() => {}));
        setTimer(() => setImmediateTimer(closeUnlessSaving), LINGER_MS).unref();
      };
    },
    async onContext(context: BrowserContext): Promise<void> {
      openContexts.add(context);
      const { recordHar, recordVideo } = (context as { _options?: Record<string, unknown> })._options ?? {};
      if (recordHar || recordVideo) recording.add(context);
      const close = context.close.bind(context);
      context.close = async (...args) => {
        await saveContext(context);
        return close(...args);
      };
      const { tracing } = context;
      await tracing.start({ screenshots: true, snapshots: true });
      const start = tracing.start.bind(tracing);
      // A script that starts its own trace ends this one.
      tracing.start = async (...args) => {
        await tracing.stop().catch(() => {});
        return start(...args);
      };
    },
    /** Records a context that only sends requests and has no pages. */
    async onRequests(context: APIRequestContext): Promise<void> {
      openRequests.add(context);
      const dispose = context.dispose.bind(context);
      context.dispose = async (...args) => {
        await saveRequests(context);
        return dispose(...args);
      };
      await context.tracing.start({ snapshots: true });
    },
    async save(): Promise<void> {
      isSaving = true;
      await Promise.allSettled([
        ...[...openContexts].map(saveContext),
        ...[...openRequests].map(saveRequests),
      ]);
    },
  };
}
