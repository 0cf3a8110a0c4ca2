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

/** `asked`: what pages asked since the last reply, as `host:port`; the browser itself asks others, too. */
export type Reply = Outcome & { readonly asked: readonly string[] };

/** The name of the socket in the cell's folder. */
export const SOCKET = 'tools';

/** The text of a page is cut there, in characters. */
export const LONGEST_PAGE = 20_000;
export const LONGEST_ERROR = 1000;
export const MOST_ASKED = 50;
const LONGEST_URL = 2000;
const LONGEST_TITLE = 300;
/** A line is never longer, in bytes. */
export const LONGEST_REPLY = 1024 * 1024;

/** Reads a reply. Whatever took the browser over may have written it: undefined if it is none. */
export function readReply(line: string): Reply | undefined {
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
    asked: hosts,
  } = value as Readonly<Record<string, unknown>>;
  const asked = (Array.isArray(hosts) ? hosts : [])
    .slice(0, MOST_ASKED)
    .map((host) => cut(host, LONGEST_TITLE));
  if (isDone !== true)
    return { asked, isDone: false, error: cut(error, LONGEST_ERROR), isUnusable: isUnusable === true };
  return {
    asked,
    ...{ isDone, url: cut(url, LONGEST_URL), title: cut(title, LONGEST_TITLE) },
    text: cut(text, LONGEST_PAGE),
    status: typeof status === 'number' && Number.isInteger(status) ? status : null,
  };
}

const cut = (value: unknown, longest: number): string =>
  typeof value === 'string' ? value.slice(0, longest) : '';
