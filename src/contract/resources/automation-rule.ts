/** Schemas of automation rules, which open incidents on a status page while checks with their tags fail (docs/gaps.md). */
import { TARGET_IMPACTS } from '../enumerations.ts';
import { NAME_LIMIT, RESOURCE_NAME_LIMIT, TEXT_LIMIT } from '../limits.ts';
import {
  allOptional,
  array,
  boolean,
  closed,
  integer,
  oneOf,
  open,
  openOneOf,
  set,
  string,
  uuid,
} from '../schema.ts';
import { timestamps } from './shared.ts';

const MOST_ITEMS = 100;
/** A week. */
const LONGEST_COOL_DOWN = 10_080;

const componentId = string('ID of a service on a card of the page');
const impact = 'Impact on the service; the worst of a rule sets the severity of its incident';

const fields = {
  name: string('Name of the rule, and of its incidents', RESOURCE_NAME_LIMIT),
  statusPageId: string('ID of the status page'),
  tags: set(
    string('Tag', { minLength: 1, ...NAME_LIMIT }),
    'Tags of the checks: one of them on the check or its group is enough',
    { minItems: 1, maxItems: MOST_ITEMS },
  ),
  firstUpdate: string('Text of the update that opens the incident', { minLength: 1, ...TEXT_LIMIT }),
  lastUpdate: string('Text of the update that resolves the incident', { minLength: 1, ...TEXT_LIMIT }),
};
const options = {
  enabled: boolean('Whether the rule opens incidents', { default: true }),
  notifySubscribers: boolean('Whether subscribers of the page are notified of the updates', {
    default: true,
  }),
  coolDownWindowMinutes: integer(
    'Minutes after an incident of the rule before it may open the next one; 0: none',
    { minimum: 0, maximum: LONGEST_COOL_DOWN, default: 5, 'x-unit': 'minutes' },
  ),
};
const components = array(
  closed({ componentId, targetImpact: oneOf(TARGET_IMPACTS, impact) }),
  'Services that an incident of the rule affects',
  { minItems: 1, maxItems: MOST_ITEMS },
);

export const automationRuleBody = closed(
  { ...fields, components, ...allOptional(options) },
  { title: 'StatusPageAutomationRuleRequest' },
);
export const automationRuleChange = closed(allOptional({ ...fields, components, ...options }), {
  title: 'StatusPageAutomationRuleChange',
});

export const automationRule = open(
  {
    id: uuid('ID of the rule'),
    ...fields,
    ...options,
    components: array(
      open(
        { componentId, targetImpact: openOneOf(TARGET_IMPACTS, impact) },
        { title: 'StatusPageAutomationRuleComponent' },
      ),
      'Services that an incident of the rule affects',
    ),
    ...timestamps,
  },
  { title: 'StatusPageAutomationRule' },
);
