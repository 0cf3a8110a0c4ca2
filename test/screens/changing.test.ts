/** What a person sees before something is changed or deleted. */
import { test } from 'vitest';
import {
  getSnippet,
  getStatusPage,
  listCheckGroups,
  listChecks,
  updateStatusPage,
} from '../../src/contract/index.ts';
import { expectScreen } from '../support/screen/capture.ts';
import { serveStill, still } from '../support/screen/service.ts';

const page = {
  id: '7c0f1d2e-0a1b-4c3d-8e5f-6a7b8c9d0e1f',
  name: 'Shop status',
  url: 'shop',
  description: 'How the shop, its checkout and its search are doing, hour by hour, all in one place.',
  cards: [{ id: 'card-1', name: '検索', services: [{ id: 'service-1', name: 'Search' }] }],
  themeColors: { light: { linkFontColor: '#0B7285' }, dark: { linkFontColor: '#99E9F2' } },
  defaultTheme: 'AUTO',
} as const;

const put = [
  'status-pages',
  'put',
  '7c0f1d2e-0a1b-4c3d-8e5f-6a7b8c9d0e1f',
  '--name',
  'Shop status',
  '--url',
  'shop',
];
const cards = ['--set', 'cards=[{"id":"card-1","name":"検索 \u202e"}]'];
const description = 'How the shop, its checkout and its search are doing, day by day, all in one place.';

const serve = () =>
  serveStill(
    still(getStatusPage, page as never),
    still(updateStatusPage, page as never),
    still(getSnippet, { id: 7, name: 'Log in\u202e 検索', script: '//', created_at: '2026-11-01' }),
    still(listCheckGroups, [
      { id: 1, name: 'Shop', activated: true, concurrency: 3, apiCheckDefaults: {}, setupSnippetId: 7 },
    ]),
    still(listChecks, []),
  );

test('the difference, before a page is replaced', async () => {
  const env = await serve();
  await expectScreen('change-put', [...put, ...cards, '--description', description], { env, until: '(y/N)' });
});

test('what goes, before it is deleted', async () => {
  const env = await serve();
  await expectScreen('delete-preview', ['delete', 'snippet', '7', '8'], { env, until: '(y/N)' });
});

test('what cannot be sent, before it is edited again', async () => {
  const env = { ...(await serve()), EDITOR: 'sed -i -e s/AUTO$/DRAK/ -e s/^url:/ulr:/' };
  await expectScreen('edit-again', ['status-pages', 'edit', '7c0f1d2e-0a1b-4c3d-8e5f-6a7b8c9d0e1f'], {
    env,
    until: '(Y/n)',
  });
});
