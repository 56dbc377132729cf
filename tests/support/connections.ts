import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Target } from './merchant.ts';

const bin = fileURLToPath(new URL('../../packages/server/bin/till.js', import.meta.url));

/** Runs `till connections … --json` in a server's environment, with credentials on standard input. */
export async function runConnections(
  { environment }: Pick<Target, 'environment'>,
  input: object | string,
  ...parameters: string[]
) {
  const child = spawn(process.execPath, [bin, 'connections', ...parameters, '--json'], {
    env: { PATH: process.env.PATH ?? '', ...environment },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  let printed = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      printed += chunk.toString();
    });
  }
  child.stdin.end(typeof input === 'string' ? input : JSON.stringify(input));
  const exitCode = await new Promise<number | null>((resolve) => child.once('close', resolve));
  return { exitCode, printed, value: JSON.parse(printed.trim() || 'null') };
}
