/** Defines questions and the prompter that shows them. */
import type { Styles } from '../color.ts';

/** Returns the problem with an answer, or undefined. */
export type Validator<A> = (answer: A) => string | undefined | Promise<string | undefined>;

export interface Question {
  /** The question. It is sanitised here. */
  readonly message: string;
  /** The flag that sets the answer without a prompt (`--yes`, `--name`). Errors name it. */
  readonly flag: string;
  /** Cancels the question; its reason is thrown. */
  readonly signal?: AbortSignal;
}

export interface ConfirmQuestion extends Question {
  /** The answer for Enter; by default no. */
  readonly default?: boolean;
}

export interface TextQuestion extends Question {
  readonly default?: string;
  readonly validate?: Validator<string>;
}

export interface Choice<V> {
  readonly value: V;
  readonly name: string;
  /** Shown beside the name, and searched too. */
  readonly description?: string;
  /** Further searched text that is not shown. */
  readonly search?: string;
  /** The heading above the choice. Choices with one heading must be adjacent. */
  readonly group?: string;
}

/** Further choices that load while the question is shown. */
export type MoreChoices<V> = AsyncIterable<readonly Choice<V>[]>;

export interface ChoiceQuestion<V> extends Question {
  readonly choices: readonly Choice<V>[];
  readonly more?: MoreChoices<V> | undefined;
  /** The initial position of the cursor. */
  readonly default?: V;
}

export interface ChoicesQuestion<V> extends Question {
  readonly choices: readonly Choice<V>[];
  readonly more?: MoreChoices<V> | undefined;
  /** The initial selection. */
  readonly chosen?: readonly V[];
  readonly required?: boolean;
  readonly validate?: Validator<readonly V[]>;
}

/** The streams and window of one question. */
export interface PromptContext {
  readonly input: NodeJS.ReadableStream;
  readonly output: NodeJS.WritableStream;
  readonly styles: Styles;
  /** The number of rows of the window. */
  readonly rows: number;
  /** Returns the current number of columns of the window. */
  readonly columns: () => number;
  readonly signal: AbortSignal;
}

/** A choice with sanitised texts, which may be empty. */
export interface SelectItem {
  /** Further searched text that is not shown. */
  readonly search?: string;
  readonly name: string;
  readonly description: string;
  readonly group: string;
}

export interface SelectQuestion {
  readonly message: string;
  readonly items: readonly SelectItem[];
  /** Further items, after the others. */
  readonly more?: AsyncIterable<readonly SelectItem[]> | undefined;
  readonly isMultiple: boolean;
  /** The initial selection, or the position of the cursor if only one item can be selected. */
  readonly selected: readonly number[];
  readonly validate: Validator<readonly number[]>;
}

/** Shows questions with sanitised texts. Rejects if the signal aborts or the person cancels. */
export interface Prompter {
  confirm(question: { readonly message: string; readonly defaultValue: boolean }): Promise<boolean>;
  text(question: {
    readonly message: string;
    readonly defaultValue: string | undefined;
    readonly validate: Validator<string>;
  }): Promise<string>;
  secret(question: { readonly message: string; readonly validate: Validator<string> }): Promise<string>;
  /** Returns the indexes of the selected items, in order. */
  select(question: SelectQuestion): Promise<readonly number[]>;
}
