/** sonde in the league: all targets as checks of one `sonde try`. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { BINARY, bareEnv } from '../../test/support/binary.ts';
import { outputOf } from './output.ts';
import { type Expectation, LIMIT_MS, type Runner, type Served, urlOf } from './target.ts';

const textAssertions = (source: string, { contains, lacks }: Expectation = {}) => [
  ...(contains === undefined ? [] : [{ source, comparison: 'CONTAINS', target: contains }]),
  ...(lacks === undefined ? [] : [{ source, comparison: 'NOT_CONTAINS', target: lacks }]),
];

function httpAssertions(expects: Expectation = {}) {
  const { status, header, json } = expects;
  return [
    ...(status === undefined
      ? []
      : [{ source: 'STATUS_CODE', comparison: 'EQUALS', target: String(status) }]),
    ...(header === undefined
      ? []
      : [{ source: 'HEADERS', property: header[0], comparison: 'CONTAINS', target: header[1] }]),
    ...(json === undefined
      ? []
      : [{ source: 'JSON_BODY', property: `$.${json[0]}`, comparison: 'EQUALS', target: json[1] }]),
    ...textAssertions('TEXT_BODY', expects),
  ];
}

function checkOf(served: Served): object {
  const { probe } = served.target;
  const limits = { maxResponseTime: LIMIT_MS, degradedResponseTime: LIMIT_MS };
  const common = { name: served.id, retryStrategy: null, doubleCheck: false };
  const at = { hostname: '127.0.0.1', port: served.port };
  switch (probe.type) {
    case 'http': {
      const headers = Object.entries(probe.secrets ?? {}).map(([key, value]) => ({
        key,
        value,
        locked: true,
      }));
      const request = {
        url: urlOf(served),
        method: 'GET',
        headers,
        assertions: httpAssertions(probe.expects),
      };
      return { ...common, ...limits, checkType: 'API', request };
    }
    case 'https':
      return { ...common, ...limits, checkType: 'URL', request: { url: urlOf(served) } };
    case 'certificate':
      return {
        ...{ ...common, checkType: 'SSL' },
        request: { sslConfig: { ...at, serverName: probe.serverName, alertDaysBeforeExpiry: 1 } },
      };
    case 'tcp': {
      const request = { ...at, assertions: textAssertions('RESPONSE_DATA', probe.expects) };
      return { ...common, ...limits, checkType: 'TCP', request };
    }
    case 'dns': {
      const { recordType, expects } = probe;
      const question = { query: `${served.id}.test`, recordType, nameServer: '127.0.0.1', port: served.port };
      const request = { ...question, assertions: textAssertions('TEXT_ANSWER', expects) };
      return { ...common, ...limits, checkType: 'DNS', request };
    }
  }
}

export const sonde: Runner = {
  name: 'sonde',
  async run(targets, trusted, folder) {
    await writeFile(join(folder, 'targets.json'), JSON.stringify({ checks: targets.map(checkOf) }));
    const env = bareEnv(folder, { NODE_EXTRA_CA_CERTS: trusted });
    const args = [BINARY, 'try', 'targets.json', '--json', '--timeout', '10m'];
    const { stdout, stderr } = await outputOf(process.execPath, args, folder, env);
    if (stdout === '') throw new Error(stderr);
    const rows = JSON.parse(stdout) as readonly { readonly name: string; readonly status: string }[];
    return new Map(rows.map(({ name, status }) => [name, status === 'PASSED']));
  },
};
