/** Defines the dependencies of a conversation with a model. */
import type { AskModel } from './model-client.ts';
import type { Command, Reply } from './protocol.ts';
import type { Task } from './task.ts';
import type { Transcript } from './transcript.ts';

export interface ConversationOptions {
  readonly task: Task;
  readonly askModel: AskModel;
  /** Executes a command in the browser. */
  readonly browse: (command: Command, signal: AbortSignal) => Promise<Reply>;
  /** Lists the hosts blocked so far. */
  readonly listBlocked: () => readonly string[];
  /** Removes secrets from a value. */
  readonly mask: <Value>(value: Value) => Value;
  readonly transcript: Transcript;
  readonly signal: AbortSignal;
}
