/** Markup that escapes by construction: whatever is put into a template is text, unless a template made it. */

import { Css } from './css.ts';

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

/**
 * What no page and no feed shows: control characters, halves of characters, what turns the direction of letters around
 * (a name could pretend to be another), and what XML cannot hold.
 */
const UNSHOWN = /[^\P{Cc}\t\n\r]|[\p{Bidi_Control}\ufffe\uffff]/gu;
const HALVES = /\p{Cs}/gu;

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** A text without what nobody can see: for titles, and for messages that are no markup. */
export const plain = (text: string): string => text.replaceAll(UNSHOWN, '').replaceAll(HALVES, '\ufffd');

/** The same in HTML and XML, as text and in quoted attributes. */
export const escaped = (text: string): string =>
  plain(text).replaceAll(/[&<>"']/g, (character) => ENTITIES[character] ?? '');

function written(value: Value): string {
  if (value instanceof Markup || value instanceof Css) return value.toString();
  if (Array.isArray(value)) return value.map(written).join('');
  if (value === null || value === undefined || value === false) return '';
  return escaped(String(value));
}

/** A piece of HTML or XML. Values are escaped; attributes must stand in quotes. */
export const html = (strings: TemplateStringsArray, ...values: readonly Value[]): Markup =>
  Markup.of(strings, values);
