/** Wraps a key so that printing, logging and serialising never reveal it. */
import { inspect } from 'node:util';
import { CredentialsError } from '../base/errors.ts';

const REDACTED = '[secret]';

/** A key. Strings, JSON, `util.inspect`, crash reports and structured clones of it do not contain the key. */
export class Secret {
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
  }

  /** Returns the key. Call it only at the point of use. */
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
 * Wraps `text` as a key that is valid in a header.
 *
 * @param source the source of the key for the message, such as `SONDE_API_KEY`; the message never contains the key
 * @throws CredentialsError if it is empty or contains other than visible ASCII characters
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
