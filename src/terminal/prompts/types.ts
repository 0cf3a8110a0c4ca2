/** What a question is, and what shows it. */
import type { Styles } from '../color.ts';

/** A sentence on what is wrong with an answer, or undefined. */
export type Check<A> = (answer: A) => string | undefined | Promise<string | undefined>;

export interface Question {
  /** What is asked; sanitised here. */
  readonly message: string;
  /** What gives the answer without a person (`--yes`, `--name`): named where nobody can be asked. */
  readonly flag: string;
  /** Ends the question; its reason is thrown. */
  readonly signal?: AbortSignal;
}

export interface ConfirmQuestion extends Question {
  /** What Enter alone means; no unless given. */
  readonly default?: boolean;
}

export interface TextQuestion extends Question {
  readonly default?: string;
  readonly check?: Check<string>;
}

export interface Choice<V> {
  readonly value: V;
  readonly name: string;
  /** Beside the name, and found by what is typed, too. */
  readonly description?: string;
  /** What else finds it, without being shown. */
  readonly search?: string;
  /** The heading that it stands under; choices of one heading come one after another. */
  readonly group?: string;
}

/** Further choices, which come while the question stands; read only as long as it does. */
export type MoreChoices<V> = AsyncIterable<readonly Choice<V>[]>;

export interface ChoiceQuestion<V> extends Question {
  readonly choices: readonly Choice<V>[];
  readonly more?: MoreChoices<V> | undefined;
  /** Where the cursor stands first. */
  readonly default?: V;
}

export interface ChoicesQuestion<V> extends Question {
  readonly choices: readonly Choice<V>[];
  readonly more?: MoreChoices<V> | undefined;
  /** What is chosen at first. */
  readonly chosen?: readonly V[];
  readonly required?: boolean;
  readonly check?: Check<readonly V[]>;
}

/** Where one question is shown. */
export interface Scene {
  readonly input: NodeJS.ReadableStream;
  readonly output: NodeJS.WritableStream;
  readonly styles: Styles;
  /** Of the window. */
  readonly rows: number;
  /** Of the window as it is now. */
  readonly columns: () => number;
  readonly signal: AbortSignal;
}

/** A row to choose; its texts are empty where there is nothing to say. */
export interface Item {
  /** What else finds it, besides what is shown. */
  readonly search?: string;
  readonly name: string;
  readonly description: string;
  readonly group: string;
}

export interface Picking {
  readonly message: string;
  readonly items: readonly Item[];
  /** Further items, behind the others. */
  readonly more?: AsyncIterable<readonly Item[]> | undefined;
  readonly many: boolean;
  /** Chosen at first; of one alone, where the cursor stands. */
  readonly marked: readonly number[];
  readonly check: Check<readonly number[]>;
}

/** Shows questions, whose texts are clean. Rejects where the scene's signal aborts, or where the person leaves. */
export interface Asker {
  confirm(question: { readonly message: string; readonly standard: boolean }): Promise<boolean>;
  text(question: {
    readonly message: string;
    readonly standard: string | undefined;
    readonly check: Check<string>;
  }): Promise<string>;
  secret(question: { readonly message: string; readonly check: Check<string> }): Promise<string>;
  /** Indexes of what was chosen, in the items' order. */
  pick(picking: Picking): Promise<readonly number[]>;
}
