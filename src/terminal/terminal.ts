/** Creates the terminal, the one object that owns the standard streams, their width, colour and prompts. */
import { type Clock, systemClock } from '../base/clock.ts';
import { sanitizeBlock, withoutPiles } from '../base/sanitize.ts';
import { type Channel, type OutputStream, openChannel } from './channel.ts';
import { colorDepth, type Env, plainStyles, type Styles, wantsColor } from './color.ts';
import {
  type Draw,
  type DrawnLive,
  type Live,
  type Spinner,
  startLive,
  startPlainSpinner,
  startSpinner,
} from './live.ts';
import { guardChannel, type Reader } from './runner-commands.ts';

export type InputStream = NodeJS.ReadableStream & { readonly isTTY?: boolean };

/** Global command-line options for the streams. */
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
  /** Removes secrets, such as keys, from text for people. Output for programs is unchanged. */
  readonly hide?: ((text: string) => string) | undefined;
  /**
   * Calls `suspend` when the process ends or is suspended, and `resume` when it continues. Both must be synchronous.
   */
  readonly onSuspend?: (leave: () => void, back: () => void) => void;
  /** Runs synchronous work that blocks the event loop, so that signals still end the process. */
  readonly blocking?: (<T>(work: () => T) => T) | undefined;
}

export type StreamName = 'stdout' | 'stderr';

export interface Terminal {
  readonly stdin: InputStream;
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
  readonly stdoutIsTTY: boolean;
  readonly stderrIsTTY: boolean;
  /** The current number of columns; 80 without a terminal. */
  readonly width: number;
  /** Whether each stream has colour. */
  readonly color: Readonly<Record<StreamName, boolean>>;
  /** Whether prompts are possible: stdin and stderr are terminals, no `--no-input`, no CI. */
  readonly canAsk: boolean;
  /**
   * Whether live lines are drawn: stderr is a terminal that can draw, neither `plain` nor `--quiet`, no CI. Some CI
   * systems provide a terminal, and frames would flood their logs.
   */
  readonly canDraw: boolean;
  readonly quiet: boolean;
  /**
   * Whether output must suit a screen reader or a basic terminal: `--plain`, SONDE_ACCESSIBLE, `TERM=dumb`. It has no
   * spinner frames, redrawing, cursor movement, sound, box drawing or ornaments, and states are always words. Colour
   * may accompany the words.
   */
  readonly plain: boolean;
  readonly clock: Clock;
  /** True after the reader of stdout closed it (EPIPE). Further output is dropped silently. */
  readonly readerGone: boolean;
  readonly whenReaderGone: Promise<void>;
  /**
   * Writes to stdout; only commands of CI runners are neutralized for the reader (by default programs), and callers
   * sanitise. Resolves when it is written; rejects with OutputError.
   */
  out(text: string, reader?: Reader): Promise<void>;
  /** Writes the bytes of a file to stdout unchanged, never to a terminal. Resolves and rejects like `out`. */
  outBytes(bytes: Uint8Array): Promise<void>;
  /** Writes to stderr; only commands of CI runners are neutralized, and callers sanitise. Never rejects. */
  err(text: string): Promise<void>;
  /**
   * Writes lines to stderr: sanitised, wrapped between words in a terminal, then styled. `indent` precedes every line,
   * `hanging` (by default the same) every further row of a wrapped line. Long text is truncated in a terminal.
   */
  lines(text: string, style?: (text: string) => string, indent?: string, hanging?: string): Promise<void>;
  /** Writes commands for the runner of GitHub Actions to stderr. All other output there is neutralized. */
  command(lines: string): Promise<void>;
  /** Writes a sentence to stderr, sanitised and wrapped between words in a terminal; nothing with `--quiet`. */
  note(sentence: string): Promise<void>;
  /** Writes `Warning: …` to stderr, sanitised. `--quiet` does not hide it. */
  warn(sentence: string): Promise<void>;
  /** Writes `Error: …` to stderr, sanitised. */
  error(sentence: string): Promise<void>;
  /** Returns the styles of one stream. Without colour they change nothing and chalk is not loaded. */
  styles(stream: StreamName): Promise<Styles>;
  /**
   * Draws live lines below all other output, in place of previous live lines; nothing unless `canDraw`. `draw` must
   * return sanitised lines. Stop them before a prompt.
   */
  live(draw: Draw): Live;
  /** Shows progress in a sanitised live line, or in permanent lines in a `plain` terminal. */
  spinner(text: string): Spinner;
  /** Runs work that blocks the event loop. Live lines are cleared during it, and signals end the process. */
  blocking<T>(work: () => T): T;
  /** Resolves when all previous output is written. */
  flush(): Promise<void>;
  /** Stops live lines, flushes and releases the streams. */
  close(): Promise<void>;
}

/** The most columns that one character can take. */
const MAX_CHARACTER_WIDTH = 2;
/** In a narrower window, rows are too short to be indented. */
const MIN_INDENT_WIDTH = 40;

const isSet = (value: string | undefined): boolean =>
  value !== undefined && value !== '' && value !== '0' && value.toLowerCase() !== 'false';

/** Returns a channel that redacts its text. */
const redactChannel = (channel: Channel, hide: (text: string) => string): Channel =>
  Object.assign(Object.create(channel) as Channel, { write: (text: string) => channel.write(hide(text)) });

