/** Detects the end of a plain script: when Node would exit, ignoring browsers and servers that are still open. */
import { Server, type Socket } from 'node:net';
import type { ChildProcesses } from './child-processes.ts';
import type { Library } from './locate-playwright.ts';

/** Resources that keep no script running: channels to the supervisor and to browsers. */
const IGNORED_RESOURCES = ['PipeWrap', 'ProcessWrap', 'TTYWrap'];

/** Saved at the start, because a script may replace the global functions. */
const { setInterval: setTimer, clearInterval: clearTimer } = globalThis;

const UNREF_MS = 5;

const countPendingCalls = ({ chromium }: Library): number => Number(chromium._connection?._callbacks?.size);

/** Playwright no longer exposes its pending calls, so a script could pass while a call is about to fail. */
const UNSUPPORTED =
  'this version of Playwright does not report pending calls (_connection._callbacks), so an unawaited call could fail unnoticed. This runtime runs only Playwright Test files, not plain scripts';

/** Starts watching before the script runs, so that later listeners are the script's. */
export function watchScriptEnd(host: NodeJS.Process, library: Library, spawned: ChildProcesses) {
  if (Number.isNaN(countPendingCalls(library))) throw new Error(UNSUPPORTED);
  unrefServers();
  // Raw listeners, because a listener added with `once` must be removed by its call.
  const listeners = (name: 'beforeExit' | 'exit') => host.rawListeners(name);
  const initialListeners = new Set<unknown>([...listeners('beforeExit'), ...listeners('exit')]);
  const exitCode = () => Number(host.exitCode ?? 0);
  const hasResources = () => host.getActiveResourcesInfo().some((kind) => !IGNORED_RESOURCES.includes(kind));
  return {
    /** Resolves when Node would exit, which other threads and the script's pipes may delay. */
    async waitUntilIdle(): Promise<void> {
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
    /** Returns whether a timer, a connection or a Playwright call of the script is still pending. */
    isBusy: (): boolean =>
      countPendingCalls(library) > 0 || spawned.findAwaited() !== undefined || hasResources(),
    /** Calls the script's listeners of an event, and returns whether there were any. Throws their errors. */
    callListeners(name: 'beforeExit' | 'exit'): boolean {
      const scriptListeners = listeners(name).filter((listen) => !initialListeners.has(listen));
      for (const listen of scriptListeners) Reflect.apply(listen, host, [exitCode()]);
      return scriptListeners.length > 0;
    },
    exitCode,
  };
}

const unrefSocket = (socket: Socket): void => void socket.unref();

/** Stops servers and their idle connections from keeping the process alive. Their active requests still do. */
function unrefServers(): void {
  const type = Server.prototype;
  const { listen } = type;
  type.listen = function (this: Server, ...args: unknown[]) {
    this.unref();
    if (!this.listeners('connection').includes(unrefSocket)) this.prependListener('connection', unrefSocket);
    return Reflect.apply(listen, this, args);
  } as typeof listen;
}
