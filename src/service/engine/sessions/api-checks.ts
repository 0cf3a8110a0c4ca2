/** What an API check is run with besides its own fields: its group's defaults, and the scripts of its phases. Pure. */
import type { ApiCheckBody, CheckGroupBody } from '../../store/index.ts';

type Request = ApiCheckBody['request'];
type Defaults = NonNullable<CheckGroupBody['apiCheckDefaults']>;
type Pairs = NonNullable<Request['headers']>;

/** Where a script stands: with its check or group, or in a snippet. */
export type ScriptSource =
  | { readonly name: string; readonly script: string }
  | { readonly name: string; readonly snippetId: number };

/** A script as it is run, and whose it is: `the group's setup snippet "log in"`. */
export interface PhaseScript {
  readonly name: string;
  readonly script: string;
}

type Phase = 'setup' | 'tearDown';
type Owner = Partial<
  Pick<ApiCheckBody, 'setupSnippetId' | 'tearDownSnippetId' | 'localSetupScript' | 'localTearDownScript'>
>;

/** The scripts of a phase: the group's around the check's, of each the snippet first. */
export function sourcesOf(phase: Phase, check: Owner, group: Owner | undefined): readonly ScriptSource[] {
  const own = sourcesFrom(phase, "the check's", check);
  const groups = group ? sourcesFrom(phase, "the group's", group) : [];
  return phase === 'setup' ? [...groups, ...own] : [...own, ...groups];
}

function sourcesFrom(phase: Phase, whose: string, owner: Owner): ScriptSource[] {
  const isSetup = phase === 'setup';
  const snippetId = isSetup ? owner.setupSnippetId : owner.tearDownSnippetId;
  const script = isSetup ? owner.localSetupScript : owner.localTearDownScript;
  const name = `${whose} ${isSetup ? 'setup' : 'teardown'}`;
  return [
    ...(typeof snippetId === 'number' ? [{ name: `${name} snippet`, snippetId }] : []),
    ...(script ? [{ name: `${name} script`, script }] : []),
  ];
}

/** A snippet as it was when the session was planned. */
export interface Snippet {
  readonly name: string;
  readonly script: string;
}

/** The texts of scripts; `problem` where a snippet is there no longer: then nothing of the check may run. */
export function resolved(
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

/** The request with its group's defaults: what the check says itself goes before them, and assertions hold of both. */
export function requestWith(request: Request, defaults: Defaults | undefined): Request {
  if (defaults === undefined) return request;
  const basicAuth = request.basicAuth?.username
    ? request.basicAuth
    : (defaults.basicAuth ?? request.basicAuth);
  return {
    ...request,
    url: urlWithin(defaults.url, request.url),
    headers: without(defaults.headers, request.headers, (key) => key.toLowerCase()),
    queryParameters: without(defaults.queryParameters, request.queryParameters, (key) => key),
    assertions: [...(defaults.assertions ?? []), ...(request.assertions ?? [])],
    ...(basicAuth === undefined ? {} : { basicAuth }),
  };
}

/** The address below the base; one that is whole, or that a variable begins, stands by itself. */
function urlWithin(base: string | undefined, url: string): string {
  if (!base || /^(?:[a-z][a-z\d+.-]*:\/\/|\{\{)/i.test(url)) return url;
  if (url === '' || /^[?#]/.test(url)) return base + url;
  return `${base.replace(/\/+$/, '')}/${url.replace(/^\/+/, '')}`;
}

function without(
  defaults: Defaults['headers'],
  own: Pairs | undefined,
  nameOf: (key: string) => string,
): Pairs {
  const named = new Set((own ?? []).map(({ key }) => nameOf(key)));
  return [...(defaults ?? []).filter(({ key }) => !named.has(nameOf(key))), ...(own ?? [])];
}

/** What of a request appears in no result. */
export function secretsOfRequest({ basicAuth, headers = [], queryParameters = [] }: Request): string[] {
  const { username = '', password = '' } = basicAuth ?? {};
  return [
    // Together they stand in the header, in Base64.
    ...(password === '' ? [] : [password, `${username}:${password}`]),
    ...[...headers, ...queryParameters].filter(({ locked }) => locked).map(({ value }) => value),
  ];
}
