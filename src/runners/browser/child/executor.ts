/** The process that a script runs in: Playwright loaded and a browser launched before there is a script. */
import type { ChildProcess } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { ConsoleLine, Handed, Preparation } from '../protocol.ts';
import { leaveOutAuthorization } from './strip-authorization.ts';
import { boundClosing } from './limit-close-time.ts';
import { leadNode, leadRequests } from './egress.ts';
import { type Ending, ending } from './script-end.ts';
import { keeper } from './failure-artifacts.ts';
import { prepareBrowser, refuseBrowsers } from './prepare-browser.ts';
import {
  type APIRequestContext,
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  libraryAt,
  type Runtime,
} from './locate-playwright.ts';
import { listenTo } from './page-console.ts';
import { runPlain } from './run-plain-script.ts';
import { rehearseCompiling } from './warm-up.ts';
import { watchSpawned } from './child-processes.ts';

/** What the supervisor says to an executor. */
export type ToExecutor =
  | { readonly sonde: 'prepare'; readonly preparation: Preparation; readonly proxy: string | null }
  /** Run this file; `evidence`: where pictures and traces go. */
  | {
      readonly sonde: 'script';
      readonly file: string;
      readonly folder: string;
      readonly evidence: string;
      readonly env: Env;
      readonly baseUrl: string | null;
      readonly further: readonly string[];
      readonly globals: Readonly<Record<string, unknown>> | null;
      readonly timeoutMs: number;
    }
  /** Be a worker of Playwright Test, which speaks with it from then on. */
  | { readonly sonde: 'worker'; readonly env: Env; readonly folder: string };

export type Env = Readonly<Record<string, string>>;

/** What an executor says. */
export type FromExecutor =
  | { readonly sonde: 'ready'; readonly browser: string; readonly sandboxed: boolean }
  | { readonly sonde: 'unready'; readonly reason: string }
  | { readonly sonde: 'console'; readonly line: Omit<ConsoleLine, 'atMs'> }
  | { readonly sonde: 'fault'; readonly reason: string }
  /** The script asks for what checks of its type have not. */
  | { readonly sonde: 'misused'; readonly reason: string }
  /** The script's own lines are through, and this process that it started is not. */
  | { readonly sonde: 'waits'; readonly for: string }
  /** The script is over, and what is kept of a failure is written. */
  | { readonly sonde: 'done'; readonly errors: readonly string[]; readonly handed?: Handed };

/** A script may put others in their place. */
const { setTimeout: later, setImmediate: soon } = globalThis;

