/** Limits the time to close a browser, because a stuck page keeps it open for ever. */
import type { ChildProcess } from 'node:child_process';
import type { Browser, BrowserContext } from './locate-playwright.ts';

/** Time to close a browser or a context before the browser is killed, in ms. */
const CLOSE_MS = 10_000;
/** Saved at the start, because a script may replace the global functions. */
const { setTimeout: setTimer, clearTimeout: clearTimer } = globalThis;

/** Internals of Playwright without types, which lead from a client object to its implementation in this process. */
interface PlaywrightImpl {
  readonly options?: { readonly browserProcess?: { readonly process?: ChildProcess } };
  readonly _browser?: PlaywrightImpl;
}
interface ClientObject {
  readonly _connection?: { toImpl?(object: object): PlaywrightImpl | undefined };
}

/**
 * Makes `close` of a browser or a context return in time. Does not change browsers that this process did not launch.
 */
export function limitCloseTime(owner: Browser | BrowserContext, kill: NodeJS.Process['kill']): void {
  const implementation = (owner as ClientObject)._connection?.toImpl?.(owner);
  const child = (implementation?._browser ?? implementation)?.options?.browserProcess?.process;
  if (child === undefined) return;
  const close = owner.close.bind(owner);
  owner.close = async (...args) => {
    let timer: NodeJS.Timeout | undefined;
    const timeout = new Promise<void>((resolve) => {
      timer = setTimer(() => {
        killBrowser(child, kill);
        resolve();
      }, CLOSE_MS);
    });
    await Promise.race([close(...args), timeout]).finally(() => clearTimer(timer));
  };
}

/**
 * Kills a browser with its process group. Destroys its pipes, because processes outside the group may keep them open.
 */
function killBrowser(child: ChildProcess, kill: NodeJS.Process['kill']): void {
  try {
    if (child.pid !== undefined) kill(-child.pid, 'SIGKILL');
  } catch {
    // The browser has already ended.
  }
  for (const pipe of child.stdio) pipe?.destroy();
}
