/** The one object that owns the streams: what they are, how wide, in colour or not, and whether a person can be asked. */
import { type Clock, systemClock } from '../base/clock.ts';
import { type Channel, type OutputStream, openChannel } from './channel.ts';
import { colorDepth, type Env, plainStyles, type Styles, wantsColor } from './color.ts';
import { type Draw, type DrawnLive, type Live, startLive } from './live.ts';
import { guarded } from './runner.ts';
import { sanitizeBlock, withoutPiles } from './sanitize.ts';
import { type Spinner, startLines, startSpinner } from './spinner.ts';

export type InputStream = NodeJS.ReadableStream & { readonly isTTY?: boolean };

/** The global options that concern the streams, as the command line gives them. */
export interface TerminalFlags {
  /** False for `--no-color`. */
  readonly color?: boolean | undefined;
  /** False for `--no-input`. */
  readonly input?: boolean | undefined;
  readonly quiet?: boolean | undefined;
  readonly plain?: boolean | undefined;
}

export interface TerminalOptions {
  readonly stdin: InputStream;
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
  readonly env: Env;
  readonly flags?: TerminalFlags;
  readonly clock?: Clock;
  /** Takes out of a text what a person must never read: keys. What goes to a program stays as it came. */
  readonly hide?: ((text: string) => string) | undefined;
  /** Calls `leave` when the process ends or is suspended, and `back` when it goes on; neither may wait for anything. */
  readonly onLeave?: (leave: () => void, back: () => void) => void;
  /** Runs what lets go of nothing until it is done, so that signals end the process nonetheless. */
  readonly blocking?: (<T>(work: () => T) => T) | undefined;
}

export type StreamName = 'stdout' | 'stderr';

export interface Terminal {
  readonly stdin: InputStream;
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
  readonly stdoutIsTTY: boolean;
  readonly stderrIsTTY: boolean;
  /** Columns of the terminal as it is now; 80 where there is none. */
  readonly width: number;
  /** Which streams get colour. */
  readonly color: Readonly<Record<StreamName, boolean>>;
  /** Whether a person is there to answer: stdin and stderr are terminals, no `--no-input`, no CI. */
  readonly canAsk: boolean;
  /**
   * Whether a person watches lines that move: stderr is a terminal that can draw, neither `plain` nor `--quiet`, no CI (some
   * give a terminal: frames would flood the log).
   */
  readonly canDraw: boolean;
  readonly quiet: boolean;
  /**
   * Whether what is said is read out, or the terminal can do nothing else: `--plain`, SONDE_ACCESSIBLE, `TERM=dumb`. No frame
   * of a spinner, nothing redrawn, no cursor moved, no bell, no box drawing or ornaments, and states always as words. Colour
   * may stand beside the words.
   */
  readonly plain: boolean;
  readonly clock: Clock;
  /** True once the reader of stdout went away (EPIPE); further output is dropped without a word. */
  readonly readerGone: boolean;
  readonly whenReaderGone: Promise<void>;
  /** Writes to stdout as given: callers sanitise. Resolves when it is written; rejects with OutputError. */
  out(text: string): Promise<void>;
  /** Writes a file's bytes to stdout, as they are: never to a terminal. Resolves and rejects as `out` does. */
  outBytes(bytes: Uint8Array): Promise<void>;
  /** Writes to stderr as given: callers sanitise. Never rejects. */
  err(text: string): Promise<void>;
  /**
   * Sentences on stderr, each on a line of its own: sanitised, broken between words in a terminal, then styled. `indent`
   * stands before every line, `hanging` before the rows that it was broken into; the same unless given. Like all that is said,
   * it is shortened where it would flood a terminal.
   */
  lines(text: string, style?: (text: string) => string, indent?: string, hanging?: string): Promise<void>;
  /** Commands for the runner of GitHub Actions, on stderr: all else that is written there is kept from being one. */
  command(lines: string): Promise<void>;
  /** A sentence on stderr, sanitised, broken between words in a terminal; nothing with `--quiet`. */
  note(sentence: string): Promise<void>;
  /** `Warning: …` on stderr, sanitised; `--quiet` does not hide it. */
  warn(sentence: string): Promise<void>;
  /** `Error: …` on stderr, sanitised. */
  error(sentence: string): Promise<void>;
  /** Styles for one stream; they change nothing where it has no colour. Loads chalk only where it has. */
  styles(stream: StreamName): Promise<Styles>;
  /**
   * Lines that move below all that is said, in place of those that moved before; nothing unless `canDraw`. What `draw`
   * gives is written as given: it sanitises. Stop it before asking.
   */
  live(draw: Draw): Live;
  /** A live line that says what goes on, sanitised; where a person watches and it is `plain`, a line that stays. */
  spinner(text: string): Spinner;
  /** Runs what lets go of nothing until it is done: nothing moves meanwhile, and signals end the process as they would any. */
  blocking<T>(work: () => T): T;
  /** Resolves when everything said so far is written. */
  flush(): Promise<void>;
  /** Stops what moves, flushes and lets go of the streams. */
  close(): Promise<void>;
}

