import { runProgram } from './cli/program.ts';

const isServer = process.argv.includes('serve');

process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  // A server keeps running when its standard output is closed.
  if (isServer) return;
  // The reader of a command's output, such as `head`, has closed the pipe.
  if (error.code === 'EPIPE') process.exit(0);
  process.stderr.write(`till: standard output cannot be written: ${error.message}\n`);
  process.exit(1);
});
// On a full disk log lines are lost until there is room again. Payments continue.
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
