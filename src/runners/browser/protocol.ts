/** What the browser runner and its program in a cell say to each other: lines of JSON, jobs in and reports out. */
import { ARTIFACT_BYTES, RUN_ARTIFACT_BYTES } from '../../contract/artifact-bytes.ts';
import type { DetectedSecret } from '../secret-patterns.ts';

/** Of which kind a script is: of Playwright Test, with tests in it, or one that is run from its first line to its last. */
export type ScriptKind = 'test' | 'script';

export interface ScriptFile {
  /** Relative to the script's folder, with `/`; never outside it. */
  readonly path: string;
  readonly content: string;
}

/** How the program makes itself ready before there is anything to run. */
export interface Preparation {
  /** The folder of @playwright/test. */
  readonly playwright: string;
  /** The id of the runtime that is. */
  readonly runtime: string;
  /** The browser's program; null: scripts get no browser. */
  readonly executablePath: string | null;
  /** Whether to try Chromium's own sandbox first. */
  readonly sandboxed: boolean;
  /** What is likely to come: so much is loaded ahead. */
  readonly kind: ScriptKind;
  /** Whether there is time to do everything once before there is a script. */
  readonly warmsUp: boolean;
  /** The cell's folder. */
  readonly folder: string;
  /** The socket of the proxy that alone leads out of the cell; null: the cell has the machine's network. */
  readonly egressSocket: string | null;
}

/** One attempt of a check. */
export interface BrowserJob {
  readonly kind: ScriptKind;
  /** The path of the script among the files. */
  readonly entry: string;
  readonly files: readonly ScriptFile[];
  /** What the script finds in its environment besides what Node needs. */
  readonly environment: Readonly<Record<string, string>>;
  /** Playwright's baseURL; null: none. */
  readonly baseUrl: string | null;
  /** How long the script may take, in ms. */
  readonly timeoutMs: number;
  /** How long it may take, once that is over, to hand in what it kept, in ms. */
  readonly artifactsMs: number;
  /** Values that must not be seen in what is kept of the run. */
  readonly secrets: readonly string[];
  /** Whether what looks like a secret is masked, too, though nobody declared it. */
  readonly detectsSecrets?: boolean;
  /** Paths of further scripts that run after it, one after the other, in the same process. */
  readonly furtherScripts?: readonly string[];
  /** What the scripts find as globals; they are handed back as the scripts leave them. */
  readonly globals?: Readonly<Record<string, unknown>>;
}

/** What scripts leave behind for what follows them. */
export interface ScriptState {
  readonly globals: Readonly<Record<string, unknown>>;
  /** Variables of their environment that they set. */
  readonly variables: Readonly<Record<string, string>>;
}

/** A line that the page or the script wrote. */
export interface ConsoleLine {
  /** Who wrote it: the page's console, an error that the page did not catch, or the script. */
  readonly from: 'page' | 'page-error' | 'script';
  /** `log`, `warning`, `error` … of the page; `stdout` or `stderr` of the script. */
  readonly level: string;
  readonly text: string;
  /** Ms since the script began. */
  readonly atMs: number;
  /** Address of the page's script and its line, where it is known. */
  readonly location?: string;
}

export type ArtifactKind = 'screenshot' | 'trace';

/** One test of a Playwright Test file, or the script as a whole. */
export interface TestReport {
  /** With the titles of the groups that it stands in. */
  readonly title: string;
  readonly status: 'passed' | 'failed' | 'timed-out' | 'skipped';
  readonly durationMs: number;
  readonly errors: readonly string[];
}

/** How many tests of a suite came to what; one is flaky that passed when it was tried again. */
export interface Counts {
  readonly passed: number;
  readonly failed: number;
  readonly flaky: number;
  readonly skipped: number;
}

export interface ScriptReport {
  /**
   * `unusable`: the script looked at nothing (it cannot be read, none of its tests ran, it took too much), which fails the
   * check whatever it expects. `fault`: something of ours went wrong, and nothing is known of the target.
   */
  readonly outcome: 'passed' | 'failed' | 'timed-out' | 'unusable' | 'fault';
  /** The most telling first. */
  readonly errors: readonly string[];
  readonly tests: readonly TestReport[];
  /** Of a suite: of all its tests, also of those that are too many to be told one by one. */
  readonly counts?: Counts;
  /** Where the job had globals. */
  readonly handed?: ScriptState;
  /** What was masked though nobody declared it: where that was asked for. */
  readonly detected?: readonly DetectedSecret[];
  /** How long the script took, in ms. */
  readonly durationMs: number;
  /** How many lines of the console and how many artifacts were too many or too large to be kept. */
  readonly dropped: { readonly lines: number; readonly artifacts: number };
  /** Of files that were not kept for what they are: why, a sentence each. */
  readonly lost?: readonly string[];
}

/** What the program says. */
export type ProgramMessage =
  | { readonly type: 'ready'; readonly browser: string; readonly sandboxed: boolean }
  /** There is no browser, and why. */
  | { readonly type: 'unready'; readonly reason: string }
  | { readonly type: 'console'; readonly line: ConsoleLine }
  /** A file begins; its parts follow, then its end. */
  | {
      readonly type: 'artifact';
      readonly kind: ArtifactKind;
      readonly name: string;
      readonly contentType: string;
    }
  /** So many bytes follow the end of this line: a part of the file, as it is. */
  | { readonly type: 'part'; readonly bytes: number }
  /** The file is whole; or it is to be forgotten. */
  | { readonly type: 'artifact-end'; readonly isWhole: boolean }
  | { readonly type: 'over'; readonly report: ScriptReport };

/** What is kept of a run at most. */
export const LIMITS = {
  consoleLines: 500,
  lineLength: 2000,
  screenshots: 10,
  traces: 3,
  /** Of one file, and of all together. */
  artifactBytes: ARTIFACT_BYTES,
  runBytes: RUN_ARTIFACT_BYTES,
  errors: 20,
  errorLength: 8000,
} as const;

/** A line of what the program says is never longer: a report with all that it may hold. */
export const MAX_LINE_BYTES = 16 * 1024 * 1024;

/** A part of a file is never longer. */
export const MAX_PART_BYTES = 1024 * 1024;

/** The header by which what asks for a tunnel says that it can tell a refusal from an answer. */
export const REFUSAL_HEADER = 'x-tells-refusals';

/** How long the program may take, once the script's time is over, to hand in what it kept, in ms. */
export const ARTIFACTS_MS = 8000;
