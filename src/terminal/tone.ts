/** Defines the tones of states, their colours and their marks. */
import type { Styles } from './color.ts';

/** The meaning of a value. Colour is never its only sign. */
export type Tone = 'good' | 'bad' | 'poor' | 'busy' | 'faint';

const TONES: Readonly<Record<string, Tone>> = {
  PASSED: 'good',
  PASSING: 'good',
  OPERATIONAL: 'good',
  RESOLVED: 'good',
  READY: 'good',
  SENT: 'good',
  FAILED: 'bad',
  FAILING: 'bad',
  TIMED_OUT: 'bad',
  PROGRESS_FAILED: 'bad',
  ERROR: 'bad',
  DEGRADED: 'poor',
  PROGRESS_DEGRADED: 'poor',
  STARTED: 'busy',
  PROGRESS: 'busy',
  RUNNING: 'busy',
  QUEUED: 'busy',
  SENDING: 'busy',
  CANCELLED: 'faint',
  // States of maintenance windows.
  ACTIVE: 'busy',
  NEXT: 'poor',
  OVER: 'faint',
};

/** Returns the tone of a state, or undefined for a state that this version does not know. */
export function statusTone(status: unknown): Tone | undefined {
  return typeof status === 'string' && Object.hasOwn(TONES, status.toUpperCase())
    ? TONES[status.toUpperCase()]
    : undefined;
}

/** The style of a cell. */
export interface CellStyle {
  readonly tone?: Tone | undefined;
  /** A colour, `#RGB` or `#RRGGBB`, for the first two columns of the text. */
  readonly swatch?: string | undefined;
}

/** Marks of one column, with the same meaning as the colours. */
export const MARKS: Readonly<Record<Tone, string>> = {
  good: '✓',
  bad: '✗',
  poor: '!',
  busy: '●',
  faint: '-',
};

/** The width of a swatch in columns. */
const SWATCH = 2;

/** Paints the text of a cell in the colour of its tone, or with its swatch. */
export const paintCell = (text: string, { tone, swatch }: CellStyle, styles: Styles): string =>
  swatch !== undefined && styles.swatch
    ? styles.swatch(swatch, text.slice(0, SWATCH)) + text.slice(SWATCH)
    : paint(text, tone, styles);

/** Paints a text in the colour of its tone. */
export function paint(text: string, tone: Tone | undefined, styles: Styles): string {
  switch (tone) {
    case undefined:
      return text;
    case 'good':
      return styles.green(text);
    case 'bad':
      return styles.red(text);
    case 'poor':
      return styles.yellow(text);
    case 'busy':
      return styles.cyan(text);
    case 'faint':
      return styles.dim(text);
    default:
      return tone satisfies never;
  }
}
