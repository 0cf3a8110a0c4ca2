/** What a status page looks like to a person. */
import { test } from 'vitest';
import { getStatusPage } from '../../src/contract/index.ts';
import type { StatusPage } from '../../src/contract/resources/status-page.ts';
import { expectScreen } from '../support/screen/capture.ts';
import { serveStill, still } from '../support/screen/service.ts';

const page: StatusPage = {
  id: '7c0f1d2e-4a5b-4c6d-8e7f-901234567890',
  name: '東京のお店 🛒',
  url: 'shop',
  description:
    'How the shop, its checkout and its application programming interface are doing, hour by hour.',
  cards: [
    {
      id: 'card-1',
      name: 'Website',
      services: [
        { id: 'service-1', name: 'Home page' },
        { id: 'service-2', name: 'Checkout' },
      ],
    },
    { id: 'card-2', name: 'API', services: [{ id: 'service-3', name: '日本語のサービス' }] },
    { id: 'card-3', name: 'Nothing yet', services: [] },
  ],
  themeColors: {
    light: { bodyBackgroundColor: '#FFFFFF', linkFontColor: '#0B7285' },
    dark: { bodyBackgroundColor: '#0B0F19' },
  },
  logo: 'https://example.com/logo.png',
  defaultTheme: 'AUTO',
  isPrivate: false,
};

test.each([
  ['', []],
  ['-plain', ['--plain']],
] as const)('a status page%s', async (name, flags) => {
  const env = { ...(await serveStill(still(getStatusPage, page))), COLORTERM: 'truecolor' };
  await expectScreen(`status-pages-get${name}`, ['status-pages', 'get', page.id, ...flags], { env });
});
