/** Starts test sessions, and stops those that nobody else knows of. */
import { NetworkError } from '../../../src/base/errors.ts';
import type { Deps } from '../../../src/cli/framework/index.ts';
import type { CallOptions } from '../../../src/client/index.ts';
import { type BodyOf, cancelTestSession, triggerTestSessions } from '../../../src/contract/index.ts';
import type { TestSession } from './test-session.ts';

/** A process that was told to stop waits so long for an answer, in ms. */
const CANCEL_TIMEOUT_MS = 3_000;

/** Starts one. What it throws says where one may have started all the same. */
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

/** Cancels a session as the process ends, within the little time that it has then; answers whether the service said yes. */
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
