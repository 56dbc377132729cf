import { randomBytes } from 'node:crypto';
import { ApiError } from '@till/contract';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { AccountContext } from '../accounts/context.ts';
import { Answering } from '../disputes/test-answers.ts';
import { createDisputeKit, type DisputeKit } from '../disputes/test-kit.ts';
import { findTenant } from '../vault/test-database.ts';
import { createFile, type FileDependencies, removeUnusedFiles, retrieveFile } from './files.ts';
import { FileStore } from './store.ts';
import { UploadQueue } from './upload-queue.ts';

const content = Buffer.from('%PDF-1.7\n');
const day = 86_400_000;

let kit: DisputeKit;
let deps: FileDependencies;
let context: AccountContext;
beforeAll(async () => {
  kit = await createDisputeKit();
  deps = { store: new FileStore(kit.db), clock: kit.clock, randomBytes, uploads: new UploadQueue() };
});
beforeEach(async () => {
  context = kit.context(await kit.openAccount());
});
afterAll(() => kit.drop());

const create = (where = context) => createFile(deps, where, { name: 'a.pdf', content });

/** Inserts files as if they had been uploaded before. */
const fill = (count: number, size: number) =>
  kit.db.query({
    text: `insert into files (tenant, id, name, content_type, size, sha256, content, created_at)
           select $1, 'file_zz' || lpad(n::text, 22, '0'), 'a', 'application/pdf', $3, '\\x00', '\\x00', $4
           from generate_series(1, $2::int) n`,
    values: [context.tenant, count, size, kit.clock.now()],
    scope: context,
  });

/** The outcome of each upload: `kept`, or the message of the refusal. */
const outcomes = async (uploads: readonly Promise<unknown>[]) =>
  (await Promise.allSettled(uploads)).map((upload) =>
    upload.status === 'fulfilled' ? 'kept' : (upload.reason as ApiError).message,
  );

it('422 with the number beyond 1,000 files of an account and mode, also of concurrent ones', async () => {
  await fill(998, 1);
  const results = await outcomes([create(), create(), create(), create()]);
  expect(results.filter((result) => result === 'kept')).toHaveLength(2);
  expect(results.filter((result) => result.includes('1000 files of 1 GB'))).toHaveLength(2);
  await expect(create()).rejects.toMatchObject({ code: 'invalid_params', param: 'file' });
  await expect(
    create({ ...context, ...(await findTenant(kit.db, context.accountId, true)) }),
  ).resolves.toBeDefined();
  await expect(create(kit.context(await kit.openAccount()))).resolves.toBeDefined();
});

it('422 beyond 1 GB of an account and mode', async () => {
  await fill(1, 1_000_000_000 - content.length);
  expect(await outcomes([create()])).toEqual(['kept']);
  await expect(create()).rejects.toBeInstanceOf(ApiError);
});

it('deletes files that no dispute used in 7 days, of every account, and no others', async () => {
  const isThere = (id: string, where = context) =>
    retrieveFile(deps, where, id).then(
      () => true,
      () => false,
    );
  const answering = new Answering(kit, context);
  const defendWith = async (file: string) => {
    const { id } = await answering.open();
    const submission = {
      reasonCode: null,
      statement: null,
      evidence: [{ type: 'receipt', text: null, file }] as const,
    };
    return answering.answer(id, { kind: 'defend', submission });
  };
  const [used, unused] = [await create(), await create()];
  await defendWith(used.id);
  const other = kit.context(await kit.openAccount());
  const many = [];
  for (let index = 0; index < 60; index += 1) many.push(await create(other));
  kit.clock.move(7 * day);
  const fresh = await create();
  kit.clock.move(1000);
  // It cannot be used for a new dispute any more, so nothing can begin to use it while it is being deleted.
  await expect(defendWith(unused.id)).rejects.toMatchObject({ param: 'evidence[0].file' });
  await removeUnusedFiles(deps);
  expect(await isThere(unused.id)).toBe(true);
  kit.clock.move(day / 24);
  await removeUnusedFiles(deps);
  const left = [];
  for (const { id } of many) if (await isThere(id, other)) left.push(id);
  expect([await isThere(used.id), await isThere(unused.id), await isThere(fresh.id), left]).toEqual([
    true,
    false,
    true,
    [],
  ]);
  await defendWith(used.id);
});
