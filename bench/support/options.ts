import { parseArgs } from 'node:util';

export interface Options {
  /** Length of one measured round. */
  readonly seconds: number;
  readonly rounds: number;
  readonly connections: number;
  /** The number of payments in the larger table of the growth benchmark. */
  readonly rows: number;
  /** Measures only creates and no baseline, for profiling. */
  readonly createOnly: boolean;
  /** Leaves the planner without statistics, as in the first minute of a new database. */
  readonly cold: boolean;
  /** The folder for a CPU profile of the server; null for none. */
  readonly profileFolder: string | null;
}

export const usage = `Usage: npm run bench -- [options]

  --seconds N    length of one measured round, default 5
  --rounds N     interleaved rounds, default 3
  --rows N       payments in the larger table of the growth, default 5,000,000
  --create-only  creates alone, without baselines, for profiling
  --cold         without planner statistics, as in the first minute of a new database
  --prof FOLDER  write a CPU profile of the server into FOLDER
`;

/** @throws Error for an unknown option or a value out of range */
export function readOptions(parameters: readonly string[]): Options | 'help' {
  const { values } = parseArgs({
    args: [...parameters],
    options: {
      seconds: { type: 'string', default: '5' },
      rounds: { type: 'string', default: '3' },
      rows: { type: 'string', default: '5000000' },
      'create-only': { type: 'boolean', default: false },
      cold: { type: 'boolean', default: false },
      prof: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return 'help';
  return {
    seconds: within('--seconds', values.seconds, 60),
    rounds: within('--rounds', values.rounds, 20),
    connections: 64,
    rows: within('--rows', values.rows, 50_000_000),
    createOnly: values['create-only'],
    cold: values.cold,
    profileFolder: values.prof ?? null,
  };
}

function within(name: string, text: string, max: number): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1 || value > max) {
    throw new Error(`${name} takes an integer from 1 to ${max}`);
  }
  return value;
}
