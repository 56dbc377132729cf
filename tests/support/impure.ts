import { placeOf } from './sources.ts';

/** Dependencies on time, randomness or the environment, with the only files that may use them. */
export const impure: readonly { what: string; pattern: RegExp; allowed: readonly string[] }[] = [
  {
    what: 'the wall clock',
    pattern: /\bDate\.now\(|\bnew Date\(\)|\bperformance\.now\(/,
    // The clock itself, the time of a log line, and the embedded server, which has no account time. The SDK
    // runs in the merchant's program; one of its files accesses the machine.
    allowed: [
      'server/lib/clock.ts',
      'server/lib/log/log.ts',
      'server/store/embedded/',
      'sdk/http/system.ts',
      'dashboard/lib/browser/clock.ts',
      'checkout/dom.ts',
    ],
  },
  {
    what: 'timers',
    pattern: /\bset(Timeout|Interval|Immediate)\(|'node:timers/,
    allowed: [
      'server/lib/clock.ts',
      'server/lib/log/line-writer.ts',
      'server/store/embedded/',
      // Schedules the next event loop iteration, not a time.
      'server/store/batcher.ts',
      // Timeouts of single exchanges and of the drain.
      'server/processors/wire/simulator-transport.ts',
      'server/processors/wire/undici-transport.ts',
      'sdk/http/system.ts',
      'dashboard/lib/browser/clock.ts',
      'checkout/dom.ts',
    ],
  },
  { what: 'chance', pattern: /\bMath\.random\(|\bcrypto\.random/, allowed: ['sdk/http/system.ts'] },
  {
    what: 'random bytes of the system',
    pattern: /\brandom(Bytes|Int|UUID)\b[^;]*from 'node:crypto'/,
    // Random sources are created at composition time and then passed in.
    allowed: [
      'server/compose/',
      'server/cli/',
      'server/lib/master-key.ts',
      'server/lib/files/durable-files.ts',
      'server/store/embedded/',
    ],
  },
  {
    what: 'the environment',
    pattern: /\bprocess\.(env|argv|cwd)\b/,
    allowed: ['server/main.ts', 'server/cli/', 'server/store/embedded/configuration.ts'],
  },
];

/** Whether a file may use an entry of the table. A name that ends in a slash is a folder. */
export const isAllowed = (path: string, allowed: readonly string[]) => {
  const place = placeOf(path);
  const name = `${place.package}/${place.path}`;
  return allowed.some((one) => (one.endsWith('/') ? name.startsWith(one) : name === one));
};
