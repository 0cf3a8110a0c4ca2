/**
 * A service whose answers stand still: ids, times and durations of the real one differ in each run, and a screen that is kept may not.
 * It is held to the contract: an answer that the contract does not know fails the test.
 */
import type { Endpoint, ResponseOf } from '../../../src/contract/index.ts';
import { assertAnswer } from '../call.ts';
import { answer, serveWith } from '../http.ts';

/** What one endpoint answers, whatever is asked of it. */
export interface StillAnswer {
  readonly endpoint: Endpoint;
  readonly body: unknown;
}

/** An answer of the endpoint's own type. */
export function still<E extends Endpoint>(endpoint: E, body: ResponseOf<E>): StillAnswer {
  assertAnswer(endpoint, body);
  return { endpoint, body };
}

const patternOf = ({ path }: Endpoint): RegExp => new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`);

/** Starts it, and gives the environment in which commands talk to it. It ends with the test. */
export async function serveStill(
  ...answers: readonly StillAnswer[]
): Promise<Readonly<Record<string, string>>> {
  const { url } = await serveWith(({ method, url: asked }, response) => {
    const path = asked.split('?')[0] ?? '';
    const found = answers.find(
      ({ endpoint }) => endpoint.method === method && patternOf(endpoint).test(path),
    );
    if (found) answer(response, { status: found.endpoint.success, body: found.body as object });
    else
      answer(response, { status: 404, body: { statusCode: 404, error: 'Not Found', message: 'Not Found' } });
  });
  return { SONDE_BASE_URL: url, SONDE_API_KEY: 'key-of-the-screens' };
}
