/** Tracks the processes that a script starts, apart from Playwright's own processes. */
import childProcess, { type ChildProcess } from 'node:child_process';
import type { Socket } from 'node:net';

export type ChildProcesses = ReturnType<typeof trackChildProcesses>;

interface OpenChild extends ChildProcess {
  readonly _handle?: { hasRef?(): boolean } | null;
}

const MAX_NAME_LENGTH = 200;

const childProcessPrototype = () =>
  (childProcess as unknown as { ChildProcess: { prototype: { spawn(options: object): unknown } } })
    .ChildProcess.prototype;

/** Runs a function and returns the first process that it started. Kills that process if the function fails. */
export async function captureFirstChild<T>(
  work: () => Promise<T>,
): Promise<{ readonly result: T; readonly first: ChildProcess | undefined }> {
  const type = childProcessPrototype();
  const { spawn } = type;
  let first: ChildProcess | undefined;
  type.spawn = function (this: OpenChild, options) {
    first ??= this;
    return spawn.call(this, options);
  };
  try {
    return { result: await work(), first };
  } catch (error) {
    first?.kill('SIGKILL');
    throw error;
  } finally {
    type.spawn = spawn;
  }
}

/** Tracks processes, except those of Playwright: `first`, and those that `library` (its folder) starts. */
export function trackChildProcesses(library: string, first: ChildProcess | undefined) {
  const playwrightProcesses = new Set<ChildProcess>(first ? [first] : []);
  const running = new Map<OpenChild, { isHeld: boolean }>();
  const type = childProcessPrototype();
  const { spawn } = type;
  type.spawn = function (this: OpenChild, options) {
    const isFromPlaywright = findCaller(captureStack()).includes(library);
    const result = spawn.call(this, options);
    if (isFromPlaywright) playwrightProcesses.add(this);
    else if (this.pid !== undefined) {
      running.set(this, { isHeld: true });
      this.once('close', () => running.delete(this));
    }
    return result;
  };
  const formatCommand = ({ spawnargs }: OpenChild) => spawnargs.join(' ').slice(0, MAX_NAME_LENGTH);
  /** Returns whether a process keeps Node alive. While only its pipes are open, the last state counts. */
  function isHeld(child: OpenChild): boolean {
    const entry = running.get(child);
    if (entry === undefined) return false;
    entry.isHeld = child._handle?.hasRef?.() ?? entry.isHeld;
    return entry.isHeld;
  }
  return {
    /** Returns the command of a process that the script waits for; undefined if there is none. */
    findAwaited(): string | undefined {
      const child = [...running.keys()].find(isHeld);
      return child && formatCommand(child);
    },
    /** Stops Playwright's processes from keeping this process alive. */
    unrefPlaywright(): void {
      for (const child of playwrightProcesses) {
        child.unref();
        for (const pipe of child.stdio ?? []) (pipe as Partial<Socket> | null)?.unref?.();
      }
      playwrightProcesses.clear();
    },
    /** Lists the commands of processes that still run, although nothing waits for them. */
    listRunning: (): string[] =>
      [...running.keys()]
        .filter((child) => child.exitCode === null && child.signalCode === null)
        .map(formatCommand),
  };
}

/** Returns the stack, even if a script has changed the limit of its length. */
function captureStack(): string {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 20;
  const { stack = '' } = new Error();
  Error.stackTraceLimit = stackTraceLimit;
  return stack;
}

/** Returns the line of a stack that names the caller of Node, below our own and Node's lines. */
function findCaller(stack: string): string {
  const lines = stack.split('\n');
  const node = lines.findIndex((line) => line.includes('node:'));
  return lines.slice(node).find((line) => !line.includes('node:')) ?? '';
}
