/** Runs in the evaluator process: executes evaluations in order and replies with their outcomes. */

import type { UptimeCheckType } from '../../contract/check-type-facts.ts';
import { apiEvaluation } from '../api/evaluation.ts';
import { responseDecoding } from '../api/response.ts';
import { patternSearch } from '../assertions/pattern-search.ts';
import type { Evaluation } from '../core/runner.ts';
import { dnsEvaluation } from '../dns/evaluation.ts';
import { urlEvaluation } from '../http/url-evaluation.ts';
import { icmpEvaluation } from '../icmp/evaluation.ts';
import { outcomeScrubbing } from '../masking/scrub.ts';
import { sslEvaluation } from '../ssl/evaluation.ts';
import { tcpDataEvaluation, tcpEvaluation } from '../tcp/evaluation.ts';
import { clientCertificateParsing } from '../tls/parse-client-certificate.ts';
import type { EvaluationReply, EvaluationRequest } from './protocol.ts';

const TYPE_EVALUATIONS = {
  API: apiEvaluation,
  DNS: dnsEvaluation,
  ICMP: icmpEvaluation,
  SSL: sslEvaluation,
  TCP: tcpEvaluation,
  URL: urlEvaluation,
} satisfies Record<UptimeCheckType | 'API', Evaluation<never, unknown>>;

const EVALUATIONS: readonly Evaluation<never, unknown>[] = [
  ...Object.values(TYPE_EVALUATIONS),
  responseDecoding,
  tcpDataEvaluation,
  outcomeScrubbing,
  clientCertificateParsing,
  patternSearch,
];
const BY_NAME = new Map(EVALUATIONS.map((evaluation) => [evaluation.name, evaluation]));

function replyTo({ id, name, input }: EvaluationRequest): EvaluationReply {
  try {
    const evaluation = BY_NAME.get(name);
    if (evaluation === undefined) throw new Error(`unknown evaluation ${name}`);
    return { id, output: evaluation.run(input as never) };
  } catch (error) {
    return { id, error: error instanceof Error ? error.message : String(error) };
  }
}

/** Maximum time that a reply waits for others of its batch, in ms: sending costs more than most evaluations. */
const MAX_BATCH_MS = 5;

/** Answers requests on the channel of `parent`, and exits when it closes. */
export function main(parent: NodeJS.Process): void {
  parent.on('message', (requests: readonly EvaluationRequest[]) => {
    let replies: EvaluationReply[] = [];
    let batchStartedAt = performance.now();
    for (const request of requests) {
      replies.push(replyTo(request));
      if (request !== requests.at(-1) && performance.now() - batchStartedAt < MAX_BATCH_MS) continue;
      parent.send?.(replies);
      replies = [];
      batchStartedAt = performance.now();
    }
  });
  parent.send?.([{ id: 0, output: undefined }] satisfies EvaluationReply[]);
  parent.on('disconnect', () => parent.exit());
  // A terminal sends signals to the whole process group. The parent ends this process when it is not needed.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) parent.on(signal, () => {});
}
