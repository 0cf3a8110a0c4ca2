/** `sonde service status`: whether the embedded service runs, and how it does. */

import { NetworkError } from '../../src/base/errors.ts';
import { EXIT } from '../../src/base/exits.ts';
import { isObject } from '../../src/base/object.ts';
import { defineCommand } from '../../src/cli/framework/index.ts';
import { browserProblem, browserWarning } from '../../src/cli/local-service/browser.ts';
import { dataOption, reachedService, serviceFolder } from '../../src/cli/local-service/data-folder.ts';
import { render } from '../../src/terminal/index.ts';
import { PLAIN_HTTP_WARNING } from './shared/network.ts';

/** A clock that differs by more, in ms, is named. */
const CLOCK_TOLERANCE_MS = 2000;

export const command = defineCommand({
  name: 'service status',
  summary: 'Show the status of the embedded service',
  options: { data: dataOption },
  examples: [{ line: 'service status --json', does: 'Print the address, process and health as JSON' }],
  exits: [[EXIT.unreachable, 'no service is running, or it does not respond']],
  async run(deps, { options, output }) {
    const folder = serviceFolder(deps, options.data);
    const running = await reachedService(deps, folder);
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
        { key: 'ready', value: () => readyOf(health) },
        { key: 'clockOffset', header: 'database clock', value: () => offsetOf(health) },
        { key: 'privateNetworks', header: 'private networks', value: () => reachOf(health) },
        { key: 'trustedProxies', header: 'trusted proxies', value: () => proxiesOf(health.trustedProxies) },
        { key: 'isolation', header: 'script isolation', value: () => levelOf(health.isolation) },
        { key: 'isolationReason', header: 'stronger isolation', value: () => reasonOf(health.isolation) },
        { key: 'storage', value: () => storageOf(health.storage) },
        { key: 'deliveries', value: () => deliveriesOf(health.deliveries) },
        { key: 'browser', value: () => browserOf(health.browserChecks) },
        { key: 'model', header: 'agentic model', value: () => modelOf(health.agenticChecks) },
      ],
    });
    if (health.ready === false)
      await deps.terminal.warn(`The service is not ready: ${health.notReadyReason}.`);
    if (health.isPlainHttp === true) await deps.terminal.warn(PLAIN_HTTP_WARNING);
    const problem = browserProblem(health);
    if (problem !== undefined) await deps.terminal.warn(browserWarning(problem));
  },
});

const readyOf = ({ ready, notReadyReason: reason }: Readonly<Record<string, unknown>>): unknown =>
  ready === undefined ? undefined : ready === true ? 'yes' : `no: ${reason}`;
/** By how much the clock of a Postgres server differs; undefined where there is none. */
function offsetOf({ clockOffsetMs: ms }: Readonly<Record<string, unknown>>): unknown {
  if (typeof ms !== 'number') return undefined;
  if (Math.abs(ms) <= CLOCK_TOLERANCE_MS) return 'in sync with this machine';
  return `${Math.abs(ms / 1000).toFixed(1)} s ${ms > 0 ? 'ahead of' : 'behind'} this machine`;
}
const storageOf = (storage: unknown): unknown => (isObject(storage) ? storage.state : undefined);
/** `webhook, slack (email and sms are not configured)`; undefined of a service that does not say. */
function deliveriesOf(deliveries: unknown): unknown {
  if (!isObject(deliveries)) return undefined;
  const names = Object.keys(deliveries);
  const missing = names.filter((name) => deliveries[name] !== true);
  const configured = names.filter((name) => deliveries[name] === true).join(', ');
  return missing.length === 0 ? configured : `${configured} (not configured: ${missing.join(', ')})`;
}
const browserOf = (checks: unknown): unknown => (isObject(checks) ? (checks.browser ?? 'none') : undefined);
const modelOf = (checks: unknown): unknown => (isObject(checks) ? (checks.model ?? 'none') : undefined);
const reachOf = ({ deniesPrivateNetworks: denies }: Readonly<Record<string, unknown>>): unknown =>
  denies === undefined ? undefined : denies ? 'denied' : 'allowed';
const proxiesOf = (proxies: unknown): unknown =>
  Array.isArray(proxies) && proxies.length > 0 ? proxies.join(', ') : 'none';
const levelOf = (isolation: unknown): unknown => (isObject(isolation) ? isolation.level : undefined);
const reasonOf = (isolation: unknown): unknown => (isObject(isolation) ? isolation.reason : undefined);
