/** Chalk, loaded only where a stream has colour. */
import { Chalk } from 'chalk';
import type { ColorDepth, Styles } from '../color.ts';

/** Styles that colour, whatever chalk thinks of this process's streams: the decision was made in `color.ts`. */
export function colorStyles(depth: ColorDepth): Styles {
  const styles: Styles = new Chalk({ level: 1 });
  if (depth === 16) return styles;
  const many = new Chalk({ level: depth === 256 ? 2 : 3 });
  return Object.assign(styles, { swatch: (color: string, text: string) => many.hex(color)(text) });
}
