/** Combines an API check with its group's defaults and with the scripts of its phases. Pure. */
import { trimSlashes } from '../../../base/trim-slashes.ts';
import type { ApiCheckBody, CheckGroupBody } from '../../store/index.ts';

type Request = ApiCheckBody['request'];
type Defaults = NonNullable<CheckGroupBody['apiCheckDefaults']>;
type Pairs = NonNullable<Request['headers']>;

/** The source of a script: its own text or a snippet. */
export type ScriptSource =
  | { readonly name: string; readonly script: string }
  | { readonly name: string; readonly snippetId: number };

/** A script to run, with a name such as `the group's setup snippet "log in"`. */
export interface PhaseScript {
  readonly name: string;
  readonly script: string;
}

type Phase = 'setup' | 'tearDown';
type Owner = Partial<
  Pick<ApiCheckBody, 'setupSnippetId' | 'tearDownSnippetId' | 'localSetupScript' | 'localTearDownScript'>
>;

/** Returns the scripts of a phase. The group's enclose the check's, and each snippet comes before its script. */
export function scriptSources(phase: Phase, check: Owner, group: Owner | undefined): readonly ScriptSource[] {
  const own = ownSources(phase, "the check's", check);
  const groups = group ? ownSources(phase, "the group's", group) : [];
  return phase === 'setup' ? [...groups, ...own] : [...own, ...groups];
}

function ownSources(phase: Phase, label: string, owner: Owner): ScriptSource[] {
  const isSetup = phase === 'setup';
  const snippetId = isSetup ? owner.setupSnippetId : owner.tearDownSnippetId;
  const script = isSetup ? owner.localSetupScript : owner.localTearDownScript;
  const name = `${label} ${isSetup ? 'setup' : 'teardown'}`;
  return [
    ...(typeof snippetId === 'number' ? [{ name: `${name} snippet`, snippetId }] : []),
    ...(script ? [{ name: `${name} script`, script }] : []),
  ];
}

/** A snippet as of the planning of the session. */
export interface Snippet {
  readonly name: string;
  readonly script: string;
}

/** Resolves the texts of scripts. `problem`: a snippet no longer exists, so the check must not run. */
export function resolveScripts(
  sources: readonly ScriptSource[],
  snippetOf: (id: number) => Snippet | undefined,
): { readonly scripts: readonly PhaseScript[]; readonly problem: string | undefined } {
  const scripts: PhaseScript[] = [];
  for (const source of sources) {
    if ('script' in source) {
      scripts.push(source);
      continue;
    }
    const snippet = snippetOf(source.snippetId);
    if (snippet === undefined) {
      return { scripts: [], problem: `${source.name} ${source.snippetId} no longer exists` };
    }
    scripts.push({ name: `${source.name} "${snippet.name}"`, script: snippet.script });
  }
  return { scripts, problem: undefined };
}

/** Returns the request with its group's defaults. The check's own values take precedence; assertions are combined. */
export function applyRequestDefaults(request: Request, defaults: Defaults | undefined): Request {
  if (defaults === undefined) return request;
  const basicAuth = request.basicAuth?.username
    ? request.basicAuth
    : (defaults.basicAuth ?? request.basicAuth);
  return {
    ...request,
    url: resolveUrl(defaults.url, request.url),
    headers: mergePairs(defaults.headers, request.headers, (key) => key.toLowerCase()),
    queryParameters: mergePairs(defaults.queryParameters, request.queryParameters, (key) => key),
    assertions: [...(defaults.assertions ?? []), ...(request.assertions ?? [])],
    ...(basicAuth === undefined ? {} : { basicAuth }),
  };
}

/** Returns a URL relative to the base. It does not change an absolute URL, or one that starts with a variable. */
function resolveUrl(base: string | undefined, url: string): string {
  if (!base || /^(?:[a-z][a-z\d+.-]*:\/\/|\{\{)/i.test(url)) return url;
  if (url === '' || /^[?#]/.test(url)) return base + url;
  return `${trimSlashes(base)}/${url.replace(/^\/+/, '')}`;
}

/**
 * Returns the request with the scheme, host and port of a deployment, if it names one. A variable at the start of the URL
 * stands for them.
 */
export function deployedAt<R extends { readonly url: string }>(
  request: R,
  environmentUrl: string | undefined,
): R {
  if (environmentUrl === undefined) return request;
  const { origin } = new URL(environmentUrl);
  return { ...request, url: request.url.replace(/^(?:https?:\/\/[^/?#]*|\{\{[^{}]*\}\})/i, () => origin) };
}

function mergePairs(
  defaults: Defaults['headers'],
  own: Pairs | undefined,
  nameOf: (key: string) => string,
): Pairs {
  const named = new Set((own ?? []).map(({ key }) => nameOf(key)));
  return [...(defaults ?? []).filter(({ key }) => !named.has(nameOf(key))), ...(own ?? [])];
}

/** Returns the values of a request that must not appear in results. */
export function requestSecrets({ basicAuth, headers = [], queryParameters = [] }: Request): string[] {
  const { username = '', password = '' } = basicAuth ?? {};
  return [
    // The Authorization header contains both together, in Base64.
    ...(password === '' ? [] : [password, `${username}:${password}`]),
    ...[...headers, ...queryParameters].filter(({ locked }) => locked).map(({ value }) => value),
  ];
}
