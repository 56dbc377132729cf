import { join } from 'node:path';
import { replaceFile } from '../../lib/files/durable-files.ts';
import type { Account } from './files/account.ts';
import type { Place } from './files/place.ts';

/** The environment of every PostgreSQL program, without the application's secrets, PG* variables and locale. */
export const SERVER_ENVIRONMENT: NodeJS.ProcessEnv = {
  PATH: process.env.PATH ?? '/usr/bin:/bin',
  LC_ALL: 'C',
  TZ: 'UTC',
};

/** Writes the settings for the next start; `ALTER SYSTEM` still overrides them. */
export async function writeConfiguration(
  place: Place,
  socketFolder: string,
  account: Account | undefined,
): Promise<void> {
  await replaceFile(join(place.cluster, 'postgresql.conf'), settings(place, socketFolder), account);
  await replaceFile(join(place.cluster, 'pg_hba.conf'), HOST_BASED_AUTHENTICATION, account);
}

const HOST_BASED_AUTHENTICATION = `# Written by Till at each start.
local all         all scram-sha-256
local replication all scram-sha-256
`;

function settings(place: Place, socketFolder: string): string {
  return `# Written by Till at each start: change a setting with ALTER SYSTEM.
listen_addresses = ''
unix_socket_directories = '${socketFolder}'
unix_socket_permissions = 0700
password_encryption = 'scram-sha-256'
max_connections = 100
cluster_name = '${place.name}'

fsync = on
full_page_writes = on
synchronous_commit = on
wal_level = replica
max_wal_size = 2GB
shared_buffers = 128MB
# On solid-state disks; with the default a table of some thousand rows is read whole for each batch of payments.
random_page_cost = 1.1
jit = off
# An analyze takes a core, for which payments wait: for 66 ms each time that the payments have grown by a tenth, and not for 290.
default_statistics_target = 30

datestyle = 'iso, mdy'
timezone = 'UTC'
log_timezone = 'UTC'
lc_messages = 'C'
default_text_search_config = 'pg_catalog.english'

# The log holds no data: neither statements nor values, nor the messages and details that quote them.
logging_collector = off
log_destination = 'stderr'
log_line_prefix = '%m [%p] '
log_statement = 'none'
log_min_messages = log
log_min_error_statement = panic
log_error_verbosity = terse
log_parameter_max_length = 0
log_parameter_max_length_on_error = 0
`;
}
