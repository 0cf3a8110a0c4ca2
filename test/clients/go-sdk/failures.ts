/** The calls of the Go SDK that cannot succeed, each with its reason, and the rows that follow for docs/compatibility.md. */
import type { CompatibilityRow } from '../compatibility.ts';

interface Call {
  readonly call: string;
  readonly error?: string;
}

const NO_TYPE = 'sonde has no checks of this type';
/** Reasons by area and call. */
export const FAILURES: readonly {
  readonly area: string;
  readonly calls: readonly string[];
  readonly note: string;
}[] = [
  {
    area: 'gRPC monitors',
    calls: ['CreateGRPCMonitor', 'GetGRPCMonitor', 'UpdateGRPCMonitor', 'DeleteGRPCMonitor'],
    note: NO_TYPE,
  },
  {
    area: 'Traceroute monitors',
    calls: [
      'CreateTracerouteMonitor',
      'GetTracerouteMonitor',
      'UpdateTracerouteMonitor',
      'DeleteTracerouteMonitor',
    ],
    note: NO_TYPE,
  },
];

/** Returns the rows of the program's output, the failing calls without a reason, and a text for people. */
export function summarizeCalls(output: string) {
  const calls = output
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Call);
  const failed = calls.filter(({ error }) => error !== undefined);
  const expected = new Set(FAILURES.flatMap((failure) => failure.calls));
  const good = new Set(calls.map(({ call }) => call)).size - new Set(failed.map(({ call }) => call)).size;
  const rows: CompatibilityRow[] = [
    {
      area: `${good} of ${good + expected.size} methods of the client`,
      works: true,
      since: 'next',
      note: 'a Terraform provider uses it',
    },
    ...FAILURES.map(({ area, calls: names, note }) => ({
      ...{ area: `${area}: ${names.length} methods`, works: false, since: '', note },
    })),
  ];
  const unexplained = failed.filter(({ call }) => !expected.has(call));
  const text = [
    ...failed.map(({ call, error }) => `${call}: ${error}`),
    `${calls.length} calls, ${failed.length} failed, ${unexplained.length} without a known reason`,
  ].join('\n');
  return { rows, unexplained, text };
}
