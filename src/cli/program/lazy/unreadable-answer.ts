/** Tells a fault of ours from an answer that is not what the API promises: either makes code that trusts the answer throw. */
import { NetworkError } from '../../../base/errors.ts';
import type { ReceivedAnswer } from '../../../client/config.ts';
import { mismatchOf } from '../../../contract/answer-shape.ts';

/** The error that says which field of the latest answers is not as promised; undefined where all are. */
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
