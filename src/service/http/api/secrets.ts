/** Masks secrets in responses, and restores them when a client sends a response back. */
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

/** Returns variables for responses, with empty values for secret and locked ones. */
export function maskVariables<T extends Variables>(variables: T): T {
  if (!variables) return variables;
  return variables.map((variable) =>
    variable.secret || variable.locked ? { ...variable, value: '' } : variable,
  ) as T;
}

/** Restores the values of hidden variables that are sent empty. */
export function restoreVariables<T extends Variables>(variables: T, before: Variables): T {
  if (!variables || !before) return variables;
  return variables.map((variable) => {
    const previous = before.find(({ key }) => key === variable.key);
    const isHidden = previous?.secret || previous?.locked;
    return isHidden && variable.value === '' ? { ...variable, value: previous.value } : variable;
  }) as T;
}

/** Returns the defaults of API checks without the password. */
export function maskDefaults(defaults: NonNullable<Defaults>): NonNullable<Defaults> {
  return omitPassword(defaults);
}

function omitPassword<T extends { basicAuth?: Auth }>(value: T): T {
  if (!value.basicAuth) return value;
  const { password: _, ...visible } = value.basicAuth;
  return { ...value, basicAuth: visible };
}

/** Restores a missing password if the user name is unchanged. */
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
/** The nth pair with a name takes the value of the nth stored pair with it. */
const restorePairs = (pairs: Pairs, before: Pairs): Pairs =>
  pairs?.map((pair, index) => {
    if (!pair.locked || pair.value !== '') return pair;
    const nth = pairs.slice(0, index).filter(({ key }) => key === pair.key).length;
    const previous = before?.filter(({ key }) => key === pair.key)[nth];
    return previous?.locked ? { ...pair, value: previous.value } : pair;
  });

/** Returns an API check's request without its password and the values of locked headers and query parameters. */
export function maskRequest(request: ApiRequest): ApiRequest {
  return mapPairs(omitPassword(request), maskPairs);
}

/** Restores the hidden values that a client sends back. */
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
