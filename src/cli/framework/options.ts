/** The words in which a command declares its own options and arguments: what a text means, and what it may be. */

import { parseSize } from '../../base/size.ts';
import { nearest } from '../../base/suggest.ts';
import { LONGEST, parseDuration } from './parse-duration.ts';

const LEAST_SIZE = 1024 ** 2;

/** What is wrong with a text that was given. */
export interface Complaint {
  /** As a sentence without subject: `must be a whole number`. */
  readonly message: string;
  readonly allowed?: readonly string[];
  readonly nearest?: string;
}

/** Takes a complaint down; reading goes on, so that all problems are told at once. */
export type Complain = (complaint: Complaint) => void;

/** How often a text may be given: a switch takes none. */
export type Takes = 'nothing' | 'one' | 'many';

/** An option of a command besides those that its endpoint brings. */
export interface Option<T> {
  readonly takes: Takes;
  /** One line for help, without a full stop. */
  readonly summary: string;
  /** What stands for the text in help: `duration` shows as `<duration>`. */
  readonly placeholder?: string | undefined;
  /** One letter: `y` for `-y`. */
  readonly short?: string | undefined;
  /** Whether `--no-…` is there: `also` beside the flag itself, `only` instead of it. */
  readonly negative?: 'also' | 'only' | undefined;
  /** The default as help shows it. */
  readonly standard?: string | undefined;
  readonly allowed?: readonly string[] | undefined;
  /** What to use instead. */
  readonly deprecated?: string | undefined;
  /** The variable of the environment that counts where the option is not given. */
  readonly env?: string | undefined;
  /** What it names: whose ids are offered to who completes words. */
  readonly of?: OwnName | undefined;
  /** Turns the texts into the value. Undefined: it was not given. A switch has the text `true` or `false`. */
  read(texts: readonly string[] | undefined, complain: Complain): T;
}

interface Notes {
  readonly short?: string;
  readonly placeholder?: string;
  readonly deprecated?: string;
  readonly env?: string;
  readonly of?: OwnName;
}

/** `--name`, `--no-name`: false unless given (or as `standard` says). */
export function flag(
  summary: string,
  notes: Notes & { readonly negative?: 'also' | 'only'; readonly standard?: boolean } = {},
): Option<boolean> {
  const { standard = notes.negative === 'only', ...rest } = notes;
  return {
    ...rest,
    takes: 'nothing',
    summary,
    read: (texts) => (texts === undefined ? standard : texts.at(-1) === 'true'),
  };
}

/** A reader of one text; `standard` is read like a text that was given. */
function one<T>(
  summary: string,
  notes: Notes & { readonly standard?: string | undefined; readonly allowed?: readonly string[] },
  read: (text: string, complain: Complain) => T | undefined,
): Option<T | undefined> {
  return {
    ...notes,
    takes: 'one',
    summary,
    read(texts, complain) {
      const text = texts?.at(-1) ?? notes.standard;
      return text === undefined ? undefined : read(text, complain);
    },
  };
}

/** `--name <text>`. Empty texts are refused. */
export function text(summary: string, notes: Notes & { readonly standard: string }): Option<string>;
export function text(summary: string, notes?: Notes): Option<string | undefined>;
export function text(summary: string, notes: Notes & { readonly standard?: string } = {}) {
  return one(summary, { placeholder: 'text', ...notes }, (given, complain) => {
    if (given === '') complain({ message: 'must not be empty' });
    return given;
  });
}

interface Bounds extends Notes {
  readonly minimum?: number;
  readonly maximum?: number;
}

/** `--name <number>`: a whole number within the bounds. */
export function integer(summary: string, notes: Bounds & { readonly standard: number }): Option<number>;
export function integer(summary: string, notes?: Bounds): Option<number | undefined>;
export function integer(summary: string, notes: Bounds & { readonly standard?: number } = {}) {
  const { minimum = Number.NEGATIVE_INFINITY, maximum = Number.POSITIVE_INFINITY, standard, ...rest } = notes;
  const texts = { placeholder: 'number', ...rest, standard: standard?.toString() };
  return one(summary, texts, (given, complain) => {
    const number = /^-?\d+$/.test(given) ? Number(given) : Number.NaN;
    if (Number.isNaN(number)) complain({ message: `must be a whole number, not "${given}"` });
    else if (number < minimum) complain({ message: `must be at least ${minimum}, not ${given}` });
    else if (number > maximum) complain({ message: `must be at most ${maximum}, not ${given}` });
    return number;
  });
}

interface DurationNotes extends Notes {
  /** Whether 0 is refused. */
  readonly positive?: boolean;
}

/** `--name <duration>` (`500ms`, `30s`, `10m`, `2h`), in milliseconds. */
export function duration(
  summary: string,
  notes: DurationNotes & { readonly standard: string },
): Option<number>;
export function duration(summary: string, notes?: DurationNotes): Option<number | undefined>;
export function duration(summary: string, notes: DurationNotes & { readonly standard?: string } = {}) {
  return one(summary, { placeholder: 'duration', ...notes }, (given, complain) => {
    const ms = parseDuration(given);
    if (ms === undefined) {
      complain({ message: `must be a duration such as 500ms, 30s, 10m or 2h, not "${given}"` });
    } else if (ms > LONGEST) complain({ message: `must be at most 24d, not ${given}` });
    else if (notes.positive && ms === 0) complain({ message: `must be more than 0, not ${given}` });
    return ms ?? 0;
  });
}

