/** Defines the tables of settings: flags and environment variables of a long-running process. */
import type { Option } from '../framework/options.ts';
import { kebabCase } from '../framework/request-fields.ts';
import type { Options } from '../framework/types.ts';

/** A variable that has no flag. */
export interface Variable {
  /** One line for help, without a full stop. */
  readonly summary: string;
  /** The default, as help shows it. */
  readonly default?: string;
}

/** Settings that help and docs show together. */
export interface SettingTable {
  /** The subject, as a heading. */
  readonly subject: string;
  /** The command that has the flags: `service start`. */
  readonly command?: string;
  /** Flags by their name in camelCase. `env` is the variable that applies without the flag. */
  readonly flags: Options;
  /** Variables without a flag, by name. */
  readonly variables: Readonly<Record<string, Variable>>;
}

/** A setting as help and docs show it. */
export interface SettingRow {
  /** `--listen`. */
  readonly flag?: string | undefined;
  readonly variable?: string | undefined;
  readonly default?: string | undefined;
  /** One line, with the allowed values, without a full stop. */
  readonly summary: string;
  /** Whether the flag takes no value, so that the variable is 1 or 0. */
  readonly isSwitch: boolean;
}

/** Returns an option whose variable and default its reader applies: the option itself is undefined without its flag. */
export const withVariable = <O extends Option<unknown>>(option: O, env: string, standard?: string) => ({
  ...option,
  env,
  default: standard,
});

/** Returns an option with a default that its reader applies, as a phrase for help. */
export const withDefault = <O extends Option<unknown>>(option: O, standard: string): O => ({
  ...option,
  default: standard,
});

/** Returns every setting of a table: flags first. */
export function settingRows({ flags, variables }: SettingTable): readonly SettingRow[] {
  return [
    ...Object.entries(flags).map(([name, { env, summary, default: standard, allowed, takes }]) => ({
      flag: `--${kebabCase(name)}`,
      variable: env,
      default: standard,
      summary: allowed === undefined ? summary : `${summary} (${allowed.join(', ')})`,
      isSwitch: takes === 'nothing',
    })),
    ...Object.entries(variables).map(([variable, row]) => ({ ...row, variable, isSwitch: false })),
  ];
}

/** Returns the variables of a table with their meanings, for help. */
export const variableRows = (table: SettingTable): readonly (readonly [name: string, meaning: string])[] =>
  settingRows(table).flatMap(({ flag, variable, summary, isSwitch, ...row }) => {
    if (variable === undefined) return [];
    const standard = flag === undefined && row.default !== undefined ? ` (default: ${row.default})` : '';
    const same = `${isSwitch ? '1 is the same' : 'same'} as ${flag} of "${table.command}"`;
    return [[variable, flag === undefined ? `${summary}${standard}` : `${summary}; ${same}`] as const];
  });
