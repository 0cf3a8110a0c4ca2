/** When a plain script is at its end: when Node would be, but for the browsers that it left open. */
import type { Library } from './library.ts';
import type { Spawned } from './spawned.ts';

/** What nobody waits for: how we speak with the supervisor and with browsers (processes of the script's own are counted), and its servers. */
const UNWAITED = ['PipeWrap', 'ProcessWrap', 'TTYWrap', 'TCPServerWrap'];
const LEAVING = ['beforeExit', 'exit'] as const;

/** Calls that Playwright has not answered. */
const callsOf = ({ chromium }: Library): number => Number(chromium._connection?._callbacks?.size);

export interface Ending {
  /** Whether anything that the script began goes on: a timer, a connection, a call to Playwright. */
  isBusy(): boolean;
  /** Resolves once Node would end the process, also of what it does not tell: work of other threads, pipes of the script's own. */
  idle(): Promise<void>;
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
  const isServing = () => host.getActiveResourcesInfo().includes('TCPServerWrap');
  return {
    async idle() {
      // A server that was left open would keep it for ever.
      if (isServing()) return;
      spawned.letGo();
      const { emit } = host;
      await new Promise<void>((resolve) => {
        const heard = (name: string, ...given: unknown[]) => {
          if (name !== 'beforeExit') return Reflect.apply(emit, host, [name, ...given]);
          host.emit = emit;
          host.channel?.ref();
          resolve();
          return true;
        };
        host.emit = heard as typeof emit;
        host.channel?.unref();
      });
    },
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
