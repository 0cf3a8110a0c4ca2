/** Decides whether a stream has colour, and defines the styles. */

/** Environment variables. */
export type Env = Readonly<Record<string, string | undefined>>;

/** The styles of sonde. All except swatches use the sixteen colours of the user's own palette. */
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
  /** Paints a text in an exact colour, `#RGB` or `#RRGGBB`; absent if the terminal has too few colours. */
  swatch?(color: string, text: string): string;
}

const same = (text: string): string => text;

/** Styles that change nothing, for streams without colour. */
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
 * Returns whether a stream has colour. The first of these decides: `--no-color`, NO_COLOR (no-color.org: any non-empty
 * value), FORCE_COLOR, CLICOLOR_FORCE (an empty value is no value), then whether it is a terminal that is not `dumb`, unless CLICOLOR=0.
 */
export function wantsColor(isTTY: boolean, env: Env, flag: boolean | undefined): boolean {
  if (flag === false || env.NO_COLOR) return false;
  if (env.FORCE_COLOR) return !isOff(env.FORCE_COLOR);
  if (env.CLICOLOR_FORCE && !isOff(env.CLICOLOR_FORCE)) return true;
  return isTTY && env.TERM !== 'dumb' && env.CLICOLOR !== '0';
}

/** The number of colours of a terminal: the sixteen of its palette, 256, or all. */
export type ColorDepth = 16 | 256 | 'all';

/** Returns the number of colours from FORCE_COLOR, COLORTERM and TERM, in this order. */
export function colorDepth(env: Env): ColorDepth {
  if (env.FORCE_COLOR === '3') return 'all';
  if (env.FORCE_COLOR === '2') return 256;
  if (/^(?:truecolor|24bit)$/i.test(env.COLORTERM ?? '')) return 'all';
  return /-256(?:color)?$/i.test(env.TERM ?? '') ? 256 : 16;
}
