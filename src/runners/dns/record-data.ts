/** Formats the data of records, by type, as dig prints it. */
import { isUtf8 } from 'node:buffer';
import { formatIpv6 } from './addresses.ts';
import { formatText, MalformedError, type MessageReader } from './message-reader.ts';
import { serviceParameters } from './service-parameters.ts';
import { decodeText, escapeText } from './text.ts';
import type { RecordType } from './types.ts';

/** The data of a record in all usual spellings. */
export interface RecordData {
  /** The canonical spelling first: the one of dig, with the strings of a text joined. */
  readonly spellings: readonly [string, ...string[]];
  /** True if upper and lower case differ. */
  readonly isCaseSensitive: boolean;
  /** The names in the data. */
  readonly names: readonly string[];
  /** The text of a text record: without quotes and, if it is valid UTF-8, without escapes. */
  readonly plain?: string;
}

/** Reads one field and returns its text. */
type Field = (reader: MessageReader) => string;

const u8: Field = (reader) => String(reader.uint(1));
const u16: Field = (reader) => String(reader.uint(2));
const u32: Field = (reader) => String(reader.uint(4));
const name: Field = (reader) => reader.name();
const ipv4: Field = (reader) => reader.bytes(4).join('.');
const ipv6: Field = (reader) => formatIpv6(reader.bytes(16));
const hex: Field = (reader) => reader.rest().toString('hex').toUpperCase();
const base64: Field = (reader) => reader.rest().toString('base64');
const tag: Field = (reader) => reader.string().toString('latin1').toLowerCase();
const quotedString: Field = (reader) => `"${formatText(reader.string())}"`;
const quotedRest: Field = (reader) => `"${formatText(reader.rest())}"`;

interface RecordFormat {
  /** The number of the type. */
  readonly code: number;
  /** The fields of the data, in order. A text record has only strings. */
  readonly fields: readonly Field[] | 'text';
  /** True if the data has Base64, or protocols and paths. Default false. */
  readonly isCaseSensitive?: boolean;
}

const SERVICE_BINDING = { fields: [u16, name, serviceParameters], isCaseSensitive: true } as const;

/** The types that a check can query. */
const QUERIED: Readonly<Record<RecordType, RecordFormat>> = {
  A: { code: 1, fields: [ipv4] },
  AAAA: { code: 28, fields: [ipv6] },
  CAA: { code: 257, fields: [u8, tag, quotedRest] },
  CNAME: { code: 5, fields: [name] },
  DNSKEY: { code: 48, fields: [u16, u8, u8, base64], isCaseSensitive: true },
  DS: { code: 43, fields: [u16, u8, u8, hex] },
  HTTPS: { code: 65, ...SERVICE_BINDING },
  MX: { code: 15, fields: [u16, name] },
  NAPTR: { code: 35, fields: [u16, u16, quotedString, quotedString, quotedString, name] },
  NS: { code: 2, fields: [name] },
  PTR: { code: 12, fields: [name] },
  SOA: { code: 6, fields: [name, name, u32, u32, u32, u32, u32] },
  SRV: { code: 33, fields: [u16, u16, u16, name] },
  SVCB: { code: 64, ...SERVICE_BINDING },
  TLSA: { code: 52, fields: [u8, u8, u8, hex] },
  TXT: { code: 16, fields: 'text' },
};

/** All types by their number, with those that answers contain beside the queried ones. */
const FORMATS: ReadonlyMap<number, RecordFormat & { readonly name: string }> = new Map(
  Object.entries({ ...QUERIED, DNAME: { code: 39, fields: [name] } } as const).map(
    ([type, format]): [number, RecordFormat & { readonly name: string }] => [
      format.code,
      { ...format, name: type },
    ],
  ),
);

export const typeCode = (type: RecordType): number => QUERIED[type].code;

/** Returns the name of a type, or `TYPE46` for others (RFC 3597). */
export const formatType = (code: number): string => FORMATS.get(code)?.name ?? `TYPE${code}`;

/** Reads data to its end. Throws MalformedError if the data does not have the form of its type. */
export function readRecordData(code: number, reader: MessageReader): RecordData {
  const { fields, isCaseSensitive = false } = FORMATS.get(code) ?? { fields: [unknownData] };
  if (fields === 'text') return readText(reader);
  const names: string[] = [];
  const texts = fields.map((field) => {
    const text = field(reader);
    if (field === name) names.push(text);
    return text;
  });
  if (!reader.isAtEnd) throw new MalformedError('data that is longer than its fields');
  const data = texts.filter((text) => text !== '').join(' ');
  const unquoted = data.replaceAll('"', '');
  return { spellings: data === unquoted ? [data] : [data, unquoted], isCaseSensitive, names };
}

/** Formats data as in RFC 3597. */
function unknownData(reader: MessageReader): string {
  const data = reader.rest();
  return `\\# ${data.length} ${data.toString('hex')}`.trimEnd();
}

function readText(reader: MessageReader): RecordData {
  const strings: Buffer[] = [];
  while (!reader.isAtEnd) strings.push(reader.string());
  const joined = Buffer.concat(strings);
  const escaped = formatText(joined);
  const decoded = decodeText(joined);
  return {
    spellings: [
      `"${escaped}"`,
      strings.map((string) => `"${formatText(string)}"`).join(' ') || '""',
      `"${escapeText(decoded)}"`,
      `"${decoded}"`,
      decoded,
      escaped,
    ],
    isCaseSensitive: true,
    names: [],
    plain: isUtf8(joined) ? decoded : escaped,
  };
}
