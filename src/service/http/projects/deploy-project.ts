/** Deploys a project: creates, updates and deletes its resources in one transaction. */
import type { BodyOf, deployProject as deployEndpoint } from '../../../contract/index.ts';
import type { DeploymentRecord, ProjectResource, StoreTransaction } from '../../store/index.ts';
import { contextWithin, nameInRefusal, READ_COMMITTED } from '../api/context-within.ts';
import { proofsForTransaction } from '../api/custom-domain.ts';
import type { HandlerContext } from '../api/handler.ts';
import { Problem } from '../api/problem.ts';
import { assertRulesWithoutGroups } from './automation-rules.ts';
import { groupComponents, isGroup } from './components.ts';
import { assertExpandedLength } from './expanded-length.ts';
import { type DeclaredResource, groupLinks, isLink, resolveLinks } from './links.ts';
import { resolveReferences, resourceKey } from './references.ts';
import { RESOURCE_TYPES, type ResourceType, toApiId } from './resource-types.ts';
import {
  createResource,
  type Deployment,
  deleteResource,
  readResource,
  updateResource,
} from './write-resource.ts';

export type DeployRequest = Pick<BodyOf<typeof deployEndpoint>, 'project' | 'resources' | 'sharedFiles'>;

/** A change of one resource. Clients expect UPDATE for an unchanged resource, too. */
interface Change {
  readonly type: string;
  readonly logicalId: string;
  readonly physicalId?: string | number;
  readonly action: 'CREATE' | 'UPDATE' | 'DELETE' | 'DETACHED';
}
export interface DeployResult {
  readonly project: { readonly logicalId: string; readonly name: string };
  readonly diff: Change[];
}

export interface DeployOptions {
  readonly accountId: string;
  readonly header: Deployment['header'];
  /** Whether to roll back the transaction and only return the changes. */
  readonly isDryRun: boolean;
  /** Whether to keep resources that the project no longer declares. */
  readonly preservesResources: boolean;
  /** Whether to delete the project itself, too. */
  readonly deletesProject?: boolean;
}

/** Rolls the transaction of a dry run back. */
class DryRun extends Error {
  readonly result: DeployResult;
  constructor(result: DeployResult) {
    super('a dry run changes nothing');
    this.result = result;
  }
}

/** Runs a change of one resource, and names the resource in its refusal. */
const nameResource = <T>({ type, logicalId }: DeclaredResource | ProjectResource, work: () => Promise<T>) =>
  nameInRefusal(`${type} "${logicalId}"`, { resource: { type, logicalId } }, work);

function assertDistinct(declared: readonly DeclaredResource[]): void {
  const seen = new Set<string>();
  for (const { type, logicalId } of declared) {
    const key = resourceKey(type, logicalId);
    if (seen.has(key))
      throw new Problem(400, `${type} "${logicalId}": the project must not declare it twice`);
    seen.add(key);
  }
}

async function requireProject(tx: StoreTransaction, accountId: string, project: DeployRequest['project']) {
  await tx.projects.lock(accountId, project.logicalId);
  const existing = await tx.projects.byKey(accountId, project.logicalId);
  if (existing === undefined) return tx.projects.create(accountId, project);
  const isSame = existing.body.name === project.name && existing.body.repoUrl === project.repoUrl;
  if (!isSame) await tx.projects.replace(accountId, existing.id, project);
  return existing;
}

/** The service answers nothing while SQLite commits a deployment, which takes longer the larger it is. */
const DEPLOYED_LENGTH = {
  limit: 64 * 1024 * 1024,
  advice: 'make the shared files smaller, or deploy several projects',
};

/** Returns the types in the order in which their resources are created. */
const TYPES = Object.entries(RESOURCE_TYPES);

