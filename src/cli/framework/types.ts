/** Defines the types of commands, their invocation, and the dependencies that they get. */

import type { Clock } from '../../base/clock.ts';
import type { Problem } from '../../base/errors.ts';
import type { ExitCode } from '../../base/exits.ts';
import type { JsonObject } from '../../base/object.ts';
import type { Random } from '../../base/random.ts';
import type { ReceivedAnswer } from '../../client/config.ts';
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
import type { Argument, Option } from './options.ts';

export type Arguments = Readonly<Record<string, Argument<unknown>>>;
export type Options = Readonly<Record<string, Option<unknown>>>;

/**
 * The paths of a body or query: `request.query`; for a list those of its first entry: `incidentUpdates.0.status`. Objects
 * with arbitrary keys have no nested paths.
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

type FieldPathOf<E> = PathsOf<NonNullable<BodyOf<E>>> | PathsOf<QueryOf<E>>;

/** Overrides of how the endpoint's fields become flags. */
export interface FlagOverrides<E> {
  /** Flags by path: for nested paths (`'request.query': 'query'`), and other names for top-level fields. */
  readonly names?: { readonly [P in FieldPathOf<E>]?: string };
  /** Top-level fields without a flag, which only `-f`, `--set` or the command itself sets. */
  readonly without?: readonly FieldPathOf<E>[];
  /** Values of required fields that neither the file nor a flag sets. */
  readonly fill?: { readonly [P in keyof NonNullable<BodyOf<E>>]?: NonNullable<BodyOf<E>>[P] };
  /** `own`: the body has no flags, `-f`, `--set` or `--example`; `makeBody` makes it. */
  readonly body?: 'own';
  /** The groups of fields in help: heading → paths, in order. All other fields come last. */
  readonly groups?: Readonly<Record<string, readonly FieldPathOf<E>[]>>;
}

/** The input of `makeBody` besides the file and the flags. */
export interface BodySource<A extends Arguments = Arguments, O extends Options = Options> {
  readonly args: ArgumentValues<A>;
  readonly options: OptionValues<O>;
  /** The fields of the file that only responses have: `checkType`. They are not part of the body. */
  readonly responseOnly: JsonObject;
  /** Returns the flag or the line of a file that a value comes from. */
  placeOf(path: readonly (string | number)[]): string | undefined;
  /** Records a problem, which makes the line invalid. */
  reportProblem(problem: Problem): void;
  /** Records a warning for stderr. */
  warn(sentence: string): void;
  /** Records the argument or flag of a value in the body: `<check-id>`, `--tag`. */
  recordSource(path: readonly (string | number)[], place: string): void;
}

/** An example: the command line without `sonde`, and its description. */
export interface Example {
  readonly line: string;
  readonly does: string;
}

/** A meaning of an exit code for this command, for help. The common exit codes are not repeated. `other`: all others. */
export type ExitMeaning = readonly [code: ExitCode | 'other', meaning: string];

/** One prompt of an interview. */
export interface Step {
  /** The flag that the answer sets. */
  readonly flag: string;
  /** The message without a colon; by default the field's description. */
  readonly message?: string;
  /** Suggested answers; the first is the default. */
  readonly suggestions?: readonly string[];
  /** Returns the problem of a typed text that the contract allows but the user probably does not want. */
  readonly validate?: (typed: string) => string | undefined;
  /** The initial text if the answer can be written in an editor. */
  readonly template?: string;
  /** Skips the prompt if this flag is set. */
  readonly unless?: string;
  /** Skips the prompt unless this flag is set, with this text if any. */
  readonly when?: readonly [flag: string, text?: string];
}

/** The prompts of a command in a terminal, in addition to those for missing values. */
export interface Interview {
  /** Returns a warning to show before the first prompt, if any. Never rejects. */
  readonly warning?: (deps: Deps) => Promise<string | undefined>;
  /** The prompts, in order, if the line sets nothing of the body. */
  readonly steps: readonly Step[];
  /** The final confirmation, below a summary: `Create this check?` */
  readonly confirm: string;
}

/** A command as its author defines it. */
export interface CommandDefinition<
  E extends Endpoint | undefined = Endpoint | undefined,
  A extends Arguments = Arguments,
  O extends Options = Options,
