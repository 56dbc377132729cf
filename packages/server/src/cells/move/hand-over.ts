import { addCopies, readPeopleOfAccount } from '../../users/people/copies.ts';
import { home as homeName } from '../store.ts';
import { catchUp, copyRows } from './copy.ts';
import { directoryRefreshMs, type Moving } from './moving.ts';
import { alignPartitions } from './partitions.ts';
import { giveBack } from './settle.ts';
import { fence, isFirst, noteWrites, whenAnswered } from './source.ts';
import { type Move, stepMove } from './store.ts';

/** How long until every process has the account's credentials in memory: processes read them every two seconds. */
const propagationMs = 5_000;
/** A handover that takes longer is given up and tried again, since requests wait for at most five seconds. */
const maxHeldMs = 4_000;
const answersWithinMs = 1_000;
const writersWithinMs = 1_500;
const maxAttempts = 10;
/** With fewer changed rows than this, the last copy takes only an instant. */
const fewRows = 200;
const maxRounds = 100;

/** Copies the account and hands it over. @returns the move, with its rows committed in the target */
export async function handOver(moving: Moving): Promise<{ move: Move; heldMs: number }> {
  const { deps, account, tables, source, snapshot, target } = moving;
  const { clock } = deps;
  // An earlier attempt may have ended with the account fenced and its requests waiting.
  const move = await giveBack(deps, source, moving.move);
  await source.query({
    text: 'delete from departed_rows where account_id = $1',
    values: [account.accountId],
  });
  await noteWrites(source, clock, account, tables);
  await deps.onStep?.('noted');
  await snapshot.query({ text: 'begin transaction isolation level repeatable read read only' });
  await target.query({ text: `select set_config('till.mover', $1, false)`, values: [account.accountId] });
  let count = 0;
  const onRows = (rows: number) => {
    count += rows;
    deps.onRows?.(count);
  };
  await copyRows(snapshot, target, account, tables.filter(isFirst), onRows);
  const known = clock.elapsed() + propagationMs;
  await alignPartitions(source, target, clock);
  await target.query({ text: 'begin' });
  const rest = tables.filter((table) => !isFirst(table));
  await copyRows(snapshot, target, account, rest, onRows);
  await snapshot.query({ text: 'commit' });
  await deps.onStep?.('copied');
  for (let round = 0; round < maxRounds; round += 1) {
    const rows = await catchUp(source, target, account, tables);
    const left = known - clock.elapsed();
    if (rows < fewRows && left <= 0) break;
    if (rows < fewRows) await clock.delay(Math.min(left, 500));
  }
  return cutOver(moving, move);
}

/** Makes requests wait, fences the account, copies the last rows, and commits them in the target. */
async function cutOver(moving: Moving, begun: Move): Promise<{ move: Move; heldMs: number }> {
  const { deps, account, tables, source, target } = moving;
  const { home, clock } = deps;
  let move = begun;
  for (let tries = 1; ; tries += 1) {
    const next = { ...move, attempt: move.attempt + 1 };
    await stepMove(home, move, { ...next, isHeld: true });
    move = next;
    const began = clock.elapsed();
    try {
      await deps.onStep?.('held');
      await clock.delay(directoryRefreshMs);
      await whenAnswered(source, clock, account, answersWithinMs);
      await catchUp(source, target, account, tables);
      if (await fence(source, clock, account.accountId, writersWithinMs)) {
        await deps.onStep?.('fenced');
        await catchUp(source, target, account, tables);
        if (clock.elapsed() - began < maxHeldMs) {
          const committed = await commit(moving, move);
          return { move: committed, heldMs: clock.elapsed() - began };
        }
      }
    } catch (error) {
      // `giveBack` is refused once the move is committing: then only the target database shows where the account is.
      await giveBack(deps, source, move).catch(() => {});
      throw error;
    }
    move = await giveBack(deps, source, move);
    if (tries === maxAttempts) {
      throw new Error('the account writes so much that it cannot be handed over in time');
    }
    await catchUp(source, target, account, tables);
  }
}

/** Commits the rows in the target. After the step at home, the move may only be undone if they are known not to be committed. */
async function commit({ deps, account, target }: Moving, move: Move): Promise<Move> {
  const { accountId } = account;
  await target.query({ text: 'delete from departures where account_id = $1', values: [accountId] });
  await target.query({
    text: `insert into arrivals (account_id, attempt) values ($1, $2)
           on conflict (account_id) do update set attempt = excluded.attempt`,
    values: [accountId, move.attempt],
  });
  if (move.target !== homeName) await addCopies(target, await readPeopleOfAccount(deps.home, accountId));
  const committing = { ...move, state: 'committing' } as const;
  await stepMove(deps.home, move, { ...committing, isHeld: true });
  await deps.onStep?.('committing');
  await target.query({ text: 'commit' });
  await deps.onStep?.('arrived');
  return committing;
}
