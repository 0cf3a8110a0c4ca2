/** Prepares the browser of a run: launches it in advance, and returns it for the first compatible `launch`. */
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

/** The browser uses a pipe, so no port is opened. */
const ARGS = ['--disable-dev-shm-usage', '--no-first-run', '--disable-gpu'];
/** For a browser behind a proxy, which WebRTC would bypass. Older browsers know only the second name. */
const PROXY_ARGS = ['webrtc-ip-handling-policy', 'force-webrtc-ip-handling-policy'].map(
  (name) => `--${name}=disable_non_proxied_udp`,
);
const LAUNCH_MS = 45_000;

/** Options that the prelaunched browser satisfies. */
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

export interface LaunchHooks {
  readonly onBrowser: (browser: Browser) => void;
  readonly contextDefaults: () => BrowserContextOptions;
  /** Called with each context before the script gets it. */
  readonly onContext: (context: BrowserContext) => Promise<void>;
  /** Called if no browser can be started and the script did not cause that. */
  readonly onFault: (reason: string) => void;
  readonly onRequests: (context: APIRequestContext) => Promise<void>;
  /** Called if the script needs a browser that its check type does not provide. */
  readonly onMisuse: (reason: string) => void;
  /** Called if a context asks for a video that cannot be recorded here; undefined: videos can be recorded. */
  readonly withoutVideo: (() => void) | undefined;
}

/** Makes each browser launch fail, for scripts that only send requests. */
export function refuseBrowsers(library: Library, { onMisuse, onRequests }: LaunchHooks) {
  const requests = Object.getPrototypeOf(library.request) as Library['request'];
  const { newContext } = requests;
  requests.newContext = async function (this: Library['request'], options) {
    const context = await newContext.call(this, options);
    await onRequests(context);
    return context;
  };
  const type = Object.getPrototypeOf(library.chromium) as OpenBrowserType;
  const reason =
    'this script has no browser: multi-step checks only send requests (request of Playwright). Use a browser check for pages';
  const refuse = async () => {
    onMisuse(reason);
    throw new Error(reason);
  };
  for (const name of ['launch', 'launchPersistentContext', 'connect', 'connectOverCDP', 'launchServer'])
    Object.assign(type, { [name]: refuse });
  return { version: '', sandboxed: false, child: undefined };
}

/**
 * Launches a browser in advance and replaces `launch`. Another browser starts only if the script needs it (different
 * arguments, a proxy, a second browser). Rejects if the browser cannot be started.
 */
export async function prepareBrowser(
  library: Library,
  { executablePath, sandboxed, warmsUp }: Preparation & { readonly executablePath: string },
  proxy: string | null,
  hooks: LaunchHooks,
) {
  const { chromium } = library;
  const type = Object.getPrototypeOf(chromium) as OpenBrowserType;
  const launch = type.launch;
  const launchPersistent = type.launchPersistentContext;
  const baseArgs = proxy === null ? ARGS : [...ARGS, ...PROXY_ARGS];
  const options = (chromiumSandbox: boolean): LaunchOptions => ({
    executablePath,
    headless: true,
    args: baseArgs,
    chromiumSandbox,
    timeout: LAUNCH_MS,
    handleSIGINT: false,
    handleSIGTERM: false,
    handleSIGHUP: false,
    ...(proxy === null ? {} : { proxy: toBrowserProxy(proxy) }),
  });
  const startBrowser = async (chromiumSandbox: boolean) => {
    const start = () => launch.call(chromium, options(chromiumSandbox));
    const { result: browser, first: child } = await captureFirstChild(start);
    return { browser, child, version: browser.version(), sandboxed: chromiumSandbox };
  };
  // A timeout on a busy machine does not mean that the sandbox fails.
  const isSlow = (error: unknown) => error instanceof Error && error.name === 'TimeoutError';
  const prelaunched = await startBrowser(sandboxed)
    .catch((error: unknown) => startBrowser(sandboxed && isSlow(error)))
    .catch((error: unknown) => {
      throw withCause(error);
    });
  // A failed warm-up only costs time.
  if (warmsUp) await warmUpBrowser(prelaunched.browser).catch(() => {});
  let spare: Browser | undefined = prelaunched.browser;

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
      // The script's own options may have caused the failure.
      if (isCompatible) hooks.onFault(`the browser could not be started: ${firstLine(error)}`);
      throw error;
    }
  }
  type.launch = launchFor as typeof launch;
  type.launchPersistentContext = async function (this: OpenBrowserType, folder, options = {}) {
    if (this.name() !== 'chromium') throw unavailableBrowser(this.name(), hooks);
    const complete = completeOptions({ ...hooks.contextDefaults(), ...fitVideo(options, hooks) });
    const context = await launchPersistent.call(this, folder, complete);
    await hooks.onContext(context);
    return context;
  };
  return prelaunched;
}

/** Opens and closes a page, because the first page of a browser takes longest. */
async function warmUpBrowser(browser: Browser): Promise<void> {
  const context = await browser.newContext();
  await context.tracing.start({ screenshots: true, snapshots: true });
  const page = await context.newPage();
  await page.goto('data:text/html,<title>ready</title><h1>ready</h1>');
  await page.locator('h1').textContent();
  await context.tracing.stop();
  await context.close();
}

function unavailableBrowser(name: string, { onFault }: LaunchHooks): Error {
  const reason = `${name} is not available: browser checks run in Chromium`;
  onFault(reason);
  return new Error(reason);
}

function matchesPrelaunched(requested: LaunchOptions, executablePath: string): boolean {
  return Object.entries(requested).every(([name, value]) => {
    if (value === undefined || COMPATIBLE_OPTIONS.has(name)) return true;
    if (name === 'executablePath') return value === executablePath;
    return name === 'args' && Array.isArray(value) && value.every((argument) => ARGS.includes(argument));
  });
}

/** Removes the video from the options of a context if it cannot be recorded. */
function fitVideo<O extends BrowserContextOptions>(options: O, { withoutVideo }: LaunchHooks): O {
  if (withoutVideo === undefined || options.recordVideo === undefined) return options;
  withoutVideo();
  const { recordVideo: _, ...rest } = options;
  return rest as O;
}

function watchContexts(browser: Browser, hooks: LaunchHooks): void {
  hooks.onBrowser(browser);
  const newContext = browser.newContext.bind(browser);
  browser.newContext = async (given) => {
    const context = await newContext({ ...hooks.contextDefaults(), ...fitVideo(given ?? {}, hooks) });
    await hooks.onContext(context);
    return context;
  };
}

/** Returns an error that names a missing library, which Playwright's long message shows only at its end. */
function withCause(error: unknown): unknown {
  const [missing] = /error while loading shared libraries: .*/.exec(String(error)) ?? [];
  return missing === undefined ? error : new Error(missing, { cause: error });
}

function firstLine(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).split('\n')[0] ?? '';
}
