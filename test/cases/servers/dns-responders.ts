/** Odd answers of the name server, by the first label of the name. */

import type { Responder } from './dns-server.ts';
import { a, address, name, OWNER, record, TRUNCATED, text, u16 } from './dns-wire.ts';

const FORMERR = 1;
const NXDOMAIN = 3;
const FIRST = '192.0.2.1';
/** More than fits into a datagram. */
const MANY = Array.from({ length: 300 }, (_, index) => a(`10.0.${index >> 8}.${index & 255}`));
const ADDRESSES = [
  '20010db8000000000000000000000001',
  '20010db8000000010001000100010001',
  '00000000000000000000ffffc0000201',
  '00000000000000000000000000000001',
];

export function dnsResponders(): Readonly<Record<string, Responder>> {
  let queries = 0;
  return {
    two: () => ({ answers: [a('192.0.2.2'), a(FIRST)] }),
    mxnull: () => ({ answers: [record('MX', Buffer.concat([u16(0), name()]))] }),
    txt: () => ({
      answers: [record('TXT', Buffer.concat([text(`v=DKIM1; p=${'A'.repeat(240)}`), text('B'.repeat(100))]))],
    }),
    txtlatin: () => ({ answers: [record('TXT', text('TELECOMUNICA\xc7\xd5ES', 'latin1'))] }),
    txtquote: () => ({ answers: [record('TXT', text('he said "hi" \\ ; x'))] }),
    aaaa: () => ({ answers: ADDRESSES.map((hex) => record('AAAA', Buffer.from(hex, 'hex'))) }),
    dotlabel: () => {
      const alias = name('a.b', 'c\\d', 'test');
      return { answers: [record('CNAME', alias), record('A', address(FIRST), alias)] };
    },
    loop: () => {
      const alias = name('b', 'test');
      return { answers: [record('CNAME', alias), record('CNAME', OWNER, alias)] };
    },
    nodata: () => ({}),
    nxcname: () => ({ rcode: NXDOMAIN, answers: [record('CNAME', name('gone', 'test'))] }),
    dname: () => {
      const alias = name('dname', 'example');
      const redirection = record('DNAME', name('example'), name('test'));
      return { answers: [redirection, record('CNAME', alias), record('A', address(FIRST), alias)] };
    },
    ns: () => ({
      answers: ['ns1', 'NS2'].map((label) => record('NS', Buffer.concat([text(label), OWNER]))),
    }),
    upcase: ({ question }) => ({ question: mixCase(question), answers: [a('192.0.2.7')] }),
    formerr: ({ hasEdns }) => (hasEdns ? { rcode: FORMERR } : { answers: [a('192.0.2.9')] }),
    trunc: ({ overTcp }) => (overTcp ? { answers: MANY } : { flags: TRUNCATED }),
    wrongid: ({ id }) => [{ id: (id + 1) & 0xffff, answers: [a('192.0.2.66')] }, { answers: [a(FIRST)] }],
    /** The name of the record points at itself. */
    ptrloop: ({ question }) => ({
      answers: [record('CNAME', Buffer.from([0xc0, 12 + question.length + 12]))],
    }),
    lossy: () => {
      queries += 1;
      return queries % 2 === 1 ? [] : { answers: [a(FIRST)] };
    },
  };
}

/** Returns the question with every second letter of the name in upper case. */
function mixCase(question: Buffer): Buffer {
  const mixed = Buffer.from(question);
  for (const [index, byte] of mixed.subarray(0, -4).entries())
    if (byte >= 97 && byte <= 122 && index % 2 === 1) mixed[index] = byte - 32;
  return mixed;
}
