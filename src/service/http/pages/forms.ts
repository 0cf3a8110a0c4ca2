/** Forms that only we can have written: a token in each, and no word from another site's pages. */
import type { FastifyRequest } from 'fastify';
import { createCapability, isCapability } from '../../engine/capability.ts';
import { html, type Markup } from '../../notify/rendering/markup.ts';
import { Problem } from '../api/problem.ts';

/** How long a form may lie open, in ms. */
const GOOD_FOR_MS = 12 * 60 * 60 * 1000;

/** A field for a form that is sent to `action`. */
export function tokenField(secret: string, action: string, now: number): Markup {
  const until = now + GOOD_FOR_MS;
  const token = `${until}.${createCapability(secret, 'form', `${action} ${until}`)}`;
  return html`<input type="hidden" name="token" value="${token}">`;
}

/** The field that takes a key, with what was wrong with the last one. */
export const keyField = (label: string, problem: string | undefined): Markup =>
  html`<div><label for="key">${label}</label><input id="key" name="key" type="password" required autocomplete="current-password"${
    problem !== undefined && html` aria-invalid="true" aria-describedby="problem"`
  }></div>${problem !== undefined && html`<p class="problem" id="problem" role="alert">${problem}</p>`}`;

/** The fields of a form; empty for anything else, such as JSON whose values are no texts. */
export function fieldsOf({ body }: FastifyRequest): Readonly<Record<string, string>> {
  const fields = typeof body === 'object' && body !== null ? Object.entries(body) : [];
  return Object.fromEntries(
    fields.filter((field): field is [string, string] => typeof field[1] === 'string'),
  );
}

/** Refuses what a page of another site has a browser send. Throws `Problem` 403. */
function assertSameSite({ headers }: FastifyRequest): void {
  const site = headers['sec-fetch-site'];
  const { origin } = headers;
  const isOther =
    site === undefined
      ? origin !== undefined && (!URL.canParse(origin) || new URL(origin).host !== headers.host)
      : site !== 'same-origin' && site !== 'none';
  if (isOther) throw new Problem(403, 'This form was sent from another site');
}

/** Whether the form is one of ours that is not too old. Throws `Problem` 403 where another site sent it. */
export function isOurForm(request: FastifyRequest, secret: string, action: string, now: number): boolean {
  assertSameSite(request);
  const [until = '', key = ''] = (fieldsOf(request).token ?? '').split('.');
  return Number(until) > now && isCapability(secret, 'form', `${action} ${until}`, key);
}
