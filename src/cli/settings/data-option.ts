/** Defines `--data` of all commands for the service. */
import { text } from '../framework/options.ts';
import { withDefault } from './setting.ts';

export const dataOption = withDefault(
  text('Data folder of the service', { placeholder: 'folder' }),
  'sonde in your data folder',
);
