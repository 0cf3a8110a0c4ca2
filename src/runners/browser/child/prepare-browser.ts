/** The browser of a run: launched ahead, and handed to the first who asks for one like it. */
import type { ChildProcess } from 'node:child_process';
import type { Preparation } from '../protocol.ts';
import { captureFirstChild } from './child-processes.ts';
import { toBrowserProxy } from './egress.ts';
import type {
  APIRequestContext,
  Browser,
  BrowserContext,
  BrowserContextOptions,
  LaunchOptions,
  Library,
  OpenBrowserType,
} from './locate-playwright.ts';
import { warmUpBrowser } from './warm-up.ts';

/** Nobody listens: the browser is spoken to over a pipe. */
const ARGS = ['--disable-dev-shm-usage', '--no-first-run', '--disable-gpu'];
/** For a browser behind a proxy: WebRTC would go past it. Older browsers know the second name. */
const PROXY_ARGS = ['webrtc-ip-handling-policy', 'force-webrtc-ip-handling-policy'].map(
  (name) => `--${name}=disable_non_proxied_udp`,
);
const LAUNCH_MS = 45_000;

/** What may be asked of a launch without making the browser another than the one launched ahead. */
const COMPATIBLE_OPTIONS = new Set([
  'headless',
  'tracesDir',
  'artifactsDir',
  'timeout',
  'handleSIGINT',
  'handleSIGTERM',
  'handleSIGHUP',
  'channel',
  'logger',
  'devtools',
]);

export interface Launched {
  readonly version: string;
  readonly sandboxed: boolean;
  /** Its process; undefined: there is none. */
  readonly child: ChildProcess | undefined;
}

export interface LaunchHooks {
  /** Told of each browser that the script gets. */
  readonly onBrowser: (browser: Browser) => void;
  /** What a context has unless the script says otherwise. */
  readonly contextDefaults: () => BrowserContextOptions;
  /** Told of each context, before the script has it. */
  readonly onContext: (context: BrowserContext) => Promise<void>;
  /** There is no browser to be had, and it is not the script's fault. */
  readonly onFault: (reason: string) => void;
  /** Told of each context for requests alone, where there is no browser. */
  readonly onRequests: (context: APIRequestContext) => Promise<void>;
  /** The script asks for a browser where there is none for it. */
  readonly onMisuse: (reason: string) => void;
}

/** For scripts that make requests alone: whoever asks for a browser is told that there is none. */
export async function refuseBrowsers(
  library: Library,
  { onMisuse, onRequests }: LaunchHooks,
): Promise<Launched> {
  const requests = Object.getPrototypeOf(library.request) as Library['request'];
  const { newContext } = requests;
  requests.newContext = async function (this: Library['request'], options) {
    const context = await newContext.call(this, options);
    await onRequests(context);
    return context;
  };
  const type = Object.getPrototypeOf(library.chromium) as OpenBrowserType;
  const refuse = async () => {
    const reason =
      'this script has no browser: multi-step checks only send requests (request of Playwright). Use a browser check for pages';
    onMisuse(reason);
    throw new Error(reason);
  };
  Object.assign(type, {
    ...{ launch: refuse, launchPersistentContext: refuse, connect: refuse },
    ...{ connectOverCDP: refuse, launchServer: refuse },
  });
  return { version: '', sandboxed: false, child: undefined };
}

/**
 * Launches a browser ahead and puts it in the way of `launch`. Only where a script asks for another (with arguments or a
 * proxy of its own, or a second one) another is started. Rejects where the browser cannot be started.
 */
