/** What a sandbox offers and how it is asked for: words that its levels, its pool and those who use it share. */
import type { ChildProcess, StdioOptions } from 'node:child_process';
import type { Server } from 'node:net';

/** From the strongest to the weakest; `auto` takes the first that can be had. */
export const LEVELS = ['uid', 'namespace', 'process'] as const;
export type IsolationLevel = (typeof LEVELS)[number];

/** What all processes of a cell may use together, unless it says otherwise. */
export interface CellLimits {
  /** Memory of all processes together, and what one alone may map, in bytes. */
  readonly memoryBytes: number;
  /** CPU time of all processes together, in seconds. */
  readonly cpuSeconds: number;
  /** What all files together may hold, in bytes. */
  readonly diskBytes: number;
  /** What one file may hold, in bytes. */
  readonly fileBytes: number;
  /** Processes and their threads. */
  readonly processes: number;
}

export const STANDARD_LIMITS: CellLimits = {
  memoryBytes: 1024 ** 3,
  cpuSeconds: 300,
  diskBytes: 256 * 1024 ** 2,
  fileBytes: 128 * 1024 ** 2,
  processes: 768,
};

/** Which limit was exceeded, where that ended the cell. */
export type Exceeded = 'memory' | 'cpu' | 'disk' | 'processes';

export interface CellSpawn {
  /** Besides PATH, HOME, TMPDIR, LANG and the cell's mark, which are set. Nothing of the service's own is passed on. */
  readonly env?: Readonly<Record<string, string>>;
  /** As Node takes it; `pipe` unless given. No descriptor of the service's own. */
  readonly stdio?: StdioOptions;
}

/** A place where programs run apart from the service and from each other. */
export interface Cell {
  readonly id: string;
  /** Its private folder as the programs in it see it; empty at first, and where they start. */
  readonly folder: string;
  /** Where programs in it find a file or folder that `open` was told to let them read. */
  pathOf(path: string): string;
  /**
   * Starts a program in it. `exit` comes when the program has ended, though others that it left may run on until `close`.
   * `argv[0]` is an absolute path, of a program that `readable` or the system has.
   */
  spawn(argv: readonly [string, ...string[]], options?: CellSpawn): ChildProcess;
  /** Puts a file into its folder before a script runs; `name` has no slash. Throws where one of that name is there. */
  write(name: string, contents: string | Buffer): Promise<void>;
  /**
   * A file of its folder, or undefined where there is none; `name` has no slash. Links, pipes and devices are as good as
   * none: what a script left may lead anywhere. Throws where it is larger than `mostBytes`.
   */
  read(name: string, mostBytes: number): Promise<Buffer | undefined>;
  /**
   * Lets a server be reached from within, as a socket of that name in its folder, until the cell is closed: the one way out of
   * a cell without a network. Call it before a script runs.
   */
  serve(name: string, server: Server): Promise<void>;
  /** Which limit ended it; undefined where none did. */
  exceeded(): Exceeded | undefined;
  /** Kills everything that ran in it, and removes its folder. Once is enough. */
  close(): Promise<void>;
}

/** What a level gives on this machine, in sentences for people. */
export interface Description {
  readonly level: IsolationLevel;
  /** What programs in a cell reach: all that the machine does, or nothing but themselves and what `serve` offers. */
  readonly network: 'machine' | 'none';
  /** What its level would lead one to expect of scripts, and is not so here; a sentence without a full stop. */
  readonly caution?: string;
  readonly protects: readonly string[];
  readonly lacks: readonly string[];
}

/** A stronger level that was tried and that this machine does not give. */
export interface Unavailable {
  readonly level: IsolationLevel;
  /** A sentence without a full stop. */
  readonly reason: string;
}

export interface SandboxDescription extends Description {
  /** Empty where the strongest level is in force, or where one was demanded. */
  readonly unavailable: readonly Unavailable[];
}

export interface Sandbox {
  readonly level: IsolationLevel;
  /** What it protects and what it lacks here, and why it is no stronger. */
  describe(): SandboxDescription;
  /**
   * Makes a cell of its own. `readable`: folders that its programs read besides those of the sandbox; one that other users cannot reach
   * may be copied for them. Throws SandboxError where the machine gives none.
   */
  open(limits?: Partial<CellLimits>, readable?: readonly string[]): Promise<Cell>;
  /** Closes every cell that is open, and lets go of everything. Once is enough. */
  close(): Promise<void>;
}

export interface SandboxOptions {
  /** `auto`: the strongest that can be had. */
  readonly level: IsolationLevel | 'auto';
  /** Files and folders that programs in a cell read besides the system's own: Node, packages, a browser. */
  readonly readable?: readonly string[];
  /** Files and folders that they must never see: the store, profiles and keys. */
  readonly hidden?: readonly string[];
  /** The home folder of this user: hidden, but for what is `readable`, where cells have a root of their own. */
  readonly home?: string | undefined;
  /** `none`: cells have no network but a loopback of their own, where the level gives that. Left out: the machine's. */
  readonly network?: 'machine' | 'none';
  /** Where cells have their folders: one that this user alone writes to, made where it is missing; in the temporary folder unless given. */
  readonly folder?: string;
  /** Of `uid`: the user ids that cells may take, both included; of those that are somebody's none is taken. */
  readonly uids?: { readonly first: number; readonly last: number };
  /** This process: its id, how it sends signals, its Node. */
  readonly self: {
    readonly pid: number;
    readonly execPath: string;
    readonly kill: (pid: number, signal: NodeJS.Signals | 0) => void;
  };
}

/** A cell as a level makes it: how a program gets in, who is in there, and how it ends. */
export interface Enclosure {
  /** The private folder as programs in it see it. */
  readonly folder: string;
  /** The same folder as the service reaches it. */
  readonly hostFolder: string;
  /** Where programs in it find what the plan lets them read; left out: where it is. */
  pathOf?(path: string): string;
  /** Where that is started from. */
  readonly workingFolder: string;
  /** What is started so that `argv` runs in it. */
  toArgv(argv: readonly string[]): readonly [string, ...string[]];
  /** Told of each program that was started so. */
  onStarted?(program: ChildProcess): void;
  /** What runs in it now, and what that uses. */
  usage(): Promise<Usage>;
  /** Kills everything and removes the folder; throws SandboxError where something is left. */
  destroy(): Promise<void>;
}

export interface Usage {
  /** Processes that have not ended. */
  readonly processes: number;
  readonly threads: number;
  readonly memoryBytes: number;
  readonly cpuSeconds: number;
  readonly diskBytes: number;
}

/** What a cell is made of, whatever the level. */
export interface CellPlan {
  readonly id: string;
  /** A folder of its own outside, empty, this user's alone. */
  readonly folder: string;
  readonly limits: CellLimits;
  /** Folders that its programs read besides those of the sandbox. */
  readonly readable: readonly string[];
}

/** A level that was tried on this machine and works. */
export interface LevelBackend {
  readonly description: Description;
  enclose(plan: CellPlan): Promise<Enclosure>;
  close(): Promise<void>;
}
