/** The options of every command in a few lines, with the variables that stand in for them; `sonde help options` tells of each. */
import { kebab } from './fields.ts';
import { everyGlobal } from './globals.ts';
import { type Row, spaced } from './layout.ts';
import { type Flag, spelling } from './shape.ts';

/** What the global options are about, in the order that help has them. */
const SUBJECTS: readonly (readonly [subject: string, names: readonly string[]])[] = [
  ['Results', ['json', 'output', 'jq', 'fields', 'utc']],
  ['Service', ['profile', 'baseUrl', 'account', 'requestTimeout', 'retryBudget', 'trace']],
  ['Terminal', ['yes', 'input', 'quiet', 'color', 'plain']],
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

/** A subject a row, two spaces between its options: `--profile <name> [SONDE_PROFILE]  --base-url …`. */
export const everywhereRows = (): readonly Row[] =>
  globalsBySubject().map(([subject, flags]) => [
    subject,
    spaced(
      flags.map((flag) => `${spelling(flag)}${flag.option.env === undefined ? '' : ` [${flag.option.env}]`}`),
    ),
  ]);

/** The heading of those rows. */
export const EVERYWHERE = 'On every command';
/** What stands below them. */
export const EVERYWHERE_NOTE =
  'sonde help options tells of each. A variable in brackets counts where its option is not given.';
