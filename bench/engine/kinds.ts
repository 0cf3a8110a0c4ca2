/** The checks of the benchmark by type, each beside the module of blackbox_exporter that tests the same. */
import type { TypedCheckBody } from '../../src/service/store/index.ts';
import type { Knot } from '../../test/support/dns/knot.ts';
import { GREETING, type Targets, ZONE } from './targets.ts';

const IPV4 = { preferred_ip_protocol: 'ip4' };
const common = { heartbeat: {}, script: '', tags: ['bench'], locations: ['eu-west-1'] };

/** The frequency of a check. */
export type Schedule = Readonly<Record<string, number>>;

/** Returns a DNS check with two assertions. */
export function dnsCheck(names: Knot, schedule: Schedule): TypedCheckBody {
  return {
    type: 'DNS',
    body: {
      ...common,
      name: `www.${ZONE}`,
      request: {
        query: `www.${ZONE}`,
        recordType: 'A',
        nameServer: names.address,
        port: names.port,
        assertions: [
          { source: 'RESPONSE_CODE', comparison: 'EQUALS', target: 'NOERROR' },
          { source: 'TEXT_ANSWER', comparison: 'CONTAINS', target: '192.0.2.7' },
        ],
      },
      ...schedule,
    },
  } as TypedCheckBody;
}

const httpsUrl = ({ https }: Targets): string => `https://127.0.0.1:${https.port}/status`;

export interface Kind {
  /** Number of checks in a round. */
  readonly count: number;
  readonly check: (targets: Targets, schedule: Schedule) => TypedCheckBody;
  /** Module of blackbox_exporter. */
  readonly module: (targets: Targets) => object;
  /** Target of its probe. */
  readonly probed: (targets: Targets) => string;
}

const https =
  (type: 'URL' | 'API', assertions: object[]): Kind['check'] =>
  (targets, schedule) =>
    ({
      type,
      body: {
        ...common,
        name: 'Status page',
        request: { url: httpsUrl(targets), method: 'GET', assertions },
        ...schedule,
      },
    }) as TypedCheckBody;

const blackboxHttps = ({ authority }: Targets, more: object): object => ({
  prober: 'http',
  http: { ...IPV4, tls_config: { ca_file: authority }, valid_status_codes: [200], ...more },
});

export const KINDS = {
  dns: {
    count: 10_000,
    check: ({ names }, schedule) => dnsCheck(names, schedule),
    module: () => ({
      prober: 'dns',
      dns: {
        ...IPV4,
        transport_protocol: 'udp',
        query_name: `www.${ZONE}`,
        query_type: 'A',
        valid_rcodes: ['NOERROR'],
        validate_answer_rrs: { fail_if_not_matches_regexp: ['.*192\\.0\\.2\\.7'] },
      },
    }),
    probed: ({ names }) => `${names.address}:${names.port}`,
  },
  url: {
    count: 3000,
    check: https('URL', [{ source: 'STATUS_CODE', comparison: 'EQUALS', target: '200' }]),
    module: (targets) => blackboxHttps(targets, {}),
    probed: httpsUrl,
  },
  api: {
    count: 3000,
    check: https('API', [
      { source: 'STATUS_CODE', comparison: 'EQUALS', target: '200' },
      { source: 'JSON_BODY', property: '$.status', comparison: 'EQUALS', target: 'ok' },
    ]),
    module: (targets) => blackboxHttps(targets, { fail_if_body_not_matches_regexp: ['"status":"ok"'] }),
    probed: httpsUrl,
  },
  ssl: {
    count: 3000,
    check: ({ https: { port } }, schedule) =>
      ({
        type: 'SSL',
        body: {
          ...common,
          name: 'Certificate',
          request: { sslConfig: { hostname: '127.0.0.1', port, alertDaysBeforeExpiry: 1 } },
          ...schedule,
        },
      }) as TypedCheckBody,
    module: ({ authority }) => ({
      prober: 'tcp',
      tcp: { ...IPV4, tls: true, tls_config: { ca_file: authority } },
    }),
    probed: ({ https: { port } }) => `127.0.0.1:${port}`,
  },
  tcp: {
    count: 3000,
    check: ({ tcp: { port } }, schedule) =>
      ({
        type: 'TCP',
        body: {
          ...common,
          name: 'Mail',
          request: {
            hostname: '127.0.0.1',
            port,
            assertions: [{ source: 'RESPONSE_DATA', comparison: 'CONTAINS', target: GREETING }],
          },
          ...schedule,
        },
      }) as TypedCheckBody,
    module: () => ({ prober: 'tcp', tcp: { ...IPV4, query_response: [{ expect: GREETING }] } }),
    probed: ({ tcp: { port } }) => `127.0.0.1:${port}`,
  },
  icmp: {
    count: 1000,
    check: (_, schedule) =>
      ({
        type: 'ICMP',
        body: { ...common, name: 'Host', request: { hostname: '127.0.0.1', pingCount: 1 }, ...schedule },
      }) as TypedCheckBody,
    module: () => ({ prober: 'icmp', icmp: IPV4 }),
    probed: () => '127.0.0.1',
  },
} satisfies Readonly<Record<string, Kind>>;
