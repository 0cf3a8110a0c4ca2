/** Writes a project as code, whose checks run against servers of this machine. */
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The servers that the checks of the project ask. */
export interface Targets {
  /** `http://127.0.0.1:PORT/`, a page with the title `Shop`. */
  readonly page: string;
  readonly tcpPort: number;
  /** The port of a name server that knows `good.test`. */
  readonly dnsPort: number;
}

/** What a project contains beside what it always does. */
export interface Variant {
  /** The name of the URL check. */
  readonly urlName?: string;
  readonly withoutTcp?: boolean;
  /** Fields of the URL check, as code. */
  readonly urlFields?: string;
  /** Further constructs, as a file. */
  readonly more?: string;
}

const CONFIG = `import { defineConfig } from 'checkly'
export default defineConfig({
  projectName: 'Shop',
  logicalId: 'shop',
  repoUrl: 'https://example.com/shop',
  checks: { checkMatch: '**/*.check.js', playwrightConfig: { timeout: 60000, use: { locale: 'de-DE' } } },
})
`;
const SPEC = `import { expect, test } from '@playwright/test'
import { title } from '../lib/title.js'
test('the shop is open', async ({ page }) => {
  await page.goto(process.env.SHOP)
  await expect(page).toHaveTitle(title)
  expect(await page.evaluate(() => navigator.language)).toBe('de-DE')
})
`;

const constructs = (
  { page, tcpPort, dnsPort }: Targets,
  { urlName = 'Page', urlFields = '', withoutTcp = false }: Variant,
) => `import {
  BrowserCheck, CheckGroupV2, DnsAssertionBuilder, DnsMonitor, EmailAlertChannel, Frequency,
  RetryStrategyBuilder, StatusPage, StatusPageService, TcpMonitor, UrlAssertionBuilder, UrlMonitor,
} from 'checkly/constructs'

const service = new StatusPageService('service', { name: 'Shop' })
new StatusPage('status', { name: 'Shop status', url: 'shop-status', cards: [{ name: 'Sites', services: [service] }] })
const mail = new EmailAlertChannel('mail', { address: 'shop@example.com', sendFailure: true })
const group = new CheckGroupV2('group', { name: 'Shop', tags: ['shop'], alertChannels: [mail] })
const shared = { group, frequency: Frequency.EVERY_24H, retryStrategy: RetryStrategyBuilder.noRetries() }
new DnsMonitor('dns', {
  ...shared,
  name: 'Name',
  request: {
    recordType: 'A', query: 'good.test', nameServer: '127.0.0.1', port: ${dnsPort},
    assertions: [DnsAssertionBuilder.responseCode().equals('NOERROR')],
  },
})
new DnsMonitor('https', {
  name: 'Service binding',
  activated: false,
  request: { recordType: 'HTTPS', query: 'good.test', assertions: [DnsAssertionBuilder.jsonAnswer('$.Answer[0].data').contains('h3')] },
})
new UrlMonitor('url', {
  ...shared,
  name: '${urlName}',
  alertChannels: [mail],
  request: { url: '${page}', assertions: [UrlAssertionBuilder.statusCode().equals(200)] },
  ${urlFields}
})
${withoutTcp ? '' : `new TcpMonitor('tcp', { ...shared, name: 'Port', request: { hostname: '127.0.0.1', port: ${tcpPort} } })`}
new BrowserCheck('browser', {
  ...shared,
  name: 'Browser',
  environmentVariables: [{ key: 'SHOP', value: '${page}' }],
  code: { entrypoint: './shop.spec.js' },
})
`;

/** Writes the project into a folder. `packages`: where the client is installed. */
export async function writeProject(
  folder: string,
  packages: string,
  targets: Targets,
  variant: Variant = {},
): Promise<void> {
  await mkdir(join(folder, 'src'), { recursive: true });
  await mkdir(join(folder, 'lib'), { recursive: true });
  await symlink(packages, join(folder, 'node_modules')).catch(() => {});
  const files = {
    'package.json': '{ "name": "shop", "private": true, "type": "module" }\n',
    'checkly.config.js': CONFIG,
    'lib/title.js': "export const title = 'Shop'\n",
    'src/shop.spec.js': SPEC,
    'src/shop.check.js': constructs(targets, variant),
    'src/more.check.js': variant.more ?? '',
  };
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
}
