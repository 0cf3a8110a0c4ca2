/** What a command is, what it is handed, and what its command line came to. */
import type { Clock } from '../../base/clock.ts';
import type { Problem } from '../../base/errors.ts';
import type { ExitCode } from '../../base/exits.ts';
import type { Random } from '../../base/random.ts';
import type { SeenAnswer } from '../../client/config.ts';
import type { Client } from '../../client/index.ts';
import type { BodyOf, Endpoint, Input, QueryOf } from '../../contract/index.ts';
import type { KeyHost } from '../../profiles/key-host.ts';
import type { Resolution } from '../../profiles/resolve.ts';
import type {
  ExtraFormat,
  InputStream,
  OutputOptions,
  OutputStream,
  Terminal,
} from '../../terminal/index.ts';
import type { Release } from '../../updates/release.ts';
import type { Argument, Option } from './options.ts';
import type { ResolvedNames } from './resolved-names.ts';

export type Arguments = Readonly<Record<string, Argument<unknown>>>;
export type Options = Readonly<Record<string, Option<unknown>>>;

/**
 * Paths of a body or query by their names, `request.query`; of a list its first entry's, `incidentUpdates.0.status`. Open
 * objects are not entered.
 */
export type PathsOf<T, Deep extends readonly unknown[] = [1, 2, 3]> = Deep extends readonly [
  unknown,
  ...infer Rest,
]
  ? T extends readonly (infer Item)[]
    ? `0.${PathsOf<Item, Rest>}`
    : T extends object
      ? string extends keyof T
        ? never
        : { [K in keyof T & string]: K | `${K}.${PathsOf<NonNullable<T[K]>, Rest>}` }[keyof T & string]
      : never
  : never;

type FieldPath<E> = PathsOf<NonNullable<BodyOf<E>>> | PathsOf<QueryOf<E>>;

/** How the fields of the endpoint become flags, where not by their names. */
export interface FlagNotes<E> {
  /** Flag by path: names nested paths (`'request.query': 'query'`) and renames top-level ones. */
  readonly names?: { readonly [P in FieldPath<E>]?: string };
  /** Top-level fields without a flag: what only `-f` and `--set` reach, or what the command fills in. */
  readonly without?: readonly FieldPath<E>[];
  /** Sent where neither the file nor a flag says otherwise: fields that are required and mean nothing here. */
  readonly fill?: { readonly [P in keyof NonNullable<BodyOf<E>>]?: NonNullable<BodyOf<E>>[P] };
  /** `own`: no flags, no `-f`, `--set` and `--example` for the body; the command makes it (`makeBody`). */
  readonly body?: 'own';
  /** How help groups the fields: heading → paths, in order. What no group names comes last. */
  readonly groups?: Readonly<Record<string, readonly FieldPath<E>[]>>;
}

/** What a command makes the body from, besides the file and the flags. */
export interface BodySource<A extends Arguments = Arguments, O extends Options = Options> {
  readonly args: ArgumentValues<A>;
  readonly options: OptionValues<O>;
  /** Takes down what is wrong; the line is then refused with all other problems. */
  complain(problem: Problem): void;
  /** Takes down a sentence for stderr. */
  warn(sentence: string): void;
  /** The value at this path of the body was given here: `<check-id>`, `--tag`. */
  note(path: readonly (string | number)[], place: string): void;
}

/** An example: the line as it is typed, without `sonde`, and what it does. */
export interface Example {
  readonly line: string;
  readonly does: string;
}

/** A further meaning of the exit code, for help. 0, 2, 4 and the like go without saying. */
export type ExitNote = readonly [code: ExitCode, meaning: string];

/** One question of an interview. */
export interface Step {
  /** The flag that the answer is given as. */
  readonly flag: string;
  /** What is asked; the field's description unless given. Without a colon. */
  readonly message?: string;
  /** What is offered: the first stands there to be taken. */
  readonly offers?: readonly string[];
  /** What else is wrong with a text that was typed: what a person is likely to take for right, and the contract allows. */
  readonly objection?: (typed: string) => string | undefined;
  /** The text that an editor starts with, where the answer may be written in one. */
  readonly template?: string;
  /** Asked only where this flag was given, with this text where one is named. */
  readonly when?: readonly [flag: string, text?: string];
}

