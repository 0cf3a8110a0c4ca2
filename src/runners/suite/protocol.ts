/**
 * Defines the messages between the suite runner and its program in a cell, in addition to those of all script programs.
 */

/** How the program prepares itself. */
export interface SuitePreparation {
  readonly executablePath: string;
  /** Whether to try Chromium's own sandbox. */
  readonly sandboxed: boolean;
  /** The cell's folder. */
  readonly folder: string;
  /** Socket of the egress proxy, the only way out of the cell; null: the cell has the machine's network. */
  readonly egressSocket: string | null;
}

/** One run of a suite. */
export interface SuiteJob {
  /** Name of the project archive (ZIP) in the cell's folder. */
  readonly archive: string;
  /** Folder of the project that all commands use; `.`: its root. */
  readonly workingDir: string;
  /** Null: determined by the lock file. */
  readonly installCommand: string | null;
  /** Null: Playwright's own command. */
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
  /** Environment of the installation and the tests, in addition to the variables that programs need. */
  readonly environment: Readonly<Record<string, string>>;
  /** Environment of the installation only: access to package registries. */
  readonly installVariables: Readonly<Record<string, string>>;
  /** Time limit of all steps together, in ms. */
  readonly timeoutMs: number;
  /** Time limit for sending artifacts after the steps, in ms. */
  readonly artifactsMs: number;
  readonly secrets: readonly string[];
  /** Whether to mask detected secrets as well. */
  readonly detectsSecrets?: boolean;
}

/** A program that runs JavaScript. */
export interface Engine {
  readonly kind: 'node' | 'bun';
  readonly program: string;
}
