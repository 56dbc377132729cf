import { spawn } from 'node:child_process';
import { constants, setPriority } from 'node:os';

/*
 * Runs scripts of package.json in parallel: `node tools/in-parallel.mjs check suite -- [arguments of the last one]`. The last one
 * prints directly and has the higher CPU priority. The output of the others is printed when they have ended. The exit code is 1
 * if any of them fails.
 */
// For programs written in Go, such as the compiler and the linter. They need 2 GiB; collecting garbage below the limit would only
// cost time.
const env = { GOGC: 'off', GOMEMLIMIT: '3GiB', ...process.env };

const words = process.argv.slice(2);
const end = words.indexOf('--');
const scripts = end === -1 ? words : words.slice(0, end);
const options = end === -1 ? [] : words.slice(end);

const start = (name) => {
  const isLast = name === scripts.at(-1);
  const output = isLast ? 'inherit' : 'pipe';
  const parameters = ['run', '--silent', name, ...(isLast ? options : [])];
  const child = spawn('npm', parameters, { env, stdio: ['ignore', output, output] });
  if (!isLast && child.pid !== undefined) setPriority(child.pid, constants.priority.PRIORITY_LOW);
  return child;
};

const run = (name) =>
  new Promise((resolve) => {
    const child = start(name);
    const printed = [];
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => printed.push(chunk));
    child.once('error', (error) => printed.push(`${error.message}\n`));
    child.once('close', (code) => {
      process.stdout.write(Buffer.concat(printed.map((chunk) => Buffer.from(chunk))));
      resolve(code === 0);
    });
  });

const succeeded = await Promise.all(scripts.map(run));
process.exitCode = succeeded.every(Boolean) ? 0 : 1;
