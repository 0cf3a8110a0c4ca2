/** The loopback name server answers as a real one does. */
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type LoopbackNameServer,
  type LoopbackRecord,
  startLoopbackNameServer,
} from '../../../src/runners/dns/loopback-server.ts';
import type { RecordType } from '../../../src/runners/dns/types.ts';
import { dnsOf, runAt } from '../../support/dns/run.ts';

const LONG = `v=DKIM1; p=${'k'.repeat(400)}`;
const RECORDS: readonly LoopbackRecord[] = [
  { type: 'A', data: '192.0.2.1' },
  { type: 'A', data: '192.0.2.2', ttl: 5 },
  { type: 'AAAA', data: '2001:db8::1' },
  { type: 'NS', data: 'ns.example.test.' },
  { type: 'MX', data: '10 mail.example.test.' },
  { type: 'TXT', data: LONG },
  { type: 'SOA', data: 'ns.example.test. admin.example.test. 7 3600 900 604800 60' },
];
const ZONE: Readonly<Record<string, readonly LoopbackRecord[]>> = {
  'example.test': RECORDS,
  'www.example.test.': [{ type: 'CNAME', data: 'example.test.' }],
  'many.test': Array.from({ length: 200 }, (_, index) => ({ type: 'A', data: `192.0.2.${index}` })),
};

let server: LoopbackNameServer;
beforeAll(async () => {
  server = await startLoopbackNameServer({ records: ZONE });
});
afterAll(() => server.close());

async function dataOf(query: string, recordType: RecordType, protocol: 'UDP' | 'TCP' = 'UDP') {
  const outcome = await runAt(server, { query, recordType, protocol });
  return { errors: outcome.errors, data: dnsOf(outcome).response.Answer.map((record) => record.data) };
}

describe('the loopback name server', () => {
  it.each(['UDP', 'TCP'] as const)('answers every type as its records say (%s)', async (protocol) => {
    for (const { type } of RECORDS) {
      const expected = RECORDS.filter((record) => record.type === type);
      expect(await dataOf('Example.TEST', type, protocol)).toEqual({
        errors: [],
        data: expected.map((record) => record.data),
      });
    }
  });

  it('follows an alias, and answers it alone where it is asked for', async () => {
    expect((await dataOf('www.example.test', 'A')).data).toEqual(['example.test.', '192.0.2.1', '192.0.2.2']);
    expect((await dataOf('www.example.test', 'CNAME')).data).toEqual(['example.test.']);
  });

  it('answers NXDOMAIN for other names, and nothing for another type of a known one', async () => {
    expect((await dataOf('nope.test', 'A')).errors).toEqual(['nope.test A: answered NXDOMAIN']);
    expect(await dataOf('many.test', 'MX')).toEqual({
      errors: ['many.test MX: the answer has no MX record'],
      data: [],
    });
  });

  it('truncates what is too long for UDP, and gives it over TCP', async () => {
    const outcome = await runAt(server, { query: 'many.test' });
    expect(dnsOf(outcome)).toMatchObject({ protocol: 'TCP', truncated: true });
    expect(dnsOf(outcome).response.Answer).toHaveLength(200);
  });

  it('survives garbage, and closes while a connection is open', async () => {
    const own = await startLoopbackNameServer({ records: ZONE });
    const broken = connect(own.port, own.address);
    await new Promise<void>((resolve) => {
      broken.on('error', () => {}).on('close', () => resolve());
      broken.write(Buffer.from([0, 5, 1, 2, 3, 4, 5]));
    });
    const idle = connect(own.port, own.address);
    await new Promise<void>((resolve) => idle.on('error', () => {}).on('connect', () => resolve()));
    expect((await runAt(own, { query: 'example.test' })).hasFailures).toBe(false);
    await own.close();
    idle.destroy();
  });
});
