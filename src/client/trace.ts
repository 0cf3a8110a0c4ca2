/** Writes the lines of `--trace`: requests, answers and times, without the key and other secrets. */

import { explainExcess } from '../base/depth.ts';
import { formatLongDuration } from '../base/format-duration.ts';
import { oneLine } from '../base/sanitize.ts';
import type { Fault, WireAnswer } from './exchange.ts';
import { HIDDEN, redactMessage, SECRET_HEADER } from './redact.ts';
import type { RequestPlan } from './request.ts';

const MAX_BODY = 4000;

export interface Tracer {
  sending(plan: RequestPlan, url: URL, attempt: number): void;
  received(plan: RequestPlan, url: URL, result: WireAnswer | Fault, tookMs: number): void;
}

/** Redacts before truncating, because a partial key is also secret. */
function bodyLine(
  text: string,
  redactBody: (body: unknown) => unknown,
  redactKey: (text: string) => string,
): string {
  const excess = explainExcess(text);
  // The redaction of its values would need a stack frame for each level.
  if (excess !== undefined) return `(a body that ${excess})`;
  let redacted = text;
  try {
    redacted = JSON.stringify(redactBody(JSON.parse(text)));
  } catch {
    // The body is not JSON.
  }
  const line = oneLine(redactKey(redacted));
  return line.length > MAX_BODY ? `${line.slice(0, MAX_BODY)}… (${line.length} characters)` : line;
}

const redactPart =
  ({ method }: RequestPlan['request'], { pathname }: URL, part: 'body' | 'answer') =>
  (body: unknown): unknown =>
    redactMessage({ method, pathname, part }, body);

/** Creates a tracer. `redactKey` removes the key from a line. */
export function createTracer(write: (line: string) => void, redactKey: (text: string) => string): Tracer {
  const headers = (mark: string, entries: Readonly<Record<string, string>>): void => {
    for (const [name, value] of Object.entries(entries))
      write(redactKey(`${mark} ${name}: ${SECRET_HEADER.test(name) ? HIDDEN : value}`));
  };
  return {
    sending({ request, shownBody }, url, attempt) {
      write(redactKey(`> ${request.method} ${url.href}${attempt > 1 ? ` (attempt ${attempt})` : ''}`));
      write(`> authorization: Bearer ${HIDDEN}`);
      headers('>', request.headers);
      const body = shownBody === undefined ? describeBody(request.body) : JSON.stringify(shownBody);
      if (body) write(`> ${bodyLine(body, redactPart(request, url, 'body'), redactKey)}`);
    },
    received({ request }, url, result, tookMs) {
      if (result.kind === 'fault') {
        write(redactKey(`< no response after ${formatLongDuration(tookMs)}: ${result.error.message}`));
        return;
      }
      const { status, statusText, bytes } = result;
      write(redactKey(`< ${`${status} ${statusText}`.trim()} after ${formatLongDuration(tookMs)}`));
      headers('<', result.headers);
      if (bytes.length > 0) {
        const redactBody = redactPart(request, url, 'answer');
        write(`< ${bodyLine(bytes.toString('utf8'), redactBody, redactKey)}`);
      }
    },
  };
}

/** Returns the size of a file instead of its content. */
const describeBody = (body: string | Uint8Array | undefined): string | undefined =>
  body instanceof Uint8Array ? `(${body.length} bytes)` : body;
