/** Writes a project with every construct that a version of the npm client exports. */
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { InstalledClient } from './published-client.ts';

const CONFIG = `import { defineConfig } from 'checkly'
export default defineConfig({
  projectName: 'Every construct',
  logicalId: 'every',
  repoUrl: 'https://example.com/shop',
  checks: { checkMatch: '**/*.check.js', playwrightConfig: { timeout: 30000, use: { locale: 'de-DE' } } },
})
`;
const SPEC = `import { expect, test } from '@playwright/test'
import { title } from '../lib/title.js'
test('the shop is open', async ({ page }) => {
  await page.goto(process.env.SHOP)
  await expect(page).toHaveTitle(title)
})
`;
const STEPS = `import { expect, test } from '@playwright/test'
test('the API answers', async ({ request }) => expect((await request.get(process.env.SHOP)).ok()).toBe(true))
`;
const CONSTRUCTS = `import * as c from 'checkly/constructs'
const request = { url: 'https://example.com/' }
const older = new c.CheckGroup('older', { name: 'Older group', locations: ['eu-west-1'] })
const group = new c.CheckGroupV2('group', { name: 'Group', tags: ['shop'] })
const office = new c.PrivateLocation('office', { name: 'Office', slugName: 'office' })
const alertChannels = [
  new c.EmailAlertChannel('mail', { address: 'shop@example.com' }),
  new c.SlackAlertChannel('slack', { name: 'Slack', channel: '#ops', url: 'https://example.com/slack' }),
  new c.SlackAppAlertChannel('slack-app', { slackChannels: ['C123'] }),
  new c.WebhookAlertChannel('webhook', { name: 'Webhook', url: 'https://example.com/hook', method: 'POST' }),
  new c.SmsAlertChannel('sms', { phoneNumber: '+4912345678', name: 'SMS' }),
  new c.PhoneCallAlertChannel('call', { phoneNumber: '+4912345678', name: 'Call' }),
  new c.OpsgenieAlertChannel('opsgenie', { name: 'Opsgenie', apiKey: 'real-key', region: 'EU', priority: 'P1' }),
  new c.PagerdutyAlertChannel('pagerduty', { account: 'ops', serviceName: 'Ops', serviceKey: 'real-key' }),
  new c.MSTeamsAlertChannel('teams', { name: 'Teams', url: 'https://example.com/teams' }),
  new c.TelegramAlertChannel('telegram', { name: 'Telegram', apiKey: 'real-key', chatId: '1' }),
  new c.IncidentioAlertChannel('io', { name: 'Incidents', url: 'https://example.com/io', apiKey: 'real-key' }),
]
new c.ApiCheck('api', {
  name: 'API', group, alertChannels, privateLocations: [office],
  request: { ...request, method: 'GET', assertions: [c.AssertionBuilder.statusCode().equals(200)] },
})
new c.BrowserCheck('browser', { name: 'Browser', group: older, code: { entrypoint: './shop.spec.js' } })
new c.MultiStepCheck('steps', { name: 'Steps', code: { entrypoint: './steps.spec.js' } })
new c.PlaywrightCheck('suite', { name: 'Suite', playwrightConfigPath: '../playwright.config.js' })
new c.UrlMonitor('url', { name: 'URL', request })
new c.TcpMonitor('tcp', { name: 'TCP', request: { hostname: 'example.com', port: 443 } })
new c.DnsMonitor('dns', { name: 'DNS', request: { recordType: 'A', query: 'example.com' } })
new c.IcmpMonitor('icmp', { name: 'ICMP', request: { hostname: 'example.com' } })
const securityBaseline = { enabled: true, minTLSVersion: { value: 'TLS1.2', severity: 'fail' } }
new c.SslMonitor('ssl', { name: 'SSL', request: { hostname: 'example.com', sslConfig: { securityBaseline } } })
new c.GrpcMonitor('grpc', { name: 'gRPC', request: { url: 'example.com', port: 443, grpcConfig: {} } })
new c.TracerouteMonitor('trace', { name: 'Trace', request: { url: 'example.com' } })
const hour = { period: 1, periodUnit: 'hours', grace: 1, graceUnit: 'hours' }
new c.HeartbeatMonitor('heartbeat', { name: 'Heartbeat', ...hour })
new c.AgenticCheck('agentic', { name: 'Agentic', prompt: 'Open https://example.com and check the title.' })
new c.MaintenanceWindow('window', {
  name: 'Window', tags: ['shop'],
  startsAt: new Date('2027-01-01T00:00:00Z'), endsAt: new Date('2027-01-01T01:00:00Z'),
})
new c.Dashboard('board', { header: 'Shop', customUrl: 'shop-board', tags: ['shop'] })
const service = new c.StatusPageService('service', { name: 'Shop' })
new c.StatusPage('page', { name: 'Status', url: 'status', cards: [{ name: 'Sites', services: [service] }] })
`;
/** The constructs that only newer versions have. */
const NEWER_CONSTRUCTS = `
const statusPage = new c.StatusPageV3('newer', {
  name: 'Newer status', url: 'newer-status', description: 'All sites', logoDark: 'https://example.com/dark.png',
  privacyPolicyLink: 'https://example.com/privacy', termsOfServiceLink: 'https://example.com/terms',
  supportLink: 'https://example.com/help', footerText: 'Shop', googleAnalyticsTag: 'G-1', allowIndexing: false,
})
const parent = new c.StatusPageV3Component('parent', {
  statusPage, type: 'GROUP', name: 'Sites', displayOrder: 0, description: 'Sites', expandedByDefault: true,
})
const component = new c.StatusPageV3Component('child', {
  statusPage, parent, name: 'Front', displayOrder: 1, description: 'Front', hidden: true, showHistoricalData: false,
})
new c.StatusPageV3AutomationRule('rule', {
  statusPage, name: 'Rule', enabled: true, firstUpdate: 'Looking', lastUpdate: 'Done', notifySubscribers: true,
  tags: ['shop'], components: [{ component, targetImpact: 'MAJOR_OUTAGE' }],
})
`;
/** Exports that are aliases of others, parents of others, or that the client makes. */
const NOT_MADE =
  /^(?:CheckGroupV1|AlertChannel|\w+Builder|AlertChannelSubscription|PrivateLocation\w+Assignment|Project|Session|Construct|\w*Ref)$/;

