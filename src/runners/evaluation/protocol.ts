/** What the service or an agent and its judge process tell each other. */

/** A evaluation to be made. A message holds several. */
export interface EvaluationRequest {
  readonly id: number;
  readonly name: string;
  readonly input: unknown;
}

/** Its outcome, or why it threw. A message holds several. The first reply has the ID 0: the process has started. */
export type EvaluationReply =
  | { readonly id: number; readonly output: unknown }
  | { readonly id: number; readonly error: string };
