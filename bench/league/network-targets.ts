/** Servers of the league below HTTP: TLS, DNS and TCP. */
import type { Socket } from 'node:net';
import type { Responder } from '../../test/cases/servers/dns-server.ts';
import { a, address, name, OWNER, record, TRUNCATED, text, u16 } from '../../test/cases/servers/dns-wire.ts';
import type { DnsProbe, HttpsProbe, Target, TcpProbe } from './target.ts';

type Server = HttpsProbe['server'];

/** The names of the certificate: the address 127.0.0.1 over HTTPS, and the name a.test. */
const CHAINS: readonly (readonly [server: Server, overHttps: boolean, byName: boolean])[] = [
  ['good', true, true],
  ['goodWithRoot', true, true],
  ['wrongOrder', true, true],
  ['goodTwice', true, true],
  ['sendsExpiredStrangers', true, true],
  ['rootCrossSignedExpired', true, true],
  ['sendsOldAndNewIntermediate', true, true],
  ['intermediateNotYetValid', false, false],
  ['tls12', true, true],
  ['tls13', true, true],
  ['noIntermediate', false, false],
  ['selfSigned', false, false],
  ['ofUnknownRootAlone', false, false],
  ['ofUnknownRoot', false, false],
  ['byNoAuthority', false, false],
  ['byOtherNames', false, false],
  ['expired', false, false],
  ['notYetValid', false, false],
  ['intermediateExpired', false, false],
  ['forClients', false, false],
  ['otherName', false, false],
  ['upperCase', false, true],
  ['bareStar', false, false],
  ['partialStar', false, false],
  ['loopbackAsName', false, false],
  ['commonNameOnly', false, false],
  ['emailOnly', false, false],
  ['otherAddressOnly', false, false],
  ['manyNames', false, true],
];
const WILDCARDS: readonly (readonly [serverName: string, isGood: boolean])[] = [
  ['www.a.test', true],
  ['WWW.a.test', true],
  ['a.test', false],
  ['a.b.a.test', false],
  ['www.shop.example', false],
];
const certificates: readonly Target[] = [
  ...CHAINS.flatMap(([server, overHttps, byName]): readonly Target[] => [
    { kind: 'Certificates over HTTPS', name: server, isGood: overHttps, probe: { type: 'https', server } },
    {
      ...{ kind: 'Certificates by name', name: server, isGood: byName },
      probe: { type: 'certificate', server, serverName: 'a.test' },
    },
  ]),
  ...WILDCARDS.map(
    ([serverName, isGood]): Target => ({
      ...{ kind: 'Certificates by name', name: `*.a.test for ${serverName}`, isGood },
      probe: { type: 'certificate', server: 'wildcardBelow', serverName },
    }),
  ),
];

type DnsRow = readonly [
  name: string,
  isGood: boolean,
  recordType: DnsProbe['recordType'],
  respond: Responder,
  expects?: DnsProbe['expects'],
];
const dns = (kind: string, rows: readonly DnsRow[]): readonly Target[] =>
  rows.map(([title, isGood, recordType, respond, expects]) => ({
    ...{ kind, name: title, isGood },
    probe: { type: 'dns', recordType, respond, ...(expects && { expects }) },
  }));
/** Records that contain a text: with the right assertion, one for another text, and one that they lack it. */
const says = (
  title: string,
  recordType: DnsProbe['recordType'],
  respond: Responder,
  found: string,
): readonly DnsRow[] => [
  [title, true, recordType, respond],
  [`${title}: contains`, true, recordType, respond, { contains: found }],
  [`${title}: contains another`, false, recordType, respond, { contains: 'zzyzx' }],
  [`${title}: lacks`, false, recordType, respond, { lacks: found }],
];

const only =
  (...answers: readonly Buffer[]): Responder =>
  () => ({ answers });
const rcode =
  (code: number): Responder =>
  () => ({ rcode: code });
const alias = (...labels: readonly string[]): Buffer => record('CNAME', name(...labels));
const MANY = Array.from({ length: 200 }, (_, index) => a(`10.0.0.${index}`));
const mx = record('MX', Buffer.concat([u16(10), name('mail', 'test')]));
/** Loses every second query, the first included. */
const lossy = (answer: Responder): Responder => {
  let count = 0;
  return (query) => (count++ % 2 === 0 ? [] : answer(query));
};

