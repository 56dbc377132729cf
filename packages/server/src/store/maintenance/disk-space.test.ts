import { describe, expect, it } from 'vitest';
import { DiskSpace } from './disk-space.ts';

function create(folder: string | null = '/data') {
  let free = 100 * 2 ** 20;
  let elapsed = 0;
  const space = new DiskSpace({
    folder,
    floorBytes: 64 * 2 ** 20,
    freeBytes: async () => free,
    elapsed: () => elapsed,
  });
  return {
    space,
    leave: (mebibytes: number) => {
      free = mebibytes * 2 ** 20;
      return space.check();
    },
    pass: (ms: number) => {
      elapsed += ms;
    },
  };
}

describe('disk space', () => {
  it('short below the floor, with a message that names the folder to the operator only, and enough again above it', async () => {
    const { space, leave } = create();
    await leave(64);
    expect([space.shortage, space.fault]).toEqual([null, null]);
    await leave(63.9);
    expect(space.shortage).toBe('only 63 MiB are free in /data: nothing new is taken on below 64 MiB');
    expect(space.fault).toBe('only 63 MiB are free: nothing new is taken on below 64 MiB');
    await leave(64);
    expect(space.fault).toBeNull();
  });

  it('of a remote database is known only from its refusals, for 10 seconds', async () => {
    const { space, leave, pass } = create(null);
    await leave(0);
    expect(space.fault).toBeNull();
    space.noteFull();
    expect([space.shortage, space.fault]).toEqual([null, 'the disk of PostgreSQL is full']);
    pass(9_999);
    expect(space.fault).not.toBeNull();
    pass(1);
    expect(space.fault).toBeNull();
  });
});
