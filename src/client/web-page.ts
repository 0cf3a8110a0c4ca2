/** Knows a page that was meant for a browser, and the ways out where one stands instead of the API's answer. */

/** What was found instead of an answer to a program. */
export interface Page {
  /** `a web page`, `an XML document`. */
  readonly what: string;
  /** What it calls itself, on one line. */
  readonly title: string | undefined;
}

/** Where a text turns into markup. */
export const MARKUP =
  /<\s*(!doctype|!--|\/?(html|(head|body|title|script|style|meta|div|center|h\d|p|br|pre|table|span)\b))/i;
const XML = /^\s*<(\?xml|[a-z_][\w:.-]*[\s>])/i;
/** No page has its title later, and none is looked through for longer. */
const MAX_SEARCHED = 100_000;
const MAX_TITLE_LENGTH = 200;

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', quot: '"', apos: "'", nbsp: ' ', ndash: '–' };

/** The text between two tags, on one line, bounded. */
function findTagText(tags: string, text: string): string | undefined {
  const match = new RegExp(`<(${tags})\\b[^>]{0,1000}>([^<]{1,1000})`, 'i').exec(
    text.slice(0, MAX_SEARCHED),
  )?.[2];
  const line = match
    ?.replaceAll(/&(\w+|#39);/g, (_entity, name: string) => ENTITIES[name] ?? ' ')
    .replaceAll(/[\s\p{Cc}]+/gu, ' ')
    .trim();
  if (!line) return undefined;
  return line.length > MAX_TITLE_LENGTH ? `${line.slice(0, MAX_TITLE_LENGTH - 1).trimEnd()}…` : line;
}

/** The page that a text is; undefined where it is none. */
export function detectPage(text: string, contentType = ''): Page | undefined {
  const start = text.slice(0, 2000);
  const isHtml = MARKUP.test(start) || /html/i.test(contentType);
  if (isHtml) return { what: 'a web page', title: findTagText('title|h1', text) };
  if (XML.test(start))
    return { what: 'an XML document', title: findTagText('message|title|faultstring', text) };
  return undefined;
}

/** `502 Bad Gateway with a web page: "Sorry"`; the title is left out where it says the same as the status. */
export function describePage(statusLine: string, { what, title }: Page): string {
  const isRedundant = title === undefined || statusLine.toLowerCase().includes(title.toLowerCase());
  return `${statusLine} and ${what}${isRedundant ? '' : `: "${title}"`}`;
}

/** What a page of this status is likely to mean, and the way out. `origin`: where it was asked for. */
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
