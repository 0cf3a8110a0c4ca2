/** Styles by construction: only what is written here, and colours that are colours. */

/** A piece of CSS that is written as it stands. */
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
  /** A colour as users write it, `#RGB` or `#RRGGBB`; undefined for anything else. */
  static colour(text: unknown): Css | undefined {
    return typeof text === 'string' && /^#(?:[0-9a-f]{3}|[0-9a-f]{6})$/i.test(text)
      ? new Css(text)
      : undefined;
  }
}

export const css = (strings: TemplateStringsArray, ...values: readonly Css[]): Css => Css.of(strings, values);
