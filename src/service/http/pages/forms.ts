/** Protects forms against requests of other sites, with a signed token and a check of the origin. */

import type { FastifyRequest } from 'fastify';
import { isUrl } from '../../../base/parse-url.ts';
import { createCapability, isCapability } from '../../engine/sessions/capability.ts';
import { html, type Markup } from '../../notify/rendering/markup.ts';
import { Problem } from '../api/problem.ts';

/** Time for which a form is valid, in ms. */
const FORM_LIFETIME_MS = 12 * 60 * 60 * 1000;

/** Renders the token field of a form that is sent to `action`. */
export function renderTokenField(secret: string, action: string, now: number): Markup {
  const until = now + FORM_LIFETIME_MS;
  const token = `${until}.${createCapability(secret, 'form', `${action} ${until}`)}`;
  return html`<input type="hidden" name="token" value="${token}">`;
}

/** Renders the input for a key, with the problem of the previous one. */
export const renderKeyField = (label: string, problem: string | undefined): Markup =>
  html`<div><label for="key">${label}</label><input id="key" name="key" type="password" required autocomplete="current-password"${
    problem !== undefined && html` aria-invalid="true" aria-describedby="problem"`
  }></div>${problem !== undefined && html`<p class="problem" id="problem" role="alert">${problem}</p>`}`;

/** Returns the fields of a form; empty for other bodies, such as JSON with values that are not strings. */
export function formFields({ body }: FastifyRequest): Readonly<Record<string, string>> {
  const fields = typeof body === 'object' && body !== null ? Object.entries(body) : [];
  return Object.fromEntries(
    fields.filter((field): field is [string, string] => typeof field[1] === 'string'),
  );
}

/** Throws `Problem` 403 if a page of another site sent the request. */
export function assertSameSite({ headers }: FastifyRequest): void {
  const site = headers['sec-fetch-site'];
  const { origin } = headers;
  const isOther =
    site === undefined
      ? origin !== undefined && (!isUrl(origin) || new URL(origin).host !== headers.host)
      : site !== 'same-origin' && site !== 'none';
  if (isOther) throw new Problem(403, 'This form was sent from another site');
}

/** Returns whether the form is ours and has not expired. Throws `Problem` 403 if another site sent it. */
export function isValidForm(request: FastifyRequest, secret: string, action: string, now: number): boolean {
  assertSameSite(request);
  const [until = '', key = ''] = (formFields(request).token ?? '').split('.');
  return Number(until) > now && isCapability(secret, 'form', `${action} ${until}`, key);
}