/** What a person at a terminal is asked, besides what is missing: the contract says how. */
export interface Interview {
  /** Gives a warning that is shown before the first question; undefined: there is nothing to warn of. Never rejects. */
  readonly warning?: (deps: Deps) => Promise<string | undefined>;
  /** Where the line says nothing of the body: these in turn. */
  readonly steps: readonly Step[];
  /** Asked in the end, under a summary: `Create this check?` */
  readonly confirm: string;
}

/** What a command's author writes. */
export interface CommandDefinition<
  E extends Endpoint | undefined = Endpoint | undefined,
  A extends Arguments = Arguments,
  O extends Options = Options,
> {
  /** Noun and verb: also the file it stands in (`sessions get`: commands/sessions/get.ts). */
  readonly name: string;
  /** One line, without a full stop. */
  readonly summary: string;
  /** Further sentences for help. */
  readonly description?: string;
  /** What its flags are read off and its input is judged by. */
  readonly endpoint?: E;
  /** Endpoints that are called instead where the option of that name is given (`deprecatedListing`). */
  readonly instead?: Readonly<Record<string, Endpoint>>;
  /** In their order. */
  readonly arguments?: A;
  /** Options besides the endpoint's, by their camelCase name. */
  readonly options?: O;
  readonly flags?: FlagNotes<E>;
  readonly interview?: Interview;
  /** Output formats besides the common ones. */
  readonly formats?: readonly ExtraFormat[];
  /** What to use instead. */
  readonly deprecated?: string;
  readonly examples: readonly Example[];
  readonly exits?: readonly ExitNote[];
  /**
   * Whether the kernel answers `--dry-run` itself, from the endpoint and the input: true for every endpoint that is not
   * GET. `own`: the command looks at `invocation.dryRun`, since what it sends isn't known before it has read something.
   */
  readonly dryRun?: 'own' | false;
  /** Makes the body that is judged and sent from what the file, the flags and `--set` came to. */
  makeBody?(given: Readonly<Record<string, unknown>>, source: BodySource<A, O>): Record<string, unknown>;
  /**
   * `itself`: the command ends in its own time once `signal` is aborted (a service that drains). Any other is left five seconds
   * after that.
   */
  readonly stops?: 'itself';
  /** Does the work. No try/catch but to add knowledge; errors are translated in `program.ts`. */
  run(deps: Deps, invocation: Invocation<E, A, O>): Promise<void>;
}

/** A command as the rest of the program sees it: what its author wrote, without the types of its endpoint. */
export interface Command extends Omit<CommandDefinition, 'flags' | 'run'> {
  readonly flags?: LooseFlagNotes;
  /** The same command under another name. */
  readonly alias?: Command;
  /** What it is given is what `parse` makes of its own definition. */
  run(deps: Deps, invocation: never): Promise<void>;
}

/** `FlagNotes` of an endpoint that isn't known. */
export interface LooseFlagNotes {
  readonly names?: Readonly<Record<string, string | undefined>>;
  readonly without?: readonly string[];
  readonly body?: 'own';
  readonly groups?: Readonly<Record<string, readonly string[]>>;
  readonly fill?: Readonly<Record<string, unknown>>;
}

type ArgumentValues<A extends Arguments> = {
  readonly [K in keyof A]: A[K] extends Argument<infer T> ? T : never;
};
type OptionValues<O extends Options> = { readonly [K in keyof O]: O[K] extends Option<infer T> ? T : never };

/** What the endpoint is called with. */
export type InputOf<E> = E extends Endpoint ? Input<E> : undefined;

/** A command line after parsing: typed, coerced, and judged by the contract. */
export interface Invocation<
  E extends Endpoint | undefined = Endpoint | undefined,
  A extends Arguments = Arguments,
  O extends Options = Options,
> {
  readonly args: ArgumentValues<A>;
  readonly options: OptionValues<O>;
  /** What to call the endpoint with. Of a command that takes several ids: for the first. */
  readonly input: InputOf<E>;
  /** One for each id that was given, in the order given. */
  readonly inputs: readonly InputOf<E>[];
  /** Whether the answer is a list: several ids, or ids from stdin. */
  readonly many: boolean;
  /** `--all` of a paged list: every page is wanted. */
  readonly all: boolean;
  readonly dryRun: boolean;
  /** What names and beginnings of IDs on the line were resolved to. */
  readonly resolved: ResolvedNames;
  readonly output: OutputOptions;
  readonly globals: Globals;
}

