/** Chalk, loaded only where a stream has colour. */
import { Chalk } from 'chalk';
import type { Styles } from '../color.ts';

/** Styles that colour, whatever chalk thinks of this process's streams: the decision was made in `color.ts`. */
export function colorStyles(): Styles {
  return new Chalk({ level: 1 });
}
