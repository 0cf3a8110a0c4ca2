/** Encodes text in charsets that Node only decodes. */

/** Bytes of windows-1252 that the decoder of some versions of Node reads as control characters. */
const WINDOWS_1252: readonly (readonly [string, Buffer])[] = [
  ['€', Buffer.from([0x80])],
  ['–', Buffer.from([0x96])],
];

const tables = new Map<string, ReadonlyMap<string, Buffer>>();

/** Returns the bytes of the text. Throws if the charset lacks a character. */
export function encode(text: string, charset: string): Buffer {
  const table = tables.get(charset) ?? tableOf(charset);
  tables.set(charset, table);
  return Buffer.concat(
    [...text].map((character) => {
      const bytes = table.get(character);
      if (bytes === undefined) throw new Error(`${charset} has no "${character}"`);
      return bytes;
    }),
  );
}

/** Decodes every sequence of one and two bytes. */
function tableOf(charset: string): ReadonlyMap<string, Buffer> {
  const decoder = new TextDecoder(charset);
  const table = new Map<string, Buffer>(charset === 'windows-1252' ? WINDOWS_1252 : []);
  const add = (bytes: Buffer): void => {
    const text = decoder.decode(bytes);
    if ([...text].length === 1 && text !== '\ufffd' && !table.has(text)) table.set(text, bytes);
  };
  for (let byte = 0; byte < 256; byte++) add(Buffer.from([byte]));
  for (let first = 0x81; first < 256; first++)
    for (let second = 0x40; second < 256; second++) add(Buffer.from([first, second]));
  return table;
}
