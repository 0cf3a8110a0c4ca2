/** A status page that can be read and replaced, behind a loopback server. */
import { answer, serveWith, type TestServer } from '../../support/http.ts';

export type Page = Readonly<Record<string, unknown>>;

/** A page as the API answers it. */
export const page: Page = {
  id: '7c0f1d2e-0a1b-4c3d-8e5f-6a7b8c9d0e1f',
  name: 'Shop status',
  url: 'shop',
  cards: [
    {
      id: 'card-1',
      name: 'Shop',
      created_at: '2026-01-02T03:04:05.000Z',
      updated_at: null,
      services: [
        { id: 'service-1', name: 'Checkout', accountId: 'a1', created_at: '2026-01-02', updated_at: null },
      ],
    },
  ],
  description: null,
  customDomain: null,
  themeColors: { light: { linkFontColor: '#ABC' }, dark: { linkFontColor: '#DDEEFF' } },
  logo: null,
  redirectTo: null,
  favicon: null,
  defaultTheme: 'AUTO',
  whiteLabel: false,
  isPrivate: false,
  created_at: '2026-01-02T03:04:05.000Z',
  updated_at: null,
  planTier: { name: 'a field that this version does not know' },
};

/** The part of it that a request may hold. */
export const request: Page = {
  name: 'Shop status',
  url: 'shop',
  cards: [{ name: 'Shop', id: 'card-1', services: [{ id: 'service-1' }] }],
  description: null,
  customDomain: null,
  themeColors: { light: { linkFontColor: '#ABC' }, dark: { linkFontColor: '#DDEEFF' } },
  logo: null,
  redirectTo: null,
  favicon: null,
  defaultTheme: 'AUTO',
};

export interface PageServer extends TestServer {
  /** What the PUTs carried. */
  bodies(): readonly Page[];
}

/** Answers GET with the page as it stands, and PUT as told, by default with the page and what was sent over it. */
export async function servePage(
  put: (body: Page) => { readonly status?: number; readonly body: unknown } = (body) => ({
    body: { ...page, ...body },
  }),
  get: () => Page = () => page,
): Promise<PageServer> {
  const server = await serveWith(({ method, body }, response) =>
    answer(response, method === 'PUT' ? put(JSON.parse(body)) : { body: get() }),
  );
  const bodies = () =>
    server.requests.filter(({ method }) => method === 'PUT').map(({ body }): Page => JSON.parse(body));
  return { ...server, bodies };
}
