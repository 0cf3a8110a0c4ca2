/** Values that an answer never shows, and how a client that sends back what it was shown keeps them. */
import type {
  BodyOf,
  createApiCheck,
  createBrowserCheck,
  createCheckGroup,
} from '../../../contract/index.ts';

type Variables = BodyOf<typeof createBrowserCheck>['environmentVariables'];
type ApiRequest = BodyOf<typeof createApiCheck>['request'];
type Pairs = ApiRequest['headers'];
type Auth = ApiRequest['basicAuth'];
type Defaults = BodyOf<typeof createCheckGroup>['apiCheckDefaults'];

/** Variables as answers show them: the value of a secret or locked one is an empty text. */
export function shownVariables<T extends Variables>(variables: T): T {
  if (!variables) return variables;
  return variables.map((variable) =>
    variable.secret || variable.locked ? { ...variable, value: '' } : variable,
  ) as T;
}

/** An empty value for a hidden variable means: as it was. */
export function keptVariables<T extends Variables>(variables: T, before: Variables): T {
  if (!variables || !before) return variables;
  return variables.map((variable) => {
    const known = before.find(({ key }) => key === variable.key);
    const isHidden = known?.secret || known?.locked;
    return isHidden && variable.value === '' ? { ...variable, value: known.value } : variable;
  }) as T;
}

/** The defaults of API checks without the password. */
export function shownDefaults(defaults: NonNullable<Defaults>): NonNullable<Defaults> {
  return withoutPassword(defaults);
}

function withoutPassword<T extends { basicAuth?: Auth }>(value: T): T {
  if (!value.basicAuth) return value;
  const { password: _, ...shown } = value.basicAuth;
  return { ...value, basicAuth: shown };
}

/** A password that is left out beside the user name it was stored with means: as it was. */
export function keptDefaults<T extends Defaults>(defaults: T, before: Defaults): T {
  return defaults ? withPassword(defaults, before?.basicAuth) : defaults;
}

function withPassword<T extends { basicAuth?: Auth }>(value: T, known: Auth | undefined): T {
  const auth = value.basicAuth;
  if (!auth || auth.password !== undefined || known?.password === undefined) return value;
  if (auth.username !== known.username) return value;
  return { ...value, basicAuth: { ...auth, password: known.password } };
}

const shownPairs = (pairs: Pairs): Pairs =>
  pairs?.map((pair) => (pair.locked ? { ...pair, value: '' } : pair));
/** Of several of one name the nth stands for the nth. */
const keptPairs = (pairs: Pairs, before: Pairs): Pairs =>
  pairs?.map((pair, place) => {
    if (!pair.locked || pair.value !== '') return pair;
    const nth = pairs.slice(0, place).filter(({ key }) => key === pair.key).length;
    const known = before?.filter(({ key }) => key === pair.key)[nth];
    return known?.locked ? { ...pair, value: known.value } : pair;
  });

/** An API check's request without its password and without the values of locked headers and query parameters. */
export function shownRequest(request: ApiRequest): ApiRequest {
  return withPairs(withoutPassword(request), shownPairs);
}

/** What a request hides and was sent back so means: as it was. */
export function keptRequest(request: ApiRequest, before: ApiRequest): ApiRequest {
  return withPairs(withPassword(request, before.basicAuth), (pairs, field) =>
    keptPairs(pairs, before[field]),
  );
}

type PairField = 'headers' | 'queryParameters';
function withPairs(request: ApiRequest, change: (pairs: Pairs, field: PairField) => Pairs): ApiRequest {
  const { headers, queryParameters } = request;
  return {
    ...request,
    ...(headers ? { headers: change(headers, 'headers') } : {}),
    ...(queryParameters ? { queryParameters: change(queryParameters, 'queryParameters') } : {}),
  } as ApiRequest;
}
