import { placeOf } from './sources.ts';

/** What makes code depend on the moment, on chance or on the environment, and the only files that may use it. */
export const impure: readonly { what: string; pattern: RegExp; allowed: readonly string[] }[] = [
  {
    what: 'the wall clock',
    pattern: /\bDate\.now\(|\bnew Date\(\)|\bperformance\.now\(/,
    // The clock itself, the time of a log line, and the embedded server, which knows no account time.
    // The SDK runs in the merchant's program: the machine it runs on is read in one file of it.
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
      // The next round of the event loop, not a time.
      'server/store/batcher.ts',
      // Deadlines of single exchanges and of the drain.
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
    // Made where the parts are composed, then passed in.
    allowed: ['server/compose/', 'server/cli/', 'server/lib/master-key.ts', 'server/store/embedded/'],
  },
  {
    what: 'the environment',
    pattern: /\bprocess\.(env|argv|cwd)\b/,
    allowed: ['server/main.ts', 'server/cli/', 'server/store/embedded/configuration.ts'],
  },
];

/** Whether a file may use what the table names. A name that ends in a slash stands for a folder. */
export const isAllowed = (path: string, allowed: readonly string[]) => {
  const place = placeOf(path);
  const name = `${place.package}/${place.path}`;
  return allowed.some((one) => (one.endsWith('/') ? name.startsWith(one) : name === one));
};
