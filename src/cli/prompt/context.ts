/** Defines the context that all prompts of a command share. */
import type { CommandSpec } from '../framework/command-spec.ts';
import type { Command, Deps } from '../framework/types.ts';
import type { Draft } from './draft.ts';

export interface PromptContext {
  readonly command: Command;
  readonly spec: CommandSpec;
  readonly deps: Deps;
  readonly draft: Draft;
}
