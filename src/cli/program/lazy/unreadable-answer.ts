/** Distinguishes a bug in sonde from a response that does not match the API; both make code throw unexpectedly. */
import { NetworkError } from '../../../base/errors.ts';
import type { ReceivedAnswer } from '../../../client/config.ts';
import { mismatchOf } from '../../../contract/answer-shape.ts';

/** Returns an error that names the first invalid field of the latest responses; undefined if all are valid. */
export function unreadableAnswer(answers: readonly ReceivedAnswer[]): NetworkError | undefined {
  for (const { name, endpoint, body } of answers.toReversed()) {
    const mismatch = mismatchOf(name, body);
    if (mismatch === undefined) continue;
    const place = mismatch.place === '' ? 'it' : `its ${mismatch.place}`;
    return new NetworkError(
      `the response does not match the API: ${place} ${mismatch.message}`,
      { endpoint, mayHaveActed: true },
      { hint: 'check the base URL: the server may not be the API, or may have another version' },
    );
  }
  return undefined;
}
