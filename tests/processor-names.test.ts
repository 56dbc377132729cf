import { describe, expect, it } from 'vitest';
import { filesBelow, isTestCode, read } from './support/sources.ts';

/*
 * Outside the adapters no code depends on which processor a payment uses. It depends on the processor's
 * capabilities (`processors/port/capabilities.ts`). Only a few places name a processor.
 */

const packages = ['server', 'contract', 'dashboard', 'checkout', 'sdk'];

/** A processor's name in any spelling: ours, that of its notification path, or the upstream's. */
const names =
  /processor[-_][a-z](?![a-z])|[pP]rocessor[A-Z](?![a-z])|[pP]rocessor [A-Z]\b|processors\/[a-z]\b|[Aa]dyen|ADYEN|[Pp]ay[Pp]al|PAYPAL/;

/** Places that may name a processor: its own folder, the list of adapters, the names in the API. */
const places = [
  /^packages\/server\/src\/processors\/processor-[a-z]\//,
  /^packages\/server\/src\/processors\/registry\.ts$/,
  /^packages\/contract\/src\/primitives\/processors\.ts$/,
];

/** Other files that name one, by the beginning of their path. */
const exceptions: Readonly<Record<string, string>> = {
  'packages/contract/src/documented/answer-examples.ts':
    'answers as the reference shows them: data, not code',
  'packages/sdk/src/generated/': 'generated from /openapi.json',
};

const isProse = (path: string) => path.endsWith('.md');
const files = packages
  .flatMap((name) => filesBelow(`packages/${name}`))
  .filter((path) => !isTestCode(path) && !isProse(path));
const naming = files.filter((path) => names.test(read(path)));
const reasonFor = (path: string) => Object.keys(exceptions).find((begin) => path.startsWith(begin));

describe('the name of a processor', () => {
  it.each([
    "processor === 'processor_a'",
    "import { createProcessorB } from './x.ts'",
    'const processorA = 1',
    "import '../processors/processor-b/adapter.ts'",
    "'/processors/a/notifications/:account'",
    "name: 'Processor A'",
    "next_action === 'processor_b_wallet'",
    '(Adyen docs)',
    'window.paypal',
  ])('is recognised in %s', (text) => {
    expect(names.test(text)).toBe(true);
  });

  it.each(['the processor a payment is at', 'processors.map(one)', 'perProcessor(', 'ProcessorConnection'])(
    'is not seen in %s',
    (text) => {
      expect(names.test(text)).toBe(false);
    },
  );

  it('stands in its folder, the registry and the contract’s enumerations only', () => {
    expect(files.length).toBeGreaterThan(500);
    const elsewhere = naming.filter(
      (path) => !places.some((place) => place.test(path)) && reasonFor(path) === undefined,
    );
    expect(elsewhere).toEqual([]);
  });

  it.each(Object.entries(exceptions))('is still needed in %s: %s', (begin) => {
    expect(naming.some((path) => path.startsWith(begin))).toBe(true);
  });
});
