/** `sonde service status`: shows the status of the embedded service. */

import { NetworkError } from '../../src/base/errors.ts';
import { EXIT } from '../../src/base/exits.ts';
import { isObject } from '../../src/base/object.ts';
import { defineCommand } from '../../src/cli/framework/index.ts';
import { browserWarning, findBrowserProblem } from '../../src/cli/local-service/browser.ts';
import { requireResponse, serviceFolder } from '../../src/cli/local-service/data-folder.ts';
import { dataOption } from '../../src/cli/settings/data-option.ts';
import { render } from '../../src/terminal/index.ts';
import { PLAIN_HTTP_WARNING } from './shared/report-network.ts';

/** A smaller difference of clocks is not reported, in ms. */
const CLOCK_TOLERANCE_MS = 2000;

export const command = defineCommand({
  name: 'service status',
  summary: 'Show the status of the embedded service',
  options: { data: dataOption },
  examples: [{ line: 'service status --json', does: 'Print the address, process and health as JSON' }],
  exits: [[EXIT.unreachable, 'no service is running, or it does not respond']],
  async run(deps, { options, output }) {
    const folder = serviceFolder(deps, options.data);
    const running = await requireResponse(deps, folder);
    if (!running) {
      throw new NetworkError(
        `No service is running in ${folder}`,
        {},
        { hint: 'to start one, run: sonde service start --detach' },
      );
    }
    const { record, health } = running;
    await render(deps.terminal, {
      kind: 'item',
      data: { ...record, folder, ...health },
      output,
      columns: [
        { key: 'status', kind: 'status' },
        { key: 'url', header: 'address' },
        { key: 'pid', header: 'process' },
        { key: 'startedAt', header: 'started', kind: 'time' },
        { key: 'version' },
        { key: 'folder', header: 'data folder' },
        { key: 'active', header: 'running checks', kind: 'number' },
        { key: 'queued', header: 'queued checks', kind: 'number' },
        { key: 'ready', value: () => formatReady(health) },
        { key: 'clockOffset', header: 'database clock', value: () => formatClockOffset(health) },
        { key: 'uplink', header: 'own network' },
        { key: 'privateNetworks', header: 'private networks', value: () => formatPrivateNetworks(health) },
        {
          key: 'trustedProxies',
          header: 'trusted proxies',
          value: () => formatProxies(health.trustedProxies),
        },
        { key: 'isolation', header: 'script isolation', value: () => formatIsolation(health.isolation) },
        {
          key: 'isolationReason',
          header: 'stronger isolation',
          value: () => formatIsolationReason(health.isolation),
        },
        { key: 'storage', value: () => formatStorage(health.storage) },
        { key: 'deliveries', value: () => formatDeliveries(health.deliveries) },
        { key: 'browser', value: () => formatBrowser(health.browserChecks) },
        { key: 'model', header: 'agentic model', value: () => formatModel(health.agenticChecks) },
      ],
    });
    if (health.ready === false)
      await deps.terminal.warn(`The service is not ready: ${health.notReadyReason}.`);
    if (health.isPlainHttp === true) await deps.terminal.warn(PLAIN_HTTP_WARNING);
    const problem = findBrowserProblem(health);
    if (problem !== undefined) await deps.terminal.warn(browserWarning(problem));
  },
});

const formatReady = ({ ready, notReadyReason: reason }: Readonly<Record<string, unknown>>): unknown =>
  ready === undefined ? undefined : ready === true ? 'yes' : `no: ${reason}`;
/** Formats the offset of the PostgreSQL clock. Undefined: there is no PostgreSQL. */
function formatClockOffset({ clockOffsetMs: ms }: Readonly<Record<string, unknown>>): unknown {
  if (typeof ms !== 'number') return undefined;
  if (Math.abs(ms) <= CLOCK_TOLERANCE_MS) return 'in sync with this machine';
  return `${Math.abs(ms / 1000).toFixed(1)} s ${ms > 0 ? 'ahead of' : 'behind'} this machine`;
}
const formatStorage = (storage: unknown): unknown => (isObject(storage) ? storage.state : undefined);
/** Formats `webhook, slack (not configured: email, sms)`. Undefined: the service does not say. */
function formatDeliveries(deliveries: unknown): unknown {
  if (!isObject(deliveries)) return undefined;
  const names = Object.keys(deliveries);
  const missing = names.filter((name) => deliveries[name] !== true);
  const configured = names.filter((name) => deliveries[name] === true).join(', ');
  return missing.length === 0 ? configured : `${configured} (not configured: ${missing.join(', ')})`;
}
const formatBrowser = (checks: unknown): unknown =>
  isObject(checks) ? (checks.browser ?? 'none') : undefined;
const formatModel = (checks: unknown): unknown => (isObject(checks) ? (checks.model ?? 'none') : undefined);
const formatPrivateNetworks = ({
  deniesPrivateNetworks: denies,
}: Readonly<Record<string, unknown>>): unknown =>
  denies === undefined ? undefined : denies ? 'denied' : 'allowed';
const formatProxies = (proxies: unknown): unknown =>
  Array.isArray(proxies) && proxies.length > 0 ? proxies.join(', ') : 'none';
const formatIsolation = (isolation: unknown): unknown => (isObject(isolation) ? isolation.level : undefined);
const formatIsolationReason = (isolation: unknown): unknown =>
  isObject(isolation) ? isolation.reason : undefined;
