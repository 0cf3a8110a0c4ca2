/** Decides whether a stream gets colour, and gives the styles to colour with. */

/** The environment, handed in. */
export type Env = Readonly<Record<string, string | undefined>>;

/** The styles sonde uses: all of the sixteen-colour kind, so that a reader's own palette is kept; but for swatches. */
export interface Styles {
  bold(text: string): string;
  dim(text: string): string;
  underline(text: string): string;
  red(text: string): string;
  green(text: string): string;
  yellow(text: string): string;
  blue(text: string): string;
  magenta(text: string): string;
  cyan(text: string): string;
  /** A text in a colour that is itself what is told, `#RGB` or `#RRGGBB`; absent where the terminal has too few of them. */
  swatch?(color: string, text: string): string;
}

const same = (text: string): string => text;

/** Styles that change nothing: for streams without colour. */
export const plainStyles: Styles = {
  bold: same,
  dim: same,
  underline: same,
  red: same,
  green: same,
  yellow: same,
  blue: same,
  magenta: same,
  cyan: same,
};

const isOff = (value: string): boolean => value === '0' || value.toLowerCase() === 'false';

/**
 * Whether a stream gets colour. The first that speaks decides: `--no-color`, NO_COLOR (no-color.org: any value but the
 * empty one), FORCE_COLOR, CLICOLOR_FORCE, then what the stream is: a terminal that isn't `dumb`, unless CLICOLOR=0.
 */
export function wantsColor(isTTY: boolean, env: Env, flag: boolean | undefined): boolean {
  if (flag === false || env.NO_COLOR) return false;
  if (env.FORCE_COLOR !== undefined) return !isOff(env.FORCE_COLOR);
  if (env.CLICOLOR_FORCE && !isOff(env.CLICOLOR_FORCE)) return true;
  return isTTY && env.TERM !== 'dumb' && env.CLICOLOR !== '0';
}

/** How many colours a terminal that gets colour has: the sixteen of its palette, 256, or all. */
export type ColorDepth = 16 | 256 | 'all';

/** How many colours there are, as FORCE_COLOR, COLORTERM and TERM tell, in this order. */
export function colorDepth(env: Env): ColorDepth {
  if (env.FORCE_COLOR === '3') return 'all';
  if (env.FORCE_COLOR === '2') return 256;
  if (/^(?:truecolor|24bit)$/i.test(env.COLORTERM ?? '')) return 'all';
  return /-256(?:color)?$/i.test(env.TERM ?? '') ? 256 : 16;
}