> {
  /** Noun and verb, which are also the path of its file (`sessions get`: commands/sessions/get.ts). */
  readonly name: string;
  /** One line, without a full stop. */
  readonly summary: string;
  /** Further sentences for help. */
  readonly description?: string;
  /** Its flags and the validation of its input come from this endpoint. */
  readonly endpoint?: E;
  /** Endpoints to call instead, by the option that selects them (`deprecatedListing`). */
  readonly instead?: Readonly<Record<string, Endpoint>>;
  /** The endpoint whose response is accepted as the file of `-f`, besides the endpoint's own. */
  readonly printedBy?: Endpoint;
  readonly arguments?: A;
  /** Options besides the endpoint's, by their camelCase name. */
  readonly options?: O;
  readonly flags?: FlagOverrides<E>;
  readonly interview?: Interview;
  /** Output formats besides the common ones. */
  readonly formats?: readonly ExtraFormat[];
  /** The successor. */
  readonly deprecated?: string;
  readonly examples: readonly Example[];
  readonly exits?: readonly ExitMeaning[];
  /** Returns what follows from a valid body, to show before it is sent or printed. `now`: ms. */
  readonly preview?: ((body: never, now: number) => string | undefined) | undefined;
  /**
   * By default the framework handles `--dry-run` for every endpoint except GET. `own`: the command handles
   * `invocation.dryRun`, because its request depends on data that it reads first.
   */
  readonly dryRun?: 'own' | false;
  /** Makes the request body from the values of the file, the flags and `--set`, before validation. */
  makeBody?(values: Readonly<Record<string, unknown>>, source: BodySource<A, O>): Record<string, unknown>;
  /** `itself`: no time limit after `signal` is aborted (a service that drains). Other commands have five seconds. */
  readonly stops?: 'itself';
  /** Runs the command. Catch errors only to add information; `report-error.ts` prints them. */
  run(deps: Deps, invocation: Invocation<E, A, O>): Promise<void>;
}

/** A command without the types of its endpoint, for the rest of the program. */
export interface Command extends Omit<CommandDefinition, 'flags' | 'run'> {
  readonly flags?: UntypedFlagOverrides;
  /** The same command under another name. */
  readonly alias?: Command;
  /** The invocation must come from `parseCommandLine` with this command's own definition. */
  run(deps: Deps, invocation: never): Promise<void>;
}

/** `FlagOverrides` without the types of an endpoint. */
export interface UntypedFlagOverrides {
  readonly names?: Readonly<Record<string, string | undefined>>;
  readonly without?: readonly string[];
  readonly body?: 'own';
  readonly groups?: Readonly<Record<string, readonly string[]>>;
  readonly fill?: Readonly<Record<string, unknown>>;
}

type ArgumentValues<A extends Arguments> = {
  readonly [K in keyof A]: A[K] extends Argument<infer T> ? T : never;
};
export type OptionValues<O extends Options> = {
  readonly [K in keyof O]: O[K] extends Option<infer T> ? T : never;
};

/** The resolved names and ID prefixes of a line. */
export interface ResolvedNames {
  /** The ID of each word, by `nameKey`. */
  readonly ids: ReadonlyMap<string, string>;
  /** The name of each resource, by its ID. */
  readonly names: ReadonlyMap<string, string>;
  /** Words that match no resource, if the command ignores missing resources. */
  readonly unknown: readonly string[];
}

/** The input of an endpoint. */
export type InputOf<E> = E extends Endpoint ? Input<E> : undefined;

/** A parsed command line, typed and validated by the contract. */
export interface Invocation<
  E extends Endpoint | undefined = Endpoint | undefined,
  A extends Arguments = Arguments,
  O extends Options = Options,
> {
  readonly args: ArgumentValues<A>;
  readonly options: OptionValues<O>;
  /** The input of the endpoint; for several IDs, that of the first. */
  readonly input: InputOf<E>;
  /** One input for each ID, in order. */
  readonly inputs: readonly InputOf<E>[];
  /** Whether the output is a list: several IDs, or IDs from stdin. */
  readonly many: boolean;
  /** `--all` of a paged list: fetch every page. */
  readonly all: boolean;
  readonly dryRun: boolean;
  /** The fields of the file of `-f` that only responses have. */
  readonly responseOnly: JsonObject;
  /** The resolved names and ID prefixes of the line. */
  readonly resolved: ResolvedNames;
  readonly output: OutputOptions;
  readonly globals: Globals;
}