/** Returns the names of the constructs of an installed client, each of which is a class with `synthesize`. */
async function listConstructs({ packages }: InstalledClient): Promise<readonly string[]> {
  const folder = join(packages, 'checkly/dist/constructs');
  const index = await readFile(join(folder, 'index.js'), 'utf8');
  const files = [...index.matchAll(/'\.\/([\w-]+)(?:\.js)?'|"\.\/([\w-]+)(?:\.js)?"/g)].map(
    ([, one, other]) => one ?? other,
  );
  const texts = await Promise.all(files.map((file) => readFile(join(folder, `${file}.js`), 'utf8')));
  return texts
    .filter((text) => /Session\.registerConstruct\(this\)|extends WebhookAlertChannel/.test(text))
    .flatMap((text) => [...text.matchAll(/^(?:export )?class (\w+)/gm)].map(([, name = '']) => name))
    .filter((name) => !NOT_MADE.test(name));
}

/** Writes the project. Returns the names of constructs that the client has and the project lacks. */
export async function writeEveryConstruct(
  folder: string,
  client: InstalledClient,
): Promise<readonly string[]> {
  const names = await listConstructs(client);
  const constructs = CONSTRUCTS + (names.includes('StatusPageV3') ? NEWER_CONSTRUCTS : '');
  const files = {
    'package.json': '{ "name": "shop", "private": true, "type": "module" }\n',
    'package-lock.json':
      '{ "name": "shop", "lockfileVersion": 3, "requires": true, "packages": { "": {} } }\n',
    'playwright.config.js': "export default { testDir: './src' }\n",
    'checkly.config.js': CONFIG,
    'lib/title.js': "export const title = 'Shop'\n",
    'src/shop.spec.js': SPEC,
    'src/steps.spec.js': STEPS,
    'src/every.check.js': constructs,
  };
  for (const part of ['src', 'lib', 'node_modules']) await mkdir(join(folder, part), { recursive: true });
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  const own = join(import.meta.dirname, '../../node_modules');
  for (const [name, from] of [
    ['checkly', client.packages],
    ['@playwright', own],
  ] as const)
    await symlink(join(from, name), join(folder, 'node_modules', name));
  return names.filter((name) => !constructs.includes(`new c.${name}(`));
}
