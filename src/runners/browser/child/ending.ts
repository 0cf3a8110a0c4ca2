/** When a plain script is at its end: when Node would be, but for the browsers that it left open. */
import type { Library } from './library.ts';

/** What nobody waits for: how we speak with the supervisor and with browsers, and a server of the script's own. */
const UNWAITED = ['PipeWrap', 'ProcessWrap', 'TTYWrap', 'TCPServerWrap'];
const LEAVING = ['beforeExit', 'exit'] as const;

export interface Ending {
  /** Whether anything that the script began goes on: a timer, a connection, a call to Playwright. */
  isBusy(): boolean;
  /** Lets the script's own listeners of the end do what they do. Gives the exit code. `atOnce`: it ended its process. */
  leave(atOnce: boolean): Promise<number>;
}

/** Made before the script runs: what listens from then on is its own. */
export function ending(host: NodeJS.Process, { chromium }: Library): Ending {
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
    isBusy: () => (chromium._connection?._callbacks?.size ?? 0) > 0 || holdsOn(),
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
