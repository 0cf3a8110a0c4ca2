/** Defines the messages between script runners and their programs in a cell: lines of JSON. */
import { ARTIFACT_BYTES, RUN_ARTIFACT_BYTES } from '../../contract/artifact-bytes.ts';
import type { BodyOf, createBrowserCheck } from '../../contract/index.ts';
import type { DetectedSecret } from '../masking/secret-detector.ts';

export type ScriptKind = 'test' | 'script';

export interface ScriptFile {
  /** Path relative to the script's folder, with `/`; never outside it. */
  readonly path: string;
  readonly content: string;
}

export interface Preparation {
  readonly playwright: string;
  readonly runtime: string;
  /** Contains the packages that scripts can import, once they are installed. */
  readonly packages: string;
  readonly executablePath: string | null;
  /** Program that records videos; null: none was found. */
  readonly ffmpegPath: string | null;
  readonly sandboxed: boolean;
  /** The expected kind of script, which decides what is loaded in advance. */
  readonly kind: ScriptKind;
  /** Whether there is time for a warm-up before the first job. */
  readonly warmsUp: boolean;
  /** The cell's folder. */
  readonly folder: string;
  /** Socket of the egress proxy, the only way out of the cell; null: the cell has the machine's network. */
  readonly egressSocket: string | null;
}

/** The Playwright options of a check. */
export type PlaywrightConfig = NonNullable<BodyOf<typeof createBrowserCheck>['playwrightConfig']>;

export interface BrowserJob {
  /** Undefined: what the script imports decides. */
  readonly kind?: ScriptKind;
  readonly entry: string;
  readonly files: readonly ScriptFile[];
  readonly environment: Readonly<Record<string, string>>;
  readonly baseUrl: string | null;
  readonly playwrightConfig?: PlaywrightConfig | null;
  readonly timeoutMs: number;
  /** Time limit for sending artifacts after the script, in ms. */
  readonly artifactsMs: number;
  /** Values that must not appear in stored data of the run. */
  readonly secrets: readonly string[];
  readonly detectsSecrets?: boolean;
  /** Paths of scripts that run afterwards, in order, in the same process. */
  readonly furtherScripts?: readonly string[];
  readonly globals?: Readonly<Record<string, unknown>>;
}

export interface ScriptState {
  readonly globals: Readonly<Record<string, unknown>>;
  readonly variables: Readonly<Record<string, string>>;
}

export interface ConsoleLine {
  readonly from: 'page' | 'page-error' | 'script';
  /** `log`, `warning`, `error` … of the page; `stdout` or `stderr` of the script. */
  readonly level: string;
  readonly text: string;
  /** Time since the start of the script, in ms. */
  readonly atMs: number;
  /** URL and line of the page's script, if known. */
  readonly location?: string;
}

export type ArtifactKind = 'screenshot' | 'trace';

export interface TestReport {
  readonly title: string;
  readonly status: 'passed' | 'failed' | 'timed-out' | 'skipped';
  /** Whether it passed only after Playwright repeated it. */
  readonly isFlaky?: true;
  readonly durationMs: number;
  readonly errors: readonly string[];
}

export interface Counts {
  readonly passed: number;
  readonly failed: number;
  readonly flaky: number;
  readonly skipped: number;
}

export interface ScriptReport {
  /**
   * `unusable`: the script tested nothing (syntax error, no test ran, limit exceeded), which fails the check whatever
   * it expects. `fault`: a monitor error, so nothing is known about the target.
   */
  readonly outcome: 'passed' | 'failed' | 'timed-out' | 'unusable' | 'fault';
  /** The kind of the script, if the program decided it. */
  readonly kind?: ScriptKind;
  /** The most relevant error first. */
  readonly errors: readonly string[];
  readonly tests: readonly TestReport[];
  /** Counts of all tests of a suite, including those beyond the limit of `tests`. */
  readonly counts?: Counts;
  readonly handed?: ScriptState;
  /** Masked secrets that were detected, if the job asked for detection. */
  readonly detected?: readonly DetectedSecret[];
  readonly durationMs: number;
  /** Console lines and artifacts that exceeded a limit. */
  readonly dropped: { readonly lines: number; readonly artifacts: number };
  readonly lost?: readonly string[];
  /** What differs from the script's wishes without changing the verdict, one sentence each without a full stop. */
  readonly notes?: readonly string[];
}

export type ProgramMessage =
  | { readonly type: 'ready'; readonly browser: string; readonly sandboxed: boolean }
  /** There is no browser. The reason says why. */
  | { readonly type: 'unready'; readonly reason: string }
  | { readonly type: 'console'; readonly line: ConsoleLine }
  | {
      readonly type: 'artifact';
      readonly kind: ArtifactKind;
      readonly name: string;
      readonly contentType: string;
    }
  /** This many raw bytes of the file follow the line. */
  | { readonly type: 'part'; readonly bytes: number }
  /** The file is complete, or must be discarded. */
  | { readonly type: 'artifact-end'; readonly isWhole: boolean }
  | { readonly type: 'over'; readonly report: ScriptReport };

/** Limits of the stored data of a run. */
export const LIMITS = {
  consoleLines: 500,
  lineLength: 2000,
  screenshots: 10,
  traces: 3,
  tests: 200,
  /** Limits of one file, and of all files together. */
  artifactBytes: ARTIFACT_BYTES,
  runBytes: RUN_ARTIFACT_BYTES,
  errors: 20,
  errorLength: 8000,
} as const;

export const MAX_LINE_BYTES = 16 * 1024 * 1024;

export const MAX_PART_BYTES = 1024 * 1024;

/** Header of a CONNECT client that can tell a refusal from an answer. */
export const REFUSAL_HEADER = 'x-tells-refusals';

/** Time limit for sending artifacts after the script, in ms. */
export const ARTIFACTS_MS = 8000;

export interface SuitePreparation extends Pick<Preparation, 'sandboxed' | 'folder' | 'egressSocket'> {
  readonly executablePath: string;
}

/** `environment`: of the installation and the tests. `timeoutMs`: of all steps together. */
export interface SuiteJob
  extends Pick<BrowserJob, 'environment' | 'timeoutMs' | 'artifactsMs' | 'secrets' | 'detectsSecrets'> {
  /** Name of the project archive (ZIP) in the cell's folder. */
  readonly archive: string;
  /** Folder of the project that all commands use; `.`: its root. */
  readonly workingDir: string;
  readonly installCommand: string | null;
  readonly testCommand: string | null;
  /** Path within `workingDir`; null: the configuration that Playwright finds. */
  readonly configPath: string | null;
  readonly projects: readonly string[];
  readonly tags: readonly string[];
  readonly engine: Engine;
  /** Bun, if it installs the packages of a suite on Node; null: not needed. */
  readonly bunProgram: string | null;
  /** Packages of the runtime by name, for a project without its own Playwright. */
  readonly packages: Readonly<Record<string, string>>;
  /** Environment of the installation only: access to package registries. */
  readonly installVariables: Readonly<Record<string, string>>;
}

export interface Engine {
  readonly kind: 'node' | 'bun';
  readonly program: string;
}
