/**
 * Records the messages and calls of a model for the transcript and the result. All texts are already without secrets.
 */

import type { Artifact, RunFiles } from '../types.ts';

export interface Statement {
  readonly statement: string;
  readonly holds: boolean;
}

/** One line of the result. The transcript contains the full call. */
interface Step {
  readonly tool: string;
  /** Shortened arguments. */
  readonly with: string;
  readonly atMs: number;
}

type Entry =
  | { readonly atMs: number; readonly model: string; readonly tokens: number }
  | { readonly atMs: number; readonly call: string; readonly arguments: unknown; readonly result: string }
  | { readonly atMs: number; readonly note: string };

export interface Transcript {
  addAnswer(content: string, tokens: { readonly count: number; readonly isEstimated: boolean }): void;
  addCall(tool: string, args: unknown, result: string): void;
  addNote(text: string): void;
  addAssertion(statement: string, holds: boolean): void;
  readonly statements: readonly Statement[];
  readonly steps: readonly Step[];
  usage(): { readonly answers: number; readonly tokens: number; readonly isEstimated: boolean };
  /** All messages, calls and notes in order. */
  readonly entries: readonly Entry[];
}

const MAX_STEP_LENGTH = 200;

/** Creates a transcript. `now`: monotonic time, in ms. */
export function createTranscript(now: () => number): Transcript {
  const beganAt = now();
  const atMs = () => Math.round(now() - beganAt);
  const entries: Entry[] = [];
  const statements: Statement[] = [];
  const steps: Step[] = [];
  const used = { answers: 0, tokens: 0, isEstimated: false };
  return {
    addAnswer(content, { count, isEstimated }) {
      used.answers += 1;
      used.tokens += count;
      used.isEstimated ||= isEstimated;
      entries.push({ atMs: atMs(), model: content, tokens: count });
    },
    addCall(tool, args, result) {
      entries.push({ atMs: atMs(), call: tool, arguments: args, result });
      const values = typeof args === 'object' && args !== null ? Object.values(args) : [];
      steps.push({ tool, with: values.map(String).join(' ').slice(0, MAX_STEP_LENGTH), atMs: atMs() });
    },
    addNote: (text) => void entries.push({ atMs: atMs(), note: text }),
    addAssertion: (statement, holds) => void statements.push({ statement, holds }),
    statements,
    steps,
    entries,
    usage: () => ({ ...used }),
  };
}

/** Writes the transcript, after the summary of the run, to the run's files. */
export async function storeTranscript(
  summary: object,
  { entries }: Transcript,
  files: RunFiles | undefined,
): Promise<{ readonly artifacts: readonly Artifact[]; readonly lost: readonly string[] }> {
  const name = 'transcript.json';
  try {
    const file = await files?.create();
    if (file === undefined) return { artifacts: [], lost: [] };
    await file.write(Buffer.from(`${JSON.stringify({ ...summary, entries }, null, 2)}\n`));
    const artifact = {
      kind: 'transcript',
      name,
      contentType: 'application/json',
      ...(await file.end()),
    } as const;
    return { artifacts: [artifact], lost: [] };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return { artifacts: [], lost: [`${name} could not be stored: ${code ?? 'unknown reason'}`] };
  }
}
