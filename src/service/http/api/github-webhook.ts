/** Receives the webhooks of GitHub, and runs the checks of deployment triggers after a successful deployment. */
import { createHmac } from 'node:crypto';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { isObject } from '../../../base/object.ts';
import { parseUrl } from '../../../base/parse-url.ts';
import { isUnstorable } from '../../../contract/storable.ts';
import { patternSearch } from '../../../runners/assertions/pattern-search.ts';
import type { StartedCheckSession } from '../../engine/sessions/types.ts';
import type { DeploymentTrigger } from '../../store/deployment-triggers.ts';
import { isSameSecret } from '../../store/secrets.ts';
import { githubWebhookPath } from './deployment-triggers.ts';
import type { HandlerContext } from './handler.ts';
import { Problem } from './problem.ts';

/** Maximum size of a delivery. One about a deployment has some 20 KB and what the deployment's `payload` adds. */
const MAX_BYTES = 1024 * 1024;
const MAX_ID_LENGTH = 100;
const MAX_URL_LENGTH = 2048;
const EVENT = 'deployment_status';

/** A successful deployment. */
interface Deployment {
  readonly repoId: string;
  readonly environment: string;
  /** Null: it has none, or none that a check could open. */
  readonly environmentUrl: string | null;
}

/** A trigger of the repository that runs nothing. GitHub shows the answer among the deliveries of the webhook. */
interface Skipped {
  readonly deploymentTriggerId: number;
  readonly reason: string;
}

interface Outcome {
  readonly sessions: readonly Pick<StartedCheckSession, 'checkSessionId'>[];
  readonly skipped: readonly Skipped[];
  /** Why the delivery has no effect. */
  readonly message?: string;
}

const withoutEffect = (message: string): Outcome => ({ message, sessions: [], skipped: [] });

function isWebUrl(text: string): boolean {
  const url = text.length > MAX_URL_LENGTH ? undefined : parseUrl(text);
  if (url === undefined || url.username !== '' || url.password !== '') return false;
  return url.protocol === 'http:' || url.protocol === 'https:';
}

/** Returns the deployment of a delivery; undefined if the delivery is not about a successful one. */
function readDeployment(delivery: unknown): Deployment | undefined {
  if (!isObject(delivery) || !isObject(delivery.deployment_status) || !isObject(delivery.repository))
    return undefined;
  const { state, environment, environment_url: url } = delivery.deployment_status;
  const { id } = delivery.repository;
  if (state !== 'success' || (typeof id !== 'number' && typeof id !== 'string')) return undefined;
  return {
    repoId: String(id),
    environment: typeof environment === 'string' ? environment : '',
    environmentUrl: typeof url === 'string' && isWebUrl(url) ? url : null,
  };
}

function parseJson(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    throw new Problem(
      400,
      'The delivery is no JSON: set the content type of the webhook to application/json',
    );
  }
}

const header = ({ headers }: FastifyRequest, name: string): string => {
  const value = headers[name];
  return typeof value === 'string' ? value : '';
};

