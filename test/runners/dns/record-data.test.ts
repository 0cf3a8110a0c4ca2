/** Data of records that does not have the form of its type. */
import { expect, it } from 'vitest';
import { MalformedError, MessageReader } from '../../../src/runners/dns/message-reader.ts';
import { readRecordData, typeCode } from '../../../src/runners/dns/record-data.ts';
import type { RecordType } from '../../../src/runners/dns/types.ts';

const read = (type: RecordType, hex: string) =>
  readRecordData(typeCode(type), new MessageReader(Buffer.from(hex.replaceAll(' ', ''), 'hex'))).spellings[0];

it.each<[RecordType, string, string]>([
  ['CAA', '00 05 6973737565 61', '0 issue "a"'],
  ['CAA', '00 05 4953535545 22ff', '0 issue "\\"\\255"'],
  ['DNSKEY', '0101 03 0d 00', '257 3 13 AA=='],
  ['DS', 'ec45 05 01 ab', '60485 5 1 AB'],
  ['HTTPS', '0001 00', '1 .'],
  ['HTTPS', '0001 00 0001 0003 02 6832', '1 . alpn="h2"'],
  ['HTTPS', '0001 00 0001 0008 02 6832 04 2c5c6833', '1 . alpn="h2,\\\\,\\\\\\\\h3"'],
  ['SVCB', '0001 00 0003 0002 0035 0004 0004 c0000201', '1 . port=53 ipv4hint=192.0.2.1'],
  ['SVCB', '0001 00 029c 0000', '1 . key668'],
  ['NAPTR', '0001 0002 01 55 00 00 00', '1 2 "U" "" "" .'],
  ['PTR', '01 41 00', 'a.'],
  ['SRV', '0001 0002 0003 01 41 00', '1 2 3 a.'],
  ['TLSA', '03 01 01 ab', '3 1 1 AB'],
])('%s %s is %s', (type, hex, data) => {
  expect(read(type, hex)).toBe(data);
});

it.each<[RecordType, string, string]>([
  ['CAA', '', 'no data'],
  ['CAA', '00', 'no tag'],
  ['CAA', '00 06 6973737565', 'a tag beyond the end'],
  ['DNSKEY', '0101 03', 'no algorithm'],
  ['DS', 'ec45 05', 'no digest type'],
  ['HTTPS', '0001', 'no name'],
  ['HTTPS', '0001 00 0001', 'a parameter without length'],
  ['HTTPS', '0001 00 0001 0004 02 6832', 'a parameter beyond the end'],
  ['HTTPS', '0001 00 0001 0003 03 6832', 'a protocol beyond its parameter'],
  ['SVCB', '0001 00 0003 0003 003500', 'a port of three bytes'],
  ['SVCB', '0001 00 0003 0001 35', 'a port of one byte'],
  ['SVCB', '0001 00 0004 0005 c000020100', 'an address of one byte'],
  ['SVCB', '0001 00 0006 0004 c0000201', 'an IPv6 address of four bytes'],
  ['SVCB', '0001 00 0002 0001 00', 'a value of no-default-alpn'],
  ['SVCB', '0001 00 0000 0001 00', 'half a key'],
  ['NAPTR', '0001 0002 01 55 00 05 00', 'a text beyond the end'],
  ['NAPTR', '0001 0002 01 55 00 00', 'no replacement'],
  ['PTR', '', 'no name'],
  ['PTR', '01 41 00 00', 'bytes after the name'],
  ['PTR', 'c000', 'a pointer to itself'],
  ['PTR', '40 41 00', 'an unknown kind of label'],
  ['SRV', '0001 0002 0003', 'no target'],
  ['SRV', '0001 0002 0003 00 00', 'bytes after the target'],
  ['TLSA', '03 01', 'no matching type'],
])('%s %s is malformed: %s', (type, hex) => {
  expect(() => read(type, hex)).toThrow(MalformedError);
});
