/** Bounds the time that closing takes: a page that never yields keeps its browser open, and with it everybody who waits for the end. */
import type { ChildProcess } from 'node:child_process';
import type { Browser, BrowserContext } from './locate-playwright.ts';

/** The time that a browser or a context has to close before its browser is killed, in ms. */
const CLOSE_MS = 10_000;
/** Taken at the start, because a script may replace the global functions. */
const { setTimeout: later, clearTimeout: noMore } = globalThis;

/** The parts of Playwright that have no types: from an object to the one that it stands for, in this process. */
interface Implementation {
  readonly options?: { readonly browserProcess?: { readonly process?: ChildProcess } };
  readonly _browser?: Implementation;
}
interface Connected {
  readonly _connection?: { toImpl?(object: object): Implementation | undefined };
}

/** Makes `close` of both kinds return in time. Browsers that this process did not launch are left as they are. */
export function boundClosing(owner: Browser | BrowserContext, kill: NodeJS.Process['kill']): void {
  const implementation = (owner as Connected)._connection?.toImpl?.(owner);
  const child = (implementation?._browser ?? implementation)?.options?.browserProcess?.process;
  if (child === undefined) return;
  const close = owner.close.bind(owner);
  owner.close = async (...given) => {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => {
      timer = later(() => {
        killAll(child, kill);
        resolve();
      }, CLOSE_MS);
    });
    await Promise.race([close(...given), late]).finally(() => noMore(timer));
  };
}

/** Kills a browser with its process group. Processes that left the group may hold its pipes: nobody waits for those. */
function killAll(child: ChildProcess, kill: NodeJS.Process['kill']): void {
  try {
    if (child.pid !== undefined) kill(-child.pid, 'SIGKILL');
  } catch {
    // It has ended already.
  }
  for (const pipe of child.stdio) pipe?.destroy();
}
