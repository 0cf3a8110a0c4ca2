/** The browser of a run: launched ahead, and handed to the first who asks for one like it. */
import type { ChildProcess } from 'node:child_process';
import type { Preparation } from '../protocol.ts';
import { throughProxy } from './egress.ts';
import type {
  APIRequestContext,
  Browser,
  BrowserContext,
  BrowserContextOptions,
  LaunchOptions,
  Library,
  OpenBrowserType,
} from './locate-playwright.ts';
import { rehearseBrowsing } from './warm-up.ts';
import { withFirstSpawned } from './child-processes.ts';

/** Nobody listens: the browser is spoken to over a pipe. */
const ARGS = ['--disable-dev-shm-usage', '--no-first-run', '--disable-gpu'];
/** For a browser behind a proxy: WebRTC would go past it. Older browsers know the second name. */
const PROXIED = ['webrtc-ip-handling-policy', 'force-webrtc-ip-handling-policy'].map(
  (name) => `--${name}=disable_non_proxied_udp`,
);
const LAUNCH_MS = 45_000;

/** What may be asked of a launch without making the browser another than the one launched ahead. */
const HARMLESS = new Set([
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
  requests.newContext = async function (this: Library['request'], given) {
    const context = await newContext.call(this, given);
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
  { executablePath, sandboxed, rehearses }: Preparation & { readonly executablePath: string },
  proxy: string | null,
  hooks: LaunchHooks,
): Promise<Launched> {
  const { chromium } = library;
  const type = Object.getPrototypeOf(chromium) as OpenBrowserType;
  const launch = type.launch;
  const launchPersistent = type.launchPersistentContext;
  const own = proxy === null ? ARGS : [...ARGS, ...PROXIED];
  const options = (chromiumSandbox: boolean): LaunchOptions => ({
    ...{ executablePath, headless: true, args: own, chromiumSandbox, timeout: LAUNCH_MS },
    ...{ handleSIGINT: false, handleSIGTERM: false, handleSIGHUP: false },
    ...(proxy === null ? {} : { proxy: throughProxy(proxy) }),
  });
  const started = async (chromiumSandbox: boolean) => {
    const launching = () => launch.call(chromium, options(chromiumSandbox));
    const { result: browser, first } = await withFirstSpawned(launching);
    return { browser, child: first, sandboxed: chromiumSandbox };
  };
  // A machine that is busy is no reason to do without the sandbox from then on.
  const isSlow = (error: unknown) => error instanceof Error && error.name === 'TimeoutError';
  const ahead = await started(sandboxed)
    .catch((error: unknown) => started(sandboxed && isSlow(error)))
    .catch((error: unknown) => {
      throw withCause(error);
    });
  // A rehearsal that goes wrong, on a machine that is busy, costs time and nothing else.
  if (rehearses) await rehearseBrowsing(ahead.browser).catch(() => {});
  let spare: Browser | undefined = ahead.browser;

  /** The options of a script with what the machine needs. */
  function completed<O extends LaunchOptions>(given: O): O {
    const { channel: _, args = [], ignoreDefaultArgs, ...rest } = given;
    return {
      ...options(ahead.sandboxed),
      ...rest,
      headless: true,
      executablePath: rest.executablePath ?? executablePath,
      args: [...own, ...args],
      ...(ignoreDefaultArgs === undefined ? {} : { ignoreDefaultArgs }),
    } as unknown as O;
  }

  async function launchFor(this: OpenBrowserType, given: LaunchOptions = {}): Promise<Browser> {
    if (this.name() !== 'chromium') throw noOther(this.name(), hooks);
    const asked: LaunchOptions = { ...this._playwright?._defaultLaunchOptions, ...given };
    const isPlain = isLike(asked, executablePath);
    if (spare?.isConnected() && isPlain) {
      const taken = spare;
      spare = undefined;
      watchContexts(taken, hooks);
      return taken;
    }
    try {
      const browser = await launch.call(this, completed(asked));
      watchContexts(browser, hooks);
      return browser;
    } catch (error) {
      // What a script adds to a launch may well be why it failed.
      if (isPlain) hooks.onFault(`the browser could not be started: ${firstLine(error)}`);
      throw error;
    }
  }
  type.launch = launchFor as typeof launch;
  type.launchPersistentContext = async function (this: OpenBrowserType, folder, given = {}) {
    if (this.name() !== 'chromium') throw noOther(this.name(), hooks);
    const context = await launchPersistent.call(this, folder, completed(given));
    await hooks.onContext(context);
    return context;
  };
  return { version: ahead.browser.version(), sandboxed: ahead.sandboxed, child: ahead.child };
}

function noOther(name: string, { onFault }: LaunchHooks): Error {
  const reason = `${name} is not available: browser checks run in Chromium`;
  onFault(reason);
  return new Error(reason);
}

/** Whether the browser launched ahead is what is asked for. */
function isLike(asked: LaunchOptions, executablePath: string): boolean {
  return Object.entries(asked).every(([name, value]) => {
    if (value === undefined || HARMLESS.has(name)) return true;
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
