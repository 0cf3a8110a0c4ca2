/** What the owner of a service does to it from the machine it runs on: its keys, its backups. */
export { type Administration, administrationOf, type KeyMade, type KeyShown } from './administration.ts';
export { type BackupContents, inspectBackup, restoreBackup, writeBackup } from './backups.ts';
