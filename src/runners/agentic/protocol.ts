/** Defines the messages between the runner of agentic checks and the driver in a cell: lines of JSON. */

export type Command =
  | { readonly do: 'open'; readonly url: string }
  | { readonly do: 'click'; readonly ref: string }
  /** `isSecret`: later screenshots mask the field. */
  | { readonly do: 'type'; readonly ref: string; readonly text: string; readonly isSecret: boolean }
  | { readonly do: 'read' }
  | { readonly do: 'picture'; readonly name: string };

export type Outcome =
  | {
      readonly isDone: true;
      readonly url: string;
      readonly title: string;
      /** Text of the page for `read`; otherwise empty. */
      readonly text: string;
      /** Response status for `open`; null without a response. */
      readonly status: number | null;
    }
  | {
      readonly isDone: false;
      readonly error: string;
      /** The page does not respond or cannot be read, so no further command can succeed. */
      readonly isUnusable?: boolean;
    };

/** `requestedHosts`: what pages, not the browser itself, requested since the last reply: `host:port`. */
export type Reply = Outcome & { readonly requestedHosts: readonly string[] };

export const SOCKET = 'tools';

/** Maximum length of a page's text, in characters. Longer texts are cut. */
export const MAX_PAGE_LENGTH = 20_000;
export const MAX_ERROR_LENGTH = 1000;
export const MAX_REQUESTED_HOSTS = 50;
const MAX_URL_LENGTH = 2000;
const MAX_TITLE_LENGTH = 300;
/** Maximum length of a line, in bytes. */
export const MAX_REPLY_BYTES = 1024 * 1024;

/** Parses a reply. Returns undefined if it is invalid, because a compromised browser may have written it. */
export function parseReply(line: string): Reply | undefined {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return undefined;
  }
  if (typeof value !== 'object' || value === null) return undefined;
  const {
    isDone,
    url,
    title,
    text,
    status,
    error,
    isUnusable,
    requestedHosts: hosts,
  } = value as Readonly<Record<string, unknown>>;
  const requestedHosts = (Array.isArray(hosts) ? hosts : [])
    .slice(0, MAX_REQUESTED_HOSTS)
    .map((host) => truncate(host, MAX_TITLE_LENGTH));
  if (isDone !== true)
    return {
      requestedHosts,
      isDone: false,
      error: truncate(error, MAX_ERROR_LENGTH),
      isUnusable: isUnusable === true,
    };
  return {
    requestedHosts,
    isDone,
    url: truncate(url, MAX_URL_LENGTH),
    title: truncate(title, MAX_TITLE_LENGTH),
    text: truncate(text, MAX_PAGE_LENGTH),
    status: typeof status === 'number' && Number.isInteger(status) ? status : null,
  };
}

const truncate = (value: unknown, maxLength: number): string =>
  typeof value === 'string' ? value.slice(0, maxLength) : '';
