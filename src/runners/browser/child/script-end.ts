/** When a plain script is at its end: when Node would be, but for the browsers and servers that it left open. */
import { Server, type Socket } from 'node:net';
import type { ChildProcesses } from './child-processes.ts';
import type { Library } from './locate-playwright.ts';

/** What nobody waits for: how we speak with the supervisor and with browsers (processes of the script's own are counted). */
const IGNORED_RESOURCES = ['PipeWrap', 'ProcessWrap', 'TTYWrap'];

/** A script may put others in their place. */
const { setInterval: setTimer, clearInterval: clearTimer } = globalThis;

/** How often is let go what was begun meanwhile, in ms. */
const UNREF_MS = 5;

/** Calls that Playwright has not answered. */
const countPendingCalls = ({ chromium }: Library): number => Number(chromium._connection?._callbacks?.size);

export interface ScriptEnd {
  /** Whether anything that the script began goes on: a timer, a connection, a call to Playwright. */
  isBusy(): boolean;
  /** Resolves once Node would end the process, also of what it does not tell: work of other threads, pipes of the script's own. */
  waitUntilIdle(): Promise<void>;
  /** Calls the script's own listeners of this, and says whether there were any; what they throw it throws. */
  callListeners(name: 'beforeExit' | 'exit'): boolean;
  /** The exit code as it is now. */
  exitCode(): number;
}

/** Playwright no longer tells which calls it has not answered: a script could pass while one is about to fail. */
const UNSUPPORTED =
  'this version of Playwright does not report pending calls (_connection._callbacks), so an unawaited call could fail unnoticed. This runtime runs only Playwright Test files, not plain scripts';

/** Made before the script runs: what listens from then on is its own. Throws where it could not be told when that is over. */
export function watchScriptEnd(host: NodeJS.Process, library: Library, spawned: ChildProcesses): ScriptEnd {
  if (Number.isNaN(countPendingCalls(library))) throw new Error(UNSUPPORTED);
  unrefServers();
  // As they were added: one that listens once goes as it is called.
  const listeners = (name: 'beforeExit' | 'exit') => host.rawListeners(name);
  const initialListeners = new Set<unknown>([...listeners('beforeExit'), ...listeners('exit')]);
  const exitCode = () => Number(host.exitCode ?? 0);
  const hasResources = () => host.getActiveResourcesInfo().some((kind) => !IGNORED_RESOURCES.includes(kind));
  return {
    async waitUntilIdle() {
      spawned.unrefPlaywright();
      const timer = setTimer(() => spawned.unrefPlaywright(), UNREF_MS).unref();
      const { emit } = host;
      await new Promise<void>((resolve) => {
        const intercept = (name: string, ...args: unknown[]) => {
          if (name !== 'beforeExit') return Reflect.apply(emit, host, [name, ...args]);
          host.emit = emit;
          host.channel?.ref();
          resolve();
          return true;
        };
        host.emit = intercept as typeof emit;
        host.channel?.unref();
      });
      clearTimer(timer);
    },
    isBusy: () => countPendingCalls(library) > 0 || spawned.findAwaited() !== undefined || hasResources(),
    callListeners(name) {
      const scriptListeners = listeners(name).filter((listen) => !initialListeners.has(listen));
      for (const listen of scriptListeners) Reflect.apply(listen, host, [exitCode()]);
      return scriptListeners.length > 0;
    },
    exitCode,
  };
}

const unrefSocket = (socket: Socket): void => void socket.unref();

/** From now on a server does not hold its process, and neither does who is connected with it: only what it does for them. */
function unrefServers(): void {
  const type = Server.prototype;
  const { listen } = type;
  type.listen = function (this: Server, ...args: unknown[]) {
    this.unref();
    if (!this.listeners('connection').includes(unrefSocket)) this.prependListener('connection', unrefSocket);
    return Reflect.apply(listen, this, args);
  } as typeof listen;
}
