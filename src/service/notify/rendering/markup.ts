/** Markup that escapes by construction: whatever is put into a template is text, unless a template made it. */
import { Css } from './css.ts';
import { plain } from './text.ts';

/** Text that a template made: the only thing that is written as it stands. */
export class Markup {
  readonly #text: string;
  private constructor(text: string) {
    this.#text = text;
  }
  toString(): string {
    return this.#text;
  }
  static of(strings: TemplateStringsArray, values: readonly Value[]): Markup {
    return new Markup(strings.reduce((text, part, index) => text + written(values[index - 1]) + part));
  }
}

export type Value = Markup | Css | string | number | null | undefined | false | readonly Value[];

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** The same in HTML and XML, as text and in quoted attributes. */
export const escapeMarkup = (text: string): string =>
  plain(text).replaceAll(/[&<>"']/g, (character) => ENTITIES[character] ?? '');

function written(value: Value): string {
  if (value instanceof Markup || value instanceof Css) return value.toString();
  if (Array.isArray(value)) return value.map(written).join('');
  if (value === null || value === undefined || value === false) return '';
  return escapeMarkup(String(value));
}

/** A piece of HTML or XML. Values are escaped; attributes must stand in quotes. */
export const html = (strings: TemplateStringsArray, ...values: readonly Value[]): Markup =>
  Markup.of(strings, values);