/** `--name <size>` (`500MB`, `10GB`), in bytes: at least 1 MB. */
export function size(summary: string, notes: Notes & { readonly standard: string }): Option<number>;
export function size(summary: string, notes?: Notes): Option<number | undefined>;
export function size(summary: string, notes: Notes & { readonly standard?: string } = {}) {
  return one(summary, { placeholder: 'size', ...notes }, (given, complain) => {
    const bytes = parseSize(given);
    if (bytes === undefined) complain({ message: `must be a size such as 500MB or 10GB, not "${given}"` });
    else if (bytes < LEAST_SIZE) complain({ message: `must be at least 1MB, not ${given}` });
    return bytes ?? 0;
  });
}

/** `--name <a|b>`: one of some texts. */
export function choice<const V extends readonly string[]>(
  values: V,
  summary: string,
  notes: Notes & { readonly standard: V[number] },
): Option<V[number]>;
export function choice<const V extends readonly string[]>(
  values: V,
  summary: string,
  notes?: Notes,
): Option<V[number] | undefined>;
export function choice<const V extends readonly string[]>(
  values: V,
  summary: string,
  notes: Notes & { readonly standard?: V[number] } = {},
) {
  return one(summary, { placeholder: values.join('|'), ...notes, allowed: values }, (given, complain) => {
    if (!values.includes(given)) complain(notOneOf(given, values));
    return given;
  });
}

/** `--name <text>`, repeatable; every text stays as it was given. */
export function texts(
  summary: string,
  notes: Notes & { readonly splitAtCommas?: boolean } = {},
): Option<readonly string[]> {
  const { splitAtCommas = false, ...rest } = notes;
  return {
    placeholder: 'text',
    ...rest,
    takes: 'many',
    summary,
    read: (given = []) =>
      splitAtCommas ? given.flatMap((each) => each.split(',')).map((each) => each.trim()) : given,
  };
}

/** An option with a meaning of its own: `read` turns each text given into a value, or complains and gives undefined. */
export function custom<T>(
  summary: string,
  notes: Notes & { readonly placeholder: string },
  read: (text: string, complain: Complain) => T | undefined,
): Option<readonly T[]> {
  return {
    ...notes,
    takes: 'many',
    summary,
    read: (given = [], complain) =>
      given
        .map((each) => read(each, complain))
        .filter((value): value is NonNullable<typeof value> => value != null),
  };
}

/** The complaint about a value that is none of those that are known. */
export function notOneOf(given: string, allowed: readonly string[]): Complaint {
  const near = nearest(given, allowed);
  return {
    message: `must be ${allowed.length > 1 ? 'one of ' : ''}${allowed.join(', ')}, not "${given}"`,
    allowed,
    ...(near === undefined ? {} : { nearest: near }),
  };
}

/** What the API lists and an argument may name: `src/cli/resources/catalog.ts` says how. */
export type ThingName =
  | 'alert-channel'
  | 'check'
  | 'check-or-group'
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

/** What an argument names: a thing that the service has, or a profile, which the user's file has. */
export type Named = ThingName | 'profile';

/** What the value of an option names: a profile, or a key of the service over a data folder of the user's. */
export type OwnName = 'profile' | 'service-key';

/** A positional argument. `T` is what the command gets: a text, texts, or undefined where it may be left out. */
export interface Argument<T> {
  /** One line for help. */
  readonly summary: string;
  /** How help calls it, where not by its key in kebab case. */
  readonly placeholder?: string | undefined;
  readonly required: boolean;
  readonly variadic: boolean;
  /** The path parameter of the endpoint that it fills. */
  readonly param?: string | undefined;
  /** What it names: whose ids can be offered for it. */
  readonly of?: Named | undefined;
  /** The words that it may be, where it may be no other. */
  readonly allowed?: readonly string[] | undefined;
  /** Options (in camelCase) that say as much: where none of them is given, a person is asked for it although it may be left out. */
  readonly unless?: readonly string[] | undefined;
  /** Only carries the type. */
  readonly value?: T;
}

interface ArgumentNotes {
  readonly placeholder?: string;
  /** The path parameter of the endpoint that it fills, where it fills one. */
  readonly param?: string;
  /** What it names, so that ids can be offered: in a question where it is missing, and to who completes words. */
  readonly of?: Named;
  readonly allowed?: readonly string[];
  /** Options that say as much: without them, a person is asked for it. */
  readonly unless?: readonly string[];
}

/** `<id>`: must be given. */
export function argument(summary: string, notes: ArgumentNotes = {}): Argument<string> {
  return { ...notes, summary, required: true, variadic: false };
}

/** `[id]`: may be left out. */
export function optionalArgument(summary: string, notes: ArgumentNotes = {}): Argument<string | undefined> {
  return { ...notes, summary, required: false, variadic: false };
}

/** `<id…>`: one or more; `-` reads them from stdin, one a line. */
export function argumentList(
  summary: string,
  notes: ArgumentNotes & { readonly required?: boolean } = {},
): Argument<readonly string[]> {
  return { required: true, ...notes, summary, variadic: true };
}
