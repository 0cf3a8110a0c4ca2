/** What a conversation with a model works with. */
import type { AskModel } from './model-client.ts';
import type { Command, Reply } from './protocol.ts';
import type { Task } from './task.ts';
import type { Transcript } from './transcript.ts';

export interface ConversationOptions {
  readonly task: Task;
  readonly askModel: AskModel;
  /** Carries out a command in the browser. */
  readonly browse: (command: Command, signal: AbortSignal) => Promise<Reply>;
  /** Hosts that were blocked so far. */
  readonly listBlocked: () => readonly string[];
  /** Takes secrets out of a value. */
  readonly mask: <Value>(value: Value) => Value;
  readonly transcript: Transcript;
  readonly signal: AbortSignal;
}
