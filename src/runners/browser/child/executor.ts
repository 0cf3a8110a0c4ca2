/** Runs a script in its own process, where Playwright is loaded and a browser started in advance. */
import type { ChildProcess } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { ConsoleLine, PlaywrightConfig, Preparation, ScriptState } from '../protocol.ts';
import {
  awaitRequests,
  forwardPageConsole,
  limitCloseTime,
  recordFailureArtifacts,
} from './browser-hooks.ts';
import { trackChildProcesses } from './child-processes.ts';
import { proxyNode, proxyPlaywrightRequests } from './egress.ts';
import {
  type APIRequestContext,
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  locatePlaywright,
  type Runtime,
} from './locate-playwright.ts';
import { configureLibrary, limitActions, toContextOptions } from './playwright-config.ts';
import { prepareBrowser, refuseBrowsers } from './prepare-browser.ts';
import { formatError, runPlainScript, warmUpCompiler } from './run-plain-script.ts';
import { watchScriptEnd } from './script-end.ts';
import { stripAuthorization } from './strip-authorization.ts';
import { sendTraceparent } from './traceparent-header.ts';
import { canRecordVideo, NO_VIDEO } from './video.ts';

export type ToExecutor =
  | { readonly sonde: 'prepare'; readonly preparation: Preparation; readonly proxy: string | null }
  /** Run this file. `artifactFolder`: the target of screenshots and traces. */
  | {
      readonly sonde: 'script';
      readonly file: string;
      readonly folder: string;
      readonly artifactFolder: string;
      readonly env: Env;
      readonly baseUrl: string | null;
      readonly playwrightConfig: PlaywrightConfig;
      readonly further: readonly string[];
      readonly globals: Readonly<Record<string, unknown>> | null;
      readonly timeoutMs: number;
    }
  /** Become a worker of Playwright Test, which then uses the channel. */
  | { readonly sonde: 'worker'; readonly env: Env; readonly folder: string };

export type Env = Readonly<Record<string, string>>;

export type FromExecutor =
  | { readonly sonde: 'ready'; readonly browser: string; readonly sandboxed: boolean }
  | { readonly sonde: 'unready'; readonly reason: string }
  | { readonly sonde: 'console'; readonly line: Omit<ConsoleLine, 'atMs'> }
  | { readonly sonde: 'fault'; readonly reason: string }
  /** The script uses a feature that checks of its type do not have. */
  | { readonly sonde: 'misused'; readonly reason: string }
  | { readonly sonde: 'note'; readonly text: string }
  /** The script's own code has ended, but a process that it started still runs. */
  | { readonly sonde: 'waits'; readonly for: string }
  /** The listeners of `exit` are called, which nothing can interrupt but the end of the process. */
  | { readonly sonde: 'exits' }
  /** The script has ended, and the artifacts of a failure are written. */
  | { readonly sonde: 'done'; readonly errors: readonly string[]; readonly scriptState?: ScriptState };

/** Saved at the start, because a script may replace the global functions. */
const { setTimeout: setTimer, setImmediate: setImmediateTimer } = globalThis;