/** Applies the declared resources, and returns the changes. */
async function applyResources(
  deployment: Deployment,
  projectId: string,
  { resources: declared, sharedFiles = [] }: DeployRequest,
  preservesResources: boolean,
): Promise<Change[]> {
  const { tx, accountId } = deployment;
  assertDistinct(declared);
  const payloads = declared.map(({ payload }) => payload ?? {});
  assertExpandedLength(payloads, sharedFiles, DEPLOYED_LENGTH);
  const declaredKeys = new Set(declared.map(({ type, logicalId }) => resourceKey(type, logicalId)));
  const before = await tx.projects.resources(projectId);
  const beforeByKey = new Map(before.map((known) => [resourceKey(known.type, known.logicalId), known]));
  const links = groupLinks(declared);
  const cards = groupComponents(declared);
  assertRulesWithoutGroups(declared);
  const changes: Change[] = [];
  const ids = new Map<string, string | number>();

  const report = (action: Change['action'], { type, logicalId, physicalId }: ProjectResource): void => {
    const known = RESOURCE_TYPES[type];
    const id = known === undefined || physicalId === null ? {} : { physicalId: toApiId(known, physicalId) };
    changes.push({ type, logicalId, ...id, action });
  };

  /** Deletes the services of components that became groups, which the page no longer shows. */
  async function removeServicesOfGroups(): Promise<void> {
    for (const { type, logicalId } of declared.filter(isGroup)) {
      const known = beforeByKey.get(resourceKey(type, logicalId));
      const service = RESOURCE_TYPES[type];
      if (known === undefined || service === undefined || known.physicalId === null) continue;
      const { physicalId } = known;
      if (!preservesResources)
        await nameResource(known, () => deleteResource(deployment, service, physicalId));
      await tx.projects.removeResource(projectId, known);
      await tx.projects.addResource(projectId, { ...known, physicalId: null });
    }
  }

  async function remove(resources: readonly ProjectResource[]): Promise<void> {
    for (const resource of resources) {
      const type = RESOURCE_TYPES[resource.type];
      const { physicalId } = resource;
      if (type !== undefined && physicalId !== null && !preservesResources)
        await nameResource(resource, () => deleteResource(deployment, type, physicalId));
      await tx.projects.removeResource(projectId, resource);
      report(preservesResources ? 'DETACHED' : 'DELETE', resource);
    }
  }

  async function write(name: string, type: ResourceType, resource: DeclaredResource): Promise<void> {
    const { logicalId } = resource;
    const key = resourceKey(name, logicalId);
    const ownLinks = await resolveLinks(tx, accountId, links.get(key) ?? [], ids);
    const declaredCards = name === 'status-page' ? cards.get(logicalId) : undefined;
    const payload = resolveReferences(
      { ...resource.payload, ...(declaredCards ? { cards: declaredCards } : {}) },
      ids,
      type.references,
    );
    const body = type.toBody(payload, { ...ownLinks, sharedFiles });
    const known = beforeByKey.get(key);
    const knownId = known?.physicalId ?? undefined;
    const stored = knownId === undefined ? undefined : await readResource(deployment, type, knownId);
    if (known && knownId !== undefined && stored !== undefined) {
      await updateResource(deployment, [type, knownId], stored, [payload, body]);
      ids.set(key, toApiId(type, knownId));
      return report('UPDATE', known);
    }
    const created = {
      type: name,
      logicalId,
      physicalId: await createResource(deployment, type, payload, body),
    };
    if (known !== undefined) await tx.projects.removeResource(projectId, known);
    await tx.projects.addResource(projectId, created);
    ids.set(key, toApiId(type, created.physicalId));
    return report('CREATE', created);
  }

  // Resources outside of the project, which it only refers to.
  for (const { type, logicalId, member = true, physicalId } of declared)
    if (!member && physicalId !== undefined && physicalId !== null)
      ids.set(resourceKey(type, logicalId), physicalId);
  const removed = before.filter(({ type, logicalId }) => !declaredKeys.has(resourceKey(type, logicalId)));
  const isReferenced = ({ type }: ProjectResource) => RESOURCE_TYPES[type]?.isReferenced === true;
  // First what nothing refers to: a new resource may have the address of a deleted one.
  await remove(removed.filter((resource) => !isReferenced(resource)));
  for (const [name, type] of TYPES)
    for (const resource of declared)
      if (resource.type === name && resource.member !== false && !isGroup(resource))
        await nameResource(resource, () => write(name, type, resource));
  for (const { type, logicalId } of declared.filter(
    (resource) => isLink(resource.type) || isGroup(resource),
  )) {
    const link = { type, logicalId, physicalId: null };
    const isKnown = beforeByKey.has(resourceKey(type, logicalId));
    if (!isKnown) await tx.projects.addResource(projectId, link);
    report(isKnown ? 'UPDATE' : 'CREATE', link);
  }
  // Last what others referred to, in the reverse order of its creation.
  await removeServicesOfGroups();
  for (const [name] of TYPES.toReversed())
    await remove(removed.filter((resource) => resource.type === name && isReferenced(resource)));
  return changes;
}

/**
 * Deploys a project in one transaction, and schedules its checks. Returns the recorded deployment, or only the changes of a
 * dry run. Throws `Problem` 400 or 409 that names the resource, the field and the rule; then nothing has changed.
 */
export async function deployProject(
  context: HandlerContext,
  createResourceHandlers: (context: HandlerContext) => Deployment['handlers'],
  request: DeployRequest,
  { accountId, header, isDryRun, preservesResources, deletesProject = false }: DeployOptions,
): Promise<DeploymentRecord | DeployResult> {
  const checkIds = new Set<string>();
  const bodies = isDryRun ? [] : request.resources.map(({ payload }) => payload);
  const proofs = await proofsForTransaction(context, accountId, bodies);
  try {
    const record = await context.store.transaction(async (tx) => {
      checkIds.clear();
      const within = contextWithin(context, tx, (id) => checkIds.add(id), proofs);
      const deployment = { tx, accountId, header, context: within, handlers: createResourceHandlers(within) };
      const { id, body } = await requireProject(tx, accountId, request.project);
      const diff = await applyResources(deployment, id, request, preservesResources);
      if (deletesProject) await tx.projects.delete(accountId, id);
      const result = { project: { logicalId: body.logicalId, name: request.project.name }, diff };
      if (isDryRun) throw new DryRun(result);
      return tx.projects.recordDeployment(accountId, body.logicalId, result);
    }, READ_COMMITTED);
    await context.engine.rescheduleChecks([...checkIds]);
    return record;
  } catch (error) {
    if (!(error instanceof DryRun)) throw error;
    const { project, diff } = error.result;
    // The IDs of new resources were rolled back, too.
    return {
      project,
      diff: diff.map(({ physicalId, ...change }) =>
        change.action === 'CREATE' || physicalId === undefined ? change : { ...change, physicalId },
      ),
    };
  }
}