/** Creates the terminal of one process. */
export function createTerminal(options: TerminalOptions): Terminal {
  const { stdin, stdout, stderr, env, flags = {}, clock = systemClock, onSuspend } = options;
  const blocking = options.blocking ?? ((work) => work());
  const hide = options.hide ?? ((text: string) => text);
  const clean = (text: string): string => withoutPiles(hide(text));
  const result = openChannel(stdout, 'stdout');
  const shown = stdout.isTTY === true ? redactChannel(result, clean) : result;
  const guarded = (reader: Reader): Channel => guardChannel(shown, stdout, env, reader);
  const outs = { people: guarded('people'), programs: guarded('programs'), anyone: guarded('anyone') };
  const unguarded = redactChannel(openChannel(stderr, 'stderr'), stderr.isTTY === true ? clean : hide);
  const err = guardChannel(unguarded, stderr, env, 'people');
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

  /** Writes to stderr in order, even if a style must load first. Errors of stderr are ignored. */
  const writeStderr = (make: () => string | Promise<string>, channel = err): Promise<void> => {
    pending.stderr = pending.stderr.then(async () => writeAboveLive(channel, await make())).catch(() => {});
    return pending.stderr;
  };
  /** Writes whole lines above the live lines, or unchanged text if there are none. */
  const writeAboveLive = (channel: Channel, text: string): Promise<void> => {
    if (!live) return channel.write(text);
    const lines = text === '' || text.endsWith('\n') ? text : `${text}\n`;
    return live.writeAbove(() => channel.write(lines));
  };
  /**
   * Wraps lines between words and truncates them for a terminal. An indented line is meant for copying and is not
   * wrapped.
   */
  const toRows = async (text: string, indent = '', hanging = indent, all = ''): Promise<string> => {
    const inputLines = text.split('\n');
    const columns = stderrIsTTY && stderr.columns ? Math.max(1, stderr.columns - hanging.length) : undefined;
    const isShort = columns === undefined || text.length * MAX_CHARACTER_WIDTH <= columns;
    if (isShort && (!stderrIsTTY || inputLines.length === 1))
      return inputLines.map((line) => indent + line).join('\n');
    const { truncateRows } = await import('./lazy/truncate-rows.ts');
    return truncateRows(inputLines, {
      columns: columns ?? Number.POSITIVE_INFINITY,
      indent,
      hanging,
      all,
    }).join('\n');
  };
  const writeLabelled = (label: string, style: 'red' | 'yellow', sentence: string, all = ''): Promise<void> =>
    writeStderr(async () => {
      const styled = await styles('stderr');
      const hanging = ' '.repeat((stderr.columns ?? 0) < MIN_INDENT_WIDTH ? 0 : label.length + 2);
      const rows = await toRows(sanitizeBlock(sentence), `${label}: `, hanging, all);
      return `${styled.bold(styled[style](`${label}:`))}${rows.slice(label.length + 1)}\n`;
    });

  const drawLive = (draw: Draw, isOneLine = false): Live => {
    if (!canDraw) return { stop: async () => {} };
    if (!hasDrawn) {
      onSuspend?.(
        () => live?.suspend(),
        () => live?.resume(),
      );
    }
    hasDrawn = true;
    const former = live?.stop();
    const hidden: Draw = (canvas) => draw(canvas).map(({ mark, text }) => ({ mark, text: clean(text) }));
    const started = startLive(
      { stream: stderr, env, clock, styles: () => styles('stderr'), isOneLine },
      hidden,
    );
    live = started;
    return {
      async stop() {
        if (live === started) live = undefined;
        await Promise.all([former, started.stop()]);
      },
    };
  };

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
      return result.readerGone;
    },
    whenReaderGone: result.whenReaderGone,
    out(text, reader = 'programs') {
      const out = outs[reader];
      const written = pending.stdout.then(() => (stdoutIsTTY ? writeAboveLive(out, text) : out.write(text)));
      pending.stdout = written.catch(() => {});
      return written;
    },
    outBytes(bytes) {
      const written = pending.stdout.then(() => result.write(bytes));
      pending.stdout = written.catch(() => {});
      return written;
    },
    err: (text) => writeStderr(() => text),
    lines: (text, style = (same) => same, indent = '', hanging = indent) =>
      writeStderr(async () => `${style(await toRows(sanitizeBlock(text).trimEnd(), indent, hanging))}\n`),
    command: (lines) => writeStderr(() => lines, unguarded),
    note: async (sentence) =>
      quiet ? undefined : writeStderr(async () => `${await toRows(sanitizeBlock(sentence))}\n`),
    warn: (sentence) => writeLabelled('Warning', 'yellow', sentence),
    error: (sentence) => writeLabelled('Error', 'red', sentence, '; --json shows all'),
    styles,
    live: (draw) => drawLive(draw),
    spinner: (text) =>
      isWatched && plain
        ? startPlainSpinner(text, terminal.note, clock)
        : startSpinner(text, (draw) => drawLive(draw, true)),
    blocking(work) {
      live?.suspend();
      try {
        return blocking(work);
      } finally {
        live?.resume();
      }
    },
    async flush() {
      await Promise.all([pending.stdout, pending.stderr]);
    },
    async close() {
      await live?.stop();
      await terminal.flush();
      result.close();
      err.close();
    },
  };
  return terminal;
}
