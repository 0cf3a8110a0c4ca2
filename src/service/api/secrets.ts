/** Values that an answer never shows, and how a client that sends back what it was shown keeps them. */
import type { BodyOf, createBrowserCheck, createCheckGroup } from '../../contract/index.ts';

type Variables = BodyOf<typeof createBrowserCheck>['environmentVariables'];
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
  const { basicAuth, ...rest } = defaults;
  if (!basicAuth) return rest;
  const { password: _, ...shown } = basicAuth;
  return { ...rest, basicAuth: shown };
}

/** A password that is left out beside the user name it was stored with means: as it was. */
export function keptDefaults<T extends Defaults>(defaults: T, before: Defaults): T {
  const [auth, known] = [defaults?.basicAuth, before?.basicAuth];
  if (!auth || auth.password !== undefined || known?.password === undefined) return defaults;
  if (auth.username !== known.username) return defaults;
  return { ...defaults, basicAuth: { ...auth, password: known.password } } as T;
}
