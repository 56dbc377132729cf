import { runProgram } from './cli/program.ts';

await runProgram(process.argv.slice(2), {
  environment: process.env,
  folder: process.cwd(),
  out: (text) => void process.stdout.write(`${text}\n`),
  fail: (text, exitCode) => {
    if (text !== '') process.stderr.write(`${text}\n`);
    process.exitCode = exitCode;
  },
});
