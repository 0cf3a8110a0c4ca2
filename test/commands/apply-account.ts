/** Plans and applies files in new accounts of a service, and has a project to start from. */
import { command as apply } from '../../commands/apply.ts';
import { command as plan } from '../../commands/plan.ts';
import { envOf, well } from '../cli/resources/journey.ts';
import { send } from '../support/send.ts';
import type { TestService } from '../support/service.ts';

/** Creates an account. Returns it with functions that plan and apply a file there. */
export async function newAccount(service: TestService) {
  const own = { ...service, ...(await service.newAccount()) };
  const env = envOf(own);
  const list = async (path: string): Promise<readonly Record<string, unknown>[]> => {
    const { body } = await send(own, `GET ${path}`);
    return body as readonly Record<string, unknown>[];
  };
  return {
    own,
    env,
    list,
    plan: async (file: string, ...flags: string[]) =>
      JSON.parse((await well(plan, ['f', '--json', ...flags], { env, files: { f: file } })).stdout),
    apply: (file: string, ...flags: string[]) =>
      well(apply, ['f', '--yes', ...flags], { env, files: { f: file } }),
  };
}

export const SHOP = `
project: shop
groups:
  - { name: Shop, locations: [eu-west-1] }
checks:
  - { name: Home, checkType: URL, group: Shop, request: { url: https://shop.test } }
  - { name: Apex, checkType: DNS, request: { query: shop.test }, tags: [edge] }
`;
