/** Renders the start page for people who are not signed in, with the form for an API key. */
import { html, type Markup } from '../../../notify/rendering/markup.ts';
import { renderKeyField } from '../forms.ts';
import { type Page, renderLayout } from '../layout.ts';

/** What the service tells everyone. */
export const ABOUT = { name: 'sonde', documentation: '/openapi.json', health: '/health' };

export interface SignInPageOptions {
  readonly status: number;
  /** The local path to open afterwards. */
  readonly path: string;
  readonly token: Markup;
  readonly problem?: string | undefined;
}

export function renderSignInPage({ status, path, token, problem }: SignInPageOptions): Page {
  return renderLayout(status, {
    title: 'Sign in · sonde',
    heading: html`<h1><a href="/">sonde</a></h1>`,
    main: html`<form class="card narrow" method="post" action="/sign-in"><div class="stack"><h2>Sign in</h2><p>This is a sonde monitoring service. To see its checks, enter an API key, or run <code class="whole">sonde service open</code> in a terminal.</p>${renderKeyField('API key', problem)}<input type="hidden" name="path" value="${path}">${token}<button>Sign in</button></div></form>
<nav class="narrow" aria-label="About this service"><ul class="stack-s"><li><a href="${ABOUT.documentation}">API reference (OpenAPI)</a></li><li><a href="${ABOUT.health}">State of the service (JSON)</a></li></ul></nav>`,
  });
}

/** Renders the page of a sign-in link: one button, which sends a form. */
export const renderLinkPage = (link: string, token: Markup): Page =>
  renderLayout(200, {
    title: 'Sign in · sonde',
    heading: html`<h1><a href="/">sonde</a></h1>`,
    main: html`<form class="card narrow" method="post" action="/sign-in/${link}"><div class="stack"><h2>Sign in</h2><p>This link signs this browser in to the monitoring service. It works once.</p>${token}<button>Sign in</button></div></form>`,
  });
