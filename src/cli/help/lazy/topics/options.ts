/** `sonde help options`: what every command takes. */
import { globalsBySubject } from '../../../framework/global-flags-help.ts';
import { flagRow } from '../../../framework/help-sections.ts';
import { type Block, heading, rows, text } from '../../blocks.ts';

export const options = (): readonly Block[] => [
  text('Pass these flags before or after the name of a command. A flag overrides its environment variable.'),
  ...globalsBySubject().flatMap(([subject, flags]) => [
    heading(subject),
    rows(...flags.map((flag) => flagRow(flag))),
  ]),
  text('For output formats, see sonde help formatting. For profiles and keys, see sonde help credentials.'),
];
