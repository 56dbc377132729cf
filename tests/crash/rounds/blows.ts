import { setTimeout as pause } from 'node:timers/promises';
import { instanceLockClass } from '../../../packages/server/src/store/instance.ts';
import type { DataFolder } from '../../support/data-folder.ts';
import { runProcess } from '../../support/server.ts';
import { until } from '../../support/until.ts';
import type { Order } from '../server-process.ts';
import type { Blow } from './load.ts';

/** The failpoints at which a server under load may end: around its commits and its requests to processors. */
const places = [
  'begin_payments',
  'insert_payments',
  'settle_payments',
  'begin_operations',
  'begin_refunds',
  'change_refunds',
  'keep_processor_notifications',
  'take_due_notification',
  'finish_deliveries',
  'processor_a POST /v71/payments',
  'processor_b POST /v2/checkout/orders',
  'webhook',
];
/** How long to wait until a failpoint is reached, since it may never be. */
const timeoutMs = 2_000;

/** Kills the oldest server at once, or when it reaches a random failpoint, and starts another one. */
export const killServer: Blow = async (fleet, random) => {
  const [victim] = fleet.servers;
  if (victim === undefined) throw new Error('no server runs');
  if (random.chance(1 / 2)) {
    const name = `${random.pick(places)} ${random.pick(['before', 'after'])}`;
    const order: Order = { kind: 'end at', point: { name, passage: 1 + random.below(3) } };
    const ended = new Promise((resolve) => victim.process.once('exit', resolve));
    victim.process.send(order);
    await Promise.race([ended, pause(timeoutMs, undefined, { ref: false })]);
  }
  await fleet.end('SIGKILL');
  await fleet.start();
};

/** Kills the postmaster. The server has to notice this and to restart PostgreSQL. */
export const killDatabase =
  (folder: DataFolder): Blow =>
  async () => {
    const killed = await folder.postmaster();
    process.kill(killed, 'SIGKILL');
    await until('PostgreSQL runs again', () =>
      folder.postmaster().then(
        (pid) => pid !== killed,
        () => false,
      ),
    );
  };

/** Kills the backend of one of the server's connections: PostgreSQL then drops all connections and recovers. */
export const killBackend: Blow = async ({ place }) => {
  const [backend] = await until('the server is connected', () =>
    place.db
      .query<{ pid: number }>({
        text: `select pid from pg_stat_activity where application_name like 'till serve%' order by random() limit 1`,
        scope: 'everybody',
      })
      .then(
        (rows) => rows.length > 0 && rows,
        () => false,
      ),
  );
  if (backend !== undefined) process.kill(backend.pid, 'SIGKILL');
};

/** Ends the session whose lock shows that a server is alive, although it is: other servers may take over its work. */
export const loseLock: Blow = async ({ place }, random) => {
  const sessions = await place.db.query<{ pid: number }>({
    text: `select l.pid from pg_locks l join pg_stat_activity a using (pid)
           where l.locktype = 'advisory' and l.classid = $1::int::oid and a.datname = current_database()`,
    values: [instanceLockClass],
    scope: 'everybody',
  });
  const { pid } = random.pick(sessions);
  await place.db.query({ text: 'select pg_terminate_backend($1)', values: [pid], scope: 'everybody' });
};

/** Runs `till vault rotate`, which gives all accounts new keys while servers encrypt and decrypt with the former ones. */
export const rotateVault: Blow = async ({ servers: [server] }) => {
  if (server === undefined) throw new Error('no server runs');
  const { exitCode, out, err } = await runProcess(server.environment, ['vault', 'rotate']);
  if (exitCode !== 0) throw new Error(`till vault rotate ended with ${exitCode}: ${out}${err}`);
};
