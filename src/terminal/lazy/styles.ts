/** Creates colour styles with chalk. Lazy-loaded for streams with colour. */
import { Chalk } from 'chalk';
import type { ColorDepth, Styles } from '../color.ts';

/** Creates styles with colour. `color.ts` decides on colour, so chalk's own detection is not used. */
export function colorStyles(depth: ColorDepth): Styles {
  const styles: Styles = new Chalk({ level: 1 });
  if (depth === 16) return styles;
  const many = new Chalk({ level: depth === 256 ? 2 : 3 });
  return Object.assign(styles, { swatch: (color: string, text: string) => many.hex(color)(text) });
}
