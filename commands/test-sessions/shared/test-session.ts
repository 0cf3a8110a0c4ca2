/** Prints a test session. */

import type { Deps, Invocation } from '../../../src/cli/framework/index.ts';
import type { getTestSession, ResponseOf } from '../../../src/contract/index.ts';
import { type Column, render, type View } from '../../../src/terminal/index.ts';

export type TestSession = ResponseOf<typeof getTestSession>;
type Result = NonNullable<TestSession['results']>[number];

function outcomeOf(result: Result): string {
  if (result.aborted) return 'ABORTED';
  if (result.hasErrors) return 'ERROR';
  if (result.hasFailures) return 'FAILED';
  if (result.isDegraded) return 'DEGRADED';
  return result.status ?? 'PASSED';
}

/** Formats one line for each result. */
const formatResults = ({ results }: TestSession): string =>
  (results ?? [])
    .map((result) => {
      const attempt = result.resultType === 'ATTEMPT' ? ', an attempt' : '';
      return `${outcomeOf(result)}: ${result.name ?? result.checkId ?? ''} (${result.runLocation ?? 'no location'}${attempt})`;
    })
    .join('\n');

const columns: readonly Column<TestSession>[] = [
  { key: 'testSessionId', header: 'test session', kind: 'id' },
  { key: 'name' },
  { key: 'status', kind: 'status' },
  { key: 'startedAt', header: 'started', kind: 'time' },
  { key: 'stoppedAt', header: 'stopped', kind: 'time' },
  { key: 'timeElapsed', header: 'took', kind: 'duration' },
  { key: 'results', value: formatResults },
  { key: 'errorGroupIds', header: 'error groups', kind: 'list' },
  { key: 'testSessionLink', header: 'link' },
];

/** Columns of the metadata; shown only if it is set. */
const metadataColumns: readonly Column<TestSession>[] = [
  { key: 'metadata.environment', header: 'environment' },
  { key: 'metadata.repoUrl', header: 'repository' },
  { key: 'metadata.branchName', header: 'branch' },
  { key: 'metadata.commitId', header: 'commit' },
  { key: 'metadata.commitOwner', header: 'commit author' },
  { key: 'metadata.commitMessage', header: 'commit message' },
];

function testSessionColumns({ metadata }: TestSession): readonly Column<TestSession>[] {
  const fields: Readonly<Record<string, unknown>> = metadata ?? {};
  return [...columns, ...metadataColumns.filter(({ key }) => Boolean(fields[key.slice('metadata.'.length)]))];
}

/** Prints a session, as a card in a terminal. */
export async function printTestSession(
  deps: Deps,
  line: Pick<Invocation, 'globals' | 'output'>,
  session: TestSession,
  formats: View<TestSession>['formats'] = {},
): Promise<void> {
  await render(deps.terminal, {
    kind: 'item',
    data: session,
    output: line.output,
    columns: testSessionColumns(session),
    card: async (shown) => (await import('./lazy/test-session-card.ts')).testSessionCard(deps, line, shown),
    formats,
  });
}
