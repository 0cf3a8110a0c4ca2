/** A key that shows itself only to who asks for it by name: no printing, logging or serialising gives it away. */
import { inspect } from 'node:util';
import { CredentialsError } from '../base/errors.ts';

const REDACTED = '[secret]';

/** Holds a key. Strings, JSON, `util.inspect`, crash reports and structured clones of it do not contain the key. */
export class Secret {
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
  }

  /** The key itself. Call it where the key is used and nowhere before. */
  reveal(): string {
    return this.#value;
  }

  toString(): string {
    return REDACTED;
  }

  toJSON(): string {
    return REDACTED;
  }

  [inspect.custom](): string {
    return REDACTED;
  }
}

/**
 * Holds `text` as a key that can stand in a header.
 *
 * @param source where it came from, for the message, which never contains the key: `SONDE_API_KEY`
 * @throws CredentialsError where it is empty or holds anything but visible ASCII characters
 */
export function toSecret(text: string, source: string): Secret {
  if (text === '') throw new CredentialsError(`the key from ${source} is empty`);
  if (!/^[\x21-\x7e]+$/.test(text)) {
    throw new CredentialsError(
      `the key from ${source} contains a space, a line break or another invalid character`,
      { hint: 'copy the key again without the surrounding text' },
    );
  }
  return new Secret(text);
}
