/** Parses addresses. `URL.canParse` of Node 20 refuses letters beyond ASCII as soon as its callers are compiled. */

/** Returns the URL; undefined if the text is none. `base`: what a relative address is relative to. */
export function parseUrl(text: string, base?: string): URL | undefined {
  try {
    return new URL(text, base);
  } catch {
    return undefined;
  }
}

export const isUrl = (text: string, base?: string): boolean => parseUrl(text, base) !== undefined;
