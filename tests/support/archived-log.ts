import { queryDatabase } from './fresh-database.ts';
import { until } from './until.ts';

/** Makes PostgreSQL switch to a new WAL file, and waits until the previous one is archived. */
export async function archiveLog(url: string): Promise<void> {
  const switching = 'select pg_walfile_name(pg_switch_wal()) as file';
  const [{ file } = { file: '' }] = await queryDatabase<{ file: string }>(url, switching);
  await until('the log is archived', async () => {
    const [row] = await queryDatabase<{ last: string | null }>(
      url,
      'select last_archived_wal as last from pg_stat_archiver',
    );
    return (row?.last ?? '') >= file;
  });
}
