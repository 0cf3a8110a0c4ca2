/** Handles the pages of sessions and results, which the createCapability in their links opens. */

import type { FastifyReply, FastifyRequest } from 'fastify';
import { isUnstorable } from '../../../contract/storable.ts';
import type { FileDownload } from '../../engine/artifacts/artifact-files.ts';
import { artifactHeaders, isImageType, safeContentType } from '../../engine/artifacts/artifact-files.ts';
import { capabilityLinks, isCapability, type Links } from '../../engine/sessions/capability.ts';
import { loadChanges } from '../../notify/alerts/load-reasons.ts';
import { engineStore } from '../../store/engine/index.ts';
import type { ArtifactRecord, ResultRecord } from '../../store/engine/results.ts';
import type { SessionRecord } from '../../store/engine/sessions.ts';
import { fileNotFound, Problem } from '../api/problem.ts';
import { formFields, isValidForm, renderTokenField } from './forms.ts';
import type { PagesContext } from './pages-context.ts';
import { renderResultPage } from './result-html.ts';
import { sendPage } from './send-page.ts';
import { renderCheckSessionPage, renderRunNowPage, renderTestSessionPage } from './session-html.ts';
import { startRun } from './start-run.ts';
import { withZone, zoneInAddress } from './time-zone.ts';

/** The error for a wrong link. It does not reveal whether the session exists. */
const pageNotFound = () => new Problem(404, 'The link is not valid, or the session or result was deleted');
const fileDeleted = () => new Problem(404, 'The file was deleted or never existed');

/** Sends a file with its stored content type, if that is a known one. */
function sendArtifact(
  reply: FastifyReply,
  { content_type: contentType, name }: ArtifactRecord,
  { bytes, stream }: FileDownload,
): FastifyReply {
  return reply
    .headers(artifactHeaders(name, isImageType(contentType) ? 'inline' : 'attachment'))
    .header('cross-origin-resource-policy', 'same-origin')
    .header('referrer-policy', 'same-origin')
    .type(safeContentType(contentType))
    .header('content-length', bytes)
    .send(stream);
}

export function runHandlers({ store, engine, clock, secret, artifacts, authenticate }: PagesContext) {
  const data = engineStore(store);
  // Links within pages are relative to the service.
  const links: Links = capabilityLinks(secret, () => '');
  const action = (id: string) => `run ${id}`;
  const link = (to: string | undefined) => to ?? '/';

  /** Returns the parts of a link with a valid capability. Throws `Problem` 404. */
  function parseLink(request: FastifyRequest, purpose: 'check-session' | 'check-result' | 'test-session') {
    const { id = '', key = '', sessionId = '' } = request.params as Readonly<Record<string, string>>;
    if (!isCapability(secret, purpose, id, key)) throw pageNotFound();
    return { id, sessionId };
  }

  async function requireSession(request: FastifyRequest) {
    const { id } = parseLink(request, 'check-session');
    const [session] = await data.sessions.byIds([id]);
    if (session === undefined) throw pageNotFound();
    return session;
  }

  /** Returns the result of a link. `isTest` means that it belongs to a test session. */
  async function requireResult(request: FastifyRequest) {
    const { id, sessionId } = parseLink(request, 'check-result');
    const row = await data.results.find(id);
    // The session in the path must be that of the result, or the page would show a wrong link.
    const isTest = row?.test_session_id != null && row.test_session_id === sessionId;
    if (row === undefined || (!isTest && row.session_id !== sessionId)) throw pageNotFound();
    const resultLink = (to: string) =>
      link(isTest ? links.testResult(sessionId, to) : links.checkResult(sessionId, to));
    return { row, isTest, sessionId, resultLink };
  }

  const runNowPage = (session: SessionRecord, status: number, problem?: string) =>
    renderRunNowPage(session.check_name, {
      status,
      problem,
      self: link(links.checkSession(session.id)),
      token: renderTokenField(secret, action(session.id), clock.now()),
    });

  return {
    async checkSession(request: FastifyRequest) {
      const session = await requireSession(request);
      return renderCheckSessionPage(session, await data.results.ofSessions([session.id]), {
        now: clock.now(),
        resultLink: (id) => link(links.checkResult(session.id, id)),
        self: link(links.checkSession(session.id)),
      });
    },

    /** Sends a form for an API key, because links are for reading and get shared. */
    runForm: async (request: FastifyRequest) => runNowPage(await requireSession(request), 200),

    /** Starts the check of a session again if the key belongs to its account, and redirects to the new session. */
    async runNow(request: FastifyRequest, reply: FastifyReply) {
      const session = await requireSession(request);
      const refuse = (status: number, problem: string) =>
        sendPage(request, reply, runNowPage(session, status, problem), 'none');
      if (!isValidForm(request, secret, action(session.id), clock.now()))
        return refuse(400, 'The form has expired. Try again.');
      const caller = await authenticate((formFields(request).key ?? '').trim());
      if (caller?.accountId !== session.account_id)
        return refuse(403, 'The API key is not valid for the account of this check.');
      const { check_id: checkId } = session;
      if (checkId === null)
        return refuse(409, 'This session ran an uploaded test suite. Upload it again to repeat the run.');
      const path = await startRun({ engine, secret }, session.account_id, checkId);
      if (path === undefined) return refuse(409, 'The check is deactivated. No run was started.');
      return reply.header('cache-control', 'no-store').redirect(withZone(path, zoneInAddress(request)), 303);
    },

    async testSession(request: FastifyRequest, reply: FastifyReply) {
      const { id } = parseLink(request, 'test-session');
      const session = await data.testSessions.find(id);
      if (session === undefined) throw pageNotFound();
      const page = renderTestSessionPage(session, await data.results.ofTests([id]), {
        now: clock.now(),
        resultLink: (resultId) => link(links.testResult(id, resultId)),
        self: link(links.testSession(id)),
      });
      return sendPage(request, reply, page, 'own');
    },

    async result(request: FastifyRequest, reply: FastifyReply) {
      const { row, isTest, sessionId, resultLink } = await requireResult(request);
      const attempts: ResultRecord[] = (await data.results.ofSessions([row.session_id])).filter(
        ({ sequence_id }) => sequence_id === row.sequence_id,
      );
      const { account_id: accountId, check_id: checkId, id: resultId, location } = row;
      const changes =
        row.has_failures === 1 && checkId !== null
          ? await loadChanges(data, accountId, { checkId, resultId, location })
          : [];
      const page = renderResultPage(row, {
        attempts,
        changes,
        resultLink,
        artifactLink: (artifactId) => `${resultLink(row.id)}/artifacts/${artifactId}`,
        sessionLink: link(isTest ? links.testSession(sessionId) : links.checkSession(sessionId)),
      });
      return sendPage(request, reply, page, 'own');
    },

    /** Sends a screenshot or trace of the linked result only. */
    async artifact(request: FastifyRequest, reply: FastifyReply) {
      const { row } = await requireResult(request);
      const { artifactId = '' } = request.params as Readonly<Record<string, string>>;
      const artifact = isUnstorable(artifactId)
        ? undefined
        : await data.artifacts.ofResult(row.id, artifactId);
      if (artifact === undefined) throw fileDeleted();
      const file = await artifacts.open(artifact.id);
      if (file === undefined) throw fileNotFound(artifact.place, artifacts.place, false);
      return sendArtifact(reply, artifact, file);
    },
  };
}
