/** Defines the messages between the service or an agent and its evaluator process. */

/** A request for an evaluation. A message contains several. */
export interface EvaluationRequest {
  readonly id: number;
  readonly name: string;
  readonly input: unknown;
}

/**
 * The output of an evaluation, or its error. A message contains several. The first reply has the ID 0: the process
 * has started.
 */
export type EvaluationReply =
  | { readonly id: number; readonly output: unknown }
  | { readonly id: number; readonly error: string };
