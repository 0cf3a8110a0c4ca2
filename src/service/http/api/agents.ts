/** Handles the requests of agents. An agent acts for the private location that its key belongs to. */
import { ARTIFACT_BYTES } from '../../../contract/artifact-bytes.ts';
import { formatTooLarge } from '../../../runners/files/run-file-store.ts';
import { QuotaExceeded } from '../../engine/artifacts/uploads.ts';
import { AGENT_LEASE_MS } from '../../engine/sessions/plan-session.ts';
import { withEitherSignal } from '../server/long-poll.ts';
import { invalidKey } from './authentication.ts';
import type { CallerLocation, HandlerContext, Handlers, Upload } from './handler.ts';
import { conflict, invalid, notFound, Problem, violation } from './problem.ts';

/** Interval at which an agent's presence is stored, in ms. Agents call far more often, and count as running for minutes. */
const PRESENCE_INTERVAL_MS = 15_000;
const MAX_AGENTS = 10_000;

/** Limits an upload that continues at `offset`. Throws `Problem` 413 before the file exceeds the maximum size. */
function limitUpload({ declaredBytes, maxBytes, chunks }: Upload, offset: number) {
  const assertSize = (size: number) => {
    if (size > ARTIFACT_BYTES) throw new Problem(413, formatTooLarge('A screenshot or trace', size));
  };
  assertSize(offset + (declaredBytes ?? 0));
  async function* limited() {
    let size = offset;
    for await (const part of chunks) {
      size += part.length;
      assertSize(size);
      yield part;
    }
  }
  return { bytes: Math.min(declaredBytes ?? maxBytes, maxBytes), contents: limited() };
}

export function agentHandlers({ store, engine, artifacts, clock, stopping }: HandlerContext) {
  const { agents } = engine;
  const lastSeen = new Map<string, number>();

  async function recordPresence(
    { locationId }: CallerLocation,
    agentId: string,
    version?: string,
  ): Promise<void> {
    const now = clock.monotonic();
    const last = lastSeen.get(agentId);
    if (version === undefined && last !== undefined && now - last < PRESENCE_INTERVAL_MS) return;
    lastSeen.delete(agentId);
    lastSeen.set(agentId, now);
    const [oldest] = lastSeen.keys();
    if (lastSeen.size > MAX_AGENTS && oldest !== undefined) lastSeen.delete(oldest);
    await store.privateLocations.recordSeen(locationId, agentId, version);
  }

  return {
    async announceAgent({ location, body }) {
      await recordPresence(location, body.agentId, body.version);
      const { locationId: id, name, slugName, proxyUrl } = location;
      return {
        location: { id, name, slugName, proxyUrl },
        leaseSeconds: AGENT_LEASE_MS / 1000,
        artifactBytes: ARTIFACT_BYTES,
      };
    },

    async claimRuns({ location, body, signal }) {
      await recordPresence(location, body.agentId);
      const claimed = await withEitherSignal(signal, stopping, (either) =>
        agents.claim(location, body, either),
      );
      if (claimed === undefined) throw invalidKey();
      if (stopping.aborted && claimed.runs.length === 0) {
        const headers = { 'retry-after': '1', connection: 'close' };
        throw new Problem(503, 'The service is stopping. Try again', { headers });
      }
      return claimed;
    },

    async renewRuns({ location, body, signal }) {
      await recordPresence(location, body.agentId);
      return withEitherSignal(signal, stopping, (either) => agents.renew(location, body, either));
    },

    async reportRun({ location, body }) {
      const artifactIds = new Set(body.artifacts.map(({ id }) => id));
      if (artifactIds.size < body.artifacts.length)
        throw invalid([
          violation('body', ['artifacts'], 'uniqueItems', 'must not contain the same file twice'),
        ]);
      await recordPresence(location, body.agentId);
      return agents.report(location, body);
    },

    async releaseRuns({ location, body: { agentId, keep, isLeaving = false } }) {
      await agents.release(location, agentId, keep);
      if (isLeaving) {
        lastSeen.delete(agentId);
        await store.privateLocations.recordLeft(location.locationId, agentId);
      }
      return undefined;
    },

    async getRunCodeBundle({ location, params }) {
      const isHeld = await agents.holdsBundle(location, params.id);
      const archive = isHeld ? await store.codeBundles.read(location.accountId, params.id) : undefined;
      if (archive === undefined) throw notFound(`code bundle ${params.id} of a run that the agent holds`);
      return { archive: archive.toString('base64') };
    },

    async putRunArtifact({ location, params: { id }, query: { offset, ...claim }, upload }) {
      const { locationId } = location;
      const { uploads } = artifacts;
      if (uploads === undefined) throw conflict('This service stores no files of runs');
      if (!(await agents.holds(location, claim)))
        throw conflict(
          'The agent no longer holds the claim of this run: another agent has it, or the run has ended. The service accepts no more files',
        );
      try {
        const part = { id, offset, ...limitUpload(upload, offset) };
        return { bytes: await uploads.receive({ ...claim, locationId }, part) };
      } catch (error) {
        if (error instanceof QuotaExceeded) throw new Problem(413, error.message);
        throw error;
      }
    },
  } satisfies Partial<Handlers>;
}
