/** Defines the option and argument types that a command declares, and how each parses its texts. */
import { parseSize } from '../../base/size.ts';
import { findNearest } from '../../base/suggest.ts';

const MIN_SIZE_BYTES = 1024 ** 2;

/** A problem of one value, without its flag or argument. */
export interface ValueProblem {
  /** A sentence without its subject: `must be a whole number`. */
  readonly message: string;
  readonly allowed?: readonly string[];
  readonly nearest?: string;
}

/** Records a problem; parsing continues, so that all problems are reported at once. */
export type ReportProblem = (problem: ValueProblem) => void;

/** The number of texts that an option takes; a switch takes none. */
export type Takes = 'nothing' | 'one' | 'many';

/** An option of a command. */
export interface Option<T> {
  readonly takes: Takes;
  /** One line for help, without a full stop. */
  readonly summary: string;
  /** The placeholder of the value in help: `duration` shows as `<duration>`. */
  readonly placeholder?: string | undefined;
  /** One letter: `y` for `-y`. */
  readonly short?: string | undefined;
  /** Whether `--no-…` exists: `also` next to the flag itself, `only` instead of it. */
  readonly negative?: 'also' | 'only' | undefined;
  /** The default, as help shows it. */
  readonly default?: string | undefined;
  readonly allowed?: readonly string[] | undefined;
  /** The successor. */
  readonly deprecated?: string | undefined;
  /** The environment variable that applies without the option. */
  readonly env?: string | undefined;
  /** The target that the value names, for shell completion. */
  readonly of?: OptionTarget | undefined;
  /** Parses the texts; undefined if the option is absent. A switch has the text `true` or `false`. */
  read(texts: readonly string[] | undefined, reportProblem: ReportProblem): T;
}

interface OptionSettings {
  readonly short?: string;
  readonly placeholder?: string;
  readonly deprecated?: string;
  readonly env?: string;
  readonly of?: OptionTarget;
}

/** Declares a switch, `--name` or `--no-name`: false by default, or the value of `default`. */
export function flag(
  summary: string,
  settings: OptionSettings & { readonly negative?: 'also' | 'only'; readonly default?: boolean } = {},
): Option<boolean> {
  const { default: fallback = settings.negative === 'only', ...rest } = settings;
  return {
    ...rest,
    takes: 'nothing',
    summary,
    read: (texts) => (texts === undefined ? fallback : texts.at(-1) === 'true'),
  };
}

/** The value of an option: undefined if it is absent and has no default. */
type Value<T, S> = S extends { readonly default: unknown } ? T : T | undefined;

type TextSettings = OptionSettings & { readonly default?: string };

/** Declares an option with one text; `default` is parsed like a text from the line. */
function singleValueOption<T, S>(
  summary: string,
  settings: OptionSettings & {
    readonly default?: string | undefined;
    readonly allowed?: readonly string[];
  },
  read: (text: string, reportProblem: ReportProblem) => T,
): Option<Value<T, S>> {
  return {
    ...settings,
    takes: 'one',
    summary,
    read(texts, reportProblem) {
      const text = texts?.at(-1) ?? settings.default;
      return (text === undefined ? undefined : read(text, reportProblem)) as Value<T, S>;
    },
  };
}

/** Declares `--name <text>`, which must not be empty. */
export function text<S extends TextSettings>(summary: string, settings?: S) {
  return singleValueOption<string, S>(
    summary,
    { placeholder: 'text', ...settings },
    (value, reportProblem) => {
      if (value === '') reportProblem({ message: 'must not be empty' });
      return value;
    },
  );
}

interface IntegerSettings extends OptionSettings {
  readonly minimum?: number;
  readonly maximum?: number;
  readonly default?: number;
}

/** Declares `--name <number>`, a whole number within the bounds. */
export function integer<S extends IntegerSettings>(summary: string, settings?: S) {
  const given: IntegerSettings = settings ?? {};
  const { minimum = Number.NEGATIVE_INFINITY, maximum = Number.POSITIVE_INFINITY, ...rest } = given;
  const texts = { placeholder: 'number', ...rest, default: settings?.default?.toString() };
  return singleValueOption<number, S>(summary, texts, (value, reportProblem) => {
    const number = /^-?\d+$/.test(value) ? Number(value) : Number.NaN;
    if (Number.isNaN(number)) reportProblem({ message: `must be a whole number, not "${value}"` });
    else if (number < minimum) reportProblem({ message: `must be at least ${minimum}, not ${value}` });
    else if (number > maximum) reportProblem({ message: `must be at most ${maximum}, not ${value}` });
    return number;
  });
}

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** The maximum delay of a timer, about 24 days. A longer timer would fire at once. */
const MAX_DURATION_MS = 2 ** 31 - 1;

/** Returns the milliseconds of `1h30m`; undefined if the text is not a duration. A number needs a unit, except 0. */
export function parseDuration(text: string): number | undefined {
  if (text === '0') return 0;
  if (!/^(?:\d+(?:\.\d+)?(?:ms|s|m|h|d))+$/.test(text)) return undefined;
  const parts = text.matchAll(/(?<!\d)(\d+(?:\.\d+)?)(ms|s|m|h|d)/g);
  return [...parts].reduce((sum, [, count, unit]) => sum + Number(count) * (UNITS[unit ?? ''] ?? 0), 0);
}

