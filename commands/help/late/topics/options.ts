/** `sonde help options`: what every command takes. */
import { globalsBySubject } from '../../../kernel/everywhere.ts';
import { flagRow } from '../../../kernel/sections.ts';
import { type Block, heading, rows, text } from '../../blocks.ts';

export const options = (): readonly Block[] => [
  text('These may stand before or after the name of a command.'),
  ...globalsBySubject().flatMap(([subject, flags]) => [
    heading(subject),
    rows(...flags.map((flag) => flagRow(flag))),
  ]),
  text('See sonde help formatting for results, and sonde help credentials for the service.'),
];
