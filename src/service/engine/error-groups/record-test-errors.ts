/** Records the failures of test sessions in their share of the error groups. */
import type { EngineData } from '../../store/engine/index.ts';
import type { NewResult } from '../../store/engine/results.ts';

/** Adds failed results of test sessions, with the environments of their sessions. */
export async function recordTestErrors(data: EngineData, rows: readonly NewResult[]): Promise<void> {
  const failed = rows.flatMap(({ test_session_id: id, error_group_ids: groups, stopped_at: seen }) =>
    id == null || groups === '[]' ? [] : [{ id, seen, groups: JSON.parse(groups) as string[] }],
  );
  if (failed.length === 0) return;
  const environments = await data.testSessions.environments([...new Set(failed.map(({ id }) => id))]);
  await data.testSessionErrors.record(
    failed.flatMap(({ id, seen, groups }) =>
      groups.map((group_id) => ({
        ...{ group_id, environment: environments.get(id) ?? '', first_seen: seen, last_seen: seen },
      })),
    ),
  );
}
