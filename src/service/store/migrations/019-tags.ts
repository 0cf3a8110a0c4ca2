/** Adds the account to tags of checks, and creates the table of group tags, which the checks of a group inherit. */
import { type Kysely, sql } from 'kysely';
import type { Columns, Migration } from './migration.ts';

const ROWS_AT_ONCE = 500;

type Tables = {
  check_groups: { id: number; account_id: string; body: string };
  check_group_tags: { group_id: number; account_id: string; tag: string };
};

async function tagGroups(db: Kysely<unknown>, { text, bigint }: Columns): Promise<void> {
  await db.schema
    .createTable('check_group_tags')
    .addColumn('group_id', bigint, (column) =>
      column.notNull().references('check_groups.id').onDelete('cascade'),
    )
    .addColumn('account_id', text, (column) => column.notNull())
    .addColumn('tag', text, (column) => column.notNull())
    .addPrimaryKeyConstraint('check_group_tags_key', ['group_id', 'tag'])
    .execute();
  const tables = db as Kysely<Tables>;
  const groups = await tables.selectFrom('check_groups').select(['id', 'account_id', 'body']).execute();
  const rows = groups.flatMap(({ id, account_id, body }) => {
    const { tags } = JSON.parse(body) as { tags?: readonly string[] | null };
    return [...new Set(tags)].map((tag) => ({ group_id: id, account_id, tag }));
  });
  for (let from = 0; from < rows.length; from += ROWS_AT_ONCE)
    await tables
      .insertInto('check_group_tags')
      .values(rows.slice(from, from + ROWS_AT_ONCE))
      .execute();
}

export const tags: Migration = {
  name: '019-tags',
  async up(db, columns) {
    await db.schema.alterTable('check_tags').addColumn('account_id', columns.text).execute();
    await db.schema.alterTable('check_tags').addColumn('created_at', columns.bigint).execute();
    for (const column of ['account_id', 'created_at'] as const)
      await sql`update check_tags set ${sql.ref(column)} = (select ${sql.ref(`checks.${column}`)} from checks
        where checks.id = check_tags.check_id)`.execute(db);
    await db.schema.dropIndex('check_tags_tag_check_id').execute();
    await tagGroups(db, columns);
    // Lists by tag are sorted newest first.
    for (const [table, columnsOfIndex] of [
      ['check_tags', ['account_id', 'tag', 'created_at', 'check_id']],
      ['check_group_tags', ['account_id', 'tag', 'group_id']],
    ] as const)
      await db.schema
        .createIndex(`${table}_by_tag`)
        .on(table)
        .columns([...columnsOfIndex])
        .execute();
  },
};
