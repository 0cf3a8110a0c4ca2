/** Endpoints of automation rules of status pages. */
import * as resources from '../resources/automation-rule.ts';
import { uuid } from '../schema.ts';
import { cursorPage, cursorQuery, define } from './define.ts';

const rules = { resource: 'automation rules' } as const;
const ruleId = { id: uuid('ID of the automation rule') };
export const listAutomationRules = define({
  ...rules,
  name: 'listAutomationRules',
  method: 'GET',
  path: '/v1/status-pages/automation-rules',
  summary: 'List automation rules of status pages',
  query: cursorQuery,
  response: cursorPage(resources.automationRule),
  paging: 'cursor',
});
export const createAutomationRule = define({
  ...rules,
  name: 'createAutomationRule',
  method: 'POST',
  path: '/v1/status-pages/automation-rules',
  summary: 'Create an automation rule of a status page',
  body: resources.automationRuleBody,
  response: resources.automationRule,
  status: 201,
});
export const getAutomationRule = define({
  ...rules,
  name: 'getAutomationRule',
  method: 'GET',
  path: '/v1/status-pages/automation-rules/{id}',
  summary: 'Get an automation rule of a status page',
  params: ruleId,
  response: resources.automationRule,
});
export const updateAutomationRule = define({
  ...rules,
  name: 'updateAutomationRule',
  method: 'PUT',
  path: '/v1/status-pages/automation-rules/{id}',
  summary: 'Update an automation rule of a status page',
  params: ruleId,
  body: resources.automationRuleChange,
  response: resources.automationRule,
});
export const deleteAutomationRule = define({
  ...rules,
  name: 'deleteAutomationRule',
  method: 'DELETE',
  path: '/v1/status-pages/automation-rules/{id}',
  summary: 'Delete an automation rule of a status page',
  params: ruleId,
});
