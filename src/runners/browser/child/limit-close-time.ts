/** Bounds the time that closing takes: a page that never yields keeps its browser open, and with it everybody who waits for the end. */
import type { ChildProcess } from 'node:child_process';
import type { Browser, BrowserContext } from './locate-playwright.ts';

/** The time that a browser or a context has to close before its browser is killed, in ms. */
const CLOSE_MS = 10_000;
/** Taken at the start, because a script may replace the global functions. */
const { setTimeout: setTimer, clearTimeout: clearTimer } = globalThis;

/** The parts of Playwright that have no types: from an object to the one that it stands for, in this process. */
interface PlaywrightImpl {
  readonly options?: { readonly browserProcess?: { readonly process?: ChildProcess } };
  readonly _browser?: PlaywrightImpl;
}
interface ClientObject {
  readonly _connection?: { toImpl?(object: object): PlaywrightImpl | undefined };
}

/** Makes `close` of both kinds return in time. Browsers that this process did not launch are left as they are. */
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

/** Kills a browser with its process group. Processes that left the group may hold its pipes: nobody waits for those. */
function killBrowser(child: ChildProcess, kill: NodeJS.Process['kill']): void {
  try {
    if (child.pid !== undefined) kill(-child.pid, 'SIGKILL');
  } catch {
    // It has ended already.
  }
  for (const pipe of child.stdio) pipe?.destroy();
}
