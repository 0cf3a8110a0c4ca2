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
export function maskVariables<T extends Variables>(variables: T): T {
  if (!variables) return variables;
  return variables.map((variable) =>
    variable.secret || variable.locked ? { ...variable, value: '' } : variable,
  ) as T;
}

/** An empty value for a hidden variable means: as it was. */
export function restoreVariables<T extends Variables>(variables: T, before: Variables): T {
  if (!variables || !before) return variables;
  return variables.map((variable) => {
    const previous = before.find(({ key }) => key === variable.key);
    const isHidden = previous?.secret || previous?.locked;
    return isHidden && variable.value === '' ? { ...variable, value: previous.value } : variable;
  }) as T;
}

/** The defaults of API checks without the password. */
export function maskDefaults(defaults: NonNullable<Defaults>): NonNullable<Defaults> {
  return omitPassword(defaults);
}

function omitPassword<T extends { basicAuth?: Auth }>(value: T): T {
  if (!value.basicAuth) return value;
  const { password: _, ...visible } = value.basicAuth;
  return { ...value, basicAuth: visible };
}

/** A password that is left out beside the user name it was stored with means: as it was. */
export function restoreDefaults<T extends Defaults>(defaults: T, before: Defaults): T {
  return defaults ? restorePassword(defaults, before?.basicAuth) : defaults;
}

function restorePassword<T extends { basicAuth?: Auth }>(value: T, previous: Auth | undefined): T {
  const auth = value.basicAuth;
  if (!auth || auth.password !== undefined || previous?.password === undefined) return value;
  if (auth.username !== previous.username) return value;
  return { ...value, basicAuth: { ...auth, password: previous.password } };
}

const maskPairs = (pairs: Pairs): Pairs =>
  pairs?.map((pair) => (pair.locked ? { ...pair, value: '' } : pair));
/** Of several of one name the nth stands for the nth. */
const restorePairs = (pairs: Pairs, before: Pairs): Pairs =>
  pairs?.map((pair, index) => {
    if (!pair.locked || pair.value !== '') return pair;
    const nth = pairs.slice(0, index).filter(({ key }) => key === pair.key).length;
    const previous = before?.filter(({ key }) => key === pair.key)[nth];
    return previous?.locked ? { ...pair, value: previous.value } : pair;
  });

/** An API check's request without its password and without the values of locked headers and query parameters. */
export function maskRequest(request: ApiRequest): ApiRequest {
  return mapPairs(omitPassword(request), maskPairs);
}

/** What a request hides and was sent back so means: as it was. */
export function restoreRequest(request: ApiRequest, before: ApiRequest): ApiRequest {
  return mapPairs(restorePassword(request, before.basicAuth), (pairs, field) =>
    restorePairs(pairs, before[field]),
  );
}

type PairField = 'headers' | 'queryParameters';
function mapPairs(request: ApiRequest, change: (pairs: Pairs, field: PairField) => Pairs): ApiRequest {
  const { headers, queryParameters } = request;
  return {
    ...request,
    ...(headers ? { headers: change(headers, 'headers') } : {}),
    ...(queryParameters ? { queryParameters: change(queryParameters, 'queryParameters') } : {}),
  } as ApiRequest;
}