/** The options that every command has. */
export interface Globals {
  readonly profile: string | undefined;
  readonly baseUrl: string | undefined;
  readonly account: string | undefined;
  readonly accountHeader: string | undefined;
  readonly yes: boolean;
  /** False for `--no-input`. */
  readonly input: boolean;
  readonly quiet: boolean;
  readonly trace: boolean;
  /** False for `--no-color`. */
  readonly color: boolean;
  /** `--plain`; `Terminal.plain` also considers SONDE_ACCESSIBLE. */
  readonly plain: boolean;
  /** Both in milliseconds. */
  readonly requestTimeout: number | undefined;
  readonly retryBudget: number | undefined;
}

/** The process as the program uses it. Only `bin` creates it from `process`; tests create their own. */
export interface Host {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdin: InputStream;
  /** Available without opening stdin. */
  readonly stdinIsTTY: boolean;
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
  readonly cwd: string;
  readonly home: string;
  readonly platform: string;
  readonly version: string;
  readonly nodeVersion: string;
  readonly pid: number;
  /** Sends a signal to another process (0: only tests whether it exists). Throws if it does not exist. */
  readonly kill: (pid: number, signal: NodeJS.Signals | 0) => void;
  /** The program and the script of this process, to start sonde again. */
  readonly execPath: string;
  readonly script: string;
  readonly clock: Clock;
  readonly random: Random;
  /** Aborted with a CancelledError when a signal asks the process to stop. */
  readonly signal: AbortSignal;
  /** Rejects with an uncaught error. */
  readonly crashed: Promise<never>;
  /** Calls `leave` when the process ends or is suspended, and `back` when it resumes; both must be synchronous. */
  readonly onLeave: (leave: () => void, back: () => void) => void;
  /** Calls the listener at a second stop signal while a command drains: the process ends when the listener is done, or soon after. */
  readonly onSecondStop: (listener: () => Promise<void>) => void;
  /** Runs blocking work with the system's default signal handling, because our listeners could not run. */
  readonly runBlocking: <T>(work: () => T) => T;
  /** Collects the keys in use, so that no crash report contains one. */
  readonly usedKeys: Set<string>;
  /** The latest responses, so that an invalid response is not reported as a bug in sonde. */
  readonly answers: ReceivedAnswer[];
}

/** The dependencies of a command's `run`, created on first use. */
export interface Deps {
  readonly terminal: Terminal;
  /** Returns the client of the selected profile, one per process. Throws CredentialsError without a service or a key. */
  readonly client: () => Promise<Client>;
  /** Returns the service, key and account in effect, and the source of each; each may be absent. */
  readonly profiles: () => Promise<Resolution>;
  /** Access to programs that store keys. */
  readonly keyHost: KeyHost;
  readonly clock: Clock;
  readonly random: Random;
  /** Aborted with a CancelledError when a signal asks the process to stop. Pass it to everything that waits. */
  readonly signal: AbortSignal;
  readonly usedKeys: Host['usedKeys'];
  readonly answers: Host['answers'];
  readonly env: Host['env'];
  readonly cwd: string;
  readonly home: string;
  readonly platform: string;
  readonly version: string;
  /** This process, to start sonde again and to handle a second stop signal. */
  readonly self: Pick<
    Host,
    'execPath' | 'script' | 'pid' | 'kill' | 'onSecondStop' | 'platform' | 'nodeVersion'
  >;
  /** Reads a file by the name that the user gave. Throws UsageError if that fails. */
  readonly readFile: (name: string) => Promise<string>;
  /** Reads all of stdin, once. */
  readonly readStdin: () => Promise<string>;
  /** Prints requests without sending them, for commands whose `dryRun` is `own`. */
  readonly preview: <E extends Endpoint>(
    endpoint: E,
    inputs: readonly Input<E>[],
    output: OutputOptions,
  ) => Promise<void>;
}
