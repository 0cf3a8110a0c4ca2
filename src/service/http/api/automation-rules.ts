/** Handles automation rules of status pages. Their changes apply to checks that fail now, and to open incidents. */
import { type BodyOf, createAutomationRule, type Violation } from '../../../contract/index.ts';
import { changeRules } from '../../notify/alerts/change-rules.ts';
import type { AutomationRuleBody, AutomationRuleRecord, StoreTransaction } from '../../store/index.ts';
import { READ_COMMITTED } from './context-within.ts';
import { applyChange, applyDefaults, createDocumentResource, timestamps } from './document-resource.ts';
import type { HandlerContext, Handlers } from './handler.ts';
import { assertValid, requireFound, violation } from './problem.ts';

type Components = BodyOf<typeof createAutomationRule>['components'];

const present = ({ id, body, ...stored }: AutomationRuleRecord) => ({ id, ...body, ...timestamps(stored) });

/** Returns violations for services that no card of the page shows, and for those that are named twice. `known` were accepted before. */
function componentViolations(
  components: Components,
  shown: ReadonlySet<string>,
  known: ReadonlySet<string>,
): Violation[] {
  const ids = components.map(({ componentId }) => componentId);
  return ids.flatMap((id, index) => {
    const path = ['components', index, 'componentId'];
    if (ids.indexOf(id) < index)
      return [violation('body', path, 'uniqueItems', 'must not be used by two components')];
    if (shown.has(id) || known.has(id)) return [];
    return [violation('body', path, 'reference', 'does not match any service on a card of the status page')];
  });
}

/** Throws `Problem` 400 for a page that does not exist, and for services that it does not show. */
async function assertReferences(
  tx: StoreTransaction,
  accountId: string,
  { statusPageId, components }: AutomationRuleBody,
  before?: AutomationRuleBody,
): Promise<void> {
  const page = await tx.statusPages.get(accountId, statusPageId);
  if (page === undefined) {
    const message = 'does not match any status page of this account';
    assertValid([violation('body', ['statusPageId'], 'reference', message)]);
  }
  const shown = new Set(page?.body.cards.flatMap((card) => card.services.map(({ id }) => id)));
  // The page may have lost a service of the rule since.
  const known = before?.statusPageId === statusPageId ? before.components : [];
  const knownIds = new Set(known.map(({ componentId }) => componentId));
  assertValid(componentViolations(components, shown, knownIds));
}

export function automationRuleHandlers({ store, clock }: HandlerContext) {
  const rules = createDocumentResource({
    collection: store.automationRules,
    label: 'automation rule',
    param: 'id',
    present: (all) => all.map(present),
  });
  return {
    listAutomationRules: rules.page,

    async createAutomationRule({ accountId, endpoint, body }) {
      const rule = applyDefaults(endpoint, body) as AutomationRuleBody;
      const created = await store.transaction(async (tx) => {
        await assertReferences(tx, accountId, rule);
        return changeRules(tx, accountId, () => tx.automationRules.create(accountId, rule));
      }, READ_COMMITTED);
      return present(created);
    },

    getAutomationRule: rules.get,

    async updateAutomationRule({ accountId, params: { id }, body }) {
      const label = `automation rule ${id}`;
      const changed = await store.transaction(async (tx) => {
        const { body: before } = requireFound(await tx.automationRules.get(accountId, id), label);
        const rule = applyChange(createAutomationRule, before, body, clock.now());
        await assertReferences(tx, accountId, rule, before);
        return changeRules(tx, accountId, () => tx.automationRules.replace(accountId, id, rule));
      }, READ_COMMITTED);
      return present(requireFound(changed, label));
    },

    async deleteAutomationRule({ accountId, params: { id } }) {
      const isDeleted = await store.transaction(
        (tx) => changeRules(tx, accountId, () => tx.automationRules.delete(accountId, id)),
        READ_COMMITTED,
      );
      requireFound(isDeleted, `automation rule ${id}`);
      return undefined;
    },
  } satisfies Partial<Handlers>;
}
