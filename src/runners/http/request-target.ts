/** Builds the request target (path and query) of a URL as it was typed. */

const PARTS = /^(?:[a-z][a-z\d+.-]*:)?(?:[/\\]{2}[^/\\?#]*)?([^?#]*)(\?[^#]*)?/i;
const DOT_SEGMENT = /\/(?:\.|%2e){1,2}(?:\/|$)/i;

/**
 * Returns the path and query of a URL in the spelling of `reference`, the text that it was parsed from, because the URL
 * parser encodes characters that servers distinguish, such as ' in a query. Only characters that a request line cannot
 * contain are encoded. Relative paths, dot segments and backslashes are resolved.
 */
export function toRequestTarget(url: URL, reference: string): string {
  const [, path = '', query = url.search] = PARTS.exec(reference.trim().replaceAll(/[\t\r\n]/g, '')) ?? [];
  const isSpelled = path.startsWith('/') && !path.includes('\\') && !DOT_SEGMENT.test(path);
  return encodeUnsendable(`${isSpelled ? path : url.pathname}${query}`);
}

/** Percent-encodes white space, control characters and non-ASCII characters. */
const encodeUnsendable = (text: string): string =>
  text.replaceAll(/[^!-~]+/g, (part) =>
    [...Buffer.from(part)].map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`).join(''),
  );
