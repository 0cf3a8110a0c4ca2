/** Starts and cancels test sessions. */
import { NetworkError } from '../../../src/base/errors.ts';
import type { Deps } from '../../../src/cli/framework/index.ts';
import type { CallOptions } from '../../../src/client/index.ts';
import { type BodyOf, cancelTestSession, triggerTestSessions } from '../../../src/contract/index.ts';
import type { TestSession } from './test-session.ts';

/** Time for the cancellation after a signal, in ms. */
const CANCEL_TIMEOUT_MS = 3_000;

/** Starts a session. Errors say whether a session may have started. */
export async function startTestSession(
  { client, terminal, signal }: Deps,
  body: BodyOf<typeof triggerTestSessions>,
  call: CallOptions,
): Promise<TestSession> {
  const api = await client();
  signal.throwIfAborted();
  try {
    const { body: session } = await api.call(triggerTestSessions, { body }, call);
    if (typeof session?.testSessionId !== 'string')
      throw new NetworkError('the response contains no test session; it may have started', {
        endpoint: `${triggerTestSessions.method} ${triggerTestSessions.path}`,
      });
    await terminal.note(`Started test session ${session.name} (${session.testSessionId}).`);
    return session;
  } catch (error) {
    if (signal.aborted) {
      await terminal.warn(
        'a test session may have started; to list test sessions, run: sonde api GET /v1/test-sessions',
      );
    }
    if (!(error instanceof NetworkError) || !error.mayHaveActed) throw error;
    throw new NetworkError(error.message, error, {
      hint: `a test session may have started\n${error.hint ?? ''}`.trim(),
      cause: error,
    });
  }
}

/** Cancels a session while the process ends. Returns whether the service confirmed it. */
export async function cancelTestOnExit(
  { client, clock }: Pick<Deps, 'client' | 'clock'>,
  testSessionId: string,
): Promise<boolean> {
  const over = new AbortController();
  clock.sleep(CANCEL_TIMEOUT_MS, over.signal).then(
    () => over.abort(),
    () => {},
  );
  try {
    const call = { signal: over.signal, retry: false };
    await (await client()).call(cancelTestSession, { params: { testSessionId } }, call);
    return true;
  } catch {
    return false;
  } finally {
    over.abort();
  }
}