export function runExecutor(host: NodeJS.Process): void {
  const send = host.send?.bind(host);
  const kill = host.kill.bind(host);
  const sendMessage = (message: FromExecutor) => {
    // A closed channel means that the supervisor has ended.
    if (host.connected) send?.(message);
  };
  let runtime: Runtime | undefined;
  let failureArtifacts: ReturnType<typeof recordFailureArtifacts> | undefined;
  let defaults: BrowserContextOptions = {};
  let playwrightConfig: PlaywrightConfig = {};
  let browserProcess: ChildProcess | undefined;
  let isTestWorker = false;
  const onMessage = (message: ToExecutor) => {
    switch (message.sonde) {
      case 'prepare':
        void prepare(message.preparation, message.proxy);
        return;
      case 'script':
        void runScript(message);
        return;
      case 'worker':
        host.off('message', onMessage);
        isTestWorker = true;
        applyEnvironment(message.env, message.folder);
        if (runtime) runtime.require(runtime.workerEntry);
        return;
      default:
        message satisfies never;
    }
  };
  host.on('message', onMessage);
  host.on('disconnect', () => host.exit(1));

  function applyEnvironment(env: Env, folder: string): void {
    for (const name of Object.keys(host.env)) if (!(name in env)) delete host.env[name];
    Object.assign(host.env, env);
    host.chdir(folder);
  }

  async function prepare(preparation: Preparation, proxy: string | null): Promise<void> {
    try {
      runtime = locatePlaywright(preparation.playwright);
      const library = runtime.load();
      if (proxy !== null) {
        await proxyNode(proxy);
        proxyPlaywrightRequests(library, proxy);
      }
      const stripsAuthorization = WITHOUT_AUTHORIZATION.includes(preparation.runtime);
      const authorizationStripper = stripsAuthorization ? stripAuthorization(library) : undefined;
      const hooks = {
        contextDefaults: () => defaults,
        onBrowser: (browser: Browser) => {
          authorizationStripper?.onBrowser(browser);
          limitCloseTime(browser, kill);
          if (isTestWorker) awaitRequests(browser, host);
          failureArtifacts?.onBrowser(browser);
        },
        onContext: async (context: BrowserContext) => {
          forwardPageConsole(context, (line) => sendMessage({ sonde: 'console', line }));
          limitCloseTime(context, kill);
          limitActions(context, playwrightConfig);
          await sendTraceparent(context, host.env);
          await authorizationStripper?.onContext(context);
          await failureArtifacts?.onContext(context);
        },
        onRequests: async (context: APIRequestContext) => failureArtifacts?.onRequests(context),
        onFault: (reason: string) => sendMessage({ sonde: 'fault', reason }),
        onMisuse: (reason: string) => sendMessage({ sonde: 'misused', reason }),
        withoutVideo: canRecordVideo(runtime, preparation.ffmpegPath)
          ? undefined
          : () => sendMessage({ sonde: 'note', text: NO_VIDEO }),
      };
      const { executablePath } = preparation;
      const launching =
        executablePath === null
          ? refuseBrowsers(library, hooks)
          : prepareBrowser(library, { ...preparation, executablePath }, proxy, hooks);
      // Load in parallel with the browser's start.
      const compiler = runtime.loadCompiler();
      // Importing any file installs the compiler's hooks for all later files.
      await compiler.requireOrImport(join(preparation.playwright, 'package.json'));
      if (preparation.warmsUp) warmUpCompiler(runtime);
      if (preparation.kind === 'test') runtime.loadTest();
      const { version, sandboxed, child } = await launching;
      browserProcess = child;
      sendMessage({ sonde: 'ready', browser: version, sandboxed });
    } catch (error) {
      sendMessage({ sonde: 'unready', reason: formatMessage(error) });
    }
  }

  async function runScript(message: ToExecutor & { sonde: 'script' }) {
    const { file, folder, artifactFolder, env, baseUrl, further, globals, timeoutMs } = message;
    if (runtime === undefined) return;
    mkdirSync(artifactFolder, { recursive: true });
    failureArtifacts = recordFailureArtifacts(artifactFolder, timeoutMs);
    applyEnvironment(env, folder);
    host.argv[1] = file;
    playwrightConfig = message.playwrightConfig;
    defaults = { ...(baseUrl === null ? {} : { baseURL: baseUrl }), ...toContextOptions(playwrightConfig) };
    configureLibrary(runtime.load(), playwrightConfig);
    const errors: string[] = [];
    const failures = new Set<unknown>();
    let hasEnded = false;
    // Hide the channel: a script that looks for a parent process would find the supervisor.
    delete host.send;
    host.disconnect = () => {};
    const childProcesses = trackChildProcesses(runtime.packages['playwright-core'], browserProcess);
    let scriptEnd: ReturnType<typeof watchScriptEnd>;
    try {
      scriptEnd = watchScriptEnd(host, runtime.load(), childProcesses);
    } catch (error) {
      sendMessage({ sonde: 'fault', reason: formatMessage(error) });
      return sendMessage({ sonde: 'done', errors: [] });
    }
    const { isBusy, waitUntilIdle, callListeners, exitCode } = scriptEnd;
    const recordError = (error: unknown) => {
      if (error === undefined || error === EXITED || failures.has(error)) return;
      failures.add(error);
      errors.push(formatError(error));
    };
    const callExitListeners = () => {
      sendMessage({ sonde: 'exits' });
      try {
        callListeners('exit');
        if (exitCode() !== 0) recordError(new Error(`the script set the exit code ${exitCode()}`));
      } catch (error) {
        recordError(error);
      }
    };
    const endScript = async (error?: unknown) => {
      recordError(error);
      if (hasEnded || error === EXITED) return;
      hasEnded = true;
      if (error === undefined) callExitListeners();
      // Wait one turn of the event loop, after which unhandled rejections are reported.
      await new Promise((resolve) => setImmediateTimer(resolve));
      if (errors.length > 0) await failureArtifacts?.save();
      for (const name of childProcesses.listRunning())
        sendMessage({
          sonde: 'console',
          line: { from: 'script', level: 'notice', text: `still running at the end of the script: ${name}` },
        });
      const handed = globals === null ? undefined : collectScriptState(globals, env, recordError);
      sendMessage({ sonde: 'done', errors, ...(handed ? { scriptState: handed } : {}) });
    };
    let hasExited = false;
    // Node would have exited, so an error caused by EXITED is not the script's.
    const onUncaught = (error: unknown) => {
      if (!hasExited) void endScript(error ?? new Error(`the script threw ${String(error)}`));
    };
    host.on('uncaughtException', onUncaught);
    host.on('unhandledRejection', onUncaught);
    const exit = (code?: number | string | null) => {
      if (hasExited) throw EXITED;
      const requestedCode = Number(code ?? host.exitCode ?? 0);
      host.exitCode = requestedCode;
      const failed = new Error(`the script ended its process with exit code ${requestedCode}`);
      void endScript(requestedCode === 0 ? undefined : failed);
      // Set this last, because an exit listener may set another code.
      hasExited = true;
      throw EXITED;
    };
    host.exit = exit as typeof host.exit;
    let reportedWait: string | undefined;
    const settle = async () => {
      do {
        await new Promise((resolve) => void setTimer(resolve, POLL_MS).unref());
        const awaited = childProcesses.findAwaited();
        if (awaited !== undefined && awaited !== reportedWait) sendMessage({ sonde: 'waits', for: awaited });
        reportedWait = awaited;
        if (!isBusy()) await waitUntilIdle();
      } while (isBusy() && !hasEnded);
    };
    try {
      Object.assign(globalThis, globals);
      for (const one of [file, ...further]) await runPlainScript(runtime, one, globals === null);
      await settle();
      // Like Node: a listener of beforeExit may start new work, and is called again after it.
      for (let hadListeners = callListeners('beforeExit'); hadListeners && !hasEnded; ) {
        const wasBusy = isBusy();
        await settle();
        hadListeners = wasBusy && !hasEnded && callListeners('beforeExit');
      }
      await endScript();
    } catch (error) {
      onUncaught(error);
    }
  }

  function collectScriptState(
    globals: Readonly<Record<string, unknown>>,
    env: Env,
    recordError: (error: unknown) => void,
  ): ScriptState | undefined {
    const all = globalThis as unknown as Readonly<Record<string, unknown>>;
    const changedVariables = Object.entries(host.env).filter(([name, value]) => env[name] !== value);
    const state = {
      globals: Object.fromEntries(Object.keys(globals).map((name) => [name, all[name]])),
      variables: Object.fromEntries(changedVariables),
    };
    try {
      return JSON.parse(JSON.stringify(state)) as ScriptState;
    } catch (error) {
      recordError(new Error(`the files of the script cannot be stored: ${formatMessage(error)}`));
      return undefined;
    }
  }
}

/** Runtimes whose browser and multi-step checks send no Authorization header (specification, release behaviour). */
const WITHOUT_AUTHORIZATION = ['2025.04'];

/** Thrown by `process.exit` to leave the script. */
const EXITED = new Error('the script called process.exit');

/** Interval of the check whether a script is still busy, in ms. */
const POLL_MS = 5;

function formatMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
