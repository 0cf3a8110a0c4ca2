/** The options of every command by subject, and the line of help that leads to them. */
import { kebab } from './request-fields.ts';
import type { Flag } from './command-spec.ts';
import { everyGlobal } from './global-flags.ts';

/** What the global options are about, in the order that help has them. */
const SUBJECTS: readonly (readonly [subject: string, names: readonly string[]])[] = [
  ['Output', ['json', 'output', 'jq', 'fields', 'utc']],
  ['Service', ['profile', 'baseUrl', 'account', 'requestTimeout', 'retryBudget', 'trace']],
  ['Interaction', ['yes', 'input', 'quiet', 'color', 'plain']],
];

/** The global options by subject; what has none comes last. */
export function globalsBySubject(): readonly (readonly [subject: string, flags: readonly Flag[]])[] {
  const told = SUBJECTS.flatMap(([, names]) => names);
  const others = Object.keys(everyGlobal).filter((name) => !told.includes(name));
  return [...SUBJECTS, ['Help', others] as const].map(([subject, names]) => [
    subject,
    names.flatMap((name) => {
      const option = everyGlobal[name];
      return option ? [{ flag: kebab(name), group: 'global', option } as const] : [];
    }),
  ]);
}

/** The line of a command's help that leads to the options of every command. */
export const GLOBALS_LINE = 'Global flags, such as --json, --profile and --yes: sonde help options';
