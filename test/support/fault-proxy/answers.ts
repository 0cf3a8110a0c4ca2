/** Answers as bytes: whole ones, and ones that lie. */
import { STATUS_CODES } from 'node:http';
import type { Reply } from './requests.ts';

/** What a gateway shows people. */
export const PAGE = '<!doctype html><html><title>Oh no</title><body>{"status":"PASSED"}</body></html>\n';
/** An id that no session has. */
const SOMEBODY = '11111111-1111-4111-8111-111111111111';

/** The head of an answer. */
export function headOf(
  { status, type }: Pick<Reply, 'status' | 'type'>,
  headers: Readonly<Record<string, string>>,
): Buffer {
  const lines = Object.entries({ ...(type ? { 'content-type': type } : {}), ...headers }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  );
  return Buffer.from(`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${lines.join('')}\r\n`);
}

/** An answer with its right length. `isLast`: the connection is closed after it. */
export function whole(reply: Reply, isLast: boolean, more: Readonly<Record<string, string>> = {}): Buffer {
  const headers = { 'content-length': String(reply.body.length), ...(isLast ? { connection: 'close' } : {}) };
  return Buffer.concat([headOf(reply, { ...headers, ...more }), reply.body]);
}

type Session = Readonly<Record<string, unknown>>;

/** A 200 with something else made of the session, or of what the service said instead. */
export function spoilt(reply: Reply, change: (body: Session) => unknown): Reply {
  const body = JSON.parse(reply.body.toString()) as Session;
  const sessions = body.sessions;
  // What starts sessions keeps its form: it is about several.
  const told = Array.isArray(sessions)
    ? { ...body, sessions: sessions.map((session: Session) => started(session, change(session))) }
    : change(body);
  const status = Array.isArray(sessions) ? reply.status : 200;
  return { status, type: 'application/json', body: Buffer.from(JSON.stringify(told)) };
}

/** Where a session that was just started has another name, nobody can know of it: it keeps its own. */
function started({ checkSessionId }: Session, told: unknown): unknown {
  const hasName = typeof told === 'object' && told !== null && 'checkSessionId' in told;
  return hasName ? { ...told, checkSessionId } : told;
}

/** A 200 that says something else of the session. `id`: true for another's, false for none, left out for its own. */
export function lie(reply: Reply, about: { readonly id?: boolean; readonly status: unknown }): Reply {
  return spoilt(reply, ({ checkSessionId, testSessionId, ...rest }) => {
    const id = about.id === true ? SOMEBODY : (checkSessionId ?? testSessionId);
    const named = checkSessionId === undefined ? { testSessionId: id } : { checkSessionId: id };
    return { ...(about.id === false ? {} : named), ...rest, status: about.status };
  });
}

/** The same object with a second status, before and after. */
export function twice(body: Buffer): Buffer {
  return Buffer.from(
    body.toString().replace(/^\{/, '{"status":"PASSED",').replace(/\}$/, ',"status":"PASSED"}'),
  );
}