/** The options that every command has. */
export interface Globals {
  readonly profile: string | undefined;
  readonly baseUrl: string | undefined;
  readonly account: string | undefined;
  /** `--yes`: no confirmation is asked for. */
  readonly yes: boolean;
  /** False for `--no-input`. */
  readonly input: boolean;
  readonly quiet: boolean;
  readonly trace: boolean;
  /** False for `--no-color`. */
  readonly color: boolean;
  /** `--plain`; `Terminal.plain` knows of SONDE_ACCESSIBLE, too. */
  readonly plain: boolean;
  /** Milliseconds. */
  readonly requestTimeout: number | undefined;
  /** Milliseconds. */
  readonly retryBudget: number | undefined;
}

/** What the process hands in. Only `bin` makes one from `process`; tests make their own. */
export interface Host {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdin: InputStream;
  /** Known without opening stdin. */
  readonly stdinIsTTY: boolean;
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
  readonly cwd: string;
  readonly home: string;
  readonly platform: string;
  readonly version: string;
  /** Where newer versions are published; null where our package says nothing of it. */
  readonly release: Release | null;
  readonly nodeVersion: string;
  readonly pid: number;
  /** Sends a signal to another process (0: only asks whether it is there). Throws where there is none. */
  readonly kill: (pid: number, signal: NodeJS.Signals | 0) => void;
  /** The program that runs this process and the script it runs: for what must start sonde again. */
  readonly execPath: string;
  readonly script: string;
  readonly clock: Clock;
  readonly random: Random;
  /** Aborted with a CancelledError once the process is told to stop. */
  readonly signal: AbortSignal;
  /** Rejects with what was thrown where nobody caught it. */
  readonly crashed: Promise<never>;
  /** Calls `leave` when the process ends or is suspended, and `back` when it goes on; neither may wait for anything. */
  readonly onLeave: (leave: () => void, back: () => void) => void;
  /** Calls the listener when the process, which ends in its own time, is told to stop a second time: it ends once that is done, or soon. */
  readonly onHurry: (listener: () => Promise<void>) => void;
  /** Runs what lets go of nothing until it is done, with signals as the system has them: no listener of ours could be called. */
  readonly blocking: <T>(work: () => T) => T;
  /** Gathers the keys that were put to use, so that no crash report shows one. */
  readonly usedKeys: Set<string>;
  /** The latest answers of the service, so that one that is not the API's is no fault of ours. */
  readonly answers: SeenAnswer[];
}

/** What a command's `run` is handed: everything that it touches outside of itself, made on first use. */
export interface Deps {
  readonly terminal: Terminal;
  /** The client for the profile that is chosen. Throws CredentialsError where there is none. One a process. */
  readonly client: () => Promise<Client>;
  /** Which service, key and account hold, and where each came from; nothing is refused for being absent. */
  readonly profiles: () => Promise<Resolution>;
  /** For who asks another program for a key. */
  readonly keyHost: KeyHost;
  readonly clock: Clock;
  readonly random: Random;
  /** Aborted with a CancelledError when the process is told to stop: hand it to everything that waits. */
  readonly signal: AbortSignal;
  readonly usedKeys: Host['usedKeys'];
  readonly answers: Host['answers'];
  readonly env: Host['env'];
  readonly cwd: string;
  readonly home: string;
  readonly platform: string;
  readonly version: string;
  /** This process: the program and the script, for what must start sonde again, and its last moment. */
  readonly self: Pick<Host, 'execPath' | 'script' | 'pid' | 'kill' | 'onHurry' | 'platform' | 'nodeVersion'>;
  /** A file by the name that the user gave. Throws UsageError where it cannot be read. */
  readonly readFile: (name: string) => Promise<string>;
  /** All of stdin, once. */
  readonly readStdin: () => Promise<string>;
  /** Prints requests as they would be sent: for commands whose `dryRun` is `own`. */
  readonly preview: <E extends Endpoint>(
    endpoint: E,
    inputs: readonly Input<E>[],
    output: OutputOptions,
  ) => Promise<void>;
}
