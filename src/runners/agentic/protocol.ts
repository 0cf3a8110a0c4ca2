/** What the runner of agentic checks and the driver in a cell say to each other: lines of JSON, one command at a time. */

export type Command =
  | { readonly do: 'open'; readonly url: string }
  | { readonly do: 'click'; readonly ref: string }
  /** `isSecret`: pictures hide the field from then on. */
  | { readonly do: 'type'; readonly ref: string; readonly text: string; readonly isSecret: boolean }
  | { readonly do: 'read' }
  /** Takes a picture of the page, under that name. */
  | { readonly do: 'picture'; readonly name: string };

/** What became of a command. */
export type Outcome =
  | {
      readonly isDone: true;
      /** Address and title of the page as it is afterwards. */
      readonly url: string;
      readonly title: string;
      /** Of `read` the page as text; else empty. */
      readonly text: string;
      /** Of `open` the status of the answer; null if there was none. */
      readonly status: number | null;
    }
  | {
      readonly isDone: false;
      readonly error: string;
      /** The page does not respond, or cannot be read: nothing more can be done with it. */
      readonly isUnusable?: boolean;
    };

/** `requestedHosts`: what pages asked since the last reply, as `host:port`; the browser itself asks others, too. */
export type Reply = Outcome & { readonly requestedHosts: readonly string[] };

/** The name of the socket in the cell's folder. */
export const SOCKET = 'tools';

/** The text of a page is cut there, in characters. */
export const MAX_PAGE_LENGTH = 20_000;
export const MAX_ERROR_LENGTH = 1000;
export const MAX_REQUESTED_HOSTS = 50;
const MAX_URL_LENGTH = 2000;
const MAX_TITLE_LENGTH = 300;
/** A line is never longer, in bytes. */
export const MAX_REPLY_BYTES = 1024 * 1024;

/** Reads a reply. Whatever took the browser over may have written it: undefined if it is none. */
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
    ...{ isDone, url: truncate(url, MAX_URL_LENGTH), title: truncate(title, MAX_TITLE_LENGTH) },
    text: truncate(text, MAX_PAGE_LENGTH),
    status: typeof status === 'number' && Number.isInteger(status) ? status : null,
  };
}

const truncate = (value: unknown, maxLength: number): string =>
  typeof value === 'string' ? value.slice(0, maxLength) : '';
