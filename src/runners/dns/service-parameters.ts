/** Formats the parameters of SVCB and HTTPS records (RFC 9460). */
import { formatIpv6 } from './addresses.ts';
import { formatText, MalformedError, type MessageReader } from './message-reader.ts';

/** Reads one item of a list. */
type Item = (reader: MessageReader) => string;

const list =
  (item: Item) =>
  (reader: MessageReader): string => {
    const items: string[] = [];
    while (!reader.isAtEnd) items.push(item(reader));
    return items.join(',');
  };

const keyName = (key: number): string => PARAMETERS[key]?.name ?? `key${key}`;

/** Reads the value of a parameter; undefined for parameters without a value. */
type Value = (reader: MessageReader) => string | undefined;

const text: Value = (reader) => `"${formatText(reader.rest())}"`;

/** Formats a protocol in a list, whose commas and backslashes are escaped before the text is. */
const protocol: Item = (reader) =>
  formatText(Buffer.from(reader.string().toString('latin1').replaceAll(/[,\\]/g, '\\$&'), 'latin1'));

const PARAMETERS: Readonly<Record<number, { readonly name: string; readonly value: Value }>> = {
  0: { name: 'mandatory', value: list((reader) => keyName(reader.uint(2))) },
  1: { name: 'alpn', value: (reader) => `"${list(protocol)(reader)}"` },
  2: { name: 'no-default-alpn', value: () => undefined },
  3: { name: 'port', value: (reader) => String(reader.uint(2)) },
  4: { name: 'ipv4hint', value: list((reader) => reader.bytes(4).join('.')) },
  5: { name: 'ech', value: (reader) => reader.rest().toString('base64') },
  6: { name: 'ipv6hint', value: list((reader) => formatIpv6(reader.bytes(16))) },
  7: { name: 'dohpath', value: text },
};

/** Reads all parameters to the end of the data. */
export function serviceParameters(reader: MessageReader): string {
  const parameters: string[] = [];
  while (!reader.isAtEnd) {
    const key = reader.uint(2);
    const content = reader.slice(reader.uint(2));
    const isEmpty = content.isAtEnd;
    const value = (PARAMETERS[key]?.value ?? text)(content);
    if (!content.isAtEnd) throw new MalformedError('a parameter that is longer than its value');
    const isAlone = value === undefined || (isEmpty && PARAMETERS[key] === undefined);
    parameters.push(isAlone ? keyName(key) : `${keyName(key)}=${value}`);
  }
  return parameters.join(' ');
}
