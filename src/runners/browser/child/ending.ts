/** When a plain script is at its end: when Node would be, but for the browsers that it left open. */
import type { Library } from './library.ts';
import type { Spawned } from './spawned.ts';

/** What nobody waits for: how we speak with the supervisor and with browsers (processes of the script's own are counted), and its servers. */
const UNWAITED = ['PipeWrap', 'ProcessWrap', 'TTYWrap', 'TCPServerWrap'];
const LEAVING = ['beforeExit', 'exit'] as const;

/** Calls that Playwright has not answered. */
const callsOf = ({ chromium }: Library): number => Number(chromium._connection?._callbacks?.size);

/** Whether nothing goes on in a process but its one browser: no call to that, no timer, no connection, no other process. */
export function isQuiet(host: NodeJS.Process, library: Library): boolean {
  const kinds = host.getActiveResourcesInfo();
  const processes = kinds.filter((kind) => kind === 'ProcessWrap').length;
  const own = ['PipeWrap', 'ProcessWrap', 'TTYWrap'];
  return callsOf(library) === 0 && processes <= 1 && kinds.every((kind) => own.includes(kind));
}

export interface Ending {
  /** Whether anything that the script began goes on: a timer, a connection, a call to Playwright. */
  isBusy(): boolean;
  /** Lets the script's own listeners of the end do what they do. Gives the exit code. `atOnce`: it ended its process. */
  leave(atOnce: boolean): Promise<number>;
}

/** Playwright no longer tells which calls it has not answered: a script could pass while one is about to fail. */
const UNTOLD =
  'this Playwright does not tell which of its calls are under way (_connection._callbacks), so that a call which nobody waits for could fail unseen: its runtime runs files of Playwright Test, and no plain scripts';

/** Made before the script runs: what listens from then on is its own. Throws where it could not be told when that is over. */
export function ending(host: NodeJS.Process, library: Library, spawned: Spawned): Ending {
  if (Number.isNaN(callsOf(library))) throw new Error(UNTOLD);
  const listeners = (name: (typeof LEAVING)[number]) => host.listeners(name as 'exit');
  const before = new Set<unknown>(LEAVING.flatMap(listeners));
  const codeNow = () => Number(host.exitCode ?? 0);
  function holdsOn(): boolean {
    const kinds = host.getActiveResourcesInfo();
    // A browser that was left open keeps its connections to the server.
    const unwaited = kinds.includes('TCPServerWrap') ? [...UNWAITED, 'TCPSocketWrap'] : UNWAITED;
    return kinds.some((kind) => !unwaited.includes(kind));
  }
  return {
    isBusy: () => callsOf(library) > 0 || spawned.waitsFor() !== undefined || holdsOn(),
    async leave(atOnce) {
      for (const name of LEAVING) {
        // That is for who comes to an end, not for who makes one.
        if (name === 'beforeExit' && atOnce) continue;
        for (const listen of listeners(name).filter((listener) => !before.has(listener)))
          await listen.call(host, codeNow());
      }
      return codeNow();
    },
  };
}
