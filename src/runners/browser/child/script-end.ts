/** When a plain script is at its end: when Node would be, but for the browsers and servers that it left open. */
import { Server, type Socket } from 'node:net';
import type { Library } from './locate-playwright.ts';
import type { Spawned } from './child-processes.ts';

/** What nobody waits for: how we speak with the supervisor and with browsers (processes of the script's own are counted). */
const UNWAITED = ['PipeWrap', 'ProcessWrap', 'TTYWrap'];

/** A script may put others in their place. */
const { setInterval: every, clearInterval: noMore } = globalThis;

/** How often is let go what was begun meanwhile, in ms. */
const LET_GO_MS = 5;

/** Calls that Playwright has not answered. */
const callsOf = ({ chromium }: Library): number => Number(chromium._connection?._callbacks?.size);

export interface Ending {
  /** Whether anything that the script began goes on: a timer, a connection, a call to Playwright. */
  isBusy(): boolean;
  /** Resolves once Node would end the process, also of what it does not tell: work of other threads, pipes of the script's own. */
  idle(): Promise<void>;
  /** Calls the script's own listeners of this, and says whether there were any; what they throw it throws. */
  call(name: 'beforeExit' | 'exit'): boolean;
  /** The exit code as it is now. */
  code(): number;
}

/** Playwright no longer tells which calls it has not answered: a script could pass while one is about to fail. */
const UNTOLD =
  'this version of Playwright does not report pending calls (_connection._callbacks), so an unawaited call could fail unnoticed. This runtime runs only Playwright Test files, not plain scripts';

/** Made before the script runs: what listens from then on is its own. Throws where it could not be told when that is over. */
export function ending(host: NodeJS.Process, library: Library, spawned: Spawned): Ending {
  if (Number.isNaN(callsOf(library))) throw new Error(UNTOLD);
  letServersGo();
  // As they were added: one that listens once goes as it is called.
  const listeners = (name: 'beforeExit' | 'exit') => host.rawListeners(name);
  const before = new Set<unknown>([...listeners('beforeExit'), ...listeners('exit')]);
  const code = () => Number(host.exitCode ?? 0);
  const holdsOn = () => host.getActiveResourcesInfo().some((kind) => !UNWAITED.includes(kind));
  return {
    async idle() {
      spawned.letGo();
      const going = every(() => spawned.letGo(), LET_GO_MS).unref();
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
      noMore(going);
    },
    isBusy: () => callsOf(library) > 0 || spawned.waitsFor() !== undefined || holdsOn(),
    call(name) {
      const own = listeners(name).filter((listen) => !before.has(listen));
      for (const listen of own) Reflect.apply(listen, host, [code()]);
      return own.length > 0;
    },
    code,
  };
}

const letGo = (socket: Socket): void => void socket.unref();

/** From now on a server does not hold its process, and neither does who is connected with it: only what it does for them. */
function letServersGo(): void {
  const type = Server.prototype;
  const { listen } = type;
  type.listen = function (this: Server, ...given: unknown[]) {
    this.unref();
    if (!this.listeners('connection').includes(letGo)) this.prependListener('connection', letGo);
    return Reflect.apply(listen, this, given);
  } as typeof listen;
}
