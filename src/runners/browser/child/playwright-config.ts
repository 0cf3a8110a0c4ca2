/** Applies the Playwright options of a check: to the configuration of Playwright Test, or to a plain script. */
import type { PlaywrightConfig } from '../protocol.ts';
import type { APIRequest, BrowserContext, BrowserContextOptions, Library } from './locate-playwright.ts';

type Config = PlaywrightConfig | null | undefined;
type Use = NonNullable<PlaywrightConfig['use']>;

/** Returns the options of contexts. Playwright requires a password. */
function useOf(config: Config): Use {
  const { httpCredentials, ...use } = config?.use ?? {};
  return httpCredentials ? { ...use, httpCredentials: { password: '', ...httpCredentials } } : use;
}

/** Returns the settings of Playwright Test. `base`: options that the check may replace. */
export const toTestSettings = (config: Config, base: object) => ({
  ...(config?.timeout === undefined ? {} : { timeout: config.timeout }),
  ...(config?.expect === undefined ? {} : { expect: config.expect }),
  use: { ...base, ...useOf(config) },
});

/** Returns the time limit of a plain script, which counts as one test. */
export const limitScriptMs = (config: Config, timeoutMs: number): number =>
  Math.min(config?.timeout || timeoutMs, timeoutMs);

/** Returns what a plain script cannot use of the options, as a sentence without a full stop; undefined: nothing. */
export const describeUnused = (config: Config): string | undefined =>
  config?.expect?.timeout === undefined
    ? undefined
    : 'playwrightConfig.expect.timeout only applies to tests that import "test" of "@playwright/test"';

/** Options that are no options of a context. */
const OTHER_OPTIONS: readonly (keyof Use)[] = ['actionTimeout', 'navigationTimeout', 'testIdAttribute'];
/** Options of contexts that only send requests. */
const REQUEST_OPTIONS: readonly (keyof Use)[] = [
  'baseURL',
  'extraHTTPHeaders',
  'httpCredentials',
  'ignoreHTTPSErrors',
  'userAgent',
];

const pick = (use: Use, isWanted: (name: keyof Use) => boolean): Partial<Use> =>
  Object.fromEntries(Object.entries(use).filter(([name]) => isWanted(name as keyof Use)));

/** Returns the options of the contexts of a plain script. */
export const toContextOptions = (config: PlaywrightConfig): BrowserContextOptions =>
  pick(useOf(config), (name) => !OTHER_OPTIONS.includes(name)) as BrowserContextOptions;

/** Sets what a plain script's library has for all contexts. */
export function configureLibrary({ request, selectors }: Library, config: PlaywrightConfig): void {
  const use = useOf(config);
  if (use.testIdAttribute !== undefined) selectors.setTestIdAttribute(use.testIdAttribute);
  const defaults = pick(use, (name) => REQUEST_OPTIONS.includes(name));
  const requests = Object.getPrototypeOf(request) as APIRequest;
  const { newContext } = requests;
  requests.newContext = function (this: APIRequest, options) {
    return newContext.call(this, { ...(defaults as typeof options), ...options });
  };
}

/** Limit of a navigation without a setting, in ms. `setDefaultTimeout` would change it, too. */
const NAVIGATION_MS = 30_000;

/** Sets the time limits of a context of a plain script. */
export function limitActions(
  context: Pick<BrowserContext, 'setDefaultTimeout' | 'setDefaultNavigationTimeout'>,
  { use: { actionTimeout, navigationTimeout } = {} }: PlaywrightConfig,
): void {
  if (actionTimeout === undefined && navigationTimeout === undefined) return;
  if (actionTimeout !== undefined) context.setDefaultTimeout(actionTimeout);
  context.setDefaultNavigationTimeout(navigationTimeout ?? NAVIGATION_MS);
}
