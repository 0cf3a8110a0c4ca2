/** Starts a run of a check from a page. */
import { createCapability } from '../../engine/sessions/capability.ts';
import type { PagesContext } from './pages-context.ts';

/** Starts the check and returns the path of the session; undefined if the check is deactivated or does not exist. */
export async function startRun(
  { engine, secret }: Pick<PagesContext, 'engine' | 'secret'>,
  accountId: string,
  checkId: string,
): Promise<string | undefined> {
  const target = { checkId: [checkId] };
  const [started] = await engine.startSessions({ accountId, target, runSource: 'SCHEDULE_NOW' });
  if (started === undefined) return undefined;
  const { checkSessionId: id } = started;
  return `/check-sessions/${id}/${createCapability(secret, 'check-session', id)}`;
}
