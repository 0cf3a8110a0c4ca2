/** Records the messages and calls of a model. All texts are already without secrets. */

import type { Artifact, RunFiles } from '../core/runner.ts';
import type { ModelAnswer } from './model-client.ts';

export interface Statement {
  readonly statement: string;
  readonly holds: boolean;
}

interface Step {
  readonly tool: string;
  readonly with: string;
  readonly atMs: number;
}

type Entry =
  | { readonly atMs: number; readonly model: string; readonly tokens: number }
  | { readonly atMs: number; readonly call: string; readonly arguments: unknown; readonly result: string }
  | { readonly atMs: number; readonly note: string };

export type Transcript = ReturnType<typeof createTranscript>;

const MAX_STEP_LENGTH = 200;

export function createTranscript(now: () => number) {
  const beganAt = now();
  const atMs = () => Math.round(now() - beganAt);
  const entries: Entry[] = [];
  const statements: Statement[] = [];
  const steps: Step[] = [];
  const used = { answers: 0, tokens: 0, isEstimated: false };
  return {
    addAnswer(content: string, { count, isEstimated }: ModelAnswer['tokens']): void {
      used.answers += 1;
      used.tokens += count;
      used.isEstimated ||= isEstimated;
      entries.push({ atMs: atMs(), model: content, tokens: count });
    },
    addCall(tool: string, args: object, result: string): void {
      entries.push({ atMs: atMs(), call: tool, arguments: args, result });
      steps.push({
        tool,
        with: Object.values(args).map(String).join(' ').slice(0, MAX_STEP_LENGTH),
        atMs: atMs(),
      });
    },
    addNote: (text: string) => void entries.push({ atMs: atMs(), note: text }),
    addAssertion: (statement: string, holds: boolean) => void statements.push({ statement, holds }),
    statements,
    steps,
    entries,
    usage: () => ({ ...used }),
  };
}

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