const records = dns('DNS records', [
  ...says('A', 'A', only(a('192.0.2.1')), '192.0.2.1'),
  ...says('two A', 'A', only(a('192.0.2.2'), a('192.0.2.1')), '192.0.2.1'),
  ...says(
    'AAAA',
    'AAAA',
    only(record('AAAA', Buffer.from('20010db8000000000000000000000001', 'hex'))),
    '2001:db8::1',
  ),
  ...says('CNAME', 'CNAME', only(alias('web', 'test')), 'web.test'),
  ...says('CNAME in upper case', 'CNAME', only(alias('WEB', 'test')), 'web.test'),
  ...says('MX', 'MX', only(mx), 'mail.test'),
  ...says('NS', 'NS', only(record('NS', Buffer.concat([text('ns1'), OWNER]))), 'ns1.'),
  ...says('TXT', 'TXT', only(record('TXT', text('v=spf1 -all'))), 'v=spf1 -all'),
  ...says('TXT with quotes', 'TXT', only(record('TXT', text('say "hi"'))), 'say "hi"'),
  ...says(
    'TXT in two strings',
    'TXT',
    only(record('TXT', Buffer.concat([text('v=DKIM1; p=AAA'), text('BBB')]))),
    'AAABBB',
  ),
]);
const failures = dns('DNS answers', [
  ...[1, 2, 3, 4, 5].map((code): DnsRow => [`rcode ${code}`, false, 'A', rcode(code)]),
  ['no record', false, 'A', only()],
  ['no record, lacks', false, 'TXT', only(), { contains: 'v=spf1' }],
  ['alias without an address', false, 'A', only(alias('gone', 'test'))],
  ['aliases in a circle', false, 'A', only(alias('b', 'test'), record('CNAME', OWNER, name('b', 'test')))],
  [
    'alias with its address',
    true,
    'A',
    only(alias('b', 'test'), record('A', address('192.0.2.3'), name('b', 'test'))),
  ],
  ['record of another name', false, 'A', only(record('A', address('192.0.2.3'), name('other', 'test')))],
  ['record of another type', false, 'A', only(mx)],
  ['address of five bytes', false, 'A', only(record('A', Buffer.alloc(5)))],
  [
    'truncated, whole over TCP',
    true,
    'A',
    ({ overTcp }) => (overTcp ? { answers: MANY } : { flags: TRUNCATED }),
    { contains: '10.0.0.199' },
  ],
  [
    'truncated, nothing over TCP',
    false,
    'A',
    ({ overTcp }) => (overTcp ? [] : { flags: TRUNCATED, answers: [a('192.0.2.1')] }),
  ],
  [
    'wrong ID, then the answer',
    true,
    'A',
    ({ id }) => [{ id: id ^ 1, answers: [a('192.0.2.66')] }, { answers: [a('192.0.2.1')] }],
    { contains: '192.0.2.1' },
  ],
  ['only a wrong ID', false, 'A', ({ id }) => ({ id: id ^ 1, answers: [a('192.0.2.1')] })],
  ['first query lost', true, 'A', lossy(only(a('192.0.2.1')))],
  ['silent', false, 'A', () => []],
]);

type TcpRow = readonly [
  name: string,
  isGood: boolean,
  serve?: TcpProbe['serve'],
  expects?: TcpProbe['expects'],
];
const tcp = (kind: string, rows: readonly TcpRow[]): readonly Target[] =>
  rows.map(([title, isGood, serve, expects]) => ({
    ...{ kind, name: title, isGood },
    probe: { type: 'tcp', ...(serve && { serve }), ...(expects && { expects }) },
  }));
/** Writes the parts with a pause before each but the first. */
const writes =
  (pauseMs: number, ...parts: readonly (string | Buffer)[]) =>
  (socket: Socket): void =>
    parts.forEach((part, index) => void setTimeout(() => socket.write(part), index * pauseMs));
const banner = (title: string, serve: TcpProbe['serve'], found: string): readonly TcpRow[] => [
  [`${title}: contains`, true, serve, { contains: found }],
  [`${title}: contains another`, false, serve, { contains: 'zzyzx' }],
  [`${title}: lacks`, false, serve, { lacks: found }],
];

const streams = tcp('TCP', [
  ['open', true, () => {}],
  ['open, closed at once', true, (socket) => socket.end()],
  ['nothing listens', false],
  ['reset at once: contains', false, (socket) => socket.resetAndDestroy(), { contains: '220' }],
  ['silent: contains', false, () => {}, { contains: '220' }],
  ...banner('banner', writes(0, '220 mail.test ESMTP\r\n'), '220 mail.test'),
  ...banner('banner without a line end', writes(0, '220 mail.test'), '220 mail.test'),
  ...banner('second line after 0.1 s', writes(100, '220-wait\r\n', '220 mail.test\r\n'), '220 mail.test'),
  ...banner('second line after 1 s', writes(1000, '220-wait\r\n', '220 mail.test\r\n'), '220 mail.test'),
  ...banner('second line after 3 s', writes(3000, '+OK\r\n', '-ERR down\r\n'), '-ERR'),
  ...banner('word in two packets', writes(50, '220 ma', 'il.test\r\n'), 'mail.test'),
  ...banner('euro sign in two packets', writes(50, Buffer.from([0xe2]), Buffer.from([0x82, 0xac, 10])), '€'),
  ...banner('200 KB', writes(0, `${`${'x'.repeat(99)}\n`.repeat(2000)}NEEDLE\n`), 'NEEDLE'),
]);

export const networkTargets: readonly Target[] = [...certificates, ...records, ...failures, ...streams];
