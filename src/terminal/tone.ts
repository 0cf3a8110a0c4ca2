/** What a value means to its reader: its colour, and the mark that says the same without one. */
import type { Styles } from './color.ts';

/** What a value means to its reader; never told by colour alone. */
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
  // How maintenance windows stand.
  ACTIVE: 'busy',
  NEXT: 'poor',
  OVER: 'faint',
};

/** The tone of a state; none for a state this version doesn't know. */
export function statusTone(status: unknown): Tone | undefined {
  return typeof status === 'string' && Object.hasOwn(TONES, status.toUpperCase())
    ? TONES[status.toUpperCase()]
    : undefined;
}

/** What a text is coloured by. */
export interface Painted {
  readonly tone?: Tone | undefined;
  /** A colour, `#RGB` or `#RRGGBB`: the text's first two columns are shown in it. */
  readonly swatch?: string | undefined;
}

/** Says the same as the colour, for whoever doesn't see it: a mark of one column. */
export const MARKS: Readonly<Record<Tone, string>> = {
  good: '✓',
  bad: '✗',
  poor: '!',
  busy: '●',
  faint: '-',
};

/** The columns of a cell's text that show its swatch. */
const SWATCH = 2;

/** A cell's text in the colour of its tone, or with its swatch. */
export const paintCell = (text: string, { tone, swatch }: Painted, styles: Styles): string =>
  swatch !== undefined && styles.swatch
    ? styles.swatch(swatch, text.slice(0, SWATCH)) + text.slice(SWATCH)
    : paint(text, tone, styles);

/** A text in the colour of its tone. */
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
