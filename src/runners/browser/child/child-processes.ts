/** The processes that a script starts: they belong to it as they would to Node's, and those of Playwright do not. */
import childProcess, { type ChildProcess } from 'node:child_process';
import type { Socket } from 'node:net';

export interface ChildProcesses {
  /** What the script waits for, as it was called; undefined: for none. */
  findAwaited(): string | undefined;
  /** From now on nothing of Playwright keeps this process from ending. */
  unrefPlaywright(): void;
  /** What runs on though nobody waits for it. */
  listRunning(): readonly string[];
}

/** The parts of a child process that have no types. */
interface OpenChild extends ChildProcess {
  readonly _handle?: { hasRef?(): boolean } | null;
}

const MAX_NAME_LENGTH = 200;

/** What every start of a process goes through. */
const childProcessPrototype = () =>
  (childProcess as unknown as { ChildProcess: { prototype: { spawn(options: object): unknown } } })
    .ChildProcess.prototype;

/** Does it, and tells of the first process that was started meanwhile; where it fails, that has no time left to end by itself. */
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

/** Watches what is started from now on. `library`: the folder of Playwright, whose processes are its own; `first`: one of them. */
export function trackChildProcesses(library: string, first: ChildProcess | undefined): ChildProcesses {
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
  /** Where it has ended and its pipes have not, what was last seen counts. */
  function isHeld(child: OpenChild): boolean {
    const entry = running.get(child);
    if (entry === undefined) return false;
    entry.isHeld = child._handle?.hasRef?.() ?? entry.isHeld;
    return entry.isHeld;
  }
  return {
    findAwaited() {
      const child = [...running.keys()].find(isHeld);
      return child && formatCommand(child);
    },
    unrefPlaywright() {
      for (const child of playwrightProcesses) {
        child.unref();
        for (const pipe of child.stdio ?? []) (pipe as Partial<Socket> | null)?.unref?.();
      }
      playwrightProcesses.clear();
    },
    listRunning: () =>
      [...running.keys()]
        .filter((child) => child.exitCode === null && child.signalCode === null)
        .map(formatCommand),
  };
}

/** Whatever a script has set its length to. */
function captureStack(): string {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 20;
  const { stack = '' } = new Error();
  Error.stackTraceLimit = stackTraceLimit;
  return stack;
}

/** The line of a stack that names who called Node: below our own and Node's lines. */
function findCaller(stack: string): string {
  const lines = stack.split('\n');
  const node = lines.findIndex((line) => line.includes('node:'));
  return lines.slice(node).find((line) => !line.includes('node:')) ?? '';
}
