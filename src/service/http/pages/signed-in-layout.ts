/** Renders the layout of pages for people who are signed in. */
import { html, type Markup } from '../../notify/rendering/markup.ts';
import { type Page, renderLayout } from './layout.ts';
import { renderZoneForm } from './time-zone.ts';

export interface SignedInPage {
  readonly title: string;
  readonly main: Markup;
  /** The token of the form that signs out. */
  readonly signOut: Markup;
}

export const renderSignedInPage = ({ title, main, signOut }: SignedInPage): Page =>
  renderLayout(200, {
    title: `${title} · sonde`,
    width: 'wide',
    heading: html`<p class="brand"><a href="/">sonde</a></p>`,
    navigation: html`<a href="/">Home</a><form method="post" action="/sign-out">${signOut}<button class="link">Sign out</button></form>`,
    main,
    footer: html`${renderZoneForm()}`,
  });
