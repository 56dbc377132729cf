import { runProgram } from './cli/program.ts';

process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  // What reads a command's output, such as head, has enough. A server goes on.
  if (!process.argv.includes('serve')) process.exit(0);
});

await runProgram(process.argv.slice(2), {
  environment: process.env,
  folder: process.cwd(),
  out: (text) => void process.stdout.write(`${text}\n`),
  fail: (text, exitCode) => {
    if (text !== '') process.stderr.write(`${text}\n`);
    process.exitCode = exitCode;
  },
});
