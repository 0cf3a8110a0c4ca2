/** What the runner of suites and its program in a cell say to each other, beyond what every script's program says. */

/** How the program makes itself ready. */
export interface SuitePreparation {
  readonly executablePath: string;
  /** Whether to try Chromium's own sandbox. */
  readonly sandboxed: boolean;
  /** The cell's folder. */
  readonly folder: string;
  /** The socket of the proxy that alone leads out of the cell; null: the cell has the machine's network. */
  readonly egressSocket: string | null;
}

/** One run of a suite. */
export interface SuiteJob {
  /** The archive of the project in the cell's folder: a ZIP. */
  readonly archive: string;
  /** Folder of the project that everything happens in; `.`: its root. */
  readonly workingDir: string;
  /** Null: as the lock file says. */
  readonly installCommand: string | null;
  /** Null: Playwright's own. */
  readonly testCommand: string | null;
  /** Within `workingDir`; null: the configuration that Playwright would find. */
  readonly configPath: string | null;
  readonly projects: readonly string[];
  readonly tags: readonly string[];
  readonly engine: Engine;
  /** Bun's program, where it installs the packages of a suite that runs on Node; null: it is not asked for. */
  readonly bunProgram: string | null;
  /** Packages of the runtime, by name: for a project that brings no Playwright of its own. */
  readonly packages: Readonly<Record<string, string>>;
  /** What installing and the tests find in their environment besides what programs need. */
  readonly environment: Readonly<Record<string, string>>;
  /** Only installing finds these: how packages are reached. */
  readonly installVariables: Readonly<Record<string, string>>;
  /** How long all of it may take, in ms. */
  readonly timeoutMs: number;
  /** How long it may take, once that is over, to hand in what it kept, in ms. */
  readonly artifactsMs: number;
  readonly secrets: readonly string[];
  /** Whether what looks like a secret is masked, too, though nobody declared it. */
  readonly detectsSecrets?: boolean;
}

/** What runs JavaScript. */
export interface Engine {
  readonly kind: 'node' | 'bun';
  readonly program: string;
}
