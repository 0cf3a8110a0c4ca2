/** What a conversation with a model works with. */
import type { Ask } from './model-client.ts';
import type { Command, Reply } from './protocol.ts';
import type { Task } from './task.ts';
import type { Transcript } from './transcript.ts';

export interface Surroundings {
  readonly task: Task;
  readonly ask: Ask;
  /** Carries out a command in the browser. */
  readonly browse: (command: Command, signal: AbortSignal) => Promise<Reply>;
  /** Hosts that were blocked so far. */
  readonly blocked: () => readonly string[];
  /** Takes secrets out of a value. */
  readonly mask: <Value>(value: Value) => Value;
  readonly transcript: Transcript;
  readonly signal: AbortSignal;
}
