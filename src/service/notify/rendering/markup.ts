/** Builds HTML and XML that escapes every value unless it is itself markup, and CSS from literals and validated colours. */

import { sanitizeBlock } from '../../../base/sanitize.ts';

/** Markup from a template, which is not escaped again. */
export class Markup {
  readonly #text: string;
  private constructor(text: string) {
    this.#text = text;
  }
  toString(): string {
    return this.#text;
  }
  static of(strings: TemplateStringsArray, values: readonly Value[]): Markup {
    return new Markup(strings.reduce((text, part, index) => text + render(values[index - 1]) + part));
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

/** Escapes text for HTML and XML content and quoted attributes. */
export const escapeMarkup = (text: string): string =>
  sanitizeBlock(text).replaceAll(/[&<>"']/g, (character) => ENTITIES[character] ?? '');

function render(value: Value): string {
  if (value instanceof Markup || value instanceof Css) return value.toString();
  if (Array.isArray(value)) return value.map(render).join('');
  if (value === null || value === undefined || value === false) return '';
  return escapeMarkup(String(value));
}

/** Creates markup from a template literal. Escapes values; attributes must be quoted. */
export const html = (strings: TemplateStringsArray, ...values: readonly Value[]): Markup =>
  Markup.of(strings, values);

/** CSS from a template, which is not escaped. */
export class Css {
  readonly #text: string;
  private constructor(text: string) {
    this.#text = text;
  }
  toString(): string {
    return this.#text;
  }
  static of(strings: TemplateStringsArray, values: readonly Css[]): Css {
    return new Css(strings.reduce((text, part, index) => `${text}${values[index - 1] ?? ''}${part}`));
  }
  /** Parses a colour, `#RGB` or `#RRGGBB`; returns undefined for anything else. */
  static colour(text: unknown): Css | undefined {
    return typeof text === 'string' && /^#(?:[0-9a-f]{3}|[0-9a-f]{6})$/i.test(text)
      ? new Css(text)
      : undefined;
  }
}

export const css = (strings: TemplateStringsArray, ...values: readonly Css[]): Css => Css.of(strings, values);
