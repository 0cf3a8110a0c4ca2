/** Serves a small shop on loopback for the browser check of the quickstart, and contains the check's script. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Shop {
  /** `http://127.0.0.1:PORT/` */
  readonly url: string;
  close(): Promise<void>;
}

const PAGE = `<!doctype html>
<title>Shop</title>
<h1>Shop</h1>
<button onclick="document.querySelector('output').textContent = 'Thank you!'">Buy</button>
<output></output>
`;

/** A Playwright Test file. */
export const SHOP_SCRIPT = `import { expect, test } from '@playwright/test';

test('a customer can buy', async ({ page }) => {
  await page.goto(process.env.SHOP ?? '');
  await page.getByRole('button', { name: 'Buy' }).click();
  await expect(page.getByRole('status')).toHaveText('Thank you!');
});
`;

export async function openShop(): Promise<Shop> {
  const server = createServer((_, response) => {
    response.setHeader('content-type', 'text/html; charset=utf-8').end(PAGE);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