export async function prepareBrowser(
  library: Library,
  { executablePath, sandboxed, warmsUp }: Preparation & { readonly executablePath: string },
  proxy: string | null,
  hooks: LaunchHooks,
): Promise<Launched> {
  const { chromium } = library;
  const type = Object.getPrototypeOf(chromium) as OpenBrowserType;
  const launch = type.launch;
  const launchPersistent = type.launchPersistentContext;
  const baseArgs = proxy === null ? ARGS : [...ARGS, ...PROXY_ARGS];
  const options = (chromiumSandbox: boolean): LaunchOptions => ({
    ...{ executablePath, headless: true, args: baseArgs, chromiumSandbox, timeout: LAUNCH_MS },
    ...{ handleSIGINT: false, handleSIGTERM: false, handleSIGHUP: false },
    ...(proxy === null ? {} : { proxy: toBrowserProxy(proxy) }),
  });
  const startBrowser = async (chromiumSandbox: boolean) => {
    const launching = () => launch.call(chromium, options(chromiumSandbox));
    const { result: browser, first } = await captureFirstChild(launching);
    return { browser, child: first, sandboxed: chromiumSandbox };
  };
  // A machine that is busy is no reason to do without the sandbox from then on.
  const isSlow = (error: unknown) => error instanceof Error && error.name === 'TimeoutError';
  const prelaunched = await startBrowser(sandboxed)
    .catch((error: unknown) => startBrowser(sandboxed && isSlow(error)))
    .catch((error: unknown) => {
      throw withCause(error);
    });
  // A rehearsal that goes wrong, on a machine that is busy, costs time and nothing else.
  if (warmsUp) await warmUpBrowser(prelaunched.browser).catch(() => {});
  let spare: Browser | undefined = prelaunched.browser;

  /** The options of a script with what the machine needs. */
  function completeOptions<O extends LaunchOptions>(scriptOptions: O): O {
    const { channel: _, args = [], ignoreDefaultArgs, ...rest } = scriptOptions;
    return {
      ...options(prelaunched.sandboxed),
      ...rest,
      headless: true,
      executablePath: rest.executablePath ?? executablePath,
      args: [...baseArgs, ...args],
      ...(ignoreDefaultArgs === undefined ? {} : { ignoreDefaultArgs }),
    } as unknown as O;
  }

  async function launchFor(this: OpenBrowserType, scriptOptions: LaunchOptions = {}): Promise<Browser> {
    if (this.name() !== 'chromium') throw unavailableBrowser(this.name(), hooks);
    const requested: LaunchOptions = { ...this._playwright?._defaultLaunchOptions, ...scriptOptions };
    const isCompatible = matchesPrelaunched(requested, executablePath);
    if (spare?.isConnected() && isCompatible) {
      const browser = spare;
      spare = undefined;
      watchContexts(browser, hooks);
      return browser;
    }
    try {
      const browser = await launch.call(this, completeOptions(requested));
      watchContexts(browser, hooks);
      return browser;
    } catch (error) {
      // What a script adds to a launch may well be why it failed.
      if (isCompatible) hooks.onFault(`the browser could not be started: ${firstLine(error)}`);
      throw error;
    }
  }
  type.launch = launchFor as typeof launch;
  type.launchPersistentContext = async function (this: OpenBrowserType, folder, given = {}) {
    if (this.name() !== 'chromium') throw unavailableBrowser(this.name(), hooks);
    const context = await launchPersistent.call(this, folder, completeOptions(given));
    await hooks.onContext(context);
    return context;
  };
  return {
    version: prelaunched.browser.version(),
    sandboxed: prelaunched.sandboxed,
    child: prelaunched.child,
  };
}

function unavailableBrowser(name: string, { onFault }: LaunchHooks): Error {
  const reason = `${name} is not available: browser checks run in Chromium`;
  onFault(reason);
  return new Error(reason);
}

/** Whether the browser launched ahead is what is asked for. */
function matchesPrelaunched(requested: LaunchOptions, executablePath: string): boolean {
  return Object.entries(requested).every(([name, value]) => {
    if (value === undefined || COMPATIBLE_OPTIONS.has(name)) return true;
    if (name === 'executablePath') return value === executablePath;
    return name === 'args' && Array.isArray(value) && value.every((argument) => ARGS.includes(argument));
  });
}

function watchContexts(browser: Browser, hooks: LaunchHooks): void {
  hooks.onBrowser(browser);
  const newContext = browser.newContext.bind(browser);
  browser.newContext = async (given) => {
    const context = await newContext({ ...hooks.contextDefaults(), ...given });
    await hooks.onContext(context);
    return context;
  };
}

/** A library that the machine lacks is named below Playwright's long account of the command line. */
function withCause(error: unknown): unknown {
  const [missing] = /error while loading shared libraries: .*/.exec(String(error)) ?? [];
  return missing === undefined ? error : new Error(missing, { cause: error });
}

function firstLine(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).split('\n')[0] ?? '';
}
