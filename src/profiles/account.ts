/** Resolves the account and the header that carries its ID. */
import { UsageError } from '../base/errors.ts';
import type { Environment } from './folders.ts';
import type { ProjectFile } from './project-file.ts';
import { validateAccountId, validateHeaderName } from './rules.ts';
import { formatSource, readFlagAndVariable, type Source, type SourcedValue } from './sources.ts';
import type { Profile } from './user-file.ts';

/** The part of the context that names an account. */
interface AccountContext {
  readonly env: Environment;
  readonly flags?: {
    readonly account?: string | undefined;
    readonly accountHeader?: string | undefined;
  };
}

/** Returns the accounts, in order of precedence. Throws UsageError for an invalid one. */
export function resolveAccounts(
  { env, flags }: AccountContext,
  project: ProjectFile | undefined,
  ownProfile: Profile | undefined,
  fromUser: Source,
): readonly SourcedValue[] {
  const explicit = readFlagAndVariable(flags?.account, '--account', env, 'SONDE_ACCOUNT_ID');
  const [first] = explicit;
  const problem = first === undefined ? undefined : validateAccountId(first.value);
  if (first !== undefined && problem !== undefined) throw invalidValueError(first.source, problem);
  return [
    ...explicit,
    ...fromProject(project, 'accountId'),
    ...fromUserFile(ownProfile?.accountId, fromUser),
  ];
}

/** Returns the headers, in order of precedence. Throws UsageError for an invalid one. */
export function resolveAccountHeaders(
  { env, flags }: AccountContext,
  ownProfile: Profile | undefined,
  fromUser: Source,
): readonly SourcedValue[] {
  const explicit = readFlagAndVariable(flags?.accountHeader, '--account-header', env, 'SONDE_ACCOUNT_HEADER');
  const [first] = explicit;
  const problem = first === undefined ? undefined : validateHeaderName(first.value);
  if (first !== undefined && problem !== undefined) throw invalidValueError(first.source, problem);
  return [...explicit, ...fromUserFile(ownProfile?.accountHeader, fromUser)];
}

/** Returns the value of a project file. */
export const fromProject = (
  project: ProjectFile | undefined,
  key: 'accountId' | 'profile',
): readonly SourcedValue[] =>
  project?.[key] === undefined
    ? []
    : [{ value: project[key], source: { from: 'project file', path: project.path } }];

export const fromUserFile = (value: string | undefined, source: Source): readonly SourcedValue[] =>
  value === undefined ? [] : [{ value, source }];

/** Returns the error of a value, with its source. */
export function invalidValueError(source: Source, problem: string): UsageError {
  const place = formatSource(source);
  return new UsageError(`${place} ${problem}`, { details: [{ place, message: problem }] });
}
