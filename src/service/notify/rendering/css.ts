/** Builds CSS from literals and validated colours only. */

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
