/** Decodes and escapes the texts of records. */
import { isUtf8 } from 'node:buffer';

const latin1 = new TextDecoder('windows-1252');

/** Decodes bytes as UTF-8; if they are not, as Latin-1, which has a character for every byte. */
export const decodeText = (bytes: Buffer): string =>
  isUtf8(bytes) ? bytes.toString('utf8') : latin1.decode(bytes);

/** Escapes quotes, backslashes and control characters like zone files, so that a record stays on its line. */
export const escapeText = (text: string): string =>
  text
    .replaceAll(/["\\]/g, '\\$&')
    .replaceAll(/\p{Cc}|[\u2028\u2029]/gu, (character) =>
      [...Buffer.from(character)].map((byte) => `\\${String(byte).padStart(3, '0')}`).join(''),
    );

const DIGITS = 3;

/** Returns the text without its escapes: `\DDD` for bytes, and `\` before other characters than letters and digits. */
export function unescapeZoneText(text: string): string {
  if (!text.includes('\\')) return text;
  const parts = text.split(/\\([01]\d\d|2[0-4]\d|25[0-5]|[^0-9A-Za-z])/);
  return decodeText(
    Buffer.concat(
      parts.map((part, at) =>
        at % 2 === 1 && part.length === DIGITS ? Buffer.from([Number(part)]) : Buffer.from(part),
      ),
    ),
  );
}
