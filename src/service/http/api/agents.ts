/** What agents of private locations ask and report, each in the name of the location that its key belongs to. */
import { ARTIFACT_BYTES } from '../../../contract/artifact-bytes.ts';
import { formatTooLarge } from '../../../runners/files/format-lost-files.ts';
import { QuotaExceeded } from '../../engine/artifacts/uploads.ts';
import { AGENT_LEASE_MS } from '../../engine/sessions/plan.ts';
import { underEither } from '../server/long-poll.ts';
import { keyNotValid } from './authentication.ts';
import type { HandlerContext, HandlersFor } from './context.ts';
import type { CallerLocation, Upload } from './implement.ts';
import { conflict, invalid, notFound, Problem, violation } from './problem.ts';

/** That an agent speaks is noted at most so often, in ms: it asks far more often, and counts as running for minutes. */
const NOTED_EVERY_MS = 15_000;
/** So many agents are known at once. */
const MOST_AGENTS = 10_000;

/** What comes of a file from there on, and how much that is at most. Throws `Problem` 413 before it is larger than a file may be. */
function within({ bytes, most, parts }: Upload, offset: number) {
  const judge = (size: number) => {
    if (size > ARTIFACT_BYTES) throw new Problem(413, formatTooLarge('A screenshot or trace', size));
  };
  judge(offset + (bytes ?? 0));
  async function* judged() {
    let size = offset;
    for await (const part of parts) {
      size += part.length;
      judge(size);
      yield part;
    }
  }
  return { bytes: Math.min(bytes ?? most, most), contents: judged() };
}

export function agentHandlers({ store, engine, artifacts, clock, stopping }: HandlerContext) {
  const { agents } = engine;
  const noted = new Map<string, number>();

  async function hear({ locationId }: CallerLocation, agentId: string): Promise<void> {
    const now = clock.monotonic();
    const last = noted.get(agentId);
    if (last !== undefined && now - last < NOTED_EVERY_MS) return;
    noted.delete(agentId);
    noted.set(agentId, now);
    const [oldest] = noted.keys();
    if (noted.size > MOST_AGENTS && oldest !== undefined) noted.delete(oldest);
    await store.privateLocations.heardFrom(locationId, agentId);
  }

  return {
    async announceAgent({ location, body }) {
      await hear(location, body.agentId);
      const { locationId: id, name, slugName, proxyUrl } = location;
      return {
        location: { id, name, slugName, proxyUrl },
        leaseSeconds: AGENT_LEASE_MS / 1000,
        artifactBytes: ARTIFACT_BYTES,
      };
    },

    async claimRuns({ location, body, signal }) {
      await hear(location, body.agentId);
      const claimed = await underEither(signal, stopping, (either) => agents.claim(location, body, either));
      if (claimed === undefined) throw keyNotValid();
      if (stopping.aborted && claimed.runs.length === 0) {
        const headers = { 'retry-after': '1', connection: 'close' };
        throw new Problem(503, 'The service is stopping. Try again', { headers });
      }
      return claimed;
    },

    async renewRuns({ location, body, signal }) {
      await hear(location, body.agentId);
      return underEither(signal, stopping, (either) => agents.renew(location, body, either));
    },

    async reportRun({ location, body }) {
      const ids = new Set(body.artifacts.map(({ id }) => id));
      if (ids.size < body.artifacts.length)
        throw invalid([
          violation('body', ['artifacts'], 'uniqueItems', 'must not contain the same file twice'),
        ]);
      await hear(location, body.agentId);
      return agents.report(location, body);
    },

    async releaseRuns({ location, body: { agentId, keep, isLeaving = false } }) {
      await agents.release(location, agentId, keep);
      if (isLeaving) {
        noted.delete(agentId);
        await store.privateLocations.left(location.locationId, agentId);
      }
      return undefined;
    },

    async getRunCodeBundle({ location, params }) {
      const archive = await store.codeBundles.read(location.accountId, params.id);
      if (archive === undefined) throw notFound(`code bundle ${params.id}`);
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
        const part = { id, offset, ...within(upload, offset) };
        return { bytes: await uploads.receive({ ...claim, locationId }, part) };
      } catch (error) {
        if (error instanceof QuotaExceeded) throw new Problem(413, error.message);
        throw error;
      }
    },
  } satisfies HandlersFor<
    | 'announceAgent'
    | 'claimRuns'
    | 'renewRuns'
    | 'reportRun'
    | 'releaseRuns'
    | 'getRunCodeBundle'
    | 'putRunArtifact'
  >;
}
