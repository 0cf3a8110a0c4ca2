/** The routes of sessions and results: opened by the capability in their links. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { createCapability, isCapability } from '../../../engine/capability.ts';
import { capabilityLinks, type Links } from '../../../engine/links.ts';
import { engineStore } from '../../../store/engine/index.ts';
import type { ResultRecord } from '../../../store/engine/results.ts';
import type { SessionRecord } from '../../../store/engine/sessions.ts';
import { fileElsewhere, Problem } from '../../api/problem.ts';
import { isUnstorable } from '../../server/json-body.ts';
import { sendPage } from '../answer.ts';
import { sendArtifact } from '../artifact.ts';
import type { PagesContext } from '../context.ts';
import { fieldsOf, isOurForm, tokenField } from '../forms.ts';
import { resultPage } from '../result-html.ts';
import { runNowPage } from '../run-now-html.ts';
import { checkSessionPage, testSessionPage } from '../session-html.ts';

/** What a wrong link leads to: it does not tell whether there is such a session. */
const noSuchPage = () => new Problem(404, 'The link is not valid, or the session or result was deleted');
const noSuchFile = () => new Problem(404, 'The file was deleted or never existed');

export function runHandlers({ store, engine, clock, secret, openArtifact, authenticate }: PagesContext) {
  const data = engineStore(store);
  // Links within the pages begin at the service they are on.
  const links: Links = capabilityLinks(secret, () => '');
  const action = (id: string) => `run ${id}`;
  const link = (to: string | undefined) => to ?? '/';

  /** The parts of a link whose capability is right. Throws `Problem` 404. */
  function opened(request: FastifyRequest, purpose: 'check-session' | 'check-result' | 'test-session') {
    const { id = '', key = '', sessionId = '' } = request.params as Readonly<Record<string, string>>;
    if (!isCapability(secret, purpose, id, key)) throw noSuchPage();
    return { id, sessionId };
  }

  async function sessionOf(request: FastifyRequest) {
    const { id } = opened(request, 'check-session');
    const [session] = await data.sessions.byIds([id]);
    if (session === undefined) throw noSuchPage();
    return session;
  }

  /** The result that a link opens; `isTest`: as one of a test session. */
  async function resultOf(request: FastifyRequest) {
    const { id, sessionId } = opened(request, 'check-result');
    const row = await data.results.find(id);
    // The session's id in the path must be the result's own: nothing else could be opened by it, but it would lie.
    const isTest = row?.test_session_id != null && row.test_session_id === sessionId;
    if (row === undefined || (!isTest && row.session_id !== sessionId)) throw noSuchPage();
    const resultLink = (to: string) =>
      link(isTest ? links.testResult(sessionId, to) : links.checkResult(sessionId, to));
    return { row, isTest, sessionId, resultLink };
  }

  const runDoor = (session: SessionRecord, status: number, problem?: string) =>
    runNowPage(session.check_name, {
      ...{ status, problem, self: link(links.checkSession(session.id)) },
      token: tokenField(secret, action(session.id), clock.now()),
    });

  return {
    async checkSession(request: FastifyRequest, reply: FastifyReply) {
      const session = await sessionOf(request);
      const page = checkSessionPage(session, await data.results.ofSessions([session.id]), {
        now: clock.now(),
        resultLink: (id) => link(links.checkResult(session.id, id)),
        self: link(links.checkSession(session.id)),
      });
      return sendPage(request, reply, page, 'none');
    },

    /** The form that takes an API key: the link was made for reading, and is handed around. */
    async runForm(request: FastifyRequest, reply: FastifyReply) {
      return sendPage(request, reply, runDoor(await sessionOf(request), 200), 'none');
    },

    /** Starts the check of a session again for who has a key of its account, and leads to the new session. */
    async runNow(request: FastifyRequest, reply: FastifyReply) {
      const session = await sessionOf(request);
      const refuse = (status: number, problem: string) =>
        sendPage(request, reply, runDoor(session, status, problem), 'none');
      if (!isOurForm(request, secret, action(session.id), clock.now()))
        return refuse(400, 'The form has expired. Try again.');
      const caller = await authenticate((fieldsOf(request).key ?? '').trim());
      if (caller?.accountId !== session.account_id)
        return refuse(403, 'The API key is not valid for the account of this check.');
      const { check_id: checkId } = session;
      if (checkId === null)
        return refuse(409, 'This session ran an uploaded test suite. Upload it again to repeat the run.');
      const [started] = await engine.startSessions({
        accountId: session.account_id,
        target: { checkId: [checkId] },
        runSource: 'SCHEDULE_NOW',
      });
      if (started === undefined) return refuse(409, 'The check is deactivated. No run was started.');
      const { checkSessionId: id } = started;
      return reply
        .header('cache-control', 'no-store')
        .redirect(`/check-sessions/${id}/${createCapability(secret, 'check-session', id)}`, 303);
    },

    async testSession(request: FastifyRequest, reply: FastifyReply) {
      const { id } = opened(request, 'test-session');
      const session = await data.testSessions.find(id);
      if (session === undefined) throw noSuchPage();
      const page = testSessionPage(session, await data.results.ofTests([id]), {
        now: clock.now(),
        resultLink: (resultId) => link(links.testResult(id, resultId)),
        self: link(links.testSession(id)),
      });
      return sendPage(request, reply, page, 'own');
    },

    async result(request: FastifyRequest, reply: FastifyReply) {
      const { row, isTest, sessionId, resultLink } = await resultOf(request);
      const attempts: ResultRecord[] = (await data.results.ofSessions([row.session_id])).filter(
        ({ sequence_id }) => sequence_id === row.sequence_id,
      );
      const page = resultPage(row, {
        attempts,
        resultLink,
        artifactLink: (artifactId) => `${resultLink(row.id)}/artifacts/${artifactId}`,
        sessionLink: link(isTest ? links.testSession(sessionId) : links.checkSession(sessionId)),
      });
      return sendPage(request, reply, page, 'own');
    },

    /** A picture or trace of the result that the link opens, and of no other. */
    async artifact(request: FastifyRequest, reply: FastifyReply) {
      const { row } = await resultOf(request);
      const { artifactId = '' } = request.params as Readonly<Record<string, string>>;
      const found = isUnstorable(artifactId) ? undefined : await data.artifacts.ofResult(row.id, artifactId);
      if (found === undefined) throw noSuchFile();
      const file = await openArtifact(found.id);
      if (file === undefined) throw fileElsewhere(store);
      return sendArtifact(reply, found, file);
    },
  };
}
