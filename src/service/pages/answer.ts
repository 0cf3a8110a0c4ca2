/** Sends pages: with the headers that keep them what they are, and only where the reader has not got them already. */
import { createHash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { html } from '../markup/markup.ts';
import { type Page, shell } from './shell.ts';

/** `shared`: anyone may keep it, and asks each time whether it still holds; `own`: only its reader; `none`: nobody. */
export type Keeping = 'shared' | 'own' | 'none';

const CACHE: Readonly<Record<Keeping, string>> = {
  shared: 'public, no-cache',
  own: 'private, no-cache',
  none: 'no-store',
};

/** Sends a text under a mark of its own; 304 where the reader has it. */
export function sendText(
  request: FastifyRequest,
  reply: FastifyReply,
  { type, text, keeping, status = 200 }: { type: string; text: string; keeping: Keeping; status?: number },
): FastifyReply {
  reply.header('cache-control', CACHE[keeping]).header('x-content-type-options', 'nosniff');
  if (status === 200 && keeping !== 'none') {
    const mark = `"${createHash('sha256').update(text).digest('base64url').slice(0, 27)}"`;
    reply.header('etag', mark);
    const known = request.headers['if-none-match'] ?? '';
    if (known.split(',').some((each) => each.trim().replace(/^W\//, '') === mark))
      return reply.code(304).send();
  }
  return reply.code(status).type(type).send(text);
}

/** Sends a page. `same-origin`: its address may be a secret, which no other site is told. */
export function sendPage(
  request: FastifyRequest,
  reply: FastifyReply,
  { status, body, policy }: Page,
  keeping: Keeping,
): FastifyReply {
  reply
    .header('content-security-policy', policy)
    .header('referrer-policy', 'same-origin')
    .header('x-frame-options', 'DENY')
    .header('cross-origin-opener-policy', 'same-origin');
  return sendText(request, reply, { type: 'text/html; charset=utf-8', text: body, keeping, status });
}

/** A page that says one thing: what was done, or what went wrong. It names nobody: it may stand on somebody's own domain. */
export function messagePage(status: number, title: string, text: string): Page {
  return shell(status, {
    title,
    main: html`<div class="card narrow"><div class="stack"><h1>${title}</h1><p>${text}</p></div></div>`,
  });
}