/** Registers the webhook, whose signature replaces an API key. */
export function registerGithubWebhook(app: FastifyInstance, context: HandlerContext): void {
  const { store, engine, evaluate, stopping } = context;

  /** Throws `Problem` 401 unless the account's secret signed the body. An unknown account has the same answer. */
  async function assertSigned(accountId: string, request: FastifyRequest, body: Buffer): Promise<void> {
    const webhook = isUnstorable(accountId) ? undefined : await store.githubWebhooks.get(accountId);
    const signature = createHmac('sha256', webhook?.secret ?? '')
      .update(body)
      .digest('hex');
    const isSigned = isSameSecret(header(request, 'x-hub-signature-256'), `sha256=${signature}`);
    if (webhook === undefined || !isSigned)
      throw new Problem(
        401,
        'The signature in X-Hub-Signature-256 does not match: check the secret of the webhook',
      );
  }

  /** Returns why a trigger does not run after the deployment; undefined if it runs. */
  async function reasonToSkip(
    trigger: DeploymentTrigger,
    deployment: Deployment,
  ): Promise<string | undefined> {
    const { environmentRegexFilter, environmentUrlRegexFilter, useEnvironmentUrl } = trigger.body;
    const { environment, environmentUrl } = deployment;
    if (useEnvironmentUrl && environmentUrl === null) return 'The deployment has no environment URL';
    const filters = [
      [environmentRegexFilter, environment, 'environment'],
      [environmentUrlRegexFilter, environmentUrl ?? '', 'environment URL'],
    ] as const;
    for (const [pattern, text, name] of filters) {
      if (pattern === null) continue;
      const origin = { accountId: trigger.accountId, subjectId: `deployment trigger ${trigger.id}` };
      const isFound = await evaluate(patternSearch, { pattern, text }, stopping, origin).catch(
        (error: unknown) => {
          if (stopping.aborted) throw error;
          return null;
        },
      );
      if (isFound === null) return `The filter of the ${name} could not be evaluated`;
      if (!isFound) return `The ${name} does not match`;
    }
    return undefined;
  }

  async function start(trigger: DeploymentTrigger, deployment: Deployment): Promise<StartedCheckSession[]> {
    const { accountId, checkId, groupId, body } = trigger;
    const options = {
      ...{ accountId, runSource: 'DEPLOYMENT' as const, runLocation: body.runLocation },
      ...(body.useEnvironmentUrl && deployment.environmentUrl !== null
        ? { environmentUrl: deployment.environmentUrl }
        : {}),
    };
    if (checkId !== null) return engine.startSessions({ ...options, target: { checkId: [checkId] } });
    return groupId === null ? [] : engine.startGroup({ ...options, groupId });
  }

  async function runTriggers(accountId: string, deployment: Deployment): Promise<Outcome> {
    const sessions: Outcome['sessions'][number][] = [];
    const skipped: Skipped[] = [];
    for (const trigger of await store.deploymentTriggers.ofRepository(accountId, deployment.repoId)) {
      const reason = await reasonToSkip(trigger, deployment);
      const started = reason === undefined ? await start(trigger, deployment) : [];
      // Without links, because everyone who administers the repository sees the answer.
      sessions.push(...started.map(({ checkSessionId }) => ({ checkSessionId })));
      if (started.length === 0)
        skipped.push({ deploymentTriggerId: trigger.id, reason: reason ?? 'No check is active' });
    }
    return { sessions, skipped };
  }

  async function receive(accountId: string, request: FastifyRequest, body: Buffer): Promise<Outcome> {
    await assertSigned(accountId, request, body);
    if (header(request, 'x-github-event') !== EVENT)
      return withoutEffect(`Only the event ${EVENT} has an effect`);
    const deliveryId = header(request, 'x-github-delivery');
    if (deliveryId === '' || deliveryId.length > MAX_ID_LENGTH)
      throw new Problem(400, `The header X-GitHub-Delivery must have 1 to ${MAX_ID_LENGTH} characters`);
    const deployment = readDeployment(parseJson(body));
    if (deployment === undefined) return withoutEffect('Only successful deployments have an effect');
    // Recorded first: a delivery that is sent again must not run the checks twice.
    if (!(await store.githubWebhooks.recordDelivery(accountId, deliveryId)))
      return withoutEffect('The delivery was received before');
    return runTriggers(accountId, deployment);
  }

  app.register(async (routes) => {
    routes.removeAllContentTypeParsers();
    routes.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: MAX_BYTES }, (_, body, done) =>
      done(null, body),
    );
    routes.post<{ Params: { accountId: string } }>(
      githubWebhookPath(':accountId'),
      async (request, reply) => {
        const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
        reply.header('cache-control', 'no-store');
        return receive(request.params.accountId, request, body);
      },
    );
  });
}
