/**
 * Defines the messages between the suite runner and its program in a cell, in addition to those of all script programs.
 */

export interface SuitePreparation {
  readonly executablePath: string;
  readonly sandboxed: boolean;
  readonly folder: string;
  /** Socket of the egress proxy, the only way out of the cell; null: the cell has the machine's network. */
  readonly egressSocket: string | null;
}

export interface SuiteJob {
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
  /** Environment of the installation and the tests, in addition to the variables that programs need. */
  readonly environment: Readonly<Record<string, string>>;
  /** Environment of the installation only: access to package registries. */
  readonly installVariables: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  /** Time limit for sending artifacts after the steps, in ms. */
  readonly artifactsMs: number;
  readonly secrets: readonly string[];
  readonly detectsSecrets?: boolean;
}

export interface Engine {
  readonly kind: 'node' | 'bun';
  readonly program: string;
}