/** Declares `--name <duration>` (`500ms`, `30s`, `10m`, `2h`), in milliseconds. `positive`: 0 is invalid. */
export function duration<S extends TextSettings & { readonly positive?: boolean }>(
  summary: string,
  settings?: S,
) {
  const shown = { placeholder: 'duration', ...settings };
  return singleValueOption<number, S>(summary, shown, (value, reportProblem) => {
    const ms = parseDuration(value);
    if (ms === undefined) {
      reportProblem({ message: `must be a duration such as 500ms, 30s, 10m or 2h, not "${value}"` });
    } else if (ms > MAX_DURATION_MS) reportProblem({ message: `must be at most 24d, not ${value}` });
    else if (settings?.positive && ms === 0) reportProblem({ message: `must be more than 0, not ${value}` });
    return ms ?? 0;
  });
}

/** Declares `--name <size>` (`500MB`, `10GB`), in bytes: at least 1 MB. */
export function size<S extends TextSettings>(summary: string, settings?: S) {
  return singleValueOption<number, S>(
    summary,
    { placeholder: 'size', ...settings },
    (value, reportProblem) => {
      const bytes = parseSize(value);
      if (bytes === undefined)
        reportProblem({ message: `must be a size such as 500MB or 10GB, not "${value}"` });
      else if (bytes < MIN_SIZE_BYTES) reportProblem({ message: `must be at least 1MB, not ${value}` });
      return bytes ?? 0;
    },
  );
}

/** Declares `--name <a|b>`, one of the values. */
export function choice<
  const V extends readonly string[],
  S extends OptionSettings & { readonly default?: V[number] },
>(values: V, summary: string, settings?: S) {
  const shown = { placeholder: values.join('|'), ...settings, allowed: values };
  return singleValueOption<V[number], S>(summary, shown, (value, reportProblem) => {
    if (!values.includes(value)) reportProblem(invalidChoice(value, values));
    return value;
  });
}

/** Declares `--name <text>`, repeatable. */
export function texts(
  summary: string,
  settings: OptionSettings & { readonly splitAtCommas?: boolean } = {},
): Option<readonly string[]> {
  const { splitAtCommas = false, ...rest } = settings;
  return {
    placeholder: 'text',
    ...rest,
    takes: 'many',
    summary,
    read: (values = []) =>
      splitAtCommas ? values.flatMap((each) => each.split(',')).map((each) => each.trim()) : values,
  };
}

/** Declares a repeatable option whose texts `read` parses; `read` reports a problem and returns undefined for an invalid text. */
export function custom<T>(
  summary: string,
  settings: OptionSettings & { readonly placeholder: string },
  read: (text: string, reportProblem: ReportProblem) => T | undefined,
): Option<readonly T[]> {
  return {
    ...settings,
    takes: 'many',
    summary,
    read: (values = [], reportProblem) =>
      values
        .map((each) => read(each, reportProblem))
        .filter((value): value is NonNullable<typeof value> => value != null),
  };
}

/** Returns the problem of a value that is not allowed. */
export function invalidChoice(value: string, allowed: readonly string[]): ValueProblem {
  const near = findNearest(value, allowed);
  return {
    message: `must be ${allowed.length > 1 ? 'one of ' : ''}${allowed.join(', ')}, not "${value}"`,
    allowed,
    ...(near === undefined ? {} : { nearest: near }),
  };
}

/** The resources that an argument can name; `src/cli/resources/catalog.ts` defines how to list them. */
export type ResourceName =
  | 'alert-channel'
  | 'check'
  | 'check-or-group'
  | 'client-certificate'
  | 'dashboard'
  | 'error-group'
  | 'group'
  | 'incident'
  | 'maintenance-window'
  | 'private-location'
  | 'service'
  | 'session'
  | 'snippet'
  | 'status-page'
  | 'test-session'
  | 'variable';

/** The target that an argument names: a resource of the service, or a profile in the user's file. */
export type ArgumentTarget = ResourceName | 'profile';

/** The target that an option names: a profile, or a key of the local service. */
export type OptionTarget = 'profile' | 'service-key';

/** A positional argument. `T` is the value that the command gets: a text, a list, or undefined for an absent optional argument. */
export interface Argument<T> {
  /** One line for help. */
  readonly summary: string;
  /** Its name in help; by default its key in kebab case. */
  readonly placeholder?: string | undefined;
  readonly required: boolean;
  readonly variadic: boolean;
  /** The path parameter of the endpoint that it fills. */
  readonly param?: string | undefined;
  /** The target that it names, for prompts and shell completion. */
  readonly of?: ArgumentTarget | undefined;
  /** The allowed words, if any word is not allowed. */
  readonly allowed?: readonly string[] | undefined;
  /** Options (in camelCase) that replace it: without them, sonde prompts for it although it is optional. */
  readonly unless?: readonly string[] | undefined;
  /** `value`: the command gets `-` in a list unchanged, instead of the lines of stdin. */
  readonly dash?: 'value' | undefined;
  /** Only carries the type; never set. */
  readonly value?: T;
}

type ArgumentSettings = Partial<
  Pick<Argument<never>, 'placeholder' | 'param' | 'of' | 'allowed' | 'unless' | 'dash'>
>;

/** Declares `<id>`, a required argument. */
export function argument(summary: string, settings: ArgumentSettings = {}): Argument<string> {
  return { ...settings, summary, required: true, variadic: false };
}

/** Declares `[id]`, an optional argument. */
export function optionalArgument(
  summary: string,
  settings: ArgumentSettings = {},
): Argument<string | undefined> {
  return { ...settings, summary, required: false, variadic: false };
}

/** Declares `<id…>`, one or more values; `-` reads them from stdin, one per line. */
export function argumentList(
  summary: string,
  settings: ArgumentSettings & { readonly required?: boolean } = {},
): Argument<readonly string[]> {
  return { required: true, ...settings, summary, variadic: true };
}
