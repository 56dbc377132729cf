import { runProgram } from './cli/program.ts';

const isServer = process.argv.includes('serve');

process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  // A server goes on.
  if (isServer) return;
  // What reads a command's output, such as head, has enough.
  if (error.code === 'EPIPE') process.exit(0);
  process.stderr.write(`till: standard output cannot be written: ${error.message}\n`);
  process.exit(1);
});
// On a full disk lines of the log are lost, until there is room again, and nobody is refused a payment for that.
process.stderr.on('error', () => {});

await runProgram(process.argv.slice(2), {
  environment: process.env,
  folder: process.cwd(),
  out: (text) => void process.stdout.write(`${text}\n`),
  fail: (text, exitCode) => {
    if (text !== '') process.stderr.write(`${text}\n`);
    process.exitCode = exitCode;
  },
});
