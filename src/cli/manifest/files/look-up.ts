/** Looks up the values of variables. Files may read only those that the project or the user lists. */
import type { AddProblem, Source } from './source.ts';
import { NAME, type VariableScope } from './variables.ts';

const SECRET_NAME = /token|secret|passw(?:or)?d|key|credential|auth|hook|dsn|\bpin\b|signature/i;
/** The key of the command, which no file may read. */
const OWN_KEY = 'SONDE_API_KEY';

/** Where values come from. */
export interface ValueSources {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The values of --secrets, which override the environment. The files may read all of them. */
  readonly secrets?: ReadonlyMap<string, string>;
  /** Patterns of --allow-env, which replace the lists of the files; empty: the lists hold. */
  readonly allowEnv?: readonly string[];
}

/** Returns the names of variables in `variables`, beside the variables of the account. Reports other texts. */
export function listDeclared(sources: readonly Source[], addProblem: AddProblem): ReadonlySet<string> {
  return new Set(
    sources.flatMap(({ value, formatLocation }) => {
      const list = value.variables;
      const items = Array.isArray(list) ? (list as readonly unknown[]) : [];
      return items.flatMap((item, index) => {
        if (typeof item !== 'string') return [];
        if (NAME.test(item)) return [item];
        addProblem(formatLocation(['variables', index]), `"${item}" is not the name of a variable`);
        return [];
      });
    }),
  );
}

/** Returns whether a name matches a pattern, in which `*` stands for any characters. Reads the name once, for any number of `*`. */
export function matchesName(name: string, pattern: string): boolean {
  const [start = '', ...parts] = pattern.split('*');
  const end = parts.pop();
  if (end === undefined) return name === start;
  if (!name.startsWith(start)) return false;
  let from = start.length;
  for (const part of parts) {
    const found = name.indexOf(part, from);
    if (found === -1) return false;
    from = found + part.length;
  }
  return from + end.length <= name.length && name.endsWith(end);
}

export interface LookUp {
  readonly lookUp: VariableScope['lookUp'];
  /** The variables that the files use but may not read. */
  readonly refused: ReadonlySet<string>;
}

/** What learns the values that were found. */
interface Learn {
  readonly addValue: (value: string, name: string) => void;
  /** Receives the values of variables with names like secrets. */
  readonly addSecret: (value: string) => void;
}

/** Returns a function that looks up variables. */
export function createLookUp(
  { env, secrets = new Map(), allowEnv = [] }: ValueSources,
  declared: ReadonlySet<string>,
  { addValue, addSecret }: Learn,
): LookUp {
  const ownKey = env[OWN_KEY] ?? '';
  const refused = new Set<string>();
  const isAllowed = (name: string): boolean =>
    allowEnv.length > 0 ? allowEnv.some((pattern) => matchesName(name, pattern)) : declared.has(name);
  return {
    refused,
    lookUp(name) {
      const secret = secrets.get(name);
      const value = secret ?? env[name];
      const isOwnKey = name.toUpperCase() === OWN_KEY || (ownKey !== '' && value?.includes(ownKey));
      if (isOwnKey) return { problem: `variable ${name} is the API key of sonde, which no file may read` };
      if (secret === undefined && !isAllowed(name)) {
        refused.add(name);
        const list =
          allowEnv.length > 0 ? 'no pattern of --allow-env matches it' : 'no file lists it in "variables"';
        return { problem: `files may not read the variable ${name}: ${list}` };
      }
      if (value === undefined)
        return {
          problem: `variable ${name} is not set; set it in the environment or in the file of --secrets`,
        };
      addValue(value, name);
      if (secret !== undefined || SECRET_NAME.test(name)) addSecret(value);
      return { value };
    },
  };
}

/** Returns how to let the files read variables. Undefined: all were allowed. */
export function hintFor({ refused }: LookUp, { allowEnv = [] }: ValueSources): string | undefined {
  const names = [...refused];
  if (names.length === 0) return undefined;
  const flags = names.map((name) => `--allow-env ${name}`).join(' ');
  return allowEnv.length > 0
    ? `to allow them, pass ${flags}`
    : `add this line to a file of the project, or pass ${flags}:\n  variables: [${names.join(', ')}]`;
}
