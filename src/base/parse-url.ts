/** Parses addresses. `URL.canParse` of Node 20 refuses letters beyond ASCII as soon as its callers are compiled. */

/** Parses a URL, also one that is relative to `base`. Returns undefined for any other text. */
export function parseUrl(text: string, base?: string): URL | undefined {
  try {
    return new URL(text, base);
  } catch {
    return undefined;
  }
}

export const isUrl = (text: string, base?: string): boolean => parseUrl(text, base) !== undefined;
