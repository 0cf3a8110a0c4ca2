/** The traceparent header of a browser check in a real Chromium: to the origin of the first page, and to no other. */
import { expect, it } from 'vitest';
import { answer, serveWith } from '../../support/http.ts';
import { useShop } from './support.ts';

const shop = useShop();
const TRACEPARENT = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

const headersOf = (server: Awaited<ReturnType<typeof serveWith>>) =>
  server.requests.map(({ url, headers }) => [url, headers.traceparent]);

it('goes with the requests of pages to their own origin, through the routes of the script', async () => {
  const other = await serveWith((_, response) =>
    answer(response, { headers: { 'content-type': 'text/plain' } }),
  );
  const own = await serveWith((_, response) =>
    answer(response, {
      headers: { 'content-type': 'text/html' },
      body: `<title>t</title><link rel="icon" href="data:,"><script src="${other.url}/foreign.js"></script><script src="/own.js"></script>`,
    }),
  );
  const script = `
    const { chromium } = require('playwright');
    const browser = await chromium.launch();
    const page = await browser.newPage();
    await page.route('**/own.js', (route) => route.fallback());
    await page.goto('${own.url}/');
    console.log(process.env.SONDE_TRACEPARENT);
    await browser.close();
  `;
  const attempt = await shop.checks.run({ script }, { context: { traceparent: TRACEPARENT } });
  expect(attempt.errors).toEqual([]);
  expect(headersOf(own)).toEqual([
    ['/', TRACEPARENT],
    ['/own.js', TRACEPARENT],
  ]);
  expect(headersOf(other)).toEqual([['/foreign.js', undefined]]);
  expect(JSON.stringify(attempt.details)).toContain(`"text":"${TRACEPARENT}`);

  await shop.checks.run({ script });
  expect(headersOf(own).slice(2)).toEqual([
    ['/', undefined],
    ['/own.js', undefined],
  ]);
});
