/** Stores accounts, and the settings that apply to all checks of an account. */
import type { Selectable } from 'kysely';
import type { getAccountAlertSettings, ResponseOf } from '../../contract/index.ts';
import type { StoreContext } from './context.ts';
import type { ResourceTables } from './tables/resources.ts';

export type AccountAlertSettings = ResponseOf<typeof getAccountAlertSettings>;

export interface Account {
  readonly id: string;
  readonly name: string;
  /** Undefined if never set: the defaults apply. */
  readonly alertSettings: AccountAlertSettings | undefined;
  /** Whether the output of scripts is masked where it looks like a secret. */
  readonly detectsSecrets: boolean;
  readonly createdAt: number;
}

function accountFrom(row: Selectable<ResourceTables['accounts']>): Account {
  return {
    id: row.id,
    name: row.name,
    alertSettings:
      row.alert_settings === null ? undefined : (JSON.parse(row.alert_settings) as AccountAlertSettings),
    detectsSecrets: row.detects_secrets === 1,
    createdAt: row.created_at,
  };
}

export function accounts({ db, clock, random }: StoreContext) {
  return {
    async create(name: string): Promise<Account> {
      const row = {
        id: random.uuid(),
        name,
        alert_settings: null,
        detects_secrets: 0,
        created_at: clock.now(),
      };
      await db.insertInto('accounts').values(row).execute();
      return accountFrom(row);
    },
    async get(id: string): Promise<Account | undefined> {
      const row = await db.selectFrom('accounts').selectAll().where('id', '=', id).executeTakeFirst();
      return row && accountFrom(row);
    },
    /** Returns all accounts, oldest first. */
    async list(): Promise<Account[]> {
      const query = db.selectFrom('accounts').selectAll().orderBy('created_at').orderBy('id');
      return (await query.execute()).map(accountFrom);
    },
    async setSecretDetection(id: string, isOn: boolean): Promise<void> {
      await db
        .updateTable('accounts')
        .set({ detects_secrets: isOn ? 1 : 0 })
        .where('id', '=', id)
        .execute();
    },
    async setAlertSettings(id: string, settings: AccountAlertSettings): Promise<void> {
      const set = { alert_settings: JSON.stringify(settings) };
      await db.updateTable('accounts').set(set).where('id', '=', id).execute();
    },
  };
}
