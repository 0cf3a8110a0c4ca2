/** Defines the types of a sandbox, which its levels, its pool and its users share. */
import type { ChildProcess, StdioOptions } from 'node:child_process';
import type { Server } from 'node:net';

/** Levels from the strongest to the weakest. `auto` selects the first available one. */
export const LEVELS = ['uid', 'namespace', 'process'] as const;
export type IsolationLevel = (typeof LEVELS)[number];

/** Limits of a cell. Unless noted, they apply to all its processes together. */
export interface CellLimits {
  /** Memory of all processes together, and address space of each, in bytes. */
  readonly memoryBytes: number;
  /** CPU time of all processes together, in seconds. */
  readonly cpuSeconds: number;
  readonly diskBytes: number;
  readonly fileBytes: number;
  readonly processes: number;
}

export const STANDARD_LIMITS: CellLimits = {
  memoryBytes: 1024 ** 3,
  cpuSeconds: 300,
  diskBytes: 256 * 1024 ** 2,
  fileBytes: 128 * 1024 ** 2,
  processes: 768,
};

export type Exceeded = 'memory' | 'cpu' | 'disk' | 'processes';

export interface CellSpawn {
  /** Variables besides PATH, HOME, TMPDIR, LANG and the cell's mark. The service's are not passed on. */
  readonly env?: Readonly<Record<string, string>>;
  /** As in Node; default: `pipe`. Never pass a descriptor of the service. */
  readonly stdio?: StdioOptions;
}

/** An environment whose programs are isolated from the service and from other cells. */
export interface Cell {
  readonly id: string;
  /** The private folder as its programs see it, initially empty. Programs start there. */
  readonly folder: string;
  pathOf(path: string): string;
  /**
   * Starts a program. `exit` is emitted when it has ended, although other programs may run until `close`. `argv[0]` is
   * an absolute path of a program in `readable` or of the system.
   */
  spawn(argv: readonly [string, ...string[]], options?: CellSpawn): ChildProcess;
  /** Writes a file to the folder before a script runs; `name` has no slash. Throws if the file exists. */
  write(name: string, contents: string | Buffer): Promise<void>;
  /**
   * Reads a file of the folder; undefined if there is none; `name` has no slash. Links, pipes and devices are ignored,
   * because a script's links may lead anywhere. Throws if the file is larger than `maxBytes`.
   */
  read(name: string, mostBytes: number): Promise<Buffer | undefined>;
  /**
   * Makes a server reachable from the cell, as a socket with that name in its folder, until the cell closes. It is the
   * only way out of a cell without a network. Call it before a script runs.
   */
  serve(name: string, server: Server): Promise<void>;
  exceeded(): Exceeded | undefined;
  /** Kills all processes of the cell and removes its folder. Idempotent. */
  close(): Promise<void>;
}

export interface Description {
  readonly level: IsolationLevel;
  readonly network: 'machine' | 'none';
  /** Expected protection of the level that is missing here, as a sentence without a full stop. */
  readonly caution?: string;
  readonly protects: readonly string[];
  readonly lacks: readonly string[];
}

export interface Unavailable {
  readonly level: IsolationLevel;
  readonly reason: string;
}

export interface SandboxDescription extends Description {
  /** Empty if the strongest level is active, or if a level was requested. */
  readonly unavailable: readonly Unavailable[];
}

export interface Sandbox {
  readonly level: IsolationLevel;
  /** Returns the protections and weaknesses of the level, and why stronger levels are not available. */
  describe(): SandboxDescription;
  /** Opens a new cell. `readable`: more that its programs can read, copied if other users cannot reach it. */
  open(limits?: Partial<CellLimits>, readable?: readonly string[]): Promise<Cell>;
  close(): Promise<void>;
}

export interface SandboxOptions {
  readonly level: IsolationLevel | 'auto';
  /** Files and folders that programs in a cell can read in addition to the system's: Node, packages, a browser. */
  readonly readable?: readonly string[];
  /** Files and folders that must stay hidden: the store, profiles and keys. */
  readonly hidden?: readonly string[];
  /** Home folder of this user: hidden except for `readable` paths, if cells have a separate root. */
  readonly home?: string | undefined;
  /** `none`: cells have only a separate loopback, if the level supports it. Default: the machine's network. */
  readonly network?: 'machine' | 'none';
  /** Folder of the cells, which only this user writes to. Default: in the temporary folder. */
  readonly folder?: string;
  /** User IDs for the level `uid`, both included. IDs of existing users are skipped. */
  readonly uids?: { readonly first: number; readonly last: number };
  /** This process: its PID, its Node, and how it sends signals. */
  readonly self: {
    readonly pid: number;
    readonly execPath: string;
    readonly kill: (pid: number, signal: NodeJS.Signals | 0) => void;
  };
}

export interface Enclosure {
  readonly folder: string;
  /** The same folder as the service sees it. */
  readonly hostFolder: string;
  pathOf?(path: string): string;
  readonly workingFolder: string;
  toArgv(argv: readonly string[]): readonly string[];
  /** Called with each started program. */
  onStarted?(program: ChildProcess): void;
  usage(): Promise<Usage>;
  /** Kills all processes and removes the folder. Throws SandboxError if something remains. */
  destroy(): Promise<void>;
}

export interface Usage {
  readonly threads: number;
  readonly memoryBytes: number;
  readonly cpuSeconds: number;
  readonly diskBytes: number;
}

export interface CellPlan {
  readonly id: string;
  readonly folder: string;
  readonly limits: CellLimits;
  /** Folders that its programs can read in addition to those of the sandbox. */
  readonly readable: readonly string[];
}

export interface LevelBackend {
  readonly description: Description;
  enclose(plan: CellPlan): Promise<Enclosure>;
  close(): Promise<void>;
}

export class SandboxError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'SandboxError';
  }
}

export const errorCode = (error: unknown): unknown => (error as NodeJS.ErrnoException | undefined)?.code;

/** The isolation of scripts on this machine, for results and logs. */
export interface Isolation {
  readonly level: IsolationLevel;
  /** Why stronger levels are not available; undefined for the full strongest level. */
  readonly reason?: string;
}

export function describeIsolation({ level, caution, unavailable }: SandboxDescription): Isolation {
  const reasons = unavailable.map((one) => `${one.level}: ${one.reason}`);
  if (caution !== undefined) reasons.push(caution);
  return { level, ...(reasons.length === 0 ? {} : { reason: reasons.join('; ') }) };
}
