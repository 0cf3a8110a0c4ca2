/** Keeps the values of variables out of output: it shows the text of the file instead, such as `Shop ${ENV}`. */
import type { Problem, SondeError } from '../../base/errors.ts';
import { isObject } from '../../base/object.ts';
import { HIDDEN } from '../../client/redact.ts';
import { foldCase } from '../../runners/masking/fold-case.ts';
import { secretForms } from '../../runners/masking/scrub.ts';

/** Shorter values occur in ordinary text, so they are masked only as part of a text of the files. */
const MIN_WITHIN = 4;
/** Words that most output contains. */
const ORDINARY: readonly string[] = ['true', 'false', 'null'];

declare const SHOWN: unique symbol;
/** A text without values of variables, which output may contain. */
export type Shown = string & { readonly [SHOWN]: true };

/** Stands for a text that output must not contain. */
export const HIDDEN_TEXT = HIDDEN as Shown;

/** Returns whether other text may contain a value by chance. */
export const canBeHidden = (value: string): boolean =>
  value.length >= MIN_WITHIN && !ORDINARY.includes(value.toLowerCase());

/** The values that output must not contain. */
export class Taint {
  /** The written texts of whole values, and of texts in which a variable was replaced. */
  readonly #texts = new Map<string, string>();
  /** What to replace within other texts, by the folded text. */
  readonly #parts = new Map<string, string>();
  #pattern: RegExp | undefined;

  /** Adds a secret. `name`: its variable; without one, output shows asterisks. */
  addValue(value: string, name?: string): void {
    this.#add(value, name === undefined ? HIDDEN : `\${${name}}`);
  }

  /** Adds a text with the value of a variable. `written`: the text of the file. */
  addText(value: string, written: string): void {
    this.#add(value, written);
  }

  #add(value: string, shown: string): void {
    if (value === '' || this.#texts.has(value)) return;
    this.#texts.set(value, shown);
    // A text with a masked part is masked by its part.
    if (!canBeHidden(value) || this.show(value, true) !== value) return;
    // Texts may contain the value as JSON, in a URL, in base64, or in lower case.
    for (const form of secretForms([value]).map(foldCase))
      if (!this.#parts.has(form)) this.#parts.set(form, shown);
    this.#pattern = undefined;
  }

  /** Returns a text without the values. `isPart`: whether it is part of a longer text. */
  show(text: string, isPart = false): Shown {
    const whole = isPart ? undefined : this.#texts.get(text);
    if (whole !== undefined) return whole as Shown;
    if (this.#parts.size === 0) return text as Shown;
    this.#pattern ??= new RegExp(
      [...this.#parts.keys()]
        .sort((a, b) => b.length - a.length)
        .map((value) => value.replace(/\W/g, '\\$&'))
        .join('|'),
      'gi',
    );
    return text.replace(this.#pattern, (value) => this.#parts.get(foldCase(value)) ?? HIDDEN) as Shown;
  }

  /** Returns a copy of a value in which no text contains the values. */
  showAll<T>(value: T): T {
    const copy = (one: unknown): unknown => {
      if (typeof one === 'string') return this.show(one);
      if (Array.isArray(one)) return one.map(copy);
      return isObject(one) && [Object.prototype, null].includes(Object.getPrototypeOf(one) as null)
        ? Object.fromEntries(Object.entries(one).map(([name, item]) => [name, copy(item)]))
        : one;
    };
    return copy(value) as T;
  }

  /** Returns the problems without the values. */
  showProblems(problems: readonly Problem[]): readonly Problem[] {
    return problems.map((problem) => this.showAll(problem));
  }

  /** Runs work that knows the values. Its errors do not contain them. */
  async guard<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (error instanceof Error) {
        const { message, stack = '', hint, details } = error as Error & Partial<SondeError>;
        Object.assign(error, { message: this.show(message), stack: this.show(stack) });
        if (hint !== undefined) Object.assign(error, { hint: this.show(hint) });
        if (details !== undefined) Object.assign(error, { details: this.showProblems(details) });
      }
      throw error;
    }
  }
}
