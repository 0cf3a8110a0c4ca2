/** Defines `sonde help options`: the flags that every command accepts. */
import { flagRow, globalFlagsBySubject } from '../../../framework/help-sections.ts';
import { type HelpBlock, heading, rows, text } from '../../blocks.ts';

export const options = (): readonly HelpBlock[] => [
  text('Pass these flags before or after the name of a command. A flag overrides its environment variable.'),
  ...globalFlagsBySubject().flatMap(([subject, flags]) => [
    heading(subject),
    rows(...flags.map((flag) => flagRow(flag))),
  ]),
  text('For output formats, see sonde help formatting. For profiles and keys, see sonde help credentials.'),
];