export function execute(host: NodeJS.Process): void {
  const send = host.send?.bind(host);
  const kill = host.kill.bind(host);
  const tell = (message: FromExecutor) => {
    // A channel that is gone means that nobody wants to know.
    if (host.connected) send?.(message);
  };
  let runtime: Runtime | undefined;
  let kept: ReturnType<typeof keeper> | undefined;
  let defaults: BrowserContextOptions = {};
  let browserProcess: ChildProcess | undefined;
  const hear = (message: ToExecutor) => {
    switch (message.sonde) {
      case 'prepare':
        void prepare(message.preparation, message.proxy);
        return;
      case 'script':
        void script(message);
        return;
      case 'worker':
        host.off('message', hear);
        enter(message.env, message.folder);
        if (runtime) runtime.require(runtime.workerEntry);
        return;
      default:
        message satisfies never;
    }
  };
  host.on('message', hear);
  host.on('disconnect', () => host.exit(1));

  function enter(env: Env, folder: string): void {
    for (const name of Object.keys(host.env)) if (!(name in env)) delete host.env[name];
    Object.assign(host.env, env);
    host.chdir(folder);
  }

  async function prepare(preparation: Preparation, proxy: string | null): Promise<void> {
    try {
      runtime = libraryAt(preparation.playwright);
      const library = runtime.load();
      if (proxy !== null) {
        await leadNode(proxy);
        leadRequests(library, proxy);
      }
      const isBare = WITHOUT_AUTHORIZATION.includes(preparation.runtime);
      const cleaning = isBare ? leaveOutAuthorization(library) : undefined;
      const hooks = {
        contextDefaults: () => defaults,
        onBrowser: (browser: Browser) => {
          cleaning?.onBrowser(browser);
          boundClosing(browser, kill);
          kept?.onBrowser(browser);
        },
        onContext: async (context: BrowserContext) => {
          listenTo(context, (line) => tell({ sonde: 'console', line }));
          boundClosing(context, kill);
          await cleaning?.onContext(context);
          await kept?.onContext(context);
        },
        onRequests: async (context: APIRequestContext) => kept?.onRequests(context),
        onFault: (reason: string) => tell({ sonde: 'fault', reason }),
        onMisuse: (reason: string) => tell({ sonde: 'misused', reason }),
      };
      const { executablePath } = preparation;
      const launched =
        executablePath === null
          ? refuseBrowsers(library, hooks)
          : prepareBrowser(library, { ...preparation, executablePath }, proxy, hooks);
      // Meanwhile: the browser takes its time.
      const compiler = runtime.loadCompiler();
      // Of no matter what file: from then on all that is loaded is compiled where it must be.
      await compiler.requireOrImport(join(preparation.playwright, 'package.json'));
      if (preparation.rehearses) rehearseCompiling(runtime);
      if (preparation.kind === 'test') runtime.loadTest();
      const { version, sandboxed, child } = await launched;
      browserProcess = child;
      tell({ sonde: 'ready', browser: version, sandboxed });
    } catch (error) {
      tell({ sonde: 'unready', reason: messageOf(error) });
    }
  }

  async function script(message: ToExecutor & { sonde: 'script' }) {
    const { file, folder, evidence, env, baseUrl, further, globals, timeoutMs } = message;
    if (runtime === undefined) return;
    mkdirSync(evidence, { recursive: true });
    kept = keeper(evidence, timeoutMs);
    enter(env, folder);
    host.argv[1] = file;
    if (baseUrl !== null) defaults = { baseURL: baseUrl };
    const errors: string[] = [];
    const failures = new Set<unknown>();
    let isOver = false;
    // Whom it finds there is not whom a script that looks for its parent means.
    delete host.send;
    host.disconnect = () => {};
    const spawned = watchSpawned(runtime.packages['playwright-core'], browserProcess);
    let last: Ending;
    try {
      last = ending(host, runtime.load(), spawned);
    } catch (error) {
      tell({ sonde: 'fault', reason: messageOf(error) });
      return tell({ sonde: 'done', errors: [] });
    }
    const { isBusy, idle, call, code } = last;
    const note = (error: unknown) => {
      if (error === undefined || error === LEFT || failures.has(error)) return;
      failures.add(error);
      errors.push(textOf(error));
    };
    const leave = () => {
      try {
        call('exit');
        note(endedBy(code()));
      } catch (error) {
        note(error);
      }
    };
    const over = async (error?: unknown) => {
      note(error);
      if (isOver || error === LEFT) return;
      isOver = true;
      if (error === undefined) leave();
      // One turn of the loop: a promise that nobody caught is told of only then.
      await new Promise((resolve) => soon(resolve));
      if (errors.length > 0) await kept?.keep();
      for (const name of spawned.leftRunning())
        tell({
          sonde: 'console',
          line: { from: 'script', level: 'notice', text: `still running at the end of the script: ${name}` },
        });
      const handed = globals === null ? undefined : handedBack(globals, env, note);
      tell({ sonde: 'done', errors, ...(handed ? { handed } : {}) });
    };
    let hasLeft = false;
    // Node would be gone: what a script makes of our way out of it is nothing that it did.
    const thrown = (error: unknown) => {
      if (!hasLeft) void over(error ?? new Error(`the script threw ${String(error)}`));
    };
    host.on('uncaughtException', thrown);
    host.on('unhandledRejection', thrown);
    const exit = (code?: number | string | null) => {
      if (hasLeft) throw LEFT;
      const asked = Number(code ?? host.exitCode ?? 0);
      host.exitCode = asked;
      const failed = new Error(`the script ended its process with exit code ${asked}`);
      void over(asked === 0 ? undefined : failed);
      // Only now: a listener of the end may ask for another code.
      hasLeft = true;
      throw LEFT;
    };
    host.exit = exit as typeof host.exit;
    let told: string | undefined;
    const settled = async () => {
      do {
        await new Promise((resolve) => void later(resolve, LOOK_MS).unref());
        const awaited = spawned.waitsFor();
        if (awaited !== undefined && awaited !== told) tell({ sonde: 'waits', for: awaited });
        told = awaited;
        if (!isBusy()) await idle();
      } while (isBusy() && !isOver);
    };
    try {
      Object.assign(globalThis, globals);
      for (const one of [file, ...further]) await runPlain(runtime, one);
      await settled();
      // As Node does: who listens to the end may begin something, and is asked again after it.
      for (let isAsked = call('beforeExit'); isAsked && !isOver; ) {
        const goesOn = isBusy();
        await settled();
        isAsked = goesOn && !isOver && call('beforeExit');
      }
      await over();
    } catch (error) {
      thrown(error);
    }
  }

  /** What scripts have made of what they were given, and the variables that they set. */
  function handedBack(
    globals: Readonly<Record<string, unknown>>,
    env: Env,
    note: (error: unknown) => void,
  ): Handed | undefined {
    const all = globalThis as unknown as Readonly<Record<string, unknown>>;
    const set = Object.entries(host.env).filter(([name, value]) => env[name] !== value);
    const left = {
      globals: Object.fromEntries(Object.keys(globals).map((name) => [name, all[name]])),
      variables: Object.fromEntries(set),
    };
    try {
      return JSON.parse(JSON.stringify(left)) as Handed;
    } catch (error) {
      note(new Error(`the files of the script cannot be stored: ${messageOf(error)}`));
      return undefined;
    }
  }
}

/** Runtimes whose browser and multi-step checks send no Authorization header (specification, release behaviour). */
const WITHOUT_AUTHORIZATION = ['2025.04'];

/** What `process.exit` throws to get out of the script. */
const LEFT = new Error('the script called process.exit');

/** How often is looked whether a script still does something, in ms. */
const LOOK_MS = 5;

const endedBy = (code: number) =>
  code === 0 ? undefined : new Error(`the script set the exit code ${code}`);

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The error with its name and where it was thrown. */
export function textOf(error: unknown): string {
  if (!(error instanceof Error)) return `the script threw ${String(error)}`;
  const text = error.stack ?? `${error.name}: ${error.message}`;
  return text.includes(error.message) ? text : `${error.name}: ${error.message}\n${text}`;
}