/** Columns that one character may take. */
const WIDEST = 2;
/** In a window narrower than this, rows are too short to be indented. */
const NARROW = 40;

const isSet = (value: string | undefined): boolean =>
  value !== undefined && value !== '' && value !== '0' && value.toLowerCase() !== 'false';

/** The same channel, for readers from whom something is hidden. */
const hiding = (channel: Channel, hide: (text: string) => string): Channel =>
  Object.assign(Object.create(channel) as Channel, { write: (text: string) => channel.write(hide(text)) });

/** Builds the terminal of one process; see Terminal. */
export function createTerminal(options: TerminalOptions): Terminal {
  const { stdin, stdout, stderr, env, flags = {}, clock = systemClock, onLeave } = options;
  const blocking = options.blocking ?? ((work) => work());
  const hide = options.hide ?? ((text: string) => text);
  const seen = (text: string): string => withoutPiles(hide(text));
  const result = openChannel(stdout, 'stdout');
  const out = guarded(stdout.isTTY === true ? hiding(result, seen) : result, stdout, env);
  const unguarded = hiding(openChannel(stderr, 'stderr'), stderr.isTTY === true ? seen : hide);
  const err = guarded(unguarded, stderr, env);
  const stdoutIsTTY = stdout.isTTY === true;
  const stderrIsTTY = stderr.isTTY === true;
  const quiet = flags.quiet === true;
  const color = {
    stdout: wantsColor(stdoutIsTTY, env, flags.color),
    stderr: wantsColor(stderrIsTTY, env, flags.color),
  };
  const plain = flags.plain === true || isSet(env.SONDE_ACCESSIBLE) || env.TERM === 'dumb';
  const isWatched = stderrIsTTY && !quiet && !isSet(env.CI);
  const canDraw = isWatched && !plain;
  let live: DrawnLive | undefined;
  let hasDrawn = false;
  const pending = { stdout: Promise.resolve(), stderr: Promise.resolve() };

  const styles = async (stream: StreamName): Promise<Styles> =>
    color[stream] ? (await import('./lazy/styles.ts')).colorStyles(colorDepth(env)) : plainStyles;

  /** What is said on stderr keeps its order, also where a style is loaded first; a dead stderr is nobody's error. */
  const say = (make: () => string | Promise<string>, channel = err): Promise<void> => {
    pending.stderr = pending.stderr.then(async () => beside(channel, await make())).catch(() => {});
    return pending.stderr;
  };
  /** Above what moves, as whole lines; elsewhere as it is. */
  const beside = (channel: Channel, text: string): Promise<void> => {
    if (!live) return channel.write(text);
    const lines = text === '' || text.endsWith('\n') ? text : `${text}\n`;
    return live.aside(() => channel.write(lines));
  };
  /**
   * Lines as rows: in a terminal broken between words where it would break them inside one, and no more of them than are read.
   * An indented line is there to be copied, and stays.
   */
  const rowsOf = async (text: string, indent = '', hanging = indent, all = ''): Promise<string> => {
    const given = text.split('\n');
    const columns = stderrIsTTY && stderr.columns ? Math.max(1, stderr.columns - hanging.length) : undefined;
    const isShort = columns === undefined || text.length * WIDEST <= columns;
    if (isShort && (!stderrIsTTY || given.length === 1)) return given.map((line) => indent + line).join('\n');
    const { shortened } = await import('./lazy/flood.ts');
    return shortened(given, { columns: columns ?? Number.POSITIVE_INFINITY, indent, hanging, all }).join(
      '\n',
    );
  };
  const sayLabelled = (label: string, style: 'red' | 'yellow', sentence: string, all = ''): Promise<void> =>
    say(async () => {
      const styled = await styles('stderr');
      const hanging = ' '.repeat((stderr.columns ?? 0) < NARROW ? 0 : label.length + 2);
      const told = await rowsOf(sanitizeBlock(sentence), `${label}: `, hanging, all);
      return `${styled.bold(styled[style](`${label}:`))}${told.slice(label.length + 1)}\n`;
    });

  const terminal: Terminal = {
    stdin,
    stdout,
    stderr,
    stdoutIsTTY,
    stderrIsTTY,
    get width() {
      return stdout.columns || stderr.columns || 80;
    },
    color,
    canAsk: stdin.isTTY === true && stderrIsTTY && flags.input !== false && !isSet(env.CI),
    canDraw,
    quiet,
    plain,
    clock,
    get readerGone() {
      return out.readerGone;
    },
    whenReaderGone: out.whenReaderGone,
    out(text) {
      const written = pending.stdout.then(() => (stdoutIsTTY ? beside(out, text) : out.write(text)));
      pending.stdout = written.catch(() => {});
      return written;
    },
    outBytes(bytes) {
      const written = pending.stdout.then(() => out.write(bytes));
      pending.stdout = written.catch(() => {});
      return written;
    },
    err: (text) => say(() => text),
    lines: (text, style = (same) => same, indent = '', hanging = indent) =>
      say(async () => `${style(await rowsOf(sanitizeBlock(text).trimEnd(), indent, hanging))}\n`),
    command: (lines) => say(() => lines, unguarded),
    note: async (sentence) =>
      quiet ? undefined : say(async () => `${await rowsOf(sanitizeBlock(sentence))}\n`),
    warn: (sentence) => sayLabelled('Warning', 'yellow', sentence),
    error: (sentence) => sayLabelled('Error', 'red', sentence, '; --json shows all'),
    styles,
    live(draw) {
      if (!canDraw) return { stop: async () => {} };
      if (!hasDrawn) {
        onLeave?.(
          () => live?.leave(),
          () => live?.back(),
        );
      }
      hasDrawn = true;
      const former = live?.stop();
      const hidden: Draw = (canvas) => draw(canvas).map(({ mark, text }) => ({ mark, text: seen(text) }));
      const started = startLive({ stream: stderr, env, clock, styles: () => styles('stderr') }, hidden);
      live = started;
      return {
        async stop() {
          if (live === started) live = undefined;
          await Promise.all([former, started.stop()]);
        },
      };
    },
    spinner: (text) =>
      isWatched && plain ? startLines(text, terminal.note, clock) : startSpinner(text, terminal.live),
    blocking(work) {
      live?.leave();
      try {
        return blocking(work);
      } finally {
        live?.back();
      }
    },
    async flush() {
      await Promise.all([pending.stdout, pending.stderr]);
    },
    async close() {
      await live?.stop();
      await terminal.flush();
      out.close();
      err.close();
    },
  };
  return terminal;
}
