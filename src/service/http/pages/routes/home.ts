/** Serves the start page of the service. It does not reveal the version. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { html } from '../../../notify/rendering/markup.ts';
import { renderLayout } from '../layout.ts';
import { renderPage, renderText, sendRendering } from '../send-page.ts';

const ABOUT = { name: 'sonde', documentation: '/openapi.json', health: '/health' };
const DESCRIPTION = 'This is a sonde monitoring service.';

// Rendered once, because it is the same for everyone.
const PAGE = renderPage(
  renderLayout(200, {
    title: 'sonde',
    heading: html`<h1>sonde</h1>`,
    main: html`<div class="card narrow"><div class="stack"><h2>${DESCRIPTION}</h2><p>Use it with the <code>sonde</code> command line or its HTTP API.</p><ul class="stack-s"><li><a href="${ABOUT.documentation}">API reference (OpenAPI)</a></li><li><a href="${ABOUT.health}">Health</a></li></ul></div></div>`,
  }),
);
const JSON_TEXT = renderText('application/json; charset=utf-8', JSON.stringify(ABOUT));

/** Sends a page to browsers and JSON to programs. */
export function sendHome(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const isBrowser = (request.headers.accept ?? '').includes('text/html');
  return sendRendering(request, reply.header('vary', 'accept'), isBrowser ? PAGE : JSON_TEXT, 'shared');
}
