/** Detects pages for browsers that arrive instead of an API answer, and returns hints for them. */
import { oneLine } from '../base/sanitize.ts';

/** A page for browsers. */
export interface Page {
  /** `a web page`, `an XML document`. */
  readonly what: string;
  /** The title of the page, on one line. */
  readonly title: string | undefined;
}

/** Matches the start of markup. */
export const MARKUP =
  /<\s*(!doctype|!--|\/?(html|(head|body|title|script|style|meta|div|center|h\d|p|br|pre|table|span)\b))/i;
const XML = /^\s*<(\?xml|[a-z_][\w:.-]*[\s>])/i;
/** Maximum number of characters that are searched for a title. */
const MAX_SEARCHED = 100_000;
const MAX_TITLE_LENGTH = 200;

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', quot: '"', apos: "'", nbsp: ' ', ndash: '–' };

/** Returns the text of an element, on one bounded line. */
function findTagText(tags: string, text: string): string | undefined {
  const match = new RegExp(`<(${tags})\\b[^>]{0,1000}>([^<]{1,1000})`, 'i').exec(
    text.slice(0, MAX_SEARCHED),
  )?.[2];
  const line = match?.replaceAll(/&(\w+|#39);/g, (_entity, name: string) => ENTITIES[name] ?? ' ') ?? '';
  return oneLine(line, MAX_TITLE_LENGTH) || undefined;
}

/** Returns the page that a text contains; undefined if it is not a page. */
export function detectPage(text: string, contentType = ''): Page | undefined {
  const start = text.slice(0, 2000);
  const isHtml = MARKUP.test(start) || /html/i.test(contentType);
  if (isHtml) return { what: 'a web page', title: findTagText('title|h1', text) };
  if (XML.test(start))
    return { what: 'an XML document', title: findTagText('message|title|faultstring', text) };
  return undefined;
}

/** Formats `502 Bad Gateway and a web page: "Sorry"`, without a title that repeats the status. */
export function describePage(statusLine: string, { what, title }: Page): string {
  const isRedundant = title === undefined || statusLine.toLowerCase().includes(title.toLowerCase());
  return `${statusLine} and ${what}${isRedundant ? '' : `: "${title}"`}`;
}

/** Returns a hint for a page with this status. `origin` is the server of the request. */
export function getPageHint(status: number, origin: string): string {
  if (status === 511 || (status >= 200 && status < 300)) {
    return `if the network requires you to sign in, open ${origin} in a browser\notherwise check the base URL: the server is not the API; to see the source of the base URL, run: sonde profiles show`;
  }
  if (status === 401 || status === 403) {
    return 'this response is not from the API: a proxy, firewall or sign-in page sent it, and the key was not checked';
  }
  if (status >= 500) {
    return 'this response is not from the API: a proxy or load balancer sent it, and the service may be down';
  }
  return `check the base URL: the server at ${origin} is not the API; to see the source of the base URL, run: sonde profiles show`;
}
